/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An item as JSON, printed as it is walked: a reply of a million segments
 * takes no more memory than one of none.  All that is printed is numbers,
 * hexadecimal digits and names of our own, so nothing needs escaping.
 */
#include <inttypes.h>

#include "hex.h"
#include "json_item.h"

static const char *word(bool value)
{
    return value ? "true" : "false";
}

static void print_status(const struct item *item, FILE *to)
{
    const char *name = readplus_nfsstat_name(item->status);

    if (!item->has_status) {
        fputs(",\"status\":null,\"status_name\":null", to);
        return;
    }
    fprintf(to, ",\"status\":%" PRIu32 ",\"status_name\":", item->status);
    if (name != NULL)
        fprintf(to, "\"%s\"", name);
    else
        fputs("null", to);
}

static void print_segment(const struct readplus_segment *segment, uint64_t at,
                          bool data, FILE *to)
{
    bool is_data = segment->content == READPLUS_CONTENT_DATA;

    fprintf(to,
            "{\"content\":\"%s\",\"offset\":%" PRIu64 ",\"length\":%" PRIu64
            ",\"at\":%" PRIu64,
            is_data ? "data" : "hole", segment->offset, segment->length, at);
    if (is_data && data) {
        fputs(",\"data_hex\":\"", to);
        hex_print(segment->data, (size_t)segment->length, to);
        putc('"', to);
    }
    putc('}', to);
}

static void print_res(const struct item *item, bool data, FILE *to)
{
    struct readplus_segment segment;
    struct item_walk walk;
    const char *between = "";
    uint64_t at;

    print_status(item, to);
    fprintf(to, ",\"eof\":%s,\"segments\":[",
            item->has_eof ? word(item->eof) : "null");
    item_walk_init(&walk, item);
    while (item_walk_next(&walk, &segment, &at)) {
        fputs(between, to);
        print_segment(&segment, at, data, to);
        between = ",";
    }
    putc(']', to);
}

static void print_stateid(const char *key,
                          const struct readplus_stateid *stateid, FILE *to)
{
    fprintf(to, ",\"%s\":{\"seqid\":%" PRIu32 ",\"other\":\"", key,
            stateid->seqid);
    hex_print(stateid->other, sizeof(stateid->other), to);
    fputs("\"}", to);
}

static void print_args(const struct item *item, FILE *to)
{
    const struct readplus_args *args = &item->args;

    if (!item->has_body) {
        fputs(",\"rpa_stateid\":null,\"rpa_offset\":null,\"rpa_count\":null",
              to);
        return;
    }
    print_stateid("rpa_stateid", &args->stateid, to);
    fprintf(to, ",\"rpa_offset\":%" PRIu64 ",\"rpa_count\":%" PRIu32,
            args->offset, args->count);
}

static void print_seek_args(const struct item *item, FILE *to)
{
    const struct readplus_seek_args *args = &item->seek_args;

    if (!item->has_body) {
        fputs(",\"sa_stateid\":null,\"sa_offset\":null,\"sa_what\":null", to);
        return;
    }
    print_stateid("sa_stateid", &args->stateid, to);
    fprintf(to, ",\"sa_offset\":%" PRIu64 ",\"sa_what\":\"%s\"", args->offset,
            args->what == READPLUS_CONTENT_DATA ? "data" : "hole");
}

static void print_seek_res(const struct item *item, FILE *to)
{
    print_status(item, to);
    if (!item->has_eof) {
        fputs(",\"sr_eof\":null,\"sr_offset\":null", to);
        return;
    }
    fprintf(to, ",\"sr_eof\":%s,\"sr_offset\":%" PRIu64, word(item->eof),
            item->seek_offset);
}

static void print_error(const struct item *item, FILE *to)
{
    const struct readplus_fault *fault = &item->fault;
    char message[ITEM_MESSAGE_SIZE];

    if (fault->error == READPLUS_OK) {
        fputs(",\"error\":null", to);
        return;
    }
    item_message(item, message);
    fprintf(to, ",\"error\":{\"name\":\"%s\",\"at\":%" PRIu64 ",\"segment\":",
            readplus_error_name(fault->error), fault->at);
    if (fault->segment == READPLUS_NO_SEGMENT)
        fputs("null", to);
    else
        fprintf(to, "%" PRIu32, fault->segment);
    fprintf(to, ",\"message\":\"%s\"}", message);
}

void json_print_item(const struct item *item, bool data, FILE *to)
{
    fprintf(to, "{\"type\":\"%s\"", item_type_name(item->type));
    if (item->type == ITEM_ARGS)
        print_args(item, to);
    else if (item->type == ITEM_SEEK_ARGS)
        print_seek_args(item, to);
    else if (item->type == ITEM_SEEK_RES)
        print_seek_res(item, to);
    else
        print_res(item, data, to);
    fprintf(to, ",\"size\":%" PRIu64, item->size);
    print_error(item, to);
    if (item->trailing > 0)
        fprintf(to, ",\"trailing\":%" PRIu64, item->trailing);
    if (item->stuck)
        fputs(",\"progress\":false", to);
    putc('}', to);
}
