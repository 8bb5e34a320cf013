/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filehandles and the key that signs them.  A handle is never trusted before
 * its hash was compared.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "handle.h"
#include "put.h"

#define HANDLE_MAGIC 0x52503432u /* "RP42": the first form of a handle */

static uint64_t sign(const struct server *server, const uint8_t *handle)
{
    uint8_t signed_bytes[20 + 8];
    struct put put = {signed_bytes, 0, sizeof(signed_bytes), false};

    put_fixed(&put, handle, 20);
    put64(&put, server->identity);
    return siphash(server->key, signed_bytes, sizeof(signed_bytes));
}

void handle_make(const struct server *server, const struct file_id *id,
                 uint8_t handle[HANDLE_SIZE])
{
    struct put put = {handle, 0, HANDLE_SIZE, false};

    put32(&put, HANDLE_MAGIC);
    put64(&put, id->ino);
    put64(&put, id->birth);
    put64(&put, sign(server, handle));
}

static uint64_t load64(const uint8_t *at)
{
    return (uint64_t)put_load32(at) << 32 | put_load32(at + 4);
}

nfsstat4 handle_read(const struct server *server, const void *handle,
                     size_t len, struct file_id *id)
{
    const uint8_t *at = handle;

    if (len != HANDLE_SIZE || put_load32(at) != HANDLE_MAGIC ||
        load64(at + 20) != sign(server, at))
        return NFS4ERR_BADHANDLE;
    id->ino = load64(at + 4);
    id->birth = load64(at + 12);
    return NFS4_OK;
}

static bool read_key(const char *path, uint8_t key[SIPHASH_KEY_SIZE])
{
    uint8_t kept[SIPHASH_KEY_SIZE];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t got = fd < 0 ? -1 : read(fd, kept, sizeof(kept));

    if (fd >= 0)
        close(fd);
    if (got == SIPHASH_KEY_SIZE)
        memcpy(key, kept, sizeof(kept));
    else if (got >= 0)
        errno = EINVAL;
    return got == SIPHASH_KEY_SIZE;
}

/* Whole or not at all, and the first of two servers wins. */
static bool write_key(const char *path, const uint8_t key[SIPHASH_KEY_SIZE])
{
    char fresh[PATH_MAX];
    bool good;
    int fd;

    if (snprintf(fresh, sizeof(fresh), "%s.XXXXXX", path) >= (int)sizeof(fresh))
        return false;
    fd = mkostemp(fresh, O_CLOEXEC); /* mode 0600 */
    if (fd < 0)
        return false;
    good = write(fd, key, SIPHASH_KEY_SIZE) == SIPHASH_KEY_SIZE &&
           fsync(fd) == 0 && link(fresh, path) == 0;
    unlink(fresh);
    return close(fd) == 0 && good;
}

/* Where no --key names one. */
static bool default_path(char path[PATH_MAX])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int len;

    if (geteuid() == 0) {
        (void)!mkdir("/var/lib/nfs42d", 0700);
        len = snprintf(path, PATH_MAX, "/var/lib/nfs42d/key");
    } else if (state != NULL && *state == '/') {
        len = snprintf(path, PATH_MAX, "%s/nfs42d.key", state);
    } else if (home != NULL && *home == '/') {
        len = snprintf(path, PATH_MAX, "%s/.nfs42d.key", home);
    } else {
        return false;
    }
    return len < PATH_MAX;
}

/* Whether the folder of the key file is the export or lies below it. */
static bool exported(const struct server *server, const char *path)
{
    char *copy = strdup(path), *slash, *folder, *root;
    bool inside = false;
    size_t len;

    if (copy == NULL)
        return true;
    slash = strrchr(copy, '/');
    if (slash != NULL)
        slash[slash == copy] = '\0';
    folder = realpath(slash != NULL ? copy : ".", NULL);
    root = realpath(server->options.export_dir, NULL);
    if (folder != NULL && root != NULL) {
        len = strcmp(root, "/") == 0 ? 0 : strlen(root);
        inside = strncmp(folder, root, len) == 0 &&
                 (folder[len] == '\0' || folder[len] == '/');
    }
    free(root);
    free(folder);
    free(copy);
    return inside;
}

/* The file's key, or a new one in the file. */
static bool kept_key(const struct server *server, const char *path,
                     uint8_t key[SIPHASH_KEY_SIZE])
{
    if (exported(server, path)) {
        errno = EXDEV; /* and would be given to every client */
        return false;
    }
    if (read_key(path, key))
        return true;
    return errno == ENOENT && (write_key(path, key) || read_key(path, key));
}

bool handle_key(struct server *server)
{
    const char *given = server->options.key_file;
    char path[PATH_MAX] = "no place for a key";
    bool named;

    if (getrandom(server->key, sizeof(server->key), 0) !=
        (ssize_t)sizeof(server->key))
        return false;
    errno = ENOENT;
    if (given != NULL)
        named = snprintf(path, sizeof(path), "%s", given) < PATH_MAX;
    else
        named = default_path(path);
    if (named && kept_key(server, path, server->key))
        return true;
    fprintf(stderr, "nfs42d: %s: %s%s\n", path,
            errno == EXDEV ? "the key would be exported" : strerror(errno),
            given != NULL ? "" : "; filehandles will not outlive this process");
    return given == NULL;
}
