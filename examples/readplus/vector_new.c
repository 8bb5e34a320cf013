/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A vector from a few words, in the catalogue's format.  This one is written
 * by the library's encoder and judged by its decoder: to become a golden one
 * it belongs into the catalogue's own script, which knows neither.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hex.h"
#include "program.h"
#include "vector_check.h"
#include "vectors.h"

#define SEGMENTS_MAX 64
#define DATA_MAX 65536
#define BYTES_MAX ((size_t)1 << 20)

struct recipe {
    const char *name;
    bool asked, eof;
    struct readplus_args ask;
    uint32_t status;
    struct readplus_segment segments[SEGMENTS_MAX];
    uint8_t *data[SEGMENTS_MAX];
    size_t count;
    uint8_t *wire; /* BYTES_MAX */
    size_t size;
    bool encoded;
};

/* "A:B" */
static bool pair(char *text, uint64_t max, uint64_t *a, uint64_t *b)
{
    char *colon = strchr(text, ':');

    if (colon == NULL)
        return false;
    *colon = '\0';
    return number_parse(text, UINT64_MAX, a) && number_parse(colon + 1, max, b);
}

static bool add_segment(struct recipe *r, enum readplus_content content,
                        char *text)
{
    struct readplus_segment *s = &r->segments[r->count];
    bool is_data = content == READPLUS_CONTENT_DATA;

    if (r->count == SEGMENTS_MAX ||
        !pair(text, is_data ? DATA_MAX : UINT64_MAX, &s->offset, &s->length))
        return false;
    s->content = content;
    if (is_data && s->length > 0) {
        s->data = r->data[r->count] = malloc((size_t)s->length);
        if (s->data == NULL)
            return false;
        vector_file_fill(r->data[r->count], s->offset, (size_t)s->length);
    }
    r->count++;
    return true;
}

/* The bytes, once all segments are known and before they are spoilt. */
static bool encode(struct recipe *r)
{
    enum readplus_error error;
    struct readplus_fault fault;

    if (r->encoded)
        return true;
    r->encoded = true;
    error = readplus_res_encode(r->status, r->eof, r->segments, r->count,
                                r->wire, BYTES_MAX, &r->size, &fault);
    if (error != READPLUS_OK)
        complain("%s: %s", readplus_error_name(error),
                 readplus_error_text(error));
    return error == READPLUS_OK;
}

/* set=BYTE:HEX and add=HEX */
static bool patch(struct recipe *r, char *digits, uint64_t at)
{
    size_t len, bad;

    if (!hex_read((uint8_t *)digits, strlen(digits), &len, &bad) ||
        at > r->size || len > BYTES_MAX - at)
        return false;
    memcpy(r->wire + at, digits, len);
    if (r->size < at + len)
        r->size = (size_t)at + len;
    return true;
}

static bool spoil(struct recipe *r, const char *key, char *value)
{
    uint64_t at;
    char *colon;

    if (!encode(r))
        return false;
    if (strcmp(key, "add") == 0)
        return patch(r, value, r->size);
    if (strcmp(key, "cut") == 0) {
        if (!number_parse(value, r->size, &at))
            return false;
        r->size = (size_t)at;
        return true;
    }
    colon = strchr(value, ':');
    if (strcmp(key, "set") != 0 || colon == NULL)
        return false;
    *colon = '\0';
    return number_parse(value, r->size, &at) && patch(r, colon + 1, at);
}

static bool take_word(struct recipe *r, const char *key, char *value)
{
    uint64_t n = 0;
    bool good;

    if (strcmp(key, "data") == 0 && !r->encoded)
        return add_segment(r, READPLUS_CONTENT_DATA, value);
    if (strcmp(key, "hole") == 0 && !r->encoded)
        return add_segment(r, READPLUS_CONTENT_HOLE, value);
    if (strcmp(key, "eof") == 0 && !r->encoded) {
        r->eof = strcmp(value, "yes") == 0;
        return r->eof || strcmp(value, "no") == 0;
    }
    if (strcmp(key, "status") == 0 && !r->encoded) {
        good = number_parse(value, UINT32_MAX, &n);
        r->status = (uint32_t)n;
        return good;
    }
    if (strcmp(key, "ask") == 0) {
        good = pair(value, UINT32_MAX, &r->ask.offset, &n);
        r->ask.count = (uint32_t)n;
        r->asked = true;
        return good;
    }
    return spoil(r, key, value);
}

static bool take_words(struct recipe *r, int count, char **words)
{
    int i;

    r->name = words[0];
    if (r->name[strspn(r->name, "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] !=
        '\0') {
        complain("'%s' is no name: letters, digits and _", r->name);
        return false;
    }
    for (i = 1; i < count; i++) {
        char *value = strchr(words[i], '=');

        if (value != NULL)
            *value++ = '\0';
        if (value == NULL || !take_word(r, words[i], value)) {
            complain("vectors new: '%s' is nothing it can do here", words[i]);
            return false;
        }
    }
    return encode(r);
}

/* --- the catalogue's format ------------------------------------------------ */

static void put_wire(const struct recipe *r)
{
    size_t at, step;

    puts("wire");
    for (at = 0; at < r->size; at += step) {
        step = r->size - at < 4 ? r->size - at : 4;
        fputs("    ", stdout);
        hex_print(r->wire + at, step, stdout);
        printf("%*s  word at %zu\n", 34 - 2 * (int)step, "", at);
    }
    printf("size %zu crc %08" PRIx32 "\n", r->size,
           crc32_of(0, r->wire, r->size));
}

static void put_segment(const struct readplus_segment *s)
{
    printf("%s %" PRIu64 " %" PRIu64,
           s->content == READPLUS_CONTENT_DATA ? "data" : "hole", s->offset,
           s->length);
    if (s->content == READPLUS_CONTENT_DATA && s->length > 0) {
        putchar(' ');
        hex_print(s->data, (size_t)s->length, stdout);
    }
    putchar('\n');
}

static uint32_t flags_of(int profile)
{
    static const uint32_t flags[PROFILES] = {
        READPLUS_DECODE_STRICT, READPLUS_DECODE_TOLERANT,
        READPLUS_DECODE_ANY_PAD, READPLUS_DECODE_TRAILING};

    return flags[profile];
}

static enum readplus_error begin(const struct recipe *r, int profile,
                                 struct readplus_decoder *decoder)
{
    return readplus_decoder_init_buffer(decoder, r->asked ? &r->ask : NULL,
                                        r->wire, r->size, flags_of(profile));
}

static void put_meaning(const struct recipe *r)
{
    struct readplus_decoder decoder;
    struct readplus_segment s;
    const char *name;

    if (begin(r, PROFILE_STRICT, &decoder) == READPLUS_OK ||
        r->size >= READPLUS_STATUS_SIZE) {
        name = readplus_nfsstat_name(readplus_decoder_status(&decoder));
        printf("status %" PRIu32 " %s\n", readplus_decoder_status(&decoder),
               name != NULL ? name : "");
    }
    if (begin(r, PROFILE_STRICT, &decoder) != READPLUS_OK)
        return;
    if (readplus_decoder_status(&decoder) == 0)
        printf("eof %s\n", readplus_decoder_eof(&decoder) ? "yes" : "no");
    while (readplus_decoder_next(&decoder, &s) == READPLUS_OK)
        put_segment(&s);
}

/* What is delivered: at most DATA_MAX bytes are asked for here. */
static void put_delivery(const struct recipe *r, int profile)
{
    struct readplus_decoder decoder;
    struct readplus_result result;
    uint8_t *target = calloc(1, r->ask.count + (size_t)1);
    struct iovec iov = {target, r->ask.count};
    enum readplus_error error;

    if (target == NULL)
        return;
    error = begin(r, profile, &decoder);
    error = readplus_scatter(&decoder, &iov, 1, 0, &result);
    printf(" bytes %" PRIu64 " zeros %" PRIu64 " eof %s crc %08" PRIx32 "%s",
           result.bytes, result.zero_bytes, result.eof ? "yes" : "no",
           crc32_of(0, target, (size_t)result.bytes),
           error == READPLUS_OK && result.fault.error == READPLUS_OK &&
                   !result.progress
               ? " stuck"
               : "");
    free(target);
}

static void put_expect(const struct recipe *r, int profile)
{
    struct readplus_decoder decoder;
    struct readplus_segment s;
    struct readplus_fault fault;

    if (begin(r, profile, &decoder) == READPLUS_OK)
        while (readplus_decoder_next(&decoder, &s) == READPLUS_OK)
            ;
    fault = readplus_decoder_fault(&decoder);
    printf("expect %s %s", vector_profile_name((enum vector_profile)profile),
           vector_error_name(fault.error));
    if (fault.error != READPLUS_OK)
        printf(" at %" PRIu64, fault.at);
    if (fault.error != READPLUS_OK && fault.segment != READPLUS_NO_SEGMENT)
        printf(" segment %" PRIu32, fault.segment);
    if (r->asked && r->ask.count <= BYTES_MAX)
        put_delivery(r, profile);
    putchar('\n');
}

static void put_vector(const struct recipe *r)
{
    struct readplus_decoder decoder;
    struct readplus_segment s;
    int profile;

    if (begin(r, PROFILE_STRICT, &decoder) == READPLUS_OK)
        while (readplus_decoder_next(&decoder, &s) == READPLUS_OK)
            ;
    printf("vector %s\ntype READ_PLUS4res\nclass %s\nrule none\n"
           "about made by readplus vectors new\n",
           r->name,
           readplus_decoder_fault(&decoder).error == READPLUS_OK ? "valid"
                                                                 : "invalid");
    if (r->asked)
        printf("ask %" PRIu64 " %" PRIu32 "\n", r->ask.offset, r->ask.count);
    put_wire(r);
    put_meaning(r);
    for (profile = 0; profile < PROFILES; profile++)
        put_expect(r, profile);
    puts("end");
}

int vectors_new(int count, char **words)
{
    struct recipe r = {.wire = malloc(BYTES_MAX)};
    int outcome = OUTCOME_FAULTY;
    size_t i;

    if (r.wire == NULL) {
        complain("out of memory");
        return OUTCOME_FAULTY;
    }
    if (take_words(&r, count, words)) {
        put_vector(&r);
        outcome = OUTCOME_OK;
    } else {
        outcome = OUTCOME_USAGE;
    }
    for (i = 0; i < SEGMENTS_MAX; i++)
        free(r.data[i]);
    free(r.wire);
    return outcome;
}
