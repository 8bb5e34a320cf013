/*
 * Reads tests/captures/replies.txt: replies of real peers as text (the README
 * there says what its lines mean), with the reference data made anew.
 */
#ifndef READPLUS_TESTS_CAPTURES_H
#define READPLUS_TESTS_CAPTURES_H

#include <inttypes.h>
#include <stdio.h>

#include <readplus/decode.h>

#include "check_main.h"

#define CAPTURES_MAX 100
#define REFERENCE_SIZE (1u << 20)

struct capture {
    char name[64];
    char finding[16], action[16];
    uint8_t args[28];
    uint8_t *item;
    size_t len;
    size_t length; /* what the file says len is */
    uint32_t crc32;
    uint32_t status, eof;
    uint64_t size, next;
    size_t count;
    struct readplus_segment segments[8];
};

static struct capture captures[CAPTURES_MAX];
static int n_captures;

/* --- the reference data: MT19937, seeded with the one word 8881 ----------- */

static uint8_t reference[REFERENCE_SIZE];

static void twister_seed(uint32_t *mt)
{
    uint32_t k, i;

    mt[0] = 19650218;
    for (i = 1; i < 624; i++)
        mt[i] = 1812433253u * (mt[i - 1] ^ mt[i - 1] >> 30) + i;
    for (i = 1, k = 0; k < 624; k++) { /* a key of one word, so j stays 0 */
        mt[i] = (mt[i] ^ (mt[i - 1] ^ mt[i - 1] >> 30) * 1664525u) + 8881;
        if (++i == 624)
            mt[0] = mt[623], i = 1;
    }
    for (k = 0; k < 623; k++) {
        mt[i] = (mt[i] ^ (mt[i - 1] ^ mt[i - 1] >> 30) * 1566083941u) - i;
        if (++i == 624)
            mt[0] = mt[623], i = 1;
    }
    mt[0] = 0x80000000u;
}

static void make_reference(void)
{
    uint32_t mt[624], i, at;

    twister_seed(mt);
    for (at = 0; at < REFERENCE_SIZE / 4; at++) {
        uint32_t y;

        for (i = 0; at % 624 == 0 && i < 624; i++) {
            y = (mt[i] & 0x80000000u) | (mt[(i + 1) % 624] & 0x7fffffffu);
            mt[i] = mt[(i + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
        }
        y = mt[at % 624];
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c5680u;
        y ^= y << 15 & 0xefc60000u;
        y ^= y >> 18;
        for (i = 0; i < 4; i++)
            reference[4 * at + i] = (uint8_t)(y >> 8 * i);
    }
}

/* --- the file ------------------------------------------------------------ */

/* Before the tests begin ck_assert has nobody to tell. */
static void must(bool holds, const char *line)
{
    if (holds)
        return;
    fprintf(stderr, "captures: bad line: %s\n", line);
    exit(EXIT_FAILURE);
}

static uint32_t crc32_of(const uint8_t *bytes, size_t len)
{
    uint32_t crc = 0xffffffffu;
    size_t i;
    int bit;

    for (i = 0; i < len; i++) {
        crc ^= bytes[i];
        for (bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static size_t from_hex(const char *hex, uint8_t *to, size_t room)
{
    size_t n = 0;
    unsigned byte;

    for (; sscanf(hex, "%2x", &byte) == 1; hex += 2) {
        must(n < room, hex);
        to[n++] = (uint8_t)byte;
    }
    return n;
}

static void add_bytes(struct capture *c, const uint8_t *bytes, size_t n)
{
    c->item = realloc(c->item, c->len + n);
    must(c->item != NULL, "no memory");
    if (bytes != NULL)
        memcpy(c->item + c->len, bytes, n);
    else
        memset(c->item + c->len, 0, n);
    c->len += n;
}

/* What a line says of the item's bytes; false: it says something else. */
static bool read_bytes(struct capture *c, const char *key, const char *value)
{
    uint8_t bytes[64];
    size_t at, n;

    if (strcmp(key, "item") == 0) {
        n = from_hex(value, bytes, sizeof(bytes));
        add_bytes(c, bytes, n);
    } else if (strcmp(key, "zero") == 0) {
        must(sscanf(value, "%zu", &n) == 1, value);
        add_bytes(c, NULL, n);
    } else if (strcmp(key, "rnd") == 0) {
        must(sscanf(value, "%zu %zu", &at, &n) == 2, value);
        must(at <= REFERENCE_SIZE && n <= REFERENCE_SIZE - at, value);
        add_bytes(c, reference + at, n);
    } else {
        return false;
    }
    return true;
}

static void read_segment(struct capture *c, const char *value)
{
    struct readplus_segment *s = &c->segments[c->count++];
    char content[8];

    must(c->count <= 8 && sscanf(value, "%7s %" SCNu64 " %" SCNu64, content,
                                 &s->offset, &s->length) == 3,
         value);
    s->content = strcmp(content, "hole") == 0 ? READPLUS_CONTENT_HOLE
                                              : READPLUS_CONTENT_DATA;
}

static void read_line(struct capture *c, const char *key, const char *value)
{
    int got = 1;

    if (read_bytes(c, key, value))
        return;
    if (strcmp(key, "args") == 0)
        got = from_hex(value, c->args, sizeof(c->args)) == 28;
    else if (strcmp(key, "length") == 0)
        got = sscanf(value, "%zu", &c->length);
    else if (strcmp(key, "crc32") == 0)
        got = sscanf(value, "%" SCNx32, &c->crc32);
    else if (strcmp(key, "status") == 0)
        got = sscanf(value, "%" SCNu32, &c->status);
    else if (strcmp(key, "eof") == 0)
        got = sscanf(value, "%" SCNu32, &c->eof);
    else if (strcmp(key, "size") == 0)
        got = sscanf(value, "%" SCNu64, &c->size);
    else if (strcmp(key, "segment") == 0)
        read_segment(c, value);
    else if (strcmp(key, "judge") == 0)
        got = sscanf(value, "%15s %15s %" SCNu64, c->finding, c->action,
                     &c->next) == 3;
    else
        got = strcmp(key, "peer") == 0;
    must(got == 1, key);
}

/* Reads the file; how many entries there are is n_captures. */
static inline void captures_read(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256], key[16], value[240];

    if (file == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    make_reference();
    while (fgets(line, sizeof(line), file) != NULL) {
        if (sscanf(line, "%15s %239[^\n]", key, value) != 2 || key[0] == '#')
            continue;
        must(n_captures < CAPTURES_MAX, line);
        if (strcmp(key, "name") == 0)
            (void)snprintf(captures[n_captures++].name, 64, "%.63s", value);
        else if (n_captures > 0)
            read_line(&captures[n_captures - 1], key, value);
    }
    fclose(file);
}

#endif
