/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole messages: the headers field by field, then the item.  The library
 * finds the item and judges; here is only printed what it passed over, from
 * tables that follow the .x of RFC 5531 and RFC 7863.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hex.h"
#include "json_item.h"
#include "listing.h"
#include "message_show.h"
#include "program.h"

bool message_type(const char *word, struct message_look *look)
{
    static const struct {
        const char *word;
        enum readplus_framing framing;
    } types[] = {{"compound", READPLUS_FRAMING_COMPOUND},
                 {"compound-call", READPLUS_FRAMING_COMPOUND},
                 {"rpc", READPLUS_FRAMING_RPC},
                 {"record", READPLUS_FRAMING_RECORD}};
    size_t i;

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(word, types[i].word) == 0) {
            look->framing = types[i].framing;
            look->call = i == 1;
            return true;
        }
    return false;
}

/* A message at hand, its fragments joined. */
struct shown {
    const struct message_look *look;
    bool call;
    struct readplus_message found;
    enum readplus_error error;
    uint8_t *bytes; /* without record marks */
    size_t len, at; /* at: of the next field to be printed */
    size_t stop;    /* where the item, or what is bad, begins */
};

/* --- headers --------------------------------------------------------------- */

enum step_kind { STEP_WORD, STEP_16, STEP_OPAQUE };

struct step {
    enum step_kind kind;
    const char *name;
};

static const struct step reply_steps[] = {
    {STEP_WORD, "xid"},         {STEP_WORD, "msg_type"},
    {STEP_WORD, "reply_stat"},  {STEP_WORD, "verf.flavor"},
    {STEP_OPAQUE, "verf.body"}, {STEP_WORD, "accept_stat"}};
static const struct step call_steps[] = {
    {STEP_WORD, "xid"},         {STEP_WORD, "msg_type"},
    {STEP_WORD, "rpcvers"},     {STEP_WORD, "program"},
    {STEP_WORD, "version"},     {STEP_WORD, "procedure"},
    {STEP_WORD, "cred.flavor"}, {STEP_OPAQUE, "cred.body"},
    {STEP_WORD, "verf.flavor"}, {STEP_OPAQUE, "verf.body"}};
static const struct step compound_reply_steps[] = {
    {STEP_WORD, "status"},
    {STEP_OPAQUE, "tag"},
    {STEP_WORD, "resarray"},
    {STEP_WORD, "resop (SEQUENCE)"},
    {STEP_WORD, "sr_status"},
    {STEP_16, "sr_sessionid"},
    {STEP_WORD, "sr_sequenceid"},
    {STEP_WORD, "sr_slotid"},
    {STEP_WORD, "sr_highest_slotid"},
    {STEP_WORD, "sr_target_highest_slotid"},
    {STEP_WORD, "sr_status_flags"},
    {STEP_WORD, "resop (PUTFH)"},
    {STEP_WORD, "status"},
    {STEP_WORD, "resop (READ_PLUS)"}};
static const struct step compound_call_steps[] = {
    {STEP_OPAQUE, "tag"},        {STEP_WORD, "minorversion"},
    {STEP_WORD, "argarray"},     {STEP_WORD, "argop (SEQUENCE)"},
    {STEP_16, "sa_sessionid"},   {STEP_WORD, "sa_sequenceid"},
    {STEP_WORD, "sa_slotid"},    {STEP_WORD, "sa_highest_slotid"},
    {STEP_WORD, "sa_cachethis"}, {STEP_WORD, "argop (PUTFH)"},
    {STEP_OPAQUE, "object"},     {STEP_WORD, "argop (READ_PLUS)"}};

#define STEPS(s) s, sizeof(s) / sizeof(s[0])

static void field(struct shown *s, size_t len, const char *name)
{
    printf("%10zu  ", s->at);
    hex_print(s->bytes + s->at, len < 16 ? len : 16, stdout);
    printf("%*s  %s", len < 16 ? 32 - 2 * (int)len : 0, "", name);
    if (len == 4)
        printf(" %" PRIu32, item_word(s->bytes + s->at));
    else
        printf(" %zu bytes", len);
    putchar('\n');
    s->at += len;
}

/* False: the rest is not for these tables. */
static bool step(struct shown *s, const struct step *step)
{
    size_t len = step->kind == STEP_16 ? 16 : 4, body;

    if (s->stop - s->at < len)
        return false;
    field(s, len, step->name);
    if (step->kind != STEP_OPAQUE)
        return true;
    body = item_word(s->bytes + s->at - 4);
    if (body > s->stop - s->at)
        return false;
    if (body > 0)
        field(s, body, "");
    body = (4 - body % 4) % 4;
    if (body > s->stop - s->at)
        return false;
    if (body > 0)
        field(s, body, "fill");
    return true;
}

static void steps(struct shown *s, const struct step *table, size_t n)
{
    size_t i = 0;

    while (i < n && step(s, &table[i]))
        i++;
}

static void put_headers(struct shown *s)
{
    if (s->look->framing == READPLUS_FRAMING_RECORD)
        puts("  (bytes are counted without record marks)");
    if (s->look->framing != READPLUS_FRAMING_COMPOUND && s->call)
        steps(s, STEPS(call_steps));
    else if (s->look->framing != READPLUS_FRAMING_COMPOUND)
        steps(s, STEPS(reply_steps));
    if (s->call)
        steps(s, STEPS(compound_call_steps));
    else
        steps(s, STEPS(compound_reply_steps));
}

/* --- the item -------------------------------------------------------------- */

static const char *outcome(const struct shown *s)
{
    static const char *const words[] = {"item",     "denied",  "failed",
                                        "compound", "earlier", "other"};

    return words[s->found.outcome];
}

static void put_json_head(const struct shown *s)
{
    printf("{\"found\":\"%s\",\"call\":%s,\"xid\":%" PRIu32
           ",\"behind\":%" PRIu32 ",\"item_at\":%" PRIu64 ",\"error\":",
           outcome(s), s->call ? "true" : "false", s->found.xid,
           s->found.behind, s->found.at);
    if (s->error == READPLUS_OK)
        fputs("null,\"item\":", stdout);
    else
        printf("{\"name\":\"%s\",\"at\":%" PRIu64 "},\"item\":",
               readplus_error_name(s->error), s->found.fault.at);
}

static int put_item(struct shown *s)
{
    char message[ITEM_MESSAGE_SIZE];
    struct item item;

    item_decode(&item, s->call ? ITEM_ARGS : ITEM_RES, s->bytes + s->stop,
                s->len - s->stop, s->look->range,
                s->look->tolerant || s->found.behind > 0);
    if (s->look->json)
        json_print_item(&item, s->look->data, stdout);
    else
        listing_print(&item, s->look->data, stdout);
    if (item.fault.error == READPLUS_OK)
        return OUTCOME_OK;
    if (!s->look->json) {
        item_message(&item, message);
        complain("%s: %s: %s", s->look->file,
                 readplus_error_name(item.fault.error), message);
    }
    return OUTCOME_FAULTY;
}

/* What stands in place of an item. */
static int put_instead(struct shown *s)
{
    if (s->look->json)
        fputs("null", stdout);
    if (s->error != READPLUS_OK) {
        if (!s->look->json) {
            printf("%10zu  <-- %s: %s\n", s->at, readplus_error_name(s->error),
                   readplus_error_text(s->error));
            complain("%s: %s at byte %" PRIu64 ": %s", s->look->file,
                     readplus_error_name(s->error), s->found.fault.at,
                     readplus_error_text(s->error));
        }
        return OUTCOME_FAULTY;
    }
    if (!s->look->json)
        printf("no READ_PLUS in it: %s\n", outcome(s));
    return OUTCOME_OK;
}

static int put_message(struct shown *s)
{
    bool is_item =
        s->error == READPLUS_OK && s->found.outcome == READPLUS_OUTCOME_ITEM;
    int result;

    s->stop = is_item ? s->len - (size_t)s->found.size : s->len;
    if (s->look->json)
        put_json_head(s);
    else
        put_headers(s);
    result = is_item ? put_item(s) : put_instead(s);
    if (s->look->json)
        puts("}");
    return result;
}

/* --- messages -------------------------------------------------------------- */

/* The bytes without their marks, as far as they are there. */
static bool join(struct shown *s, const uint8_t *bytes, size_t len)
{
    bool last = s->look->framing != READPLUS_FRAMING_RECORD;
    size_t at = 0, fragment = last ? len : 0;

    s->bytes = malloc(len > 0 ? len : 1);
    if (s->bytes == NULL)
        return false;
    for (;;) {
        if (fragment > len - at)
            fragment = len - at;
        if (fragment > 0)
            memcpy(s->bytes + s->len, bytes + at, fragment);
        s->len += fragment;
        at += fragment;
        if (last || len - at < 4)
            return true;
        fragment = item_word(bytes + at) & 0x7fffffff;
        last = (bytes[at] & 0x80) != 0;
        at += 4;
    }
}

/* CALL is 0, REPLY 1; of a COMPOUND the user must say. */
static bool is_call(const struct shown *s)
{
    if (s->look->framing == READPLUS_FRAMING_COMPOUND)
        return s->look->call;
    return s->len >= 8 && item_word(s->bytes + 4) == 0;
}

/* One message at the beginning; *used becomes its length. */
static int show_one(const struct message_look *look, const uint8_t *bytes,
                    size_t len, size_t *used)
{
    struct shown s = {.look = look};
    struct iovec whole = {(void *)(uintptr_t)bytes, len}, *out;
    size_t room = len / 4 + 1;
    int result = OUTCOME_FAULTY;

    out = calloc(room, sizeof(*out));
    if (out == NULL || !join(&s, bytes, len)) {
        complain("out of memory");
    } else {
        s.call = is_call(&s);
        if (s.call)
            s.error = readplus_message_find_args(look->framing, &whole, 1, out,
                                                 room, &s.found);
        else
            s.error = readplus_message_find_res(look->framing, &whole, 1, out,
                                                room, &s.found);
        if (s.error == READPLUS_OK)
            *used = (size_t)s.found.consumed;
        result = put_message(&s);
    }
    free(s.bytes);
    free(out);
    return result;
}

int message_show(const struct message_look *look, const uint8_t *bytes,
                 size_t len)
{
    int result = OUTCOME_OK, each;
    size_t used;

    do {
        used = len;
        each = show_one(look, bytes, len, &used);
        if (each != OUTCOME_OK)
            result = each;
        bytes += used;
        len -= used;
    } while (len > 0);
    return result;
}
