/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * File attributes: one table, a row for each that is known, in the order of
 * their bits, which is their order on the wire.
 */
#include <stdio.h>
#include <sys/statvfs.h>

#include "attributes.h"
#include "handle.h"
#include "tree.h"

/* What an attribute is made from. */
struct subject {
    const struct server *server;
    const struct file_id *id;
    const struct statx *st;
};

static const bitmap4 *supported(void);

uint64_t attributes_change(const struct statx *st)
{
    return (uint64_t)st->stx_ctime.tv_sec * 1000000000u + st->stx_ctime.tv_nsec;
}

uint32_t attributes_type(const struct statx *st)
{
    switch (st->stx_mode & S_IFMT) {
    case S_IFREG:
        return NF4REG;
    case S_IFDIR:
        return NF4DIR;
    case S_IFBLK:
        return NF4BLK;
    case S_IFCHR:
        return NF4CHR;
    case S_IFLNK:
        return NF4LNK;
    case S_IFIFO:
        return NF4FIFO;
    default:
        return NF4SOCK;
    }
}

static void put_bitmap(struct put *put, const bitmap4 *bitmap)
{
    u_int i;

    put32(put, bitmap->bitmap4_len);
    for (i = 0; i < bitmap->bitmap4_len; i++)
        put32(put, bitmap->bitmap4_val[i]);
}

static void put_time(struct put *put, const struct statx_timestamp *time)
{
    put64(put, (uint64_t)time->tv_sec);
    put32(put, time->tv_nsec);
}

static void put_number(struct put *put, uint32_t number)
{
    char text[16];
    int len = snprintf(text, sizeof(text), "%u", number);

    put_opaque(put, text, (size_t)len);
}

#define ATTRIBUTE(name)                                                        \
    static void name(struct put *put, const struct subject *of)
#define UNUSED (void)of

ATTRIBUTE(put_supported)
{
    UNUSED;
    put_bitmap(put, supported());
}

ATTRIBUTE(put_type)
{
    put32(put, attributes_type(of->st));
}

ATTRIBUTE(put_change)
{
    put64(put, attributes_change(of->st));
}

ATTRIBUTE(put_size)
{
    put64(put, of->st->stx_size);
}

ATTRIBUTE(put_yes)
{
    UNUSED;
    put32(put, 1);
}

ATTRIBUTE(put_no)
{
    UNUSED;
    put32(put, 0);
}

/* The export's, from its root: st_dev would change with the next boot. */
ATTRIBUTE(put_fsid)
{
    put64(put, of->server->identity);
    put64(put, 0);
}

ATTRIBUTE(put_lease)
{
    UNUSED;
    put32(put, LEASE_SECONDS);
}

ATTRIBUTE(put_handle)
{
    uint8_t handle[HANDLE_SIZE];

    handle_make(of->server, of->id, handle);
    put_opaque(put, handle, sizeof(handle));
}

ATTRIBUTE(put_fileid)
{
    put64(put, of->st->stx_ino);
}

static uint64_t count_of(const struct subject *of, int which)
{
    struct statvfs fs;

    if (fstatvfs(tree_root(of->server->tree), &fs) != 0)
        return 0;
    switch (which) {
    case FATTR4_FILES_AVAIL:
        return fs.f_favail;
    case FATTR4_FILES_FREE:
        return fs.f_ffree;
    case FATTR4_FILES_TOTAL:
        return fs.f_files;
    case FATTR4_SPACE_AVAIL:
        return (uint64_t)fs.f_bavail * fs.f_frsize;
    case FATTR4_SPACE_FREE:
        return (uint64_t)fs.f_bfree * fs.f_frsize;
    default:
        return (uint64_t)fs.f_blocks * fs.f_frsize;
    }
}

ATTRIBUTE(put_files_avail)
{
    put64(put, count_of(of, FATTR4_FILES_AVAIL));
}

ATTRIBUTE(put_files_free)
{
    put64(put, count_of(of, FATTR4_FILES_FREE));
}

ATTRIBUTE(put_files_total)
{
    put64(put, count_of(of, FATTR4_FILES_TOTAL));
}

ATTRIBUTE(put_space_avail)
{
    put64(put, count_of(of, FATTR4_SPACE_AVAIL));
}

ATTRIBUTE(put_space_free)
{
    put64(put, count_of(of, FATTR4_SPACE_FREE));
}

ATTRIBUTE(put_space_total)
{
    put64(put, count_of(of, FATTR4_SPACE_TOTAL));
}

ATTRIBUTE(put_maxfilesize)
{
    UNUSED;
    put64(put, INT64_MAX);
}

ATTRIBUTE(put_maxlink)
{
    UNUSED;
    put32(put, UINT32_MAX);
}

ATTRIBUTE(put_maxname)
{
    UNUSED;
    put32(put, 255);
}

ATTRIBUTE(put_maxread)
{
    put64(put, of->server->options.max_read);
}

ATTRIBUTE(put_mode)
{
    put32(put, of->st->stx_mode & 07777);
}

ATTRIBUTE(put_numlinks)
{
    put32(put, of->st->stx_nlink);
}

ATTRIBUTE(put_owner)
{
    put_number(put, of->st->stx_uid);
}

ATTRIBUTE(put_group)
{
    put_number(put, of->st->stx_gid);
}

ATTRIBUTE(put_rawdev)
{
    put32(put, of->st->stx_rdev_major);
    put32(put, of->st->stx_rdev_minor);
}

ATTRIBUTE(put_space_used)
{
    put64(put, of->st->stx_blocks * 512);
}

ATTRIBUTE(put_time_access)
{
    put_time(put, &of->st->stx_atime);
}

ATTRIBUTE(put_time_delta)
{
    UNUSED;
    put64(put, 0);
    put32(put, 1);
}

ATTRIBUTE(put_time_metadata)
{
    put_time(put, &of->st->stx_ctime);
}

ATTRIBUTE(put_time_modify)
{
    put_time(put, &of->st->stx_mtime);
}

/* None: nothing is created. */
ATTRIBUTE(put_exclcreat)
{
    UNUSED;
    put32(put, 0);
}

ATTRIBUTE(put_change_type)
{
    UNUSED;
    put32(put, NFS4_CHANGE_TYPE_IS_TIME_METADATA);
}

static const struct {
    uint32_t bit;
    void (*put)(struct put *put, const struct subject *of);
} table[] = {
    {FATTR4_SUPPORTED_ATTRS, put_supported},
    {FATTR4_TYPE, put_type},
    {FATTR4_FH_EXPIRE_TYPE, put_no}, /* FH4_PERSISTENT */
    {FATTR4_CHANGE, put_change},
    {FATTR4_SIZE, put_size},
    {FATTR4_LINK_SUPPORT, put_yes},
    {FATTR4_SYMLINK_SUPPORT, put_yes},
    {FATTR4_NAMED_ATTR, put_no},
    {FATTR4_FSID, put_fsid},
    {FATTR4_UNIQUE_HANDLES, put_yes},
    {FATTR4_LEASE_TIME, put_lease},
    {FATTR4_RDATTR_ERROR, put_no}, /* NFS4_OK */
    {FATTR4_ACLSUPPORT, put_no},
    {FATTR4_CANSETTIME, put_no},
    {FATTR4_CASE_INSENSITIVE, put_no},
    {FATTR4_CASE_PRESERVING, put_yes},
    {FATTR4_CHOWN_RESTRICTED, put_yes},
    {FATTR4_FILEHANDLE, put_handle},
    {FATTR4_FILEID, put_fileid},
    {FATTR4_FILES_AVAIL, put_files_avail},
    {FATTR4_FILES_FREE, put_files_free},
    {FATTR4_FILES_TOTAL, put_files_total},
    {FATTR4_HOMOGENEOUS, put_yes},
    {FATTR4_MAXFILESIZE, put_maxfilesize},
    {FATTR4_MAXLINK, put_maxlink},
    {FATTR4_MAXNAME, put_maxname},
    {FATTR4_MAXREAD, put_maxread},
    {FATTR4_MAXWRITE, put_maxread}, /* 0 would make clients doubt the mount */
    {FATTR4_MODE, put_mode},
    {FATTR4_NO_TRUNC, put_yes},
    {FATTR4_NUMLINKS, put_numlinks},
    {FATTR4_OWNER, put_owner},
    {FATTR4_OWNER_GROUP, put_group},
    {FATTR4_RAWDEV, put_rawdev},
    {FATTR4_SPACE_AVAIL, put_space_avail},
    {FATTR4_SPACE_FREE, put_space_free},
    {FATTR4_SPACE_TOTAL, put_space_total},
    {FATTR4_SPACE_USED, put_space_used},
    {FATTR4_TIME_ACCESS, put_time_access},
    {FATTR4_TIME_DELTA, put_time_delta},
    {FATTR4_TIME_METADATA, put_time_metadata},
    {FATTR4_TIME_MODIFY, put_time_modify},
    {FATTR4_MOUNTED_ON_FILEID, put_fileid},
    {FATTR4_SUPPATTR_EXCLCREAT, put_exclcreat},
    {FATTR4_CHANGE_ATTR_TYPE, put_change_type},
};

#define ROWS (sizeof(table) / sizeof(table[0]))

static bool asked(const bitmap4 *bitmap, uint32_t bit)
{
    return bit / 32 < bitmap->bitmap4_len &&
           (bitmap->bitmap4_val[bit / 32] >> bit % 32 & 1) != 0;
}

static const bitmap4 *supported(void)
{
    static uint32_t words[ATTRIBUTE_WORDS];
    static const bitmap4 all = {ATTRIBUTE_WORDS, words};
    size_t i;

    for (i = 0; i < ROWS; i++)
        words[table[i].bit / 32] |= 1u << table[i].bit % 32;
    return &all;
}

bool attributes_put(struct put *put, const struct server *server,
                    const bitmap4 *request, const struct file_id *id,
                    const struct statx *st)
{
    struct subject of = {server, id, st};
    uint32_t words[ATTRIBUTE_WORDS] = {0};
    bitmap4 given = {0, words};
    uint8_t *length;
    size_t i, begin;

    for (i = 0; i < ROWS; i++) {
        if (!asked(request, table[i].bit))
            continue;
        words[table[i].bit / 32] |= 1u << table[i].bit % 32;
        given.bitmap4_len = table[i].bit / 32 + 1;
    }
    put_bitmap(put, &given);
    length = put_room(put, 4);
    begin = put->len;
    for (i = 0; i < ROWS; i++)
        if (asked(&given, table[i].bit))
            table[i].put(put, &of);
    if (length != NULL && !put->full)
        put_store32(length, (uint32_t)(put->len - begin));
    return !put->full;
}

nfsstat4 attributes_comparable(const bitmap4 *request)
{
    const bitmap4 *all = supported();
    u_int i;

    if (asked(request, FATTR4_RDATTR_ERROR))
        return NFS4ERR_INVAL;
    for (i = 0; i < request->bitmap4_len; i++)
        if (request->bitmap4_val[i] &
            ~(i < ATTRIBUTE_WORDS ? all->bitmap4_val[i] : 0))
            return NFS4ERR_ATTRNOTSUPP;
    return NFS4_OK;
}
