/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operations on filehandles, names and attributes.  All of them see the export
 * with the rights of the server's own user; whom AUTH_SYS names is not
 * believed.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "attributes.h"
#include "handle.h"
#include "operations.h"
#include "tree.h"

nfsstat4 op_putrootfh(struct compound *compound, const nfs_argop4 *args,
                      nfs_resop4 *res)
{
    struct file_id id = tree_root_id(compound->server->tree);

    (void)args;
    (void)res;
    compound_set(compound, &id);
    return NFS4_OK;
}

/* Whether the file is still there is found out by who needs it. */
nfsstat4 op_putfh(struct compound *compound, const nfs_argop4 *args,
                  nfs_resop4 *res)
{
    const nfs_fh4 *handle = &args->nfs_argop4_u.opputfh.object;
    struct file_id id;
    nfsstat4 status;

    (void)res;
    status = handle_read(compound->server, handle->nfs_fh4_val,
                         handle->nfs_fh4_len, &id);
    if (status == NFS4_OK)
        compound_set(compound, &id);
    return status;
}

nfsstat4 op_getfh(struct compound *compound, const nfs_argop4 *args,
                  nfs_resop4 *result)
{
    GETFH4resok *res = &result->nfs_resop4_u.opgetfh.GETFH4res_u.resok4;

    (void)args;
    handle_make(compound->server, &compound->current.id, compound->scratch);
    res->object.nfs_fh4_len = HANDLE_SIZE;
    res->object.nfs_fh4_val = (char *)compound->scratch;
    return NFS4_OK;
}

/* The descriptor stays where it is; the copy opens its own when it needs it. */
static void copy_current(struct current *to, const struct current *from)
{
    current_drop(to);
    *to = *from;
    to->fd = -1;
}

nfsstat4 op_savefh(struct compound *compound, const nfs_argop4 *args,
                   nfs_resop4 *res)
{
    (void)args;
    (void)res;
    copy_current(&compound->saved, &compound->current);
    return NFS4_OK;
}

nfsstat4 op_restorefh(struct compound *compound, const nfs_argop4 *args,
                      nfs_resop4 *res)
{
    (void)args;
    (void)res;
    if (!compound->saved.set)
        return NFS4ERR_NOFILEHANDLE;
    copy_current(&compound->current, &compound->saved);
    return NFS4_OK;
}

/* The current file's attributes, as an fattr4 in the scratch buffer. */
static nfsstat4 current_attributes(struct compound *compound,
                                   const bitmap4 *request, struct put *put)
{
    struct statx st;
    nfsstat4 status;
    int fd;

    status = compound_fd(compound, &fd);
    if (status == NFS4_OK)
        status = tree_stat(fd, &st);
    if (status != NFS4_OK)
        return status;
    *put = (struct put){compound->scratch, 0, sizeof(compound->scratch), false};
    return attributes_put(put, compound->server, request, &compound->current.id,
                          &st)
               ? NFS4_OK
               : NFS4ERR_SERVERFAULT;
}

/* Takes the fattr4 apart again, for rpcgen's routine to write it. */
nfsstat4 op_getattr(struct compound *compound, const nfs_argop4 *args,
                    nfs_resop4 *result)
{
    fattr4 *res =
        &result->nfs_resop4_u.opgetattr.GETATTR4res_u.resok4.obj_attributes;
    static uint32_t words[ATTRIBUTE_WORDS];
    nfsstat4 status;
    struct put put;
    uint32_t i, n;
    uint8_t *at;

    status = current_attributes(
        compound, &args->nfs_argop4_u.opgetattr.attr_request, &put);
    if (status != NFS4_OK)
        return status;
    at = put.bytes;
    n = put_load32(at);
    for (i = 0; i < n; i++)
        words[i] = put_load32(at + 4 + 4 * i);
    at += 4 + 4 * n;
    res->attrmask.bitmap4_len = n;
    res->attrmask.bitmap4_val = words;
    res->attr_vals.attrlist4_len = put_load32(at);
    res->attr_vals.attrlist4_val = (char *)at + 4;
    return NFS4_OK;
}

/* NFS4ERR_SAME or NFS4ERR_NOT_SAME, or why that cannot be said. */
static nfsstat4 compare(struct compound *compound, const fattr4 *with)
{
    nfsstat4 status = attributes_comparable(&with->attrmask);
    struct put put;
    size_t head;

    if (status == NFS4_OK)
        status = current_attributes(compound, &with->attrmask, &put);
    if (status != NFS4_OK)
        return status;
    head = 4 + 4 * (size_t)put_load32(put.bytes) + 4;
    if (put.len - head != with->attr_vals.attrlist4_len ||
        (put.len > head &&
         memcmp(put.bytes + head, with->attr_vals.attrlist4_val,
                put.len - head) != 0))
        return NFS4ERR_NOT_SAME;
    return NFS4ERR_SAME;
}

nfsstat4 op_verify(struct compound *compound, const nfs_argop4 *args,
                   nfs_resop4 *res)
{
    nfsstat4 status =
        compare(compound, &args->nfs_argop4_u.opverify.obj_attributes);

    (void)res;
    return status == NFS4ERR_SAME ? NFS4_OK : status;
}

nfsstat4 op_nverify(struct compound *compound, const nfs_argop4 *args,
                    nfs_resop4 *res)
{
    nfsstat4 status =
        compare(compound, &args->nfs_argop4_u.opnverify.obj_attributes);

    (void)res;
    return status == NFS4ERR_NOT_SAME ? NFS4_OK : status;
}

static bool may(int fd, int how)
{
    return faccessat(fd, "", how, AT_EMPTY_PATH | AT_EACCESS) == 0;
}

/* Writing is told about, and never allowed. */
nfsstat4 op_access(struct compound *compound, const nfs_argop4 *args,
                   nfs_resop4 *result)
{
    const uint32_t known = ACCESS4_READ | ACCESS4_LOOKUP | ACCESS4_MODIFY |
                           ACCESS4_EXTEND | ACCESS4_DELETE | ACCESS4_EXECUTE;
    ACCESS4resok *res = &result->nfs_resop4_u.opaccess.ACCESS4res_u.resok4;
    uint32_t asked = args->nfs_argop4_u.opaccess.access;
    struct statx st;
    nfsstat4 status;
    int fd;

    status = compound_fd(compound, &fd);
    if (status == NFS4_OK)
        status = tree_stat(fd, &st);
    if (status != NFS4_OK)
        return status;
    res->supported = asked & known;
    if (may(fd, R_OK))
        res->access |= ACCESS4_READ;
    if (may(fd, X_OK))
        res->access |= S_ISDIR(st.stx_mode) ? ACCESS4_LOOKUP : ACCESS4_EXECUTE;
    res->access &= res->supported;
    return NFS4_OK;
}

/* Into the scratch buffer; no name may lead anywhere but to one entry. */
static nfsstat4 take_name(struct compound *compound, const component4 *given,
                          const char **name)
{
    char *copy = (char *)compound->scratch;

    if (given->utf8string_len == 0)
        return NFS4ERR_INVAL;
    if (given->utf8string_len > NAME_MAX)
        return NFS4ERR_NAMETOOLONG;
    memcpy(copy, given->utf8string_val, given->utf8string_len);
    copy[given->utf8string_len] = '\0';
    if (strlen(copy) != given->utf8string_len || strchr(copy, '/') != NULL)
        return NFS4ERR_BADCHAR;
    if (strcmp(copy, ".") == 0 || strcmp(copy, "..") == 0)
        return NFS4ERR_BADNAME;
    *name = copy;
    return NFS4_OK;
}

nfsstat4 compound_lookup(struct compound *compound, const component4 *given,
                         struct file_id *id, struct statx *st)
{
    const char *name;
    nfsstat4 status;
    int fd;

    status = compound_fd(compound, &fd);
    if (status == NFS4_OK)
        status = tree_stat(fd, st);
    if (status != NFS4_OK)
        return status;
    if (S_ISLNK(st->stx_mode))
        return NFS4ERR_SYMLINK;
    if (!S_ISDIR(st->stx_mode))
        return NFS4ERR_NOTDIR;
    status = take_name(compound, given, &name);
    if (status != NFS4_OK)
        return status;
    return tree_stat_at(compound->server->tree, fd, &compound->current.id, name,
                        id, st);
}

nfsstat4 op_lookup(struct compound *compound, const nfs_argop4 *args,
                   nfs_resop4 *res)
{
    struct file_id id;
    struct statx st;
    nfsstat4 status;

    (void)res;
    status = compound_lookup(compound, &args->nfs_argop4_u.oplookup.objname,
                             &id, &st);
    if (status == NFS4_OK)
        compound_set(compound, &id);
    return status;
}

static nfsstat4 to_parent(struct compound *compound)
{
    struct file_id parent;
    struct statx st;
    nfsstat4 status;
    int fd;

    status = compound_fd(compound, &fd);
    if (status == NFS4_OK)
        status = tree_stat(fd, &st);
    if (status != NFS4_OK)
        return status;
    if (!S_ISDIR(st.stx_mode))
        return NFS4ERR_NOTDIR;
    status =
        tree_parent(compound->server->tree, &compound->current.id, &parent);
    if (status == NFS4_OK)
        compound_set(compound, &parent);
    return status;
}

nfsstat4 op_lookupp(struct compound *compound, const nfs_argop4 *args,
                    nfs_resop4 *res)
{
    (void)args;
    (void)res;
    return to_parent(compound);
}

nfsstat4 op_readlink(struct compound *compound, const nfs_argop4 *args,
                     nfs_resop4 *result)
{
    linktext4 *res =
        &result->nfs_resop4_u.opreadlink.READLINK4res_u.resok4.link;
    nfsstat4 status;
    struct statx st;
    ssize_t len;
    int fd;

    (void)args;
    status = compound_fd(compound, &fd);
    if (status == NFS4_OK)
        status = tree_stat(fd, &st);
    if (status != NFS4_OK)
        return status;
    if (!S_ISLNK(st.stx_mode))
        return NFS4ERR_WRONG_TYPE;
    len = readlinkat(fd, "", (char *)compound->scratch, NFS42_MAX_STRING);
    if (len < 0)
        return status_of_errno(errno);
    res->linktext4_len = (u_int)len;
    res->linktext4_val = (char *)compound->scratch;
    return NFS4_OK;
}

/* Both leave no current filehandle behind (RFC 8881 section 2.6.3.1.1.8). */
static nfsstat4 flavors(struct compound *compound, SECINFO4resok *res)
{
    static secinfo4 both[] = {{.flavor = NFS42_AUTH_SYS},
                              {.flavor = NFS42_AUTH_NONE}};

    compound_set(compound, NULL);
    res->SECINFO4resok_len = 2;
    res->SECINFO4resok_val = both;
    return NFS4_OK;
}

nfsstat4 op_secinfo(struct compound *compound, const nfs_argop4 *args,
                    nfs_resop4 *res)
{
    struct file_id id;
    struct statx st;
    nfsstat4 status;

    status =
        compound_lookup(compound, &args->nfs_argop4_u.opsecinfo.name, &id, &st);
    if (status != NFS4_OK)
        return status;
    return flavors(compound, &res->nfs_resop4_u.opsecinfo.SECINFO4res_u.resok4);
}

nfsstat4 op_secinfo_no_name(struct compound *compound, const nfs_argop4 *args,
                            nfs_resop4 *res)
{
    nfsstat4 status = NFS4_OK;

    if (args->nfs_argop4_u.opsecinfo_no_name == SECINFO_STYLE4_PARENT)
        status = to_parent(compound);
    if (status != NFS4_OK)
        return status;
    return flavors(compound,
                   &res->nfs_resop4_u.opsecinfo_no_name.SECINFO4res_u.resok4);
}
