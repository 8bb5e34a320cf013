/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An item as a listing for a person: what stands where, and what it says.
 * Only what was found good is listed; the fault is the caller's to tell.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "listing.h"

struct listing {
    const struct item *item;
    FILE *to;
    uint64_t at; /* of the next field */
};

#define BYTES_A_LINE 16

static void put_bytes(struct listing *listing, uint64_t len)
{
    unsigned i;

    fprintf(listing->to, "%10" PRIu64 "  ", listing->at);
    for (i = 0; i < BYTES_A_LINE; i++)
        if (i < len)
            fprintf(listing->to, "%02x", listing->item->bytes[listing->at + i]);
        else if (i < 8)
            fputs("  ", listing->to);
    fputs("  ", listing->to);
    listing->at += len;
}

/* A field of up to 16 bytes. */
static void field(struct listing *listing, unsigned len, const char *name,
                  const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void field(struct listing *listing, unsigned len, const char *name,
                  const char *format, ...)
{
    va_list args;

    put_bytes(listing, len);
    fprintf(listing->to, "%-18s ", name);
    va_start(args, format);
    vfprintf(listing->to, format, args);
    va_end(args);
    putc('\n', listing->to);
}

static void flag(struct listing *listing, const char *name, bool value)
{
    field(listing, 4, name, "%s", value ? "TRUE" : "FALSE");
}

static void number(struct listing *listing, const char *name, uint64_t value)
{
    field(listing, 8, name, "%" PRIu64, value);
}

static void status(struct listing *listing, const char *name)
{
    const char *meaning = readplus_nfsstat_name(listing->item->status);

    field(listing, 4, name, "%" PRIu32 " %s", listing->item->status,
          meaning != NULL ? meaning : "(not a status of NFSv4.2)");
}

static void content(struct listing *listing, const char *name, uint32_t value)
{
    field(listing, 4, name, "%s",
          value == READPLUS_CONTENT_DATA ? "NFS4_CONTENT_DATA"
                                         : "NFS4_CONTENT_HOLE");
}

/* File bytes and their fill. */
static void payload(struct listing *listing, uint64_t length, bool data)
{
    uint64_t left = length, chunk;
    uint64_t fill = (4 - length % 4) % 4;

    while (data && left > 0) {
        chunk = left < BYTES_A_LINE ? left : BYTES_A_LINE;
        put_bytes(listing, chunk);
        putc('\n', listing->to);
        left -= chunk;
    }
    listing->at += left;
    if (fill > 0)
        field(listing, (unsigned)fill, "", "fill");
}

static void segment(struct listing *listing, const struct readplus_segment *seg,
                    unsigned long index, bool data)
{
    fprintf(listing->to, "%12ssegment %lu: %s [%" PRIu64 ", %" PRIu64 ")\n", "",
            index, seg->content == READPLUS_CONTENT_DATA ? "data" : "hole",
            seg->offset, seg->offset + seg->length);
    content(listing, "rpc_content", seg->content);
    if (seg->content == READPLUS_CONTENT_HOLE) {
        number(listing, "di_offset", seg->offset);
        number(listing, "di_length", seg->length);
        return;
    }
    number(listing, "d_offset", seg->offset);
    field(listing, 4, "d_data", "%" PRIu64 " bytes", seg->length);
    payload(listing, seg->length, data);
}

static void list_res(struct listing *listing, bool data)
{
    const struct item *item = listing->item;
    struct readplus_segment seg;
    struct item_walk walk;
    unsigned long index = 0;
    uint64_t at;

    if (item->skip > 0)
        field(listing, 4, "resop", "OP_READ_PLUS");
    if (item->has_status)
        status(listing, "rp_status");
    if (!item->has_eof)
        return;
    field(listing, 4, "rpr_eof", "%s",
          item_word(item->bytes + listing->at) != 0 ? "TRUE" : "FALSE");
    field(listing, 4, "rpr_contents", "%" PRIu32 " segments",
          item_word(item->bytes + listing->at));
    item_walk_init(&walk, item);
    while (item_walk_next(&walk, &seg, &at)) {
        listing->at = at;
        segment(listing, &seg, index++, data);
    }
}

static void stateid(struct listing *listing, const char *name,
                    const struct readplus_stateid *id)
{
    field(listing, 4, name, "seqid %" PRIu32, id->seqid);
    field(listing, READPLUS_OTHER_SIZE, "", "other");
}

static void list_args(struct listing *listing)
{
    const struct readplus_args *args = &listing->item->args;

    stateid(listing, "rpa_stateid", &args->stateid);
    number(listing, "rpa_offset", args->offset);
    field(listing, 4, "rpa_count", "%" PRIu32, args->count);
}

static void list_seek_args(struct listing *listing)
{
    const struct readplus_seek_args *args = &listing->item->seek_args;

    stateid(listing, "sa_stateid", &args->stateid);
    number(listing, "sa_offset", args->offset);
    content(listing, "sa_what", args->what);
}

static void list_seek_res(struct listing *listing)
{
    if (listing->item->has_status)
        status(listing, "sa_status");
    if (!listing->item->has_eof)
        return;
    flag(listing, "sr_eof", listing->item->eof);
    number(listing, "sr_offset", listing->item->seek_offset);
}

/* Bytes that no field was found in, sixteen a line, up to byte `end`. */
static void unread(struct listing *listing, uint64_t end)
{
    uint64_t len;

    while (listing->at < end) {
        len =
            end - listing->at < BYTES_A_LINE ? end - listing->at : BYTES_A_LINE;
        put_bytes(listing, len);
        putc('\n', listing->to);
    }
}

/* What is behind the last good field, the fault marked where it stands. */
static void mark(struct listing *listing)
{
    const struct item *item = listing->item;
    const struct readplus_fault *fault = &item->fault;
    uint64_t left = item->len - fault->at;

    listing->at = item->size;
    unread(listing, fault->at);
    listing->at = fault->at;
    put_bytes(listing, left < 8 ? left : 8);
    fprintf(listing->to, "<-- %s: %s\n", readplus_error_name(fault->error),
            readplus_error_text(fault->error));
}

void listing_print(const struct item *item, bool data, FILE *to)
{
    struct listing listing = {item, to, 0};

    fprintf(to, "%s\n", item_type_name(item->type));
    if (item->type == ITEM_SEEK_RES)
        list_seek_res(&listing);
    else if (item->type == ITEM_RES || item->type == ITEM_RESOP)
        list_res(&listing, data);
    else if (item->has_body && item->type == ITEM_ARGS)
        list_args(&listing);
    else if (item->has_body)
        list_seek_args(&listing);
    fprintf(to, "%10" PRIu64 "  end of %s\n", item->size,
            item->fault.error == READPLUS_OK ? "the item" : "what is good");
    if (item->fault.error != READPLUS_OK)
        mark(&listing);
    if (item->trailing > 0)
        fprintf(to, "%12s%" PRIu64 " bytes follow\n", "", item->trailing);
    if (item->stuck)
        fprintf(to, "%12sit brings nothing, and is not the end of the file\n",
                "");
}
