/*
 * Reads tests/hostile.txt, whose first lines describe it.  Every way of
 * delivering a reply has a test that runs these rows.
 *
 *     struct hostile row = {0};
 *     FILE *f = hostile_open();
 *
 *     while (hostile_next(f, &row))
 *         ...
 *     fclose(f);
 *
 * Needs TOP_SRCDIR, the source folder as a string.
 */
#ifndef READPLUS_TESTS_HOSTILE_H
#define READPLUS_TESTS_HOSTILE_H

#include <inttypes.h>
#include <stdio.h>

#include "codec.h"

struct hostile {
    char id[16], what[128];
    uint8_t *item; /* a heap block of exactly len bytes */
    size_t len;
    bool ranged; /* args count */
    struct readplus_args args;
    uint32_t flags;
    size_t good;
    struct readplus_fault fault; /* error OK: nothing is the matter */
    uint64_t size;
    uint8_t *delivered;
    size_t delivered_len;
    bool eof, stuck, elsewhere;
};

static inline FILE *hostile_open(void)
{
    FILE *f = fopen(TOP_SRCDIR "/tests/hostile.txt", "r");

    ck_assert_ptr_nonnull(f);
    return f;
}

/* Appends what one word says, HEX or N*HEX, to the block. */
static inline void hostile_hex(uint8_t **block, size_t *len, const char *word)
{
    const char *star = strchr(word, '*'), *hex = star ? star + 1 : word;
    size_t times = star ? strtoul(word, NULL, 10) : 1;
    size_t bytes = strlen(hex) / 2, start = *len, i;
    unsigned byte;

    ck_assert_uint_eq(strlen(hex) % 2, 0);
    *block = realloc(*block, *len + times * bytes);
    ck_assert_ptr_nonnull(*block);
    for (i = 0; i < bytes; i++, (*len)++) {
        ck_assert_int_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
        (*block)[*len] = (uint8_t)byte;
    }
    for (i = 1; i < times; i++, *len += bytes)
        memcpy(*block + *len, *block + start, bytes);
}

static inline enum readplus_error hostile_error(const char *name)
{
    char whole[64];
    int value;

    if (strcmp(name, "OK") == 0)
        return READPLUS_OK;
    snprintf(whole, sizeof(whole), "READPLUS_ERR_%s", name);
    for (value = -1; value > -50; value--)
        if (strcmp(readplus_error_name((enum readplus_error)value), whole) == 0)
            return (enum readplus_error)value;
    ck_abort_msg("no error is called %s", name);
}

static inline void hostile_fault(struct hostile *row, const char *value)
{
    char name[32], segment[16] = "-";
    uint64_t at = 0;

    ck_assert_int_ge(sscanf(value, "%31s %" SCNu64 " %15s", name, &at, segment),
                     1);
    row->fault = (struct readplus_fault){
        hostile_error(name),
        segment[0] == '-' ? READPLUS_NO_SEGMENT
                          : (uint32_t)strtoul(segment, NULL, 10),
        at};
}

static inline uint32_t hostile_flag(const char *word)
{
    if (strcmp(word, "tolerant") == 0)
        return READPLUS_DECODE_TOLERANT;
    if (strcmp(word, "any-pad") == 0)
        return READPLUS_DECODE_ANY_PAD;
    ck_assert_str_eq(word, "trailing");
    return READPLUS_DECODE_TRAILING;
}

static inline void hostile_line(struct hostile *row, char *line)
{
    char *value = line + strcspn(line, " "), *word;

    if (*value != '\0')
        *value++ = '\0';
    if (strcmp(line, "id") == 0)
        snprintf(row->id, sizeof(row->id), "%s", value);
    else if (strcmp(line, "what") == 0)
        snprintf(row->what, sizeof(row->what), "%s", value);
    else if (strcmp(line, "item") == 0)
        for (word = strtok(value, " "); word; word = strtok(NULL, " "))
            hostile_hex(&row->item, &row->len, word);
    else if (strcmp(line, "delivered") == 0)
        for (word = strtok(value, " "); word; word = strtok(NULL, " "))
            hostile_hex(&row->delivered, &row->delivered_len, word);
    else if (strcmp(line, "args") == 0)
        row->ranged = sscanf(value, "%" SCNu64 " %" SCNu32, &row->args.offset,
                             &row->args.count) == 2;
    else if (strcmp(line, "flags") == 0)
        for (word = strtok(value, " "); word; word = strtok(NULL, " "))
            row->flags |= hostile_flag(word);
    else if (strcmp(line, "good") == 0)
        row->good = strtoul(value, NULL, 10);
    else if (strcmp(line, "error") == 0)
        hostile_fault(row, value);
    else if (strcmp(line, "size") == 0)
        row->size = strtoul(value, NULL, 10);
    else if (strcmp(line, "eof") == 0)
        row->eof = strcmp(value, "true") == 0;
    else if (strcmp(line, "stuck") == 0)
        row->stuck = strcmp(value, "true") == 0;
    else if (strcmp(line, "elsewhere") == 0)
        row->elsewhere = true;
    else
        ck_abort_msg("%s: what is %s?", row->id, line);
}

/*
 * The next row, in place of the one before it, which is freed; false at the
 * end of the file.  Rows that are elsewhere are not passed over.
 */
static inline bool hostile_next(FILE *f, struct hostile *row)
{
    char line[1024];

    free(row->item);
    free(row->delivered);
    *row = (struct hostile){.size = UINT64_MAX};
    while (fgets(line, sizeof(line), f) != NULL) {
        ck_assert_ptr_nonnull(strchr(line, '\n'));
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '\0' && row->id[0] != '\0')
            break;
        if (line[0] != '\0' && line[0] != '#')
            hostile_line(row, line);
    }
    if (row->id[0] == '\0')
        return false;
    if (row->size == UINT64_MAX)
        row->size = row->len;
    /* No bytes are bytes too. */
    if (row->item == NULL)
        row->item = malloc(0);
    if (row->delivered == NULL)
        row->delivered = malloc(0);
    return true;
}

#endif
