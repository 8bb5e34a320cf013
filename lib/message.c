/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The headers around READ_PLUS: record marks, RPC, COMPOUND.  A walk hands the
 * message's bytes out run by run, marks passed on the way, and the headers are
 * read from it in wire order.  Never a look into the item itself, a copy of
 * more than a word, or memory for anything the wire counts.
 */
#include <readplus/message.h>

#include "wire.h"

/* RFC 5531 */
#define CALL 0
#define REPLY 1
#define MSG_ACCEPTED 0
#define MSG_DENIED 1
#define SUCCESS 0
#define RPC_VERSION 2
#define LAST_FRAGMENT 0x80000000u
/* RFC 7863 */
#define NFS4_PROGRAM 100003
#define NFS_V4 4
#define NFSPROC4_COMPOUND 1
#define OP_PUTFH 22
#define OP_SEQUENCE 53
#define OP_READ_PLUS 68

/* What SEQUENCE has behind its opcode (and status). */
#define SEQUENCE_ARGS_SIZE 32
#define SEQUENCE_BODY_SIZE 36

/* Where a walk through a message stands. */
struct walk {
    const struct iovec *iov; /* the piece at hand, and those behind it */
    size_t pieces;
    size_t used;       /* of the piece at hand */
    uint64_t at;       /* input offset of the next byte */
    uint64_t fragment; /* bytes to come before the next mark */
    bool last;         /* no mark comes behind them */
    struct readplus_message *found;
};

static enum readplus_error fail(struct walk *w, enum readplus_error error,
                                uint64_t at)
{
    w->found->fault = (struct readplus_fault){error, READPLUS_NO_SEGMENT, at};
    return error;
}

/* --- bytes --------------------------------------------------------------- */

/* The next bytes that are in one piece, at most max; none: the input ends. */
static size_t here(struct walk *w, uint64_t max, const uint8_t **bytes)
{
    size_t len;

    while (w->pieces > 0 && w->used == w->iov->iov_len) {
        w->iov++;
        w->pieces--;
        w->used = 0;
    }
    if (w->pieces == 0)
        return 0;
    *bytes = (const uint8_t *)w->iov->iov_base + w->used;
    len = w->iov->iov_len - w->used;
    if (len > max)
        len = (size_t)max;
    w->used += len;
    w->at += len;
    return len;
}

/* The mark of the next fragment. */
static enum readplus_error take_mark(struct walk *w)
{
    uint64_t at = w->at;
    uint8_t mark[READPLUS_RECORD_MARK_SIZE];
    size_t got = 0;

    while (got < sizeof(mark)) {
        const uint8_t *bytes;
        size_t len = here(w, sizeof(mark) - got, &bytes);

        if (len == 0) {
            w->found->more = true;
            return fail(w, READPLUS_ERR_TRUNCATED, at);
        }
        memcpy(mark + got, bytes, len);
        got += len;
    }
    w->last = (wire_load32(mark) & LAST_FRAGMENT) != 0;
    w->fragment = wire_load32(mark) & ~LAST_FRAGMENT;
    return READPLUS_OK;
}

/*
 * The next run of the message, at most max (not 0) bytes.  END: the message
 * is over.  TRUNCATED: the input is over and the record is not.
 */
static enum readplus_error take_run(struct walk *w, uint64_t max,
                                    struct iovec *run)
{
    enum readplus_error error;
    const uint8_t *bytes;

    while (w->fragment == 0) {
        if (w->last)
            return READPLUS_END;
        error = take_mark(w);
        if (error != READPLUS_OK)
            return error;
    }
    run->iov_len = here(w, max < w->fragment ? max : w->fragment, &bytes);
    if (run->iov_len == 0) {
        w->found->more = true;
        return fail(w, READPLUS_ERR_TRUNCATED, w->at);
    }
    run->iov_base = (void *)(uintptr_t)bytes;
    w->fragment -= run->iov_len;
    return READPLUS_OK;
}

/* Where the next item begins: behind a mark, if one stands there whole. */
static uint64_t next_at(struct walk *w)
{
    struct walk before = *w;

    while (w->fragment == 0 && !w->last) {
        if (take_mark(w) != READPLUS_OK) {
            *w = before; /* for the item to fail at */
            break;
        }
    }
    return w->at;
}

/* Copies n bytes, or passes them where `to` is NULL: one item, all or fault. */
static enum readplus_error take(struct walk *w, uint8_t *to, uint64_t n)
{
    uint64_t at = next_at(w);
    struct iovec run;

    while (n > 0) {
        if (take_run(w, n, &run) != READPLUS_OK)
            return fail(w, READPLUS_ERR_TRUNCATED, at);
        if (to != NULL) {
            memcpy(to, run.iov_base, run.iov_len);
            to += run.iov_len;
        }
        n -= run.iov_len;
    }
    return READPLUS_OK;
}

/* --- words and opaques --------------------------------------------------- */

static enum readplus_error take32(struct walk *w, uint32_t *value)
{
    uint8_t word[4];
    enum readplus_error error = take(w, word, sizeof(word));

    if (error == READPLUS_OK)
        *value = wire_load32(word);
    return error;
}

/* A word from least to most. */
static enum readplus_error take_between(struct walk *w, uint32_t least,
                                        uint32_t most, uint32_t *value)
{
    uint64_t at = next_at(w);
    enum readplus_error error = take32(w, value);

    if (error == READPLUS_OK && (*value < least || *value > most))
        return fail(w, READPLUS_ERR_BAD_MESSAGE, at);
    return error;
}

/* Passes opaque<max>, its length word and fill included. */
static enum readplus_error take_opaque(struct walk *w, uint32_t max)
{
    uint32_t length;
    unsigned pad;
    enum readplus_error error = take_between(w, 0, max, &length);

    if (error != READPLUS_OK)
        return error;
    error = take(w, NULL, length);
    for (pad = wire_pad(length); error == READPLUS_OK && pad > 0; pad--) {
        uint64_t at = next_at(w);
        uint8_t byte;

        error = take(w, &byte, 1);
        if (error == READPLUS_OK && byte != 0)
            return fail(w, READPLUS_ERR_BAD_PAD, at);
    }
    return error;
}

/* Passes an opaque_auth: flavor and body. */
static enum readplus_error take_auth(struct walk *w)
{
    enum readplus_error error = take(w, NULL, 4);

    return error == READPLUS_OK ? take_opaque(w, READPLUS_AUTH_MAX) : error;
}

/* Says that there is no item.  The message is over all the same. */
static enum readplus_error instead(struct walk *w,
                                   enum readplus_outcome outcome)
{
    w->found->outcome = outcome;
    return READPLUS_END;
}

/* --- RPC ----------------------------------------------------------------- */

/* The versions of a mismatch. */
static enum readplus_error take_versions(struct walk *w,
                                         enum readplus_outcome outcome)
{
    enum readplus_error error = take32(w, &w->found->low);

    if (error == READPLUS_OK)
        error = take32(w, &w->found->high);
    return error == READPLUS_OK ? instead(w, outcome) : error;
}

/* rejected_reply */
static enum readplus_error take_denied(struct walk *w)
{
    enum readplus_error error =
        take_between(w, 0, READPLUS_RPC_AUTH_ERROR, &w->found->code);

    if (error != READPLUS_OK)
        return error;
    if (w->found->code == READPLUS_RPC_MISMATCH)
        return take_versions(w, READPLUS_OUTCOME_DENIED);
    error = take32(w, &w->found->auth);
    return error == READPLUS_OK ? instead(w, READPLUS_OUTCOME_DENIED) : error;
}

/* accepted_reply */
static enum readplus_error take_accepted(struct walk *w)
{
    enum readplus_error error = take_auth(w);

    if (error != READPLUS_OK)
        return error;
    error = take_between(w, 0, READPLUS_RPC_SYSTEM_ERR, &w->found->code);
    if (error != READPLUS_OK || w->found->code == SUCCESS)
        return error;
    if (w->found->code == READPLUS_RPC_PROG_MISMATCH)
        return take_versions(w, READPLUS_OUTCOME_FAILED);
    return instead(w, READPLUS_OUTCOME_FAILED);
}

static enum readplus_error take_rpc_reply(struct walk *w)
{
    uint32_t stat;
    enum readplus_error error = take32(w, &w->found->xid);

    if (error == READPLUS_OK)
        error = take_between(w, REPLY, REPLY, &stat);
    if (error == READPLUS_OK)
        error = take_between(w, 0, MSG_DENIED, &stat);
    if (error != READPLUS_OK)
        return error;
    return stat == MSG_ACCEPTED ? take_accepted(w) : take_denied(w);
}

static enum readplus_error take_rpc_call(struct walk *w)
{
    struct readplus_message *found = w->found;
    uint32_t word;
    enum readplus_error error = take32(w, &found->xid);

    if (error == READPLUS_OK)
        error = take_between(w, CALL, CALL, &word);
    if (error == READPLUS_OK)
        error = take_between(w, RPC_VERSION, RPC_VERSION, &word);
    if (error == READPLUS_OK)
        error = take32(w, &found->program);
    if (error == READPLUS_OK)
        error = take32(w, &found->version);
    if (error == READPLUS_OK)
        error = take32(w, &found->procedure);
    if (error != READPLUS_OK)
        return error;
    if (found->program != NFS4_PROGRAM || found->version != NFS_V4 ||
        found->procedure != NFSPROC4_COMPOUND)
        return instead(w, READPLUS_OUTCOME_OTHER);
    error = take_auth(w); /* cred */
    return error == READPLUS_OK ? take_auth(w) /* verf */ : error;
}

/* --- COMPOUND ------------------------------------------------------------ */

/* The operations looked for, in their order. */
static const uint32_t wanted[] = {OP_SEQUENCE, OP_PUTFH, OP_READ_PLUS};
#define WANTED (sizeof(wanted) / sizeof(wanted[0]))

/*
 * What is behind the opcode of a result, of READ_PLUS nothing; `count_at` is
 * where the number of results stands.
 */
static enum readplus_error take_result(struct walk *w, uint32_t want,
                                       uint64_t count_at)
{
    struct readplus_message *found = w->found;
    enum readplus_error error;

    if (found->opcode == want && want == OP_READ_PLUS)
        return READPLUS_OK;
    error = take32(w, &found->op_status);
    if (error != READPLUS_OK)
        return error;
    if (found->op_status != 0 && found->behind > 0)
        return fail(w, READPLUS_ERR_BAD_MESSAGE, count_at);
    if (found->op_status != 0) /* a COMPOUND ends with what fails */
        return instead(w, READPLUS_OUTCOME_EARLIER);
    if (found->opcode != want)
        return instead(w, READPLUS_OUTCOME_OTHER);
    return want == OP_SEQUENCE ? take(w, NULL, SEQUENCE_BODY_SIZE)
                               : READPLUS_OK;
}

/* resarray up to the READ_PLUS4res. */
static enum readplus_error take_results(struct walk *w, uint32_t count,
                                        uint64_t count_at)
{
    struct readplus_message *found = w->found;
    size_t i;

    for (i = 0; i < WANTED; i++) {
        enum readplus_error error;

        if (count == i) /* all went well, and yet not all was done */
            return fail(w, READPLUS_ERR_BAD_MESSAGE, count_at);
        found->behind = count - (uint32_t)i - 1;
        error = take32(w, &found->opcode); /* resop */
        if (error == READPLUS_OK)
            error = take_result(w, wanted[i], count_at);
        if (error != READPLUS_OK)
            return error;
    }
    return READPLUS_OK;
}

/* COMPOUND4res up to the READ_PLUS4res. */
static enum readplus_error take_compound_res(struct walk *w)
{
    struct readplus_message *found = w->found;
    uint64_t count_at;
    uint32_t count;
    enum readplus_error error = take32(w, &found->status);

    if (error == READPLUS_OK)
        error = take_opaque(w, UINT32_MAX); /* tag */
    if (error != READPLUS_OK)
        return error;
    count_at = next_at(w);
    error = take32(w, &count);
    if (error != READPLUS_OK)
        return error;
    if (count == 0 && found->status != 0)
        return instead(w, READPLUS_OUTCOME_COMPOUND);
    return take_results(w, count, count_at);
}

/* COMPOUND4args up to the READ_PLUS4args. */
static enum readplus_error take_compound_args(struct walk *w)
{
    struct readplus_message *found = w->found;
    uint32_t count;
    size_t i;
    enum readplus_error error = take_opaque(w, UINT32_MAX); /* tag */

    if (error == READPLUS_OK)
        error = take32(w, &found->minorversion);
    if (error == READPLUS_OK)
        error = take32(w, &count);
    for (i = 0; error == READPLUS_OK && i < WANTED; i++) {
        if (count == i)
            return instead(w, READPLUS_OUTCOME_OTHER);
        found->behind = count - (uint32_t)i - 1;
        error = take32(w, &found->opcode); /* argop */
        if (error != READPLUS_OK)
            return error;
        if (found->opcode != wanted[i])
            return instead(w, READPLUS_OUTCOME_OTHER);
        if (found->opcode == OP_SEQUENCE)
            error = take(w, NULL, SEQUENCE_ARGS_SIZE);
        else if (found->opcode == OP_PUTFH)
            error = take_opaque(w, READPLUS_FH_MAX);
    }
    return error;
}

/* --- the rest ------------------------------------------------------------ */

/*
 * Hands out what is left of the message, or only passes it to learn where a
 * record ends.
 */
static enum readplus_error take_rest(struct walk *w, struct iovec *out,
                                     size_t capacity)
{
    struct readplus_message *found = w->found;
    struct iovec run;
    enum readplus_error error;

    while ((error = take_run(w, UINT64_MAX, &run)) == READPLUS_OK) {
        if (found->outcome != READPLUS_OUTCOME_ITEM)
            continue;
        if (found->size == 0)
            found->at = w->at - run.iov_len;
        if (found->entries < capacity)
            out[found->entries] = run;
        found->entries++;
        found->size += run.iov_len;
    }
    if (error != READPLUS_END)
        return error;
    found->consumed = w->at;
    if (found->outcome != READPLUS_OUTCOME_ITEM)
        return READPLUS_OK;
    if (found->size == 0) /* the item's first word is missing */
        return fail(w, READPLUS_ERR_TRUNCATED, w->at);
    if (found->entries > capacity)
        return fail(w, READPLUS_ERR_LIMIT, found->at);
    return READPLUS_OK;
}

/* Begins a walk: the pieces are checked, their sum bounds what is unmarked. */
static enum readplus_error begin(struct walk *w, enum readplus_framing framing,
                                 const struct iovec *iov, size_t pieces,
                                 struct readplus_message *found)
{
    size_t i;

    *found =
        (struct readplus_message){.fault = {.segment = READPLUS_NO_SEGMENT}};
    *w = (struct walk){.iov = iov, .pieces = pieces, .found = found};
    if ((unsigned)framing > READPLUS_FRAMING_RECORD ||
        (iov == NULL && pieces > 0))
        return fail(w, READPLUS_ERR_INVAL, 0);
    w->last = framing != READPLUS_FRAMING_RECORD;
    for (i = 0; i < pieces; i++) {
        if (iov[i].iov_base == NULL && iov[i].iov_len > 0)
            return fail(w, READPLUS_ERR_INVAL, 0);
        if (w->last && iov[i].iov_len > UINT64_MAX - w->fragment)
            return fail(w, READPLUS_ERR_INVAL, 0);
        if (w->last)
            w->fragment += iov[i].iov_len;
    }
    return READPLUS_OK;
}

typedef enum readplus_error take_head(struct walk *w);

static enum readplus_error find(take_head *rpc, take_head *compound,
                                enum readplus_framing framing,
                                const struct iovec *iov, size_t pieces,
                                struct iovec *out, size_t capacity,
                                struct readplus_message *found)
{
    struct walk w;
    enum readplus_error error = begin(&w, framing, iov, pieces, found);

    if (error == READPLUS_OK && framing != READPLUS_FRAMING_COMPOUND)
        error = rpc(&w);
    if (error == READPLUS_OK)
        error = compound(&w);
    return error < 0 ? error : take_rest(&w, out, capacity);
}

enum readplus_error readplus_message_find_res(enum readplus_framing framing,
                                              const struct iovec *iov,
                                              size_t pieces, struct iovec *out,
                                              size_t capacity,
                                              struct readplus_message *found)
{
    return find(take_rpc_reply, take_compound_res, framing, iov, pieces, out,
                capacity, found);
}

enum readplus_error readplus_message_find_args(enum readplus_framing framing,
                                               const struct iovec *iov,
                                               size_t pieces, struct iovec *out,
                                               size_t capacity,
                                               struct readplus_message *found)
{
    return find(take_rpc_call, take_compound_args, framing, iov, pieces, out,
                capacity, found);
}
