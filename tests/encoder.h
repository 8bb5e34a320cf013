/*
 * An encoder under test: over a heap block of exactly the length it may use,
 * fed from the file whose bytes are file_byte().
 */
#ifndef READPLUS_TESTS_ENCODER_H
#define READPLUS_TESTS_ENCODER_H

#include "codec.h"

#define BUFFER 512

/* One encoder over a heap block of exactly the length it may use. */
struct setup {
    struct readplus_encoder encoder;
    struct readplus_args args;
    struct readplus_limits limits;
    uint64_t file_size;
    uint8_t *buffer;
    size_t len;
};

static inline void setup_init(struct setup *t, uint64_t offset, uint32_t count,
                              uint64_t file_size, uint32_t flags)
{
    *t = (struct setup){.args = {.offset = offset, .count = count},
                        .file_size = file_size,
                        .len = BUFFER};
    readplus_limits_init(&t->limits, READPLUS_PRESET_DEFAULT);
    t->limits.flags = flags;
}

static inline enum readplus_error start(struct setup *t)
{
    t->buffer = malloc(t->len);
    memset(t->buffer, 0xa5, t->len);
    return readplus_encoder_init(&t->encoder, &t->args, t->file_size,
                                 &t->limits, t->buffer, t->len);
}

static inline enum readplus_error hole(struct setup *t, uint64_t offset,
                                       uint64_t length)
{
    return readplus_encoder_hole(&t->encoder, offset, length);
}

/* Opens data, reads `filled` bytes of the file into it, closes it. */
static inline enum readplus_error data(struct setup *t, uint64_t offset,
                                       uint64_t want, uint32_t filled,
                                       uint32_t *granted)
{
    uint8_t *to = NULL;
    enum readplus_error error;
    uint32_t i;

    error =
        readplus_encoder_data_begin(&t->encoder, offset, want, &to, granted);
    if (error != READPLUS_OK || *granted == 0)
        return error;
    if (filled > *granted)
        filled = *granted;
    for (i = 0; i < filled; i++)
        to[i] = file_byte(offset + i);
    return readplus_encoder_data_commit(&t->encoder, filled);
}

#endif
