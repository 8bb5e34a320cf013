/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a client makes of an answer.  Each rule is one branch, from the plainest
 * evidence (a status, a fault) to the subtlest (an end of file too early).
 * Never a look at the reply itself, nor a clock: how long to wait before
 * asking again is the caller's.
 */
#include <readplus/judge.h>

#include "checked.h"

/* nfsstat4 (RFC 7863) */
#define NFS4ERR_NOTSUPP 10004
#define NFS4ERR_OP_ILLEGAL 10044
#define NFS4ERR_REP_TOO_BIG 10066
#define NFS4ERR_REP_TOO_BIG_TO_CACHE 10067

void readplus_server_init(struct readplus_server *server)
{
    *server = (struct readplus_server){.patience = READPLUS_PATIENCE};
}

void readplus_judge_init(struct readplus_judge *judge,
                         struct readplus_server *server, uint64_t known_size)
{
    *judge =
        (struct readplus_judge){.server = server, .known_size = known_size};
}

void readplus_judge_set_size(struct readplus_judge *judge, uint64_t known_size)
{
    judge->known_size = known_size;
}

bool readplus_judge_use_read(const struct readplus_judge *judge)
{
    return judge->use_read || judge->server->use_read;
}

/* --- the actions --------------------------------------------------------- */

/* READ for this file. */
static void turn_file(struct readplus_judge *judge,
                      struct readplus_verdict *verdict)
{
    verdict->first = !readplus_judge_use_read(judge);
    verdict->action = judge->server->use_read ? READPLUS_ACTION_READ_SERVER
                                              : READPLUS_ACTION_READ_FILE;
    judge->use_read = true;
    judge->idle = 0;
}

/* READ for this server. */
static void turn_server(struct readplus_judge *judge,
                        struct readplus_verdict *verdict)
{
    verdict->first = !judge->server->use_read;
    verdict->action = READPLUS_ACTION_READ_SERVER;
    judge->server->use_read = true;
    judge->server->doubted = 0;
    judge->idle = 0;
}

/* READ for this file, and for the server if this happens again and again. */
static void doubt(struct readplus_judge *judge,
                  struct readplus_verdict *verdict)
{
    struct readplus_server *server = judge->server;

    if (!judge->use_read)
        server->doubted++;
    if (server->doubted >= server->patience)
        turn_server(judge, verdict);
    else
        turn_file(judge, verdict);
}

/* --- the findings -------------------------------------------------------- */

/* Another status than NFS4_OK. */
static void judge_status(struct readplus_judge *judge,
                         const struct readplus_answer *answer,
                         struct readplus_verdict *verdict)
{
    verdict->finding = READPLUS_FINDING_STATUS;
    verdict->action = READPLUS_ACTION_STATUS;
    if (answer->read)
        return;
    switch (answer->status) {
    case NFS4ERR_NOTSUPP:
    case NFS4ERR_OP_ILLEGAL:
        verdict->finding = READPLUS_FINDING_NOTSUPP;
        turn_server(judge, verdict);
        break;
    case NFS4ERR_REP_TOO_BIG:
    case NFS4ERR_REP_TOO_BIG_TO_CACHE:
        verdict->finding = READPLUS_FINDING_TOO_BIG;
        turn_file(judge, verdict);
        break;
    default:
        break;
    }
}

/* The delivery failed. */
static void judge_error(struct readplus_judge *judge,
                        const struct readplus_answer *answer,
                        struct readplus_verdict *verdict)
{
    bool faulty = readplus_error_is_xdr(answer->error) ||
                  readplus_error_is_rfc(answer->error);

    verdict->finding =
        faulty ? READPLUS_FINDING_IMPLAUSIBLE : READPLUS_FINDING_LOCAL;
    verdict->action = READPLUS_ACTION_FAIL;
    if (faulty && !answer->read)
        doubt(judge, verdict);
}

/* Nothing came, and the server says that there is more. */
static void judge_idle(struct readplus_judge *judge,
                       const struct readplus_answer *answer,
                       struct readplus_verdict *verdict)
{
    verdict->finding = READPLUS_FINDING_IDLE;
    verdict->action = READPLUS_ACTION_RETRY;
    if (!answer->read && readplus_judge_use_read(judge)) {
        turn_file(judge, verdict); /* sent before the others were judged */
        return;
    }
    if (judge->idle + 1 < judge->server->patience) {
        judge->idle++;
        return;
    }
    if (answer->read)
        verdict->action = READPLUS_ACTION_FAIL;
    else
        doubt(judge, verdict);
}

/* Bytes came, or the end of the file. */
static void judge_progress(struct readplus_judge *judge,
                           const struct readplus_answer *answer,
                           struct readplus_verdict *verdict)
{
    bool early = !answer->read && verdict->next < judge->known_size;

    if (answer->eof && early && answer->bytes == 0) {
        verdict->finding = READPLUS_FINDING_IMPLAUSIBLE;
        doubt(judge, verdict);
        return;
    }
    judge->idle = 0;
    if (!answer->read && answer->bytes > 0)
        judge->server->doubted = 0;
    if (answer->eof && !early) {
        verdict->finding = READPLUS_FINDING_EOF;
        verdict->action = READPLUS_ACTION_DONE;
        return;
    }
    verdict->finding =
        verdict->left > 0 ? READPLUS_FINDING_SHORT : READPLUS_FINDING_WHOLE;
    verdict->action = READPLUS_ACTION_CONTINUE;
}

struct readplus_verdict readplus_judge_answer(
    struct readplus_judge *judge, const struct readplus_args *args,
    const struct readplus_answer *answer)
{
    uint64_t end = readplus_args_end(args);
    struct readplus_verdict verdict = {
        .next = saturating_add64(args->offset, answer->bytes)};

    if (verdict.next < end)
        verdict.left = end - verdict.next;
    if (answer->error != READPLUS_OK)
        judge_error(judge, answer, &verdict);
    else if (answer->status != 0)
        judge_status(judge, answer, &verdict);
    else if (answer->bytes == 0 && !answer->eof && args->count > 0)
        judge_idle(judge, answer, &verdict);
    else
        judge_progress(judge, answer, &verdict);
    return verdict;
}
