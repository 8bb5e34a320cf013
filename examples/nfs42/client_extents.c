/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the server reports of a file: its extents, reply after reply, as one
 * list.  The data comes along, since READ_PLUS knows no other way, and is
 * thrown away unseen.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include <readplus/extents.h>
#include <readplus/message.h>

#include "client_copy.h"

#define AT_ONCE 256
#define JSON_FLAGS (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

struct lister {
    const struct options *options;
    struct session session;
    struct source source;
    struct transfer transfer; /* for its connections only */
    struct counts counts;
    struct progress progress;
    struct readplus_server server;
    struct readplus_judge judge;
    struct readplus_extents extents;
    struct readplus_extent array[AT_ONCE];
    uint8_t *reply;
    size_t room;
    bool begun;              /* to tell */
    uint64_t told, bytes[2]; /* extents, and bytes of each content */
};

/* --- telling ------------------------------------------------------------- */

static const char *content_name(enum readplus_content content)
{
    return content == READPLUS_CONTENT_DATA ? "data" : "hole";
}

static void tell_head(struct lister *lister)
{
    struct json_object *name;

    if (lister->begun)
        return;
    lister->begun = true;
    if (!lister->options->json) {
        printf("%-8s %20s %20s\n", "content", "offset", "length");
        return;
    }
    name = json_object_new_string(lister->options->source);
    printf("{\"source\":%s,\"size\":%" PRIu64 ",\"extents\":[",
           json_object_to_json_string_ext(name, JSON_FLAGS),
           lister->source.size);
    json_object_put(name);
}

/* What is in the array, which is then empty. */
static void tell_extents(struct lister *lister)
{
    size_t i, count = readplus_extents_count(&lister->extents);

    if (count > 0)
        tell_head(lister);
    for (i = 0; i < count; i++) {
        const struct readplus_extent *e = &lister->array[i];

        if (lister->options->json)
            printf("%s{\"content\":\"%s\",\"offset\":%" PRIu64
                   ",\"length\":%" PRIu64 "}",
                   lister->told > 0 ? "," : "", content_name(e->content),
                   e->offset, e->length);
        else
            printf("%-8s %20" PRIu64 " %20" PRIu64 "\n",
                   content_name(e->content), e->offset, e->length);
        lister->told++;
        lister->bytes[e->content] += e->length;
    }
    readplus_extents_drain(&lister->extents);
}

static void tell_foot(struct lister *lister)
{
    tell_head(lister);
    if (lister->options->json)
        printf("],\"data_bytes\":%" PRIu64 ",\"hole_bytes\":%" PRIu64
               ",\"requests\":%" PRIu64 ",\"wire_bytes\":%" PRIu64 "}\n",
               lister->bytes[READPLUS_CONTENT_DATA],
               lister->bytes[READPLUS_CONTENT_HOLE], lister->counts.read_pluses,
               lister->session.wire.bytes);
    else
        printf("%" PRIu64 " extents: %" PRIu64 " bytes of data, %" PRIu64
               " of holes; %" PRIu64 " requests, %" PRIu64
               " bytes on the wire\n",
               lister->told, lister->bytes[READPLUS_CONTENT_DATA],
               lister->bytes[READPLUS_CONTENT_HOLE], lister->counts.read_pluses,
               lister->session.wire.bytes);
}

/* --- asking -------------------------------------------------------------- */

/* A whole reply, found in its record. */
static enum reach ask(struct lister *lister, const struct readplus_args *args,
                      struct readplus_message *found, struct iovec *item)
{
    struct session *session = &lister->session;
    struct request request = {.args = *args};
    struct iovec whole;
    uint64_t size;
    ssize_t got = -1;

    lister->counts.read_pluses++;
    if (!request_send(session, &lister->source, 0, &request) ||
        !wire_next(&session->wire, &size) ||
        (got = wire_read(&session->wire, lister->reply, lister->room)) < 0)
        return session_fail(session, REACH_LOST, "%s", session->wire.failure);
    whole = (struct iovec){lister->reply, (size_t)got};
    if (!session->wire.last || session->wire.left > 0 ||
        readplus_message_find_res(READPLUS_FRAMING_RPC, &whole, 1, item, 1,
                                  found) != READPLUS_OK ||
        found->xid != request.xid)
        return session_fail(session, REACH_LOST,
                            "the server's reply makes no sense");
    return REACH_OK;
}

/* The status of what was answered; of READ_PLUS itself the decoder has it. */
static uint32_t status_of(const struct readplus_message *found)
{
    return found->outcome == READPLUS_OUTCOME_EARLIER ? found->op_status
                                                      : found->status;
}

/* The extents of a reply, into the list. */
static struct readplus_answer take(struct lister *lister,
                                   const struct readplus_args *args,
                                   const struct readplus_message *found,
                                   const struct iovec *item)
{
    struct readplus_answer answer = {.status = status_of(found)};
    struct readplus_decoder decoder;

    if (found->outcome != READPLUS_OUTCOME_ITEM)
        return answer;
    answer.error =
        readplus_decoder_init(&decoder, args, item, 1, READPLUS_DECODE_STRICT);
    answer.status = readplus_decoder_status(&decoder);
    while (answer.error == READPLUS_OK &&
           (answer.error = readplus_extents_add(&lister->extents, &decoder)) ==
               READPLUS_ERR_LIMIT) {
        tell_extents(lister);
        answer.error = READPLUS_OK;
    }
    answer.bytes = readplus_extents_next(&lister->extents) - args->offset;
    answer.eof = readplus_extents_eof(&lister->extents);
    return answer;
}

/* One request and its answer.  *end: the list is complete. */
static enum reach step(struct lister *lister, bool *end)
{
    struct session *session = &lister->session;
    struct readplus_args args = {
        readplus_extents_next(&lister->extents), lister->options->size, {0}};
    struct readplus_message found;
    struct readplus_verdict verdict;
    struct readplus_answer answer;
    struct iovec item;
    enum reach reach = ask(lister, &args, &found, &item);

    if (reach != REACH_OK)
        return reach;
    answer = take(lister, &args, &found, &item);
    if (session_is_lost((nfsstat4)answer.status))
        return session_fail(session, REACH_LOST, "the server says %s",
                            status_name((nfsstat4)answer.status));
    if (answer.status == NFS4ERR_DELAY || answer.status == NFS4ERR_GRACE)
        return session_sleep(session, 0.2) ? REACH_OK : REACH_LOST;
    verdict = readplus_judge_answer(&lister->judge, &args, &answer);
    if (answer.bytes > 0)
        lister->transfer.moved = now();
    switch (verdict.action) {
    case READPLUS_ACTION_CONTINUE:
        *end = verdict.next >= lister->source.size;
        return REACH_OK;
    case READPLUS_ACTION_DONE:
        *end = true;
        return REACH_OK;
    case READPLUS_ACTION_RETRY:
        return REACH_OK;
    default:
        return session_fail(session, REACH_REFUSED, "no extents: %s",
                            verdict.finding == READPLUS_FINDING_STATUS
                                ? status_name((nfsstat4)answer.status)
                                : finding_text(verdict.finding));
    }
}

/* --- the list ------------------------------------------------------------ */

static enum reach list(struct lister *lister)
{
    enum reach reach = REACH_OK;
    bool end = lister->source.size == 0;

    lister->transfer.moved = now();
    while (!end && reach != REACH_REFUSED) {
        reach = stop_signal() == 0 ? step(lister, &end)
                                   : session_fail(&lister->session,
                                                  REACH_REFUSED, "interrupted");
        if (reach == REACH_LOST)
            reach = transfer_connect(&lister->transfer, true);
    }
    while (reach == REACH_OK &&
           readplus_extents_finish(&lister->extents) == READPLUS_ERR_LIMIT)
        tell_extents(lister);
    return reach;
}

static enum outcome make_list(struct lister *lister)
{
    enum reach reach;

    lister->room = lister->session.max_response + (size_t)4096;
    lister->reply = malloc(lister->room);
    readplus_server_init(&lister->server);
    readplus_judge_init(&lister->judge, &lister->server, lister->source.size);
    if (lister->reply == NULL ||
        readplus_extents_init(&lister->extents, 0, lister->array, AT_ONCE, 0) !=
            READPLUS_OK) {
        complain("out of memory");
        return OUTCOME_FAULTY;
    }
    reach = list(lister);
    tell_extents(lister);
    if (reach == REACH_OK && !transfer_confirm(&lister->transfer))
        reach = REACH_REFUSED;
    if (reach == REACH_OK) {
        tell_foot(lister);
        return OUTCOME_OK;
    }
    if (lister->begun && lister->options->json)
        putchar('\n');
    complain("%s: %s", lister->options->source, lister->session.why);
    return OUTCOME_FAULTY;
}

enum outcome list_extents(const struct options *options)
{
    static struct lister lister;
    enum outcome outcome = OUTCOME_UNREADABLE;

    lister.options = options;
    lister.transfer = (struct transfer){
        .options = options,
        .session = &lister.session,
        .source = &lister.source,
        .counts = &lister.counts,
        .progress = &lister.progress,
    };
    if (!session_init(&lister.session, options)) {
        complain("out of memory");
        return OUTCOME_FAULTY;
    }
    if (transfer_connect(&lister.transfer, false) == REACH_OK)
        outcome = make_list(&lister);
    else
        complain("%s: %s", options->source, lister.session.why);
    source_close(&lister.session, &lister.source);
    session_close(&lister.session);
    session_end(&lister.session);
    free(lister.reply);
    return outcome;
}
