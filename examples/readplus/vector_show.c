/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A vector for a person: its bytes field by field, what they mean, and what a
 * decoder must say of them; a fault is marked at the byte where it stands.
 */
#include <inttypes.h>
#include <string.h>

#include "hex.h"
#include "vectors.h"

#define BYTES_A_LINE 16

static const char *const off[] = {"", "\033[0m"};
static const char *const dim[] = {"", "\033[2m"};
static const char *const bold[] = {"", "\033[1m"};
static const char *const red[] = {"", "\033[1;31m"};
static const char *const blue[] = {"", "\033[34m"};

/* Sixteen bytes a line, and how many there are more. */
#define LINES_MAX 8

static void show_bytes(const struct vector_field *field, uint64_t at,
                       bool colour, FILE *to)
{
    uint64_t done, step;

    for (done = 0; done < field->size; done += step) {
        step = field->size - done < BYTES_A_LINE ? field->size - done
                                                 : BYTES_A_LINE;
        if (done > 0)
            fprintf(to, "\n%10" PRIu64 "  ", at + done);
        if (done == BYTES_A_LINE * LINES_MAX) {
            fprintf(to, "... %" PRIu64 " more bytes", field->size - done);
            return;
        }
        fputs(blue[colour], to);
        hex_print(field->bytes + done, (size_t)step, to);
        fputs(off[colour], to);
        if (done == 0)
            fprintf(to, "%*s", 2 * (int)(BYTES_A_LINE - step), "");
    }
}

static void show_rule(const struct vector_field *field, FILE *to)
{
    char text[64];

    if (field->rule == RULE_PATTERN)
        snprintf(text, sizeof(text), "(file bytes from %" PRIu64 ")",
                 field->start);
    else
        snprintf(text, sizeof(text), "(holes of %" PRIu64 " from %" PRIu64 ")",
                 field->each, field->start);
    fprintf(to, "%-32s", text);
}

static void show_field(const struct vector *vector,
                       const struct vector_field *field, uint64_t at,
                       bool colour, FILE *to)
{
    const struct vector_expect *strict = &vector->expect[PROFILE_STRICT];
    bool fault = strict->error != READPLUS_OK && strict->at >= at &&
                 strict->at - at < field->size;

    fprintf(to, "%10" PRIu64 "  ", at);
    /* The name stands beside the first line. */
    if (field->rule != RULE_BYTES)
        show_rule(field, to);
    else if (field->size > BYTES_A_LINE)
        fprintf(to, "%-32s", "");
    else
        show_bytes(field, at, colour, to);
    fprintf(to, "  %s%s%s%s%s", bold[colour], field->name, off[colour],
            field->value[0] != '\0' ? " = " : "", field->value);
    if (fault)
        fprintf(to, "  %s<-- %s at byte %" PRIu64 "%s", red[colour],
                vector_error_name(strict->error), strict->at, off[colour]);
    if (field->rule == RULE_BYTES && field->size > BYTES_A_LINE) {
        fprintf(to, "\n%10" PRIu64 "  ", at);
        show_bytes(field, at, colour, to);
    }
    putc('\n', to);
}

static void show_segments(const struct vector *vector, FILE *to)
{
    size_t i;

    for (i = 0; i < vector->segment_count; i++) {
        const struct vector_segment *s = &vector->segments[i];

        fprintf(to, "means   %s [%" PRIu64 ", %" PRIu64 ")",
                s->content == READPLUS_CONTENT_DATA ? "data" : "hole",
                s->offset, s->offset + s->length);
        if (s->repeat > 1)
            fprintf(to, " and %" PRIu64 " more like it", s->repeat - 1);
        putc('\n', to);
    }
}

static void show_meaning(const struct vector *vector, FILE *to)
{
    const char *name = readplus_nfsstat_name(vector->status);

    if (vector->found != NULL)
        fprintf(to, "found   %s\n", vector->found);
    if (vector->has_status)
        fprintf(to, "status  %" PRIu32 " %s\n", vector->status,
                name != NULL ? name : "");
    if (vector->has_eof)
        fprintf(to, "eof     %s\n", vector->eof ? "yes" : "no");
    if (vector->has_args)
        fprintf(to, "means   offset %" PRIu64 ", count or what %" PRIu32 "\n",
                vector->offset, vector->number);
    show_segments(vector, to);
}

static void show_expect(const struct vector *vector, bool colour, FILE *to)
{
    int p;

    for (p = 0; p < PROFILES; p++) {
        const struct vector_expect *e = &vector->expect[p];

        fprintf(to, "%-9s %s%s%s", vector_profile_name((enum vector_profile)p),
                e->error == READPLUS_OK ? "" : red[colour],
                vector_error_name(e->error), off[colour]);
        if (e->error != READPLUS_OK)
            fprintf(to, " at byte %" PRIu64, e->at);
        if (e->error != READPLUS_OK && e->segment != READPLUS_NO_SEGMENT)
            fprintf(to, ", segment %" PRIu32, e->segment);
        if (e->delivers)
            fprintf(to,
                    "; delivers %" PRIu64 " bytes, %" PRIu64
                    " of them from holes%s%s",
                    e->bytes, e->zeros, e->eof ? ", the end of the file" : "",
                    e->stuck ? "; no progress" : "");
        putc('\n', to);
    }
}

void vector_show(const struct vector *vector, bool colour, FILE *to)
{
    const struct vector_expect *strict = &vector->expect[PROFILE_STRICT];
    uint64_t at = 0;
    size_t i;

    fprintf(to, "%s%s%s  %s, %s\n%s%s (%s)%s\n", bold[colour], vector->name,
            off[colour], vector_type_name(vector->type),
            vector_class_name(vector->class), dim[colour], vector->about,
            vector->rule, off[colour]);
    if (vector->asked)
        fprintf(to, "asked   offset %" PRIu64 ", count %" PRIu32 "\n",
                vector->ask.offset, vector->ask.count);
    for (i = 0; i < vector->field_count; i++) {
        show_field(vector, &vector->fields[i], at, colour, to);
        at += vector->fields[i].size;
    }
    fprintf(to, "%10" PRIu64 "  end", at);
    if (strict->error != READPLUS_OK && strict->at >= at)
        fprintf(to, "  %s<-- %s%s", red[colour],
                vector_error_name(strict->error), off[colour]);
    putc('\n', to);
    show_meaning(vector, to);
    show_expect(vector, colour, to);
    putc('\n', to);
}
