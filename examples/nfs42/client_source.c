/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a path to a filehandle.  Symbolic links are not followed, and no state
 * is relied upon: where a file cannot be opened, during a server's grace
 * period for instance, it is read without (RFC 8881 section 8.2.3).
 */
#include <string.h>

#include "client_source.h"

/* Components looked up by one call. */
#define LOOKUPS 8
#define WANT_NO_DELEG 0x0400 /* OPEN4_SHARE_ACCESS_WANT_NO_DELEG */

/* --- attributes ---------------------------------------------------------- */

static const uint32_t wanted[] = {FATTR4_TYPE,   FATTR4_CHANGE,  FATTR4_SIZE,
                                  FATTR4_FILEID, FATTR4_MAXREAD, FATTR4_MODE};

#define WANTED (sizeof(wanted) / sizeof(wanted[0]))

static nfs_argop4 getattr(uint32_t bits[2])
{
    nfs_argop4 op = {.argop = OP_GETATTR};
    size_t i;

    bits[0] = bits[1] = 0;
    for (i = 0; i < WANTED; i++)
        bits[wanted[i] / 32] |= 1u << wanted[i] % 32;
    op.nfs_argop4_u.opgetattr.attr_request.bitmap4_val = bits;
    op.nfs_argop4_u.opgetattr.attr_request.bitmap4_len = 2;
    return op;
}

static bool has(const bitmap4 *mask, uint32_t bit)
{
    return bit / 32 < mask->bitmap4_len &&
           (mask->bitmap4_val[bit / 32] & 1u << bit % 32) != 0;
}

/* Whether nothing but what was asked for is there. */
static bool only_wanted(const bitmap4 *mask)
{
    uint32_t bits[2];
    uint32_t i;

    (void)getattr(bits);
    for (i = 0; i < mask->bitmap4_len; i++)
        if ((mask->bitmap4_val[i] & ~(i < 2 ? bits[i] : 0)) != 0)
            return false;
    return true;
}

/* The values, which stand in the order of their bits (RFC 8881 5.4). */
static bool read_values(const fattr4 *attrs, struct source *source,
                        uint32_t *type)
{
    const bitmap4 *mask = &attrs->attrmask;
    XDR xdr;
    bool good;

    if (!only_wanted(mask))
        return false;
    xdrmem_create(&xdr, attrs->attr_vals.attrlist4_val,
                  attrs->attr_vals.attrlist4_len, XDR_DECODE);
    good = has(mask, FATTR4_TYPE) && xdr_u_int(&xdr, type) &&
           has(mask, FATTR4_CHANGE) && xdr_uint64_t(&xdr, &source->change) &&
           has(mask, FATTR4_SIZE) && xdr_uint64_t(&xdr, &source->size);
    if (good && has(mask, FATTR4_FILEID))
        good = xdr_uint64_t(&xdr, &source->fileid);
    if (good && has(mask, FATTR4_MAXREAD))
        good = xdr_uint64_t(&xdr, &source->maxread);
    if (good && has(mask, FATTR4_MODE))
        good = xdr_u_int(&xdr, &source->mode);
    good = good && xdr_getpos(&xdr) == attrs->attr_vals.attrlist4_len;
    xdr_destroy(&xdr);
    return good;
}

static const char *kind(uint32_t type)
{
    switch (type) {
    case NF4DIR:
        return "a directory";
    case NF4LNK:
        return "a symbolic link, which is not followed";
    default:
        return "something special";
    }
}

/* What GETATTR brought. */
static enum reach take_attributes(struct session *session,
                                  const nfs_resop4 *result,
                                  struct source *source)
{
    const fattr4 *attrs =
        &result->nfs_resop4_u.opgetattr.GETATTR4res_u.resok4.obj_attributes;
    uint32_t type = 0;

    if (!read_values(attrs, source, &type))
        return session_fail(session, REACH_LOST,
                            "the file's attributes make no sense");
    if (type != NF4REG && type != NF4NAMEDATTR)
        return session_fail(session, REACH_REFUSED, "is %s, not a regular file",
                            kind(type));
    return REACH_OK;
}

/* --- the path ------------------------------------------------------------ */

/* The next component of *path, which moves behind it. */
static size_t component(const char **path, const char **name)
{
    size_t len;

    while (**path == '/')
        (*path)++;
    *name = *path;
    len = strcspn(*path, "/");
    *path += len;
    return len;
}

/* Where a walk begins: at the root, or at the directory reached so far. */
static nfs_argop4 start(const struct source *source)
{
    nfs_argop4 op = {.argop = OP_PUTROOTFH};

    return source->handle_len > 0 ? source_putfh(source) : op;
}

nfs_argop4 source_putfh(const struct source *source)
{
    nfs_argop4 op = {.argop = OP_PUTFH};

    op.nfs_argop4_u.opputfh.object.nfs_fh4_len = source->handle_len;
    /* It is only read. */
    op.nfs_argop4_u.opputfh.object.nfs_fh4_val =
        (char *)(uintptr_t)source->handle;
    return op;
}

static enum reach refused(struct session *session, nfsstat4 status)
{
    switch (status) {
    case NFS4ERR_NOENT:
        return session_fail(session, REACH_REFUSED, "no such file");
    case NFS4ERR_PERM:
    case NFS4ERR_ACCESS:
        return session_fail(session, REACH_REFUSED, "permission denied");
    case NFS4ERR_NOTDIR:
    case NFS4ERR_SYMLINK:
        return session_fail(session, REACH_REFUSED,
                            "something on the path is no directory");
    case NFS4ERR_WRONGSEC:
        return session_fail(session, REACH_REFUSED,
                            "the server wants other credentials than "
                            "AUTH_SYS");
    default:
        return session_fail(session, REACH_REFUSED, "the server says %s",
                            status_name(status));
    }
}

/* Up to LOOKUPS components further; the last call asks for attributes too. */
static enum reach walk(struct session *session, struct source *source,
                       const char **path)
{
    nfs_argop4 ops[LOOKUPS + 3];
    uint32_t bits[2], count = 0, names;
    struct results results;
    const nfs_fh4 *handle;
    enum reach reach;
    const char *name;
    size_t len;

    ops[count++] = start(source);
    for (names = 0; names < LOOKUPS; names++) {
        component4 *to;

        len = component(path, &name);
        if (len == 0)
            break;
        ops[count] = (nfs_argop4){.argop = OP_LOOKUP};
        to = &ops[count++].nfs_argop4_u.oplookup.objname;
        to->utf8string_val = (char *)(uintptr_t)name;
        to->utf8string_len = (u_int)len;
    }
    ops[count++] = (nfs_argop4){.argop = OP_GETFH};
    if (names < LOOKUPS)
        ops[count++] = getattr(bits);
    reach = session_run(session, ops, count, &results);
    if (reach == REACH_OK && results.status != NFS4_OK)
        reach = refused(session, results.status);
    if (reach == REACH_OK) {
        handle = &results.list[1 + names]
                      .nfs_resop4_u.opgetfh.GETFH4res_u.resok4.object;
        memcpy(source->handle, handle->nfs_fh4_val, handle->nfs_fh4_len);
        source->handle_len = handle->nfs_fh4_len;
        if (names < LOOKUPS)
            reach = take_attributes(session, &results.list[2 + names], source);
    }
    results_free(&results);
    return names < LOOKUPS || reach != REACH_OK ? reach
                                                : walk(session, source, path);
}

/* --- OPEN ---------------------------------------------------------------- */

/* A server that cannot open the file just now may still let it be read. */
static enum reach open_file(struct session *session, struct source *source)
{
    nfs_argop4 ops[2] = {source_putfh(source), {.argop = OP_OPEN}};
    OPEN4args *args = &ops[1].nfs_argop4_u.opopen;
    struct results results;
    enum reach reach;

    args->share_access = OPEN4_SHARE_ACCESS_READ | WANT_NO_DELEG;
    args->share_deny = OPEN4_SHARE_DENY_NONE;
    args->owner.clientid = session->clientid;
    args->owner.owner.owner_val = session->owner;
    args->owner.owner.owner_len = (u_int)strlen(session->owner);
    args->openhow.opentype = OPEN4_NOCREATE;
    args->openhow.openflag4_u.claim.claim = CLAIM_FH;
    reach = session_run(session, ops, 2, &results);
    if (reach == REACH_OK && results.status == NFS4_OK) {
        source->stateid =
            results.list[1].nfs_resop4_u.opopen.OPEN4res_u.resok4.stateid;
        source->open = true;
    } else if (reach == REACH_OK && (results.status == NFS4ERR_ACCESS ||
                                     results.status == NFS4ERR_PERM)) {
        reach = refused(session, results.status);
    }
    results_free(&results);
    return reach;
}

void source_close(struct session *session, struct source *source)
{
    nfs_argop4 ops[2] = {source_putfh(source), {.argop = OP_CLOSE}};
    struct results results;

    if (!source->open || !session->up)
        return;
    ops[1].nfs_argop4_u.opclose.open_stateid = source->stateid;
    if (session_run(session, ops, 2, &results) != REACH_OK)
        session_drop(session);
    results_free(&results);
    source->open = false;
}

/* --- all of it ----------------------------------------------------------- */

/*
 * Reads a byte and looks again.  The first read after a write changes the time
 * of the last access, and with it the change attribute of some file systems
 * (XFS for one); what is compared later must be from after that.
 */
static enum reach touch(struct session *session, struct source *source)
{
    uint32_t bits[2];
    nfs_argop4 ops[3] = {
        source_putfh(source), {.argop = OP_READ}, getattr(bits)};
    struct results results;
    enum reach reach;

    ops[1].nfs_argop4_u.opread = (READ4args){source->stateid, 0, 1};
    reach = session_run(session, ops, 3, &results);
    if (reach == REACH_OK &&
        (results.status == NFS4ERR_ACCESS || results.status == NFS4ERR_PERM))
        reach = refused(session, results.status);
    else if (reach == REACH_OK && results.status == NFS4_OK)
        reach = take_attributes(session, &results.list[2], source);
    results_free(&results);
    return reach;
}

enum reach source_find(struct session *session, struct source *source)
{
    const char *path = session->options->path;
    enum reach reach;

    *source = (struct source){.size = 0};
    reach = walk(session, source, &path);
    if (reach == REACH_OK)
        reach = open_file(session, source);
    return reach == REACH_OK && source->size > 0 ? touch(session, source)
                                                 : reach;
}

enum reach source_look(struct session *session, const struct source *source,
                       struct source *now)
{
    uint32_t bits[2];
    nfs_argop4 ops[2] = {source_putfh(source), getattr(bits)};
    struct results results;
    enum reach reach;

    *now = *source;
    reach = session_run(session, ops, 2, &results);
    if (reach == REACH_OK && results.status != NFS4_OK)
        reach = refused(session, results.status);
    if (reach == REACH_OK)
        reach = take_attributes(session, &results.list[1], now);
    results_free(&results);
    return reach;
}

bool source_same(const struct source *before, const struct source *now)
{
    return before->size == now->size && before->change == now->change &&
           before->fileid == now->fileid;
}
