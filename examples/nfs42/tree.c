/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where files are: a table of the names seen, openat2() along them, and a
 * search where they fail.  No path of the client's making is ever opened.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "tree.h"

#define BUCKETS 16384u
#define MAX_DEPTH 256
#define WANTED (STATX_BASIC_STATS | STATX_BTIME | STATX_MNT_ID)

/* A name seen: its file, and the folder it was in. */
struct node {
    struct node *next;
    struct file_id id, folder;
    char name[];
};

struct tree {
    int root;
    struct file_id root_id;
    uint64_t mount;
    struct node *buckets[BUCKETS];
    size_t nodes;
    struct timespec rest; /* no search before this time */
};

nfsstat4 status_of_errno(int error)
{
    switch (error) {
    case ENOENT:
    case EXDEV: /* mounted there */
        return NFS4ERR_NOENT;
    case EACCES:
    case EPERM:
        return NFS4ERR_ACCESS;
    case ENOTDIR:
        return NFS4ERR_NOTDIR;
    case EISDIR:
        return NFS4ERR_ISDIR;
    case ELOOP:
        return NFS4ERR_SYMLINK;
    case ENAMETOOLONG:
        return NFS4ERR_NAMETOOLONG;
    case ESTALE:
        return NFS4ERR_STALE;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
    case EINTR:
        return NFS4ERR_DELAY;
    case EINVAL:
        return NFS4ERR_INVAL;
    default:
        return NFS4ERR_IO;
    }
}

/* --- the table ------------------------------------------------------------ */

static struct node **bucket(struct tree *tree, const struct file_id *id)
{
    uint64_t mixed = (id->ino ^ id->birth) * 0x9e3779b97f4a7c15u;

    return &tree->buckets[mixed >> 32 & (BUCKETS - 1)];
}

static struct node *known(struct tree *tree, const struct file_id *id)
{
    struct node *node = *bucket(tree, id);

    while (node != NULL && !same_file(&node->id, id))
        node = node->next;
    return node;
}

static void forget(struct tree *tree, const struct file_id *id)
{
    struct node **at = bucket(tree, id), *node;

    while ((node = *at) != NULL && !same_file(&node->id, id))
        at = &node->next;
    if (node == NULL)
        return;
    *at = node->next;
    free(node);
    tree->nodes--;
}

static void forget_all(struct tree *tree)
{
    struct node *node, *next;
    size_t i;

    for (i = 0; i < BUCKETS; i++) {
        for (node = tree->buckets[i]; node != NULL; node = next) {
            next = node->next;
            free(node);
        }
        tree->buckets[i] = NULL;
    }
    tree->nodes = 0;
}

/* A full table begins anew: the search fills it with what is in use. */
static void remember(struct tree *tree, const struct file_id *folder,
                     const char *name, const struct file_id *id)
{
    struct node *node = known(tree, id), **at;
    size_t len = strlen(name) + 1;

    if (same_file(id, &tree->root_id))
        return;
    if (node != NULL && same_file(&node->folder, folder) &&
        strcmp(node->name, name) == 0)
        return;
    forget(tree, id);
    if (tree->nodes >= MAX_NODES)
        forget_all(tree);
    node = malloc(sizeof(*node) + len);
    if (node == NULL)
        return; /* then it is searched for */
    node->id = *id;
    node->folder = *folder;
    memcpy(node->name, name, len);
    at = bucket(tree, id);
    node->next = *at;
    *at = node;
    tree->nodes++;
}

/* The path from the root, or NULL where a part of it is not known. */
static const char *path_of(struct tree *tree, const struct file_id *id,
                           char path[PATH_MAX])
{
    size_t at = PATH_MAX - 1, len;
    struct node *node;
    int depth = 0;

    path[at] = '\0';
    while (!same_file(id, &tree->root_id)) {
        node = known(tree, id);
        if (node == NULL || depth++ == MAX_DEPTH)
            return NULL;
        len = strlen(node->name);
        if (len + 1 > at)
            return NULL;
        if (path[at] != '\0')
            path[--at] = '/';
        at -= len;
        memcpy(path + at, node->name, len);
        id = &node->folder;
    }
    return path[at] == '\0' ? "." : path + at;
}

/* --- what the kernel says ------------------------------------------------- */

nfsstat4 tree_stat(int fd, struct statx *st)
{
    if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_SYNC_AS_STAT, WANTED, st) != 0)
        return status_of_errno(errno);
    return NFS4_OK;
}

static struct file_id id_of(const struct statx *st)
{
    struct file_id id = {st->stx_ino, 0};

    if (st->stx_mask & STATX_BTIME)
        id.birth = (uint64_t)st->stx_btime.tv_sec * 1000000000u +
                   st->stx_btime.tv_nsec;
    return id;
}

static int stat_name(const struct tree *tree, int fd, const char *name,
                     struct statx *st)
{
    if (statx(fd, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, WANTED, st) != 0)
        return -1;
    if (st->stx_mnt_id != tree->mount) {
        errno = EXDEV;
        return -1;
    }
    return 0;
}

nfsstat4 tree_stat_at(struct tree *tree, int fd, const struct file_id *folder,
                      const char *name, struct file_id *id, struct statx *st)
{
    if (stat_name(tree, fd, name, st) != 0)
        return status_of_errno(errno);
    *id = id_of(st);
    remember(tree, folder, name, id);
    return NFS4_OK;
}

/* --- the search ----------------------------------------------------------- */

struct search {
    struct tree *tree;
    struct file_id wanted;
    size_t looked;
};

static bool search_folder(struct search *search, int fd,
                          const struct file_id *folder, int depth);

/* One name: the file itself, or a folder that has it. */
static bool search_entry(struct search *search, int fd,
                         const struct file_id *folder, int depth,
                         const struct dirent *entry)
{
    struct file_id id;
    struct statx st;
    bool found;
    int below;

    if (entry->d_ino != search->wanted.ino && entry->d_type != DT_DIR &&
        entry->d_type != DT_UNKNOWN)
        return false;
    if (stat_name(search->tree, fd, entry->d_name, &st) != 0)
        return false;
    id = id_of(&st);
    found = same_file(&id, &search->wanted);
    if (!found && S_ISDIR(st.stx_mode) && depth < MAX_DEPTH) {
        below = beneath_open(fd, entry->d_name, O_RDONLY | O_DIRECTORY,
                             search->tree->mount);
        found = below >= 0 && search_folder(search, below, &id, depth + 1);
    }
    if (found)
        remember(search->tree, folder, entry->d_name, &id);
    return found;
}

/* Takes fd. */
static bool search_folder(struct search *search, int fd,
                          const struct file_id *folder, int depth)
{
    DIR *dir = fdopendir(fd);
    struct dirent *entry;
    bool found = false;

    if (dir == NULL) {
        close(fd);
        return false;
    }
    while (!found && search->looked < MAX_WALK &&
           (entry = readdir(dir)) != NULL) {
        search->looked++;
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            found = search_entry(search, fd, folder, depth, entry);
    }
    closedir(dir);
    return found;
}

static int64_t nanoseconds(const struct timespec *t)
{
    return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

/*
 * Where a deleted file is asked for, the whole export is read in vain: so the
 * server rests four times as long as a search took before the next, in which
 * it serves the others, and whoever asks is told to come back.
 */
static nfsstat4 search(struct tree *tree, const struct file_id *id)
{
    struct search search = {tree, *id, 0};
    struct timespec began, ended;
    int64_t rest;
    bool found;
    int fd;

    clock_gettime(CLOCK_MONOTONIC, &began);
    if (nanoseconds(&began) < nanoseconds(&tree->rest))
        return NFS4ERR_DELAY;
    fd = beneath_open(tree->root, ".", O_RDONLY | O_DIRECTORY, tree->mount);
    if (fd < 0)
        return status_of_errno(errno);
    found = search_folder(&search, fd, &tree->root_id, 0);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    rest =
        nanoseconds(&ended) + 4 * (nanoseconds(&ended) - nanoseconds(&began));
    tree->rest.tv_sec = rest / 1000000000;
    tree->rest.tv_nsec = rest % 1000000000;
    return found ? NFS4_OK : NFS4ERR_STALE;
}

/* --- files ---------------------------------------------------------------- */

/* Where it was seen last, if it is there.  ESTALE: it is not. */
static int open_known(struct tree *tree, const struct file_id *id, int flags)
{
    char buffer[PATH_MAX];
    const char *path = path_of(tree, id, buffer);
    struct file_id there;
    struct statx st;
    int fd;

    errno = ESTALE;
    if (path == NULL)
        return -1;
    fd = beneath_open(tree->root, path, flags, tree->mount);
    if (fd < 0) {
        if (errno == ENOENT || errno == ENOTDIR || errno == EXDEV ||
            (errno == ELOOP && flags & O_PATH))
            errno = ESTALE;
        return -1;
    }
    if (tree_stat(fd, &st) == NFS4_OK) {
        there = id_of(&st);
        if (same_file(&there, id))
            return fd;
    }
    close(fd);
    errno = ESTALE;
    return -1;
}

nfsstat4 tree_get(struct tree *tree, const struct file_id *id, int flags,
                  int *fd)
{
    nfsstat4 status;

    *fd = open_known(tree, id, flags);
    if (*fd >= 0)
        return NFS4_OK;
    if (errno != ESTALE)
        return status_of_errno(errno);
    status = search(tree, id);
    if (status != NFS4_OK)
        return status;
    *fd = open_known(tree, id, flags);
    return *fd >= 0 ? NFS4_OK : status_of_errno(errno);
}

nfsstat4 tree_parent(struct tree *tree, const struct file_id *id,
                     struct file_id *parent)
{
    struct node *node;
    nfsstat4 status;
    int fd;

    if (same_file(id, &tree->root_id))
        return NFS4ERR_NOENT;
    status = tree_get(tree, id, O_PATH, &fd); /* so that it is known */
    if (status != NFS4_OK)
        return status;
    close(fd);
    node = known(tree, id);
    if (node == NULL)
        return NFS4ERR_DELAY;
    *parent = node->folder;
    return NFS4_OK;
}

int tree_root(const struct tree *tree)
{
    return tree->root;
}

struct file_id tree_root_id(const struct tree *tree)
{
    return tree->root_id;
}

struct tree *tree_open(const char *path)
{
    struct tree *tree = calloc(1, sizeof(*tree));
    struct statx st;

    if (tree == NULL)
        return NULL;
    tree->root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (tree->root < 0 || tree_stat(tree->root, &st) != NFS4_OK) {
        tree_close(tree);
        return NULL;
    }
    tree->root_id = id_of(&st);
    tree->mount = st.stx_mnt_id;
    return tree;
}

void tree_close(struct tree *tree)
{
    if (tree == NULL)
        return;
    if (tree->root >= 0)
        close(tree->root);
    forget_all(tree);
    free(tree);
}
