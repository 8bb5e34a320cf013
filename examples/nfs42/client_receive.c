/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * READ_PLUS through the library's stream decoder, READ beside it.  The heads
 * of a reply are received first and judged; file bytes go on to the sink as
 * they arrive, and are counted as brought only where the reply holds together.
 */
#include <string.h>

#include "client_receive.h"

/* SEQUENCE's and PUTFH's results and READ_PLUS's opcode, before its item. */
#define SEQUENCE_BACK 56
#define SEQUENCE_SIZE 44

bool request_send(struct session *session, const struct source *source,
                  uint32_t slot, struct request *request)
{
    static struct call call;
    nfs_argop4 op = session_sequence(session, slot);

    request->xid = session_xid(session);
    call_begin(&call, request->xid);
    call_add(&call, &op);
    op = source_putfh(source);
    call_add(&call, &op);
    memset(&op, 0, sizeof(op));
    if (request->read) {
        op.argop = OP_READ;
        op.nfs_argop4_u.opread = (READ4args){
            source->stateid, request->args.offset, request->args.count};
    } else {
        op.argop = OP_READ_PLUS;
        op.nfs_argop4_u.opread_plus = (READ_PLUS4args){
            source->stateid, request->args.offset, request->args.count};
    }
    call_add(&call, &op);
    request->busy = call_send(&call, &session->wire);
    return request->busy;
}

/* --- a record ------------------------------------------------------------ */

bool record_begin(struct record *record, struct wire *wire)
{
    ssize_t got;

    record->wire = wire;
    record->len = record->used = 0;
    if (!wire_next(wire, &record->size))
        return false;
    got = wire_read(wire, record->head, sizeof(record->head));
    if (got < 0)
        return false;
    record->len = (size_t)got;
    return true;
}

/* What comes next of it: 0 at its end, -1 where the connection failed. */
static ssize_t record_readv(struct record *record, const struct iovec *iov,
                            size_t entries)
{
    size_t len = record->len - record->used;

    if (len == 0)
        return wire_readv(record->wire, iov, entries);
    if (len > iov[0].iov_len)
        len = iov[0].iov_len;
    memcpy(iov[0].iov_base, record->head + record->used, len);
    record->used += len;
    return (ssize_t)len;
}

/* All of iov, or as much as there is; *broken: the connection failed. */
static size_t record_fill(struct record *record, struct iovec *iov,
                          size_t entries, bool *broken)
{
    size_t done = 0, i = 0;

    while (i < entries) {
        ssize_t got = record_readv(record, iov + i, entries - i);
        size_t left = got > 0 ? (size_t)got : 0;

        *broken = got < 0;
        if (got <= 0)
            break;
        done += left;
        while (i < entries && left >= iov[i].iov_len)
            left -= iov[i++].iov_len;
        if (i < entries) {
            iov[i].iov_base = (uint8_t *)iov[i].iov_base + left;
            iov[i].iov_len -= left;
        }
    }
    return done;
}

/* Exactly len bytes. */
static bool record_read(struct record *record, uint8_t *bytes, size_t len)
{
    struct iovec iov = {bytes, len};
    bool broken = false;

    return len == 0 || record_fill(record, &iov, 1, &broken) == len;
}

/* Passes over what is left; true where that is nothing.  *lost: the connection
 * failed. */
static bool record_end(struct record *record, uint8_t *passing, bool *lost)
{
    struct iovec iov = {passing, PASSING};
    bool nothing = true;
    ssize_t got;

    while ((got = record_readv(record, &iov, 1)) > 0)
        nothing = false;
    *lost = got < 0;
    return nothing;
}

static enum reach lost(struct session *session)
{
    return session_fail(session, REACH_LOST, "%s", session->wire.failure);
}

static enum reach nonsense(struct session *session)
{
    return session_fail(session, REACH_LOST,
                        "the server's reply makes no sense");
}

/* --- READ_PLUS ----------------------------------------------------------- */

/* Whether SEQUENCE, which stands before the item, answers this slot. */
static bool sequence_fits(struct session *session, uint32_t slot,
                          struct record *record, uint64_t item)
{
    nfs_resop4 result;
    bool fits = false;
    XDR xdr;

    memset(&result, 0, sizeof(result));
    if (item < SEQUENCE_BACK)
        return false;
    xdrmem_create(&xdr, (char *)record->head + item - SEQUENCE_BACK,
                  SEQUENCE_SIZE, XDR_DECODE);
    if (xdr_nfs_resop4(&xdr, &result))
        fits = session_answers(
            session, slot,
            &result.nfs_resop4_u.opsequence.SEQUENCE4res_u.sr_resok4);
    xdr_destroy(&xdr);
    return fits;
}

/* Where the item begins, or what there is instead. */
static enum reach find_item(struct session *session, uint32_t slot,
                            struct record *record, struct brought *brought)
{
    struct iovec in = {record->head, record->len}, out[2];
    struct readplus_message found;
    enum readplus_error error =
        readplus_message_find_res(READPLUS_FRAMING_RPC, &in, 1, out, 2, &found);

    if (error != READPLUS_OK)
        return nonsense(session);
    switch (found.outcome) {
    case READPLUS_OUTCOME_ITEM:
        if (found.behind != 0 ||
            !sequence_fits(session, slot, record, found.at))
            return nonsense(session);
        record->used = (size_t)found.at;
        return REACH_OK;
    case READPLUS_OUTCOME_EARLIER:
        brought->status = found.op_status;
        brought->not_begun = found.opcode == OP_SEQUENCE;
        return REACH_OK;
    case READPLUS_OUTCOME_COMPOUND:
        brought->status = found.status;
        brought->not_begun = true;
        return REACH_OK;
    case READPLUS_OUTCOME_OTHER:
        /* A server that does not know the operation names another. */
        if (found.opcode != OP_ILLEGAL || found.status == 0)
            return nonsense(session);
        brought->status = found.status;
        return REACH_OK;
    case READPLUS_OUTCOME_DENIED:
    case READPLUS_OUTCOME_FAILED:
        break;
    }
    return session_fail(session, REACH_LOST,
                        "the server refused to answer a call");
}

/* A server may not send data that was not asked for: something is wrong with
 * such an element, its offset perhaps. */
static bool outside(const struct readplus_args *args,
                    const struct readplus_segment *segment)
{
    return segment->length > 0 &&
           (segment->offset < args->offset ||
            segment->offset + segment->length > readplus_args_end(args));
}

/* What has arrived goes to the sink. */
static enum readplus_error take_events(struct readplus_stream *stream,
                                       const struct readplus_args *args,
                                       const struct sink *sink,
                                       struct brought *brought)
{
    struct readplus_event event;
    enum readplus_error error;

    while ((error = readplus_stream_event(stream, &event)) == READPLUS_OK) {
        const struct readplus_segment *segment = &event.segment;

        if (event.kind == READPLUS_EVENT_DATA_BEGIN) {
            if (outside(args, segment))
                return READPLUS_ERR_RANGE;
            continue;
        }
        if (event.kind == READPLUS_EVENT_HOLE &&
            segment->offset <= readplus_args_end(args) &&
            segment->offset + segment->length > readplus_args_end(args))
            brought->hole_end = segment->offset + segment->length;
        error = sink->take(sink->context, args, segment);
        if (error != READPLUS_OK) {
            brought->local = true;
            return error;
        }
    }
    /* Faults of the reply are told by readplus_stream_end. */
    return READPLUS_OK;
}

/* The item, from its first byte; *broken: the connection failed. */
static enum readplus_error stream_item(struct record *record,
                                       const struct readplus_args *args,
                                       const struct sink *sink,
                                       uint8_t *passing,
                                       struct brought *brought, bool *broken)
{
    struct readplus_result result = {.bytes = 0};
    struct readplus_stream stream;
    struct iovec want[4];
    enum readplus_error error, stopped = READPLUS_OK;
    size_t entries, got = 1;

    *broken = false;
    error = readplus_stream_init_events(&stream, args, READPLUS_DECODE_STRICT);
    if (error != READPLUS_OK)
        return error;
    if (record->size != UINT64_MAX)
        readplus_stream_set_size(&stream, record->size - record->used);
    readplus_stream_set_ahead(&stream, passing, PASSING);
    while (stopped == READPLUS_OK && got > 0 &&
           readplus_stream_want(&stream, want, 4, &entries) == READPLUS_OK) {
        /* As much as it wants at once: the file is then written in large
         * pieces that begin where segments do. */
        got = record_fill(record, want, entries, broken);
        if (got > 0)
            stopped = readplus_stream_advance(&stream, got);
        if (got > 0 && stopped == READPLUS_OK)
            stopped = take_events(&stream, args, sink, brought);
    }
    error = readplus_stream_end(&stream, &result);
    brought->status = readplus_stream_status(&stream);
    brought->bytes = result.bytes;
    brought->eof = result.eof;
    if (stopped == READPLUS_OK)
        return error;
    /* An element that is no good makes the whole reply so. */
    brought->bytes = 0;
    brought->eof = false;
    return stopped;
}

static enum reach receive_read_plus(struct session *session, uint32_t slot,
                                    const struct request *request,
                                    struct record *record,
                                    const struct sink *sink, uint8_t *passing,
                                    struct brought *brought)
{
    enum reach reach = find_item(session, slot, record, brought);
    bool broken;

    if (reach != REACH_OK)
        return reach;
    if (brought->status != 0)
        return record_end(record, passing, &broken) || !broken ? REACH_OK
                                                               : lost(session);
    brought->error =
        stream_item(record, &request->args, sink, passing, brought, &broken);
    if (brought->local)
        return REACH_OK;
    if (broken)
        return lost(session);
    if (!record_end(record, passing, &broken) &&
        brought->error == READPLUS_OK) {
        brought->error = READPLUS_ERR_TRAILING;
        brought->bytes = 0;
        brought->eof = false;
    }
    if (brought->error != READPLUS_OK || brought->bytes < request->args.count)
        brought->hole_end = 0;
    return broken ? lost(session) : REACH_OK;
}

/* --- READ ---------------------------------------------------------------- */

/* The head of a reply to READ, up to READ4resok's data. */
static enum reach read_head(struct session *session, uint32_t slot,
                            const struct request *request,
                            struct record *record, struct brought *brought,
                            uint32_t *len)
{
    u_int op = 0, status = 0, eof = 0;
    struct reply reply;
    nfs_resop4 result;
    bool good;

    if (!reply_begin(&reply, record->head, record->len, request->xid))
        return session_fail(session, REACH_LOST, "%s", reply.failure);
    if (reply.ops == 0 && reply.status != NFS4_OK) {
        brought->status = (uint32_t)reply.status;
        brought->not_begun = true;
        return REACH_OK;
    }
    if (!reply_take(&reply, OP_SEQUENCE, &result))
        return nonsense(session);
    brought->status = (uint32_t)result_status(&result);
    brought->not_begun = brought->status != 0;
    if (brought->not_begun)
        return REACH_OK;
    good = session_answers(
        session, slot,
        &result.nfs_resop4_u.opsequence.SEQUENCE4res_u.sr_resok4);
    if (!good || !reply_take(&reply, OP_PUTFH, &result))
        return nonsense(session);
    brought->status = (uint32_t)result_status(&result);
    if (brought->status != 0)
        return REACH_OK;
    good = xdr_u_int(&reply.xdr, &op) && op == OP_READ &&
           xdr_u_int(&reply.xdr, &status) && reply.ops == 1 &&
           status == (u_int)reply.status;
    brought->status = status;
    if (!good || status != 0)
        return good ? REACH_OK : nonsense(session);
    if (!xdr_u_int(&reply.xdr, &eof) || eof > 1 ||
        !xdr_u_int(&reply.xdr, len) || *len > request->args.count)
        return nonsense(session);
    brought->eof = eof;
    record->used = xdr_getpos(&reply.xdr);
    return REACH_OK;
}

/* The data, in pieces that end where blocks of the file do. */
static enum reach read_data(struct session *session, struct record *record,
                            const struct readplus_args *args, uint32_t len,
                            const struct sink *sink, uint8_t *passing,
                            struct brought *brought)
{
    while (brought->bytes < len) {
        uint64_t at = args->offset + brought->bytes;
        size_t want = PASSING - (size_t)(at % 4096);

        if (want > len - brought->bytes)
            want = (size_t)(len - brought->bytes);
        if (!record_read(record, passing, want))
            return session->wire.left > 0 || !session->wire.last
                       ? lost(session)
                       : nonsense(session);
        brought->error =
            sink->take(sink->context, args,
                       &(struct readplus_segment){READPLUS_CONTENT_DATA, at,
                                                  want, passing});
        brought->local = brought->error != READPLUS_OK;
        if (brought->local)
            return REACH_OK;
        brought->bytes += want;
    }
    return REACH_OK;
}

static enum reach receive_read(struct session *session, uint32_t slot,
                               const struct request *request,
                               struct record *record, const struct sink *sink,
                               uint8_t *passing, struct brought *brought)
{
    uint8_t fill[4] = {0};
    uint32_t len = 0;
    bool broken;
    enum reach reach = read_head(session, slot, request, record, brought, &len);

    if (reach == REACH_OK && brought->status == 0)
        reach = read_data(session, record, &request->args, len, sink, passing,
                          brought);
    if (reach != REACH_OK || brought->local)
        return reach;
    if (brought->status == 0 && (!record_read(record, fill, -len % 4) ||
                                 memcmp(fill, "\0\0\0", 4) != 0 ||
                                 !record_end(record, passing, &broken))) {
        brought->bytes = 0;
        return nonsense(session);
    }
    if (brought->status != 0 && !record_end(record, passing, &broken) && broken)
        return lost(session);
    return REACH_OK;
}

enum reach receive_reply(struct session *session, uint32_t slot,
                         const struct request *request, struct record *record,
                         const struct sink *sink, uint8_t passing[PASSING],
                         struct brought *brought)
{
    *brought = (struct brought){.status = 0};
    return request->read ? receive_read(session, slot, request, record, sink,
                                        passing, brought)
                         : receive_read_plus(session, slot, request, record,
                                             sink, passing, brought);
}
