/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every exchange of READ_PLUS in a capture, with its verdict.  A call waits in
 * a table of fixed size until its reply passes by; the reply is judged against
 * what was asked for, printed, and forgotten.
 */
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readplus.h>

#include "pcap_list.h"
#include "pcap_stream.h"
#include "program.h"

#define CALLS 4096
#define PIECES 64 /* of an item; more are allocated */

struct call {
    bool used;
    struct endpoints ends;
    uint32_t xid;
    uint64_t packet;
    struct readplus_args args;
};

struct list {
    int link;
    uint16_t port;
    bool json;
    struct streams *streams;
    struct call calls[CALLS];
    uint64_t packet; /* the one at hand, from 1 */
    uint64_t packets, exchanges, faulty, unseen;
};

/* What is known of an exchange once its reply was seen. */
struct exchanged {
    uint64_t call, reply; /* packets; call 0: was not seen */
    uint32_t xid;
    struct readplus_args args;
    uint32_t status;
    bool eof, stuck;
    uint32_t data, holes;
    uint64_t bytes; /* covered of what was asked for */
    struct readplus_fault fault;
};

/* --- printing -------------------------------------------------------------- */

static const char *rule_of(enum readplus_error error)
{
    return readplus_error_is_rfc(error) ? "RFC 7862 15.10.3" : "RFC 4506";
}

static void print_fault(const struct exchanged *x)
{
    printf("%s at byte %" PRIu64, readplus_error_name(x->fault.error),
           x->fault.at);
    if (x->fault.segment != READPLUS_NO_SEGMENT)
        printf(", segment %" PRIu32, x->fault.segment);
    printf(": %s (%s)\n", readplus_error_text(x->fault.error),
           rule_of(x->fault.error));
}

static void print_good(const struct exchanged *x)
{
    const char *name = readplus_nfsstat_name(x->status);

    if (x->status != 0) {
        printf("%" PRIu32 " %s\n", x->status, name != NULL ? name : "");
        return;
    }
    printf("OK, %" PRIu32 " data, %" PRIu32 " holes, %" PRIu64 " bytes%s%s\n",
           x->data, x->holes, x->bytes, x->eof ? ", eof" : "",
           x->stuck ? ", no progress" : "");
}

static void print_text(const struct exchanged *x)
{
    if (x->call != 0)
        printf("%" PRIu64 " -> %" PRIu64 "  xid 0x%08" PRIx32
               "  offset %" PRIu64 " count %" PRIu32 ": ",
               x->call, x->reply, x->xid, x->args.offset, x->args.count);
    else
        printf("? -> %" PRIu64 "  xid 0x%08" PRIx32 "  call not seen: ",
               x->reply, x->xid);
    if (x->fault.error != READPLUS_OK)
        print_fault(x);
    else
        print_good(x);
}

static void print_json(const struct exchanged *x)
{
    printf("{\"call\":%" PRIu64 ",\"reply\":%" PRIu64 ",\"xid\":%" PRIu32,
           x->call, x->reply, x->xid);
    printf(",\"offset\":%" PRIu64 ",\"count\":%" PRIu32 ",\"status\":%" PRIu32,
           x->args.offset, x->args.count, x->status);
    printf(",\"eof\":%s,\"data\":%" PRIu32 ",\"holes\":%" PRIu32
           ",\"bytes\":%" PRIu64 ",\"error\":",
           x->eof ? "true" : "false", x->data, x->holes, x->bytes);
    if (x->fault.error == READPLUS_OK)
        puts("null}");
    else if (x->fault.segment == READPLUS_NO_SEGMENT)
        printf("{\"name\":\"%s\",\"at\":%" PRIu64 ",\"segment\":null}}\n",
               readplus_error_name(x->fault.error), x->fault.at);
    else
        printf(
            "{\"name\":\"%s\",\"at\":%" PRIu64 ",\"segment\":%" PRIu32 "}}\n",
            readplus_error_name(x->fault.error), x->fault.at, x->fault.segment);
}

/* --- calls ----------------------------------------------------------------- */

/* The place of a call, whoever of the two speaks. */
static struct call *place(struct list *list, const struct endpoints *ends,
                          uint32_t xid)
{
    uint32_t hash = xid * 2654435761u ^ ends->from_port ^ ends->to_port;

    return &list->calls[hash % CALLS];
}

static bool is_reverse(const struct endpoints *a, const struct endpoints *b)
{
    return a->from_port == b->to_port && a->to_port == b->from_port &&
           a->protocol == b->protocol && memcmp(a->from, b->to, 16) == 0 &&
           memcmp(a->to, b->from, 16) == 0;
}

/* A message and where it is taken apart. */
struct found {
    const struct endpoints *ends;
    enum readplus_framing framing;
    struct iovec whole;
    struct readplus_message message;
    struct iovec few[PIECES], *item;
};

/* The READ_PLUS in it, a call's or a reply's; END: none. */
static enum readplus_error look_for(struct found *f, bool reply)
{
    enum readplus_error error;
    size_t room = PIECES;

    f->item = f->few;
    for (;;) {
        error = reply ? readplus_message_find_res(f->framing, &f->whole, 1,
                                                  f->item, room, &f->message)
                      : readplus_message_find_args(f->framing, &f->whole, 1,
                                                   f->item, room, &f->message);
        if (error != READPLUS_ERR_LIMIT || f->item != f->few)
            break;
        room = f->message.entries;
        f->item = calloc(room, sizeof(*f->item));
        if (f->item == NULL)
            return READPLUS_END;
    }
    if (error == READPLUS_OK && f->message.outcome != READPLUS_OUTCOME_ITEM)
        return READPLUS_END;
    return error;
}

static void done(struct found *f)
{
    if (f->item != f->few)
        free(f->item);
}

static void take_call(struct list *list, struct found *f)
{
    uint8_t args[READPLUS_ARGS_SIZE];
    size_t len = 0, i, step;
    struct call *call;

    if (look_for(f, false) == READPLUS_OK) {
        for (i = 0; i < f->message.entries && len < sizeof(args); i++) {
            step = sizeof(args) - len;
            if (f->item[i].iov_len < step)
                step = f->item[i].iov_len;
            memcpy(args + len, f->item[i].iov_base, step);
            len += step;
        }
        call = place(list, f->ends, f->message.xid);
        list->unseen += call->used; /* no reply, or one that comes too late */
        call->used = readplus_args_decode(args, len, READPLUS_DECODE_TRAILING,
                                          &call->args, NULL) == READPLUS_OK;
        call->ends = *f->ends;
        call->xid = f->message.xid;
        call->packet = list->packet;
    }
    done(f);
}

/* --- replies --------------------------------------------------------------- */

static void decode(struct exchanged *x, const struct found *f)
{
    uint32_t flags = f->message.behind > 0 ? READPLUS_DECODE_TRAILING : 0;
    struct readplus_decoder decoder;
    struct readplus_segment s;

    if (readplus_decoder_init(&decoder, x->call != 0 ? &x->args : NULL, f->item,
                              f->message.entries, flags) == READPLUS_OK) {
        while (readplus_decoder_next(&decoder, &s) == READPLUS_OK) {
            x->data += s.content == READPLUS_CONTENT_DATA;
            x->holes += s.content == READPLUS_CONTENT_HOLE;
            if (x->call != 0)
                (void)readplus_segment_clip(&s, &x->args);
            x->bytes += s.length;
        }
        x->status = readplus_decoder_status(&decoder);
        x->eof = readplus_decoder_eof(&decoder);
        x->stuck = x->status == 0 && !x->eof && x->bytes == 0 &&
                   (x->call == 0 || x->args.count > 0);
    }
    x->fault = readplus_decoder_fault(&decoder);
}

static void report(struct list *list, const struct exchanged *x)
{
    list->exchanges++;
    list->faulty += x->fault.error != READPLUS_OK;
    if (list->json)
        print_json(x);
    else
        print_text(x);
}

/* The call it answers; NULL: no READ_PLUS that was seen. */
static struct call *call_of(struct list *list, const struct found *f,
                            uint32_t xid)
{
    struct call *call = place(list, f->ends, xid);

    return call->used && call->xid == xid && is_reverse(&call->ends, f->ends)
               ? call
               : NULL;
}

static void take_reply(struct list *list, struct found *f, uint32_t xid)
{
    struct call *call = call_of(list, f, xid);
    enum readplus_error error = look_for(f, true);
    struct exchanged x = {.reply = list->packet, .xid = xid};

    x.fault.segment = READPLUS_NO_SEGMENT;
    if (call != NULL) {
        x.call = call->packet;
        x.args = call->args;
        call->used = false;
    }
    if (error == READPLUS_OK) {
        decode(&x, f);
        report(list, &x);
    } else if (call != NULL && error == READPLUS_END) {
        /* It failed before its turn came. */
        x.status = f->message.op_status != 0 ? f->message.op_status
                                             : f->message.status;
        report(list, &x);
    } else if (call != NULL) {
        x.fault = f->message.fault;
        report(list, &x);
    }
    done(f);
}

/* --- messages -------------------------------------------------------------- */

static uint32_t load32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           p[3];
}

static void take_message(struct list *list, const struct endpoints *ends,
                         enum readplus_framing framing, const uint8_t *bytes,
                         size_t len)
{
    size_t head = framing == READPLUS_FRAMING_RECORD ? 4 : 0;
    struct found f = {.ends = ends, .framing = framing};

    /* A first fragment of less than xid and msg_type is nobody's. */
    if (len < head + 8)
        return;
    f.whole = (struct iovec){(void *)(uintptr_t)bytes, len};
    if (load32(bytes + head + 4) == 0)
        take_call(list, &f);
    else if (load32(bytes + head + 4) == 1)
        take_reply(list, &f, load32(bytes + head));
}

static void take_record(void *context, const struct endpoints *ends,
                        const uint8_t *record, size_t len)
{
    take_message(context, ends, READPLUS_FRAMING_RECORD, record, len);
}

static void take_packet(u_char *context, const struct pcap_pkthdr *header,
                        const u_char *bytes)
{
    struct list *list = (struct list *)(void *)context;
    struct packet packet;

    list->packet++;
    if (!packet_read(&packet, list->link, bytes, header->caplen, header->len) ||
        (packet.ends.from_port != list->port &&
         packet.ends.to_port != list->port))
        return;
    list->packets++;
    if (packet.ends.protocol == 6)
        streams_take(list->streams, &packet);
    else
        take_message(list, &packet.ends, READPLUS_FRAMING_RPC, packet.payload,
                     packet.len);
}

static void print_sums(struct list *list)
{
    size_t i;

    for (i = 0; i < CALLS; i++)
        list->unseen += list->calls[i].used;
    if (list->json)
        return;
    printf("%" PRIu64 " packets, %" PRIu64 " of them of NFS; %" PRIu64
           " exchanges of READ_PLUS, %" PRIu64 " faulty; %" PRIu64
           " calls without reply; %" PRIu64 " gaps in streams\n",
           list->packet, list->packets, list->exchanges, list->faulty,
           list->unseen, streams_lost(list->streams));
}

static int run(struct list *list, pcap_t *pcap, const char *path)
{
    list->link = pcap_datalink(pcap);
    if (!packet_link_known(list->link)) {
        complain("%s: link type %d leads to no IP that is known here", path,
                 list->link);
        return OUTCOME_FAULTY;
    }
    if (pcap_loop(pcap, -1, take_packet, (u_char *)list) == PCAP_ERROR) {
        complain("%s: %s", path, pcap_geterr(pcap));
        return OUTCOME_FAULTY;
    }
    return OUTCOME_OK;
}

int pcap_list(const char *path, uint16_t port, bool json)
{
    char why[PCAP_ERRBUF_SIZE] = "";
    struct list *list = calloc(1, sizeof(*list));
    pcap_t *pcap = pcap_open_offline(path, why);
    int outcome = OUTCOME_FAULTY;

    if (list != NULL)
        list->streams = streams_create(take_record, list);
    if (pcap == NULL) {
        complain("%s", why);
        outcome = OUTCOME_UNREADABLE;
    } else if (list == NULL || list->streams == NULL) {
        complain("out of memory");
    } else {
        list->port = port;
        list->json = json;
        outcome = run(list, pcap, path);
        print_sums(list);
        if (list->faulty > 0)
            outcome = OUTCOME_FAULTY;
    }
    if (pcap != NULL)
        pcap_close(pcap);
    if (list != NULL)
        streams_free(list->streams);
    free(list);
    return outcome;
}
