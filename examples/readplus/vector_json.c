/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A vector as a JSON object, as tests/vectors/schema.json describes it.  A
 * number above 2^53 is there a second time as a string, KEY_text.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "hex.h"
#include "vectors.h"

#define EXACT ((uint64_t)1 << 53)

/* Longer ones are there by rule only. */
#define BYTES_MAX ((uint64_t)8192)

static void number(const char *key, uint64_t value, FILE *to)
{
    fprintf(to, "\"%s\":%" PRIu64, key, value);
    if (value > EXACT)
        fprintf(to, ",\"%s_text\":\"%" PRIu64 "\"", key, value);
}

static void string(const char *key, const char *text, FILE *to)
{
    if (text == NULL) {
        fprintf(to, "\"%s\":null", key);
        return;
    }
    fprintf(to, "\"%s\":\"", key);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', to);
        putc(*text, to);
    }
    putc('"', to);
}

static void hex(const char *key, const uint8_t *bytes, uint64_t len, FILE *to)
{
    fprintf(to, "\"%s\":\"", key);
    hex_print(bytes, (size_t)len, to);
    putc('"', to);
}

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

static void put_rule(const struct vector_field *field, FILE *to)
{
    if (field->rule == RULE_BYTES) {
        fputs("\"rule\":null,", to);
        hex("bytes", field->bytes, field->size, to);
        return;
    }
    fprintf(to, "\"bytes\":null,\"rule\":{\"kind\":\"%s\",",
            field->rule == RULE_PATTERN ? "pattern" : "holes");
    number("start", field->start, to);
    putc(',', to);
    number("length", field->each, to);
    putc(',', to);
    number("count", field->count, to);
    putc('}', to);
}

static void put_fields(const struct vector *vector, FILE *to)
{
    uint64_t at = 0;
    size_t i;

    fputs(",\"fields\":[", to);
    for (i = 0; i < vector->field_count; i++) {
        const struct vector_field *field = &vector->fields[i];

        fputs(i > 0 ? ",\n {" : "\n {", to);
        number("at", at, to);
        putc(',', to);
        number("size", field->size, to);
        putc(',', to);
        string("name", field->name, to);
        putc(',', to);
        string("value", field->value, to);
        putc(',', to);
        put_rule(field, to);
        putc('}', to);
        at += field->size;
    }
    putc(']', to);
}

static void put_segments(const struct vector *vector, FILE *to)
{
    size_t i;

    fputs(",\"segments\":[", to);
    for (i = 0; i < vector->segment_count; i++) {
        const struct vector_segment *s = &vector->segments[i];

        fprintf(to, "%s{\"content\":\"%s\",", i > 0 ? "," : "",
                s->content == READPLUS_CONTENT_DATA ? "data" : "hole");
        number("offset", s->offset, to);
        putc(',', to);
        number("length", s->length, to);
        putc(',', to);
        number("repeat", s->repeat, to);
        putc(',', to);
        if (s->bytes != NULL)
            hex("data", s->bytes, s->length, to);
        else
            fputs("\"data\":null", to);
        putc('}', to);
    }
    putc(']', to);
}

static void put_meaning(const struct vector *vector, FILE *to)
{
    putc(',', to);
    string("found", vector->found, to);
    putc(',', to);
    number("item_at", vector->item_at, to);
    putc(',', to);
    number("behind", vector->behind, to);
    if (vector->has_status)
        fprintf(to, ",\"status\":%" PRIu32, vector->status);
    else
        fputs(",\"status\":null", to);
    fprintf(to, ",\"eof\":%s", vector->has_eof ? truth(vector->eof) : "null");
    if (vector->has_args) {
        fprintf(to, ",\"stateid\":{\"seqid\":%" PRIu32 ",",
                vector->stateid.seqid);
        hex("other", vector->stateid.other, READPLUS_OTHER_SIZE, to);
        fputs("},", to);
    } else {
        fputs(",\"stateid\":null,", to);
    }
    number("offset", vector->offset, to);
    /* rpa_count, or sa_what */
    fprintf(to, ",\"number\":%" PRIu32, vector->number);
    put_segments(vector, to);
}

static void put_expect(const struct vector_expect *e, FILE *to)
{
    string("result", vector_error_name(e->error), to);
    if (e->error != READPLUS_OK) {
        putc(',', to);
        number("at", e->at, to);
    }
    if (e->error != READPLUS_OK && e->segment != READPLUS_NO_SEGMENT)
        fprintf(to, ",\"segment\":%" PRIu32, e->segment);
    if (!e->delivers)
        return;
    putc(',', to);
    number("bytes", e->bytes, to);
    putc(',', to);
    number("zeros", e->zeros, to);
    fprintf(to, ",\"eof\":%s,\"crc32\":\"%08" PRIx32 "\",\"stuck\":%s",
            truth(e->eof), e->crc, truth(e->stuck));
}

void vector_json(const struct vector *vector, FILE *to)
{
    uint8_t *bytes = vector->size <= BYTES_MAX ? vector_bytes(vector) : NULL;
    int p;

    putc('{', to);
    string("name", vector->name, to);
    putc(',', to);
    string("type", vector_type_name(vector->type), to);
    putc(',', to);
    string("class", vector_class_name(vector->class), to);
    putc(',', to);
    string("rule", vector->rule, to);
    putc(',', to);
    string("about", vector->about, to);
    if (vector->asked) {
        fputs(",\"ask\":{", to);
        number("offset", vector->ask.offset, to);
        fprintf(to, ",\"count\":%" PRIu32 "},", vector->ask.count);
    } else {
        fputs(",\"ask\":null,", to);
    }
    number("size", vector->size, to);
    fprintf(to, ",\"crc32\":\"%08" PRIx32 "\",", vector->crc);
    if (bytes != NULL)
        hex("bytes", bytes, vector->size, to);
    else
        fputs("\"bytes\":null", to);
    put_fields(vector, to);
    put_meaning(vector, to);
    for (p = 0; p < PROFILES; p++) {
        fprintf(to, "%s\"%s\":{", p == 0 ? ",\n\"expect\":{" : ",",
                vector_profile_name((enum vector_profile)p));
        put_expect(&vector->expect[p], to);
        putc('}', to);
    }
    fputs("}}", to);
    free(bytes);
}
