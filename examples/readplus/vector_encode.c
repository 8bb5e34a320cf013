/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library's encoders held to the catalogue: what a vector means must
 * become its bytes, no other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vector_check.h"

size_t vector_skip(enum vector_type type)
{
    return type == VECTOR_ARGOP || type == VECTOR_RESOP ||
                   type == VECTOR_SEEK_ARGOP || type == VECTOR_SEEK_RESOP
               ? READPLUS_OPCODE_SIZE
               : 0;
}

bool vector_is_writable(const struct vector *vector)
{
    return vector->type < VECTOR_COMPOUND_ARGS &&
           vector->expect[PROFILE_STRICT].error == READPLUS_OK;
}

static uint64_t fill(uint64_t length)
{
    return (4 - length % 4) % 4;
}

struct readplus_segment *vector_segments(const struct vector *vector,
                                         const uint8_t *bytes, size_t *count)
{
    struct readplus_segment *segments;
    uint64_t at = vector_skip(vector->type) + READPLUS_RES_HEAD_SIZE, n;
    size_t i, k = 0;

    for (*count = 0, i = 0; i < vector->segment_count; i++)
        *count += (size_t)vector->segments[i].repeat;
    segments = calloc(*count + 1, sizeof(*segments));
    for (i = 0; segments != NULL && i < vector->segment_count; i++) {
        const struct vector_segment *from = &vector->segments[i];

        for (n = 0; n < from->repeat; n++) {
            segments[k] = (struct readplus_segment){
                from->content, from->offset + n * from->length, from->length,
                NULL};
            at += from->content == READPLUS_CONTENT_DATA ? 16 : 20;
            if (from->content == READPLUS_CONTENT_DATA && bytes != NULL) {
                segments[k].data = from->length > 0 ? bytes + at : NULL;
                at += from->length + fill(from->length);
            }
            k++;
        }
    }
    return segments;
}

/* Where this enters, bytes are the vector's own; out has as many. */
struct written {
    const struct vector *vector;
    const uint8_t *bytes;
    uint8_t *out;
    size_t room, size;
};

static bool joins(struct written *w, const struct readplus_segment *segments,
                  size_t count)
{
    struct iovec *iov = calloc(READPLUS_IOV_ENTRIES(count), sizeof(*iov));
    uint8_t *scratch = malloc(READPLUS_IOV_SCRATCH(count));
    size_t entries = 0, i, at = 0;
    uint64_t size = 0;
    bool good = iov != NULL && scratch != NULL &&
                readplus_encode_iov(w->vector->eof, segments, count, scratch,
                                    READPLUS_IOV_SCRATCH(count), iov,
                                    READPLUS_IOV_ENTRIES(count), &entries,
                                    &size) == READPLUS_OK &&
                size == w->room;

    for (i = 0; good && i < entries; i++) {
        good = memcmp(w->bytes + at, iov[i].iov_base, iov[i].iov_len) == 0;
        at += iov[i].iov_len;
    }
    free(scratch);
    free(iov);
    return good;
}

static bool write_res(struct written *w)
{
    const struct vector *v = w->vector;
    size_t count, skip = vector_skip(v->type);
    struct readplus_segment *segments =
        vector_segments(v, w->bytes - skip, &count);
    bool good =
        segments != NULL &&
        readplus_res_encode(v->status, v->has_eof && v->eof, segments, count,
                            w->out, w->room, &w->size, NULL) == READPLUS_OK &&
        (v->status != 0 || joins(w, segments, count));

    free(segments);
    return good;
}

static bool write_args(struct written *w)
{
    const struct vector *v = w->vector;
    struct readplus_args args = {v->offset, v->number, v->stateid};

    w->size = READPLUS_ARGS_SIZE;
    return readplus_args_encode(&args, w->out, w->room) == READPLUS_OK;
}

static bool write_seek_args(struct written *w)
{
    const struct vector *v = w->vector;
    struct readplus_seek_args args = {v->offset, v->number, v->stateid};

    w->size = READPLUS_SEEK_ARGS_SIZE;
    return readplus_seek_args_encode(&args, w->out, w->room) == READPLUS_OK;
}

static bool write_seek_res(struct written *w)
{
    const struct vector *v = w->vector;
    struct readplus_seek_res res = {v->status, v->eof, v->offset};

    return readplus_seek_res_encode(&res, w->out, w->room, &w->size) ==
           READPLUS_OK;
}

static bool write_item(struct written *w)
{
    switch (w->vector->type) {
    case VECTOR_ARGS:
    case VECTOR_ARGOP:
        return write_args(w);
    case VECTOR_SEEK_ARGS:
    case VECTOR_SEEK_ARGOP:
        return write_seek_args(w);
    case VECTOR_SEEK_RES:
    case VECTOR_SEEK_RESOP:
        return write_seek_res(w);
    default:
        return write_res(w);
    }
}

/* Too large to be written: the size must be right. */
static bool sizes(const struct vector *vector)
{
    size_t count;
    struct readplus_segment *segments = vector_segments(vector, NULL, &count);
    uint64_t size = 0;
    bool good = segments != NULL &&
                readplus_res_size(segments, count, &size) == READPLUS_OK &&
                size == vector->size;

    free(segments);
    return good;
}

bool vector_encodes(const struct vector *vector, char why[VECTOR_WHY_SIZE])
{
    struct written w = {.vector = vector};
    size_t skip = vector_skip(vector->type);
    uint8_t *bytes;
    bool good;

    if (!vector_is_writable(vector))
        return true;
    if (vector->size > VECTOR_LARGE) {
        good = sizes(vector);
    } else {
        bytes = vector_bytes(vector);
        w.room = (size_t)vector->size - skip;
        w.out = malloc(w.room);
        w.bytes = bytes == NULL ? NULL : bytes + skip;
        good = bytes != NULL && w.out != NULL && write_item(&w) &&
               w.size == w.room && memcmp(w.bytes, w.out, w.room) == 0;
        free(w.out);
        free(bytes);
    }
    if (!good)
        snprintf(why, VECTOR_WHY_SIZE, "the encoders write something else");
    return good;
}
