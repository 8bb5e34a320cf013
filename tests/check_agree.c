/*
 * Restoring and listing bring what copying brings, from good replies, from
 * every prefix and with every bit flipped: the same bytes, the same fault in
 * the same place, and nothing that the strict rules forbid.
 */
#include <readplus/restore.h>

#include "delivery.h"

struct copied {
    enum readplus_error error;
    struct readplus_result result;
    uint8_t bytes[256];
};

static void begin(struct readplus_decoder *decoder, const struct reply *r,
                  const uint8_t *bytes, uint32_t flags)
{
    /* A faulty head repeats itself. */
    if (readplus_decoder_init_buffer(decoder, &r->args, bytes, r->len, flags) <
        0)
        MUST(readplus_decoder_fault(decoder).error != READPLUS_OK);
}

static void copy(struct copied *c, const struct reply *r, const uint8_t *bytes,
                 uint32_t flags)
{
    struct iovec to = {c->bytes, r->args.count};
    struct readplus_decoder decoder;

    begin(&decoder, r, bytes, flags);
    c->error = readplus_scatter(&decoder, &to, 1, 0, &c->result);
}

/* eof says the same, but where a reply that begins early makes copying shy. */
static void eof_agrees(const struct copied *c, bool eof)
{
    MUST(eof || !c->result.eof);
    MUST(!eof || c->result.fault.error == READPLUS_OK);
}

static void restoring_agrees(const struct copied *c, const struct reply *r,
                             const uint8_t *bytes, uint32_t flags, int fd)
{
    uint64_t end = r->args.offset + c->result.bytes;
    struct readplus_restore restore;
    struct readplus_decoder decoder;
    struct readplus_result result;
    uint8_t file[1024];
    ssize_t size, i;

    MUST(ftruncate(fd, 0) == 0);
    MUST(readplus_restore_init(&restore, fd, READPLUS_RESTORE_CLIP) ==
         READPLUS_OK);
    begin(&decoder, r, bytes, flags);
    MUST(readplus_restore_reply(&restore, &decoder, &result) == c->error);
    MUST(result.bytes == c->result.bytes);
    MUST(result.zero_bytes == c->result.zero_bytes);
    MUST(memcmp(&result.fault, &c->result.fault, sizeof(result.fault)) == 0);
    eof_agrees(c, result.eof);
    size = pread(fd, file, sizeof(file), 0);
    MUST(size >= 0 && (uint64_t)size <= end); /* nothing behind it */
    memset(file + size, 0, sizeof(file) - (size_t)size);
    MUST(memcmp(file + r->args.offset, c->bytes, c->result.bytes) == 0);
    for (i = 0; (uint64_t)i < r->args.offset; i++)
        MUST(file[i] == 0); /* nor before it */
}

static void listing_agrees(const struct copied *c, const struct reply *r,
                           const uint8_t *bytes, uint32_t flags)
{
    struct readplus_extent array[64];
    struct readplus_extents extents;
    struct readplus_decoder decoder;
    uint64_t at = r->args.offset, zeros = 0;
    size_t i;

    MUST(readplus_extents_init(&extents, at, array, 64,
                               READPLUS_EXTENTS_CLIP) == READPLUS_OK);
    begin(&decoder, r, bytes, flags);
    MUST(readplus_extents_add(&extents, &decoder) == c->error);
    MUST(readplus_extents_next(&extents) == at + c->result.bytes);
    eof_agrees(c, readplus_extents_eof(&extents));
    MUST(readplus_extents_finish(&extents) == READPLUS_OK);
    for (i = 0; i < readplus_extents_count(&extents); i++) {
        MUST(array[i].offset == at);
        MUST(i == 0 || array[i].content != array[i - 1].content);
        if (array[i].content == READPLUS_CONTENT_HOLE)
            zeros += array[i].length;
        at += array[i].length;
    }
    MUST(at == r->args.offset + c->result.bytes);
    MUST(zeros == c->result.zero_bytes);
}

/* All of it about one input, in a block of its very size. */
static void agree(const struct reply *r, int fd)
{
    static const uint32_t profiles[] = {READPLUS_DECODE_STRICT,
                                        READPLUS_DECODE_TOLERANT};
    uint8_t *exact = exact_copy(r->bytes, r->len);
    struct copied c;
    size_t i;

    for (i = 0; i < 2; i++) {
        memset(&c, 0, sizeof(c));
        copy(&c, r, exact, profiles[i]);
        restoring_agrees(&c, r, exact, profiles[i], fd);
        listing_agrees(&c, r, exact, profiles[i]);
    }
    free(exact);
}

static int file_open(void)
{
    int fd = memfd_create("agree", 0);

    ck_assert_int_ge(fd, 0);
    return fd;
}

START_TEST(good_replies)
{
    uint64_t seed = (uint64_t)_i;
    int fd = file_open(), n;
    struct reply r;

    for (n = 0; n < 3000; n++) {
        reply_random(&r, &seed, 12);
        agree(&r, fd);
    }
    close(fd);
}
END_TEST

START_TEST(any_prefix_and_any_flipped_bit)
{
    uint64_t seed = (uint64_t)_i;
    int fd = file_open();
    struct reply r;
    size_t len, bit;

    do {
        reply_random(&r, &seed, 5);
    } while (r.count < 3);
    len = r.len;
    for (r.len = 0; r.len < len; r.len++)
        agree(&r, fd);
    for (bit = 0; bit < 8 * len; bit++) {
        r.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        agree(&r, fd);
        r.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    close(fd);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("agree");
    TCase *tc = check_case(s, "with copying");

    tcase_add_loop_test(tc, good_replies, 0, 4);
    tcase_add_loop_test(tc, any_prefix_and_any_flipped_bit, 0, 12);
    return check_run(s);
}
