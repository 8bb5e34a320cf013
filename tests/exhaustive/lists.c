/*
 * Every list of up to so many segments of 0 to 5 bytes through the encoders,
 * at every budget from nothing to one byte more than it takes: success exactly
 * where it fits, nothing written elsewhere, the size as foretold, and decoded
 * the same list; and given to the streaming encoder, of which a larger budget
 * never covers less.
 */
#include "exhaustive.h"

#define LENGTHS 6
#define LETTERS (2 * LENGTHS)
#define SEGMENTS_MOST 8
#define ITEM_MOST (12 + SEGMENTS_MOST * 24)
#define FILE_MOST (SEGMENTS_MOST * LENGTHS)
#define UNTOUCHED 0xa5

struct list {
    struct readplus_segment s[SEGMENTS_MOST];
    size_t count;
    uint64_t end;
};

static uint8_t file[FILE_MOST]; /* bytes of a data segment, never 0 */

static void list_make(struct list *list, unsigned count, uint64_t letters)
{
    unsigned i;

    list->count = count;
    list->end = 0;
    for (i = 0; i < count; i++, letters /= LETTERS) {
        unsigned letter = (unsigned)(letters % LETTERS);
        bool hole = letter >= LENGTHS;

        list->s[i] = (struct readplus_segment){
            hole ? READPLUS_CONTENT_HOLE : READPLUS_CONTENT_DATA, list->end,
            letter % LENGTHS, hole ? NULL : file + list->end};
        list->end += letter % LENGTHS;
    }
}

static void decodes_to(const struct list *list, const uint8_t *item, size_t len)
{
    struct readplus_decoder decoder;
    struct readplus_segment s;
    size_t i;

    HOLDS(readplus_decoder_init_buffer(&decoder, NULL, item, len, 0) ==
          READPLUS_OK);
    for (i = 0; i < list->count; i++) {
        HOLDS(readplus_decoder_next(&decoder, &s) == READPLUS_OK);
        HOLDS(s.content == list->s[i].content &&
              s.offset == list->s[i].offset && s.length == list->s[i].length);
        HOLDS(s.data == NULL ||
              memcmp(s.data, list->s[i].data, (size_t)s.length) == 0);
    }
    HOLDS(readplus_decoder_next(&decoder, &s) == READPLUS_END);
}

/* By reference the bytes are those of the raw encoder. */
static void same_by_reference(const struct list *list, const uint8_t *item,
                              uint64_t size)
{
    uint8_t scratch[ITEM_MOST];
    struct iovec iov[3 * SEGMENTS_MOST];
    size_t entries, i, at = 0;
    uint64_t total;

    HOLDS(readplus_encode_iov(true, list->s, list->count, scratch,
                              sizeof(scratch), iov, 3 * SEGMENTS_MOST, &entries,
                              &total) == READPLUS_OK);
    HOLDS(total == size);
    for (i = 0; i < entries; at += iov[i++].iov_len)
        HOLDS(at + iov[i].iov_len <= size &&
              memcmp(iov[i].iov_base, item + at, iov[i].iov_len) == 0);
    HOLDS(at == size);
}

static void raw(const struct list *list)
{
    uint8_t item[ITEM_MOST + 1];
    uint64_t size;
    size_t len, budget, i;

    HOLDS(readplus_res_size(list->s, list->count, &size) == READPLUS_OK);
    HOLDS(size <= ITEM_MOST);
    for (budget = 0; budget <= size + 1; budget++) {
        enum readplus_error error;

        memset(item, UNTOUCHED, sizeof(item));
        len = 77;
        error = readplus_res_encode(0, true, list->s, list->count, item, budget,
                                    &len, NULL);
        HOLDS(error == (budget < size ? READPLUS_ERR_NOSPACE : READPLUS_OK));
        HOLDS(len == (budget < size ? 77 : size));
        for (i = budget < size ? 0 : (size_t)size; i < sizeof(item); i++)
            HOLDS(item[i] == UNTOUCHED);
    }
    decodes_to(list, item, (size_t)size);
    same_by_reference(list, item, size);
}

/* Adds one segment as far as it fits; whether all of it did. */
static bool stream_add(struct readplus_encoder *encoder,
                       const struct readplus_segment *s)
{
    uint8_t *to;
    uint32_t granted;

    if (s->content == READPLUS_CONTENT_HOLE)
        return readplus_encoder_hole(encoder, s->offset, s->length) ==
               READPLUS_OK;
    if (readplus_encoder_data_begin(encoder, s->offset, s->length, &to,
                                    &granted) != READPLUS_OK)
        return false;
    HOLDS(granted <= s->length);
    if (granted == 0)
        return s->length == 0;
    memcpy(to, s->data, granted);
    HOLDS(readplus_encoder_data_commit(encoder, granted) == READPLUS_OK);
    return granted == s->length;
}

/* How far a client gets with what was encoded: that far in the list's file. */
static uint64_t covered(const struct list *list, const uint8_t *item,
                        size_t len)
{
    struct readplus_args args = {.offset = 0, .count = FILE_MOST};
    uint8_t got[FILE_MOST];
    struct iovec to = {got, sizeof(got)};
    struct readplus_decoder decoder;
    struct readplus_result result;
    size_t i, k;

    HOLDS(readplus_decoder_init_buffer(&decoder, &args, item, len, 0) ==
          READPLUS_OK);
    HOLDS(readplus_scatter(&decoder, &to, 1, 0, &result) == READPLUS_OK);
    for (i = 0; i < list->count; i++)
        for (k = 0; k < list->s[i].length; k++) {
            uint64_t at = list->s[i].offset + k;

            HOLDS(at >= result.bytes ||
                  got[at] == (list->s[i].data ? file[at] : 0));
        }
    HOLDS(result.bytes <= list->end);
    HOLDS(result.eof == (result.bytes == list->end));
    return result.bytes;
}

static void streamed(const struct list *list)
{
    struct readplus_args args = {.offset = 0, .count = FILE_MOST};
    uint8_t item[ITEM_MOST + 1];
    struct readplus_limits limits;
    struct readplus_encoder encoder;
    uint64_t size, far, before = 0;
    size_t len, i;

    HOLDS(readplus_res_size(list->s, list->count, &size) == READPLUS_OK);
    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    limits.minhole = 0;
    for (limits.maxcount = 8; limits.maxcount <= size + 1; limits.maxcount++) {
        enum readplus_error error;

        HOLDS(readplus_encoder_init(&encoder, &args, list->end, &limits, item,
                                    sizeof(item)) == READPLUS_OK);
        for (i = 0; i < list->count; i++)
            if (!stream_add(&encoder, &list->s[i]))
                break;
        error = readplus_encoder_finish(&encoder, &len);
        if (error == READPLUS_ERR_NO_PROGRESS) {
            HOLDS(limits.maxcount < 28 && before == 0);
            continue;
        }
        HOLDS(error == READPLUS_OK);
        HOLDS(len <= limits.maxcount + READPLUS_STATUS_SIZE);
        far = covered(list, item, len);
        HOLDS(far >= before);
        before = far;
    }
    HOLDS(before == list->end);
}

void exhaust_lists(struct share *share, unsigned bound)
{
    uint64_t lists = 1, n;
    struct list list;
    unsigned count;
    size_t i;

    HOLDS(bound <= SEGMENTS_MOST);
    for (i = 0; i < FILE_MOST; i++)
        file[i] = (uint8_t)(i + 1);
    for (count = 0; count <= bound; count++, lists *= LETTERS) {
        for (n = 0; n < lists; n++) {
            if (!share_has(share, n))
                continue;
            list_make(&list, count, n);
            raw(&list);
            streamed(&list);
        }
    }
}
