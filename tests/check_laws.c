/*
 * The laws that tie encoders and decoders together, at random: what is
 * written is read, what is accepted is written again to the byte, and the
 * library judges any bytes as the plain decoder of the tests does.
 */
#include "pieces.h"
#include "transcript.h"

#define MOST 12

static uint8_t file[4096]; /* file_byte() from offset 0 on */

static void fill_file(void)
{
    size_t i;

    for (i = 0; i < sizeof(file); i++)
        file[i] = file_byte(i);
}

/* Segments one behind the other, somewhere. */
static size_t random_list(struct readplus_segment *s, uint64_t *rng)
{
    static const uint64_t starts[] = {0, 100, 0xfffffff0u, UINT64_MAX - 50000};
    uint64_t offset = starts[rng_below(rng, ARRAY_LEN(starts))];
    size_t n = rng_below(rng, MOST + 1), i;

    for (i = 0; i < n; i++) {
        uint64_t length = rng_below(rng, rng_below(rng, 60) + 1);

        if (rng_below(rng, 2) == 0)
            s[i] =
                (struct readplus_segment){READPLUS_CONTENT_DATA, offset, length,
                                          file + rng_below(rng, 2000)};
        else
            s[i] = (struct readplus_segment){READPLUS_CONTENT_HOLE, offset,
                                             length * length, NULL};
        offset += s[i].length;
    }
    return n;
}

static void same_segments(const struct transcript *t,
                          const struct readplus_segment *s, size_t n)
{
    size_t i;

    ck_assert_uint_eq(t->count, n);
    for (i = 0; i < n; i++) {
        const struct seen *seen = &t->seen[i];
        uint64_t sum = SUM_BEGIN;

        if (s[i].content == READPLUS_CONTENT_DATA)
            sum = sum_on(sum, s[i].data, (size_t)s[i].length);
        if (seen->segment.content != s[i].content ||
            seen->segment.offset != s[i].offset ||
            seen->segment.length != s[i].length || seen->sum != sum)
            ck_abort_msg("segment %zu differs", i);
    }
}

/* Law 1: decode(encode(x)) = x, the raw encoder's bytes are those of the one
 * by reference, and both are as long as the size function says. */
START_TEST(what_is_written_is_read)
{
    uint64_t rng = (uint64_t)_i, by_size, total;
    struct readplus_segment s[MOST];
    uint8_t scratch[READPLUS_IOV_SCRATCH(MOST)];
    struct iovec iov[READPLUS_IOV_ENTRIES(MOST)];
    struct transcript t, by_parts;
    size_t n, size, entries;
    int round;

    fill_file();
    for (round = 0; round < 300; round++) {
        bool eof = rng_below(&rng, 2) == 0;
        struct iovec whole;
        uint8_t *buffer;

        n = random_list(s, &rng);
        expect_error(readplus_res_size(s, n, &by_size), READPLUS_OK);
        buffer = malloc((size_t)by_size);
        expect_error(readplus_res_encode(0, eof, s, n, buffer, (size_t)by_size,
                                         &size, NULL),
                     READPLUS_OK);
        ck_assert_uint_eq(size, by_size);
        whole = (struct iovec){buffer, size};
        transcript_of(&t, &whole, 1, NULL, 0, rng_below(&rng, 6));
        expect_error(t.end, READPLUS_END);
        ck_assert_int_eq(t.eof, eof);
        same_segments(&t, s, n);
        expect_error(readplus_encode_iov(eof, s, n, scratch, sizeof(scratch),
                                         iov, ARRAY_LEN(iov), &entries, &total),
                     READPLUS_OK);
        ck_assert_uint_eq(total, by_size);
        transcript_of(&by_parts, iov, entries, NULL, 0, 0);
        transcripts_same(&by_parts, &t);
        transcript_free(&by_parts);
        transcript_free(&t);
        free(buffer);
    }
}
END_TEST

/* --- any bytes ----------------------------------------------------------- */

static const uint32_t words[] = {
    0, 1, 2, 4, 7, 0x80000000u, UINT32_MAX - 2, UINT32_MAX};

/* A reply somebody has been at. */
static void mutate(struct bytes *b, uint64_t *rng)
{
    size_t at = 4 * rng_below(rng, b->len / 4 + 1), k;
    uint32_t word = words[rng_below(rng, ARRAY_LEN(words))];

    switch (rng_below(rng, 5)) {
    case 0: /* another word */
        for (k = 0; k < 4 && at + k < b->len; k++)
            b->p[at + k] = (uint8_t)(word >> (24 - 8 * k));
        break;
    case 1: /* another bit */
        if (b->len > 0)
            b->p[rng_below(rng, b->len)] ^= (uint8_t)(1 << rng_below(rng, 8));
        break;
    case 2: /* cut */
        b->len -= rng_below(rng, b->len < 8 ? b->len + 1 : 9);
        break;
    case 3: /* longer */
        put32(b, word);
        break;
    default: /* an off-by-one in a low byte */
        if (at + 3 < b->len)
            b->p[at + 3] =
                (uint8_t)(b->p[at + 3] + (rng_below(rng, 2) == 0 ? 1 : 255));
    }
}

static void random_item(struct bytes *b, uint64_t *rng)
{
    struct readplus_segment s[MOST];
    size_t n = random_list(s, rng), size, rounds;

    expect_error(readplus_res_encode(0, rng_below(rng, 2), s, n, b->p,
                                     sizeof(b->p), &size, NULL),
                 READPLUS_OK);
    b->len = size;
    for (rounds = rng_below(rng, 4); rounds > 0; rounds--)
        mutate(b, rng);
}

/* encode(decode(b)) = b: nothing that is accepted has two spellings. */
static void written_again(const struct bytes *b, const struct transcript *t)
{
    struct readplus_segment *s = calloc(t->count + 1, sizeof(*s));
    uint8_t *buffer = malloc(b->len);
    size_t i, size;

    for (i = 0; i < t->count; i++)
        s[i] = t->seen[i].segment;
    expect_error(readplus_res_encode(t->status, t->eof, s, t->count, buffer,
                                     b->len, &size, NULL),
                 READPLUS_OK);
    ck_assert_uint_eq(size, b->len);
    ck_assert_mem_eq(buffer, b->p, size);
    free(buffer);
    free(s);
}

/* The library and the plain decoder, at any cut and in any batch. */
START_TEST(any_bytes)
{
    uint64_t rng = (uint64_t)_i * 7919;
    int round, good = 0;

    fill_file();
    for (round = 0; round < 1000; round++) {
        struct readplus_args args = {.offset = rng_below(&rng, 200),
                                     .count = (uint32_t)rng_below(&rng, 200)};
        bool ranged = rng_below(&rng, 4) == 0;
        uint32_t flags = (uint32_t)rng_below(&rng, 8);
        struct transcript got, want;
        struct pieces p;
        struct bytes b;

        random_item(&b, &rng);
        if (rng_below(&rng, 2) == 0)
            flags = 0;
        if (rng_below(&rng, 2) == 0)
            p = pieces_each(b.p, b.len, sizeof(b.p), false);
        else
            p = pieces_each(b.p, b.len, rng_below(&rng, 60) + 1, true);
        transcript_plain(&want, b.p, b.len, ranged ? &args : NULL, flags);
        transcript_of(&got, p.iov, p.n, ranged ? &args : NULL, flags,
                      rng_below(&rng, 8));
        transcripts_same(&got, &want);
        if (want.end == READPLUS_END && flags == 0) {
            written_again(&b, &want);
            good++;
        }
        transcript_free(&got);
        transcript_free(&want);
        pieces_free(&p);
    }
    ck_assert_int_gt(good, 50);
}
END_TEST

/* --- a small alphabet, all of it ----------------------------------------- */

/* All strings of up to 5 words behind rp_status, cut at all four bytes of the
 * last one; the first two begin with what leads furthest. */
START_TEST(all_short_items)
{
    static const uint32_t alphabet[] = {0, 1, 2, 4, 0x80000000u, UINT32_MAX};
    unsigned n, code, codes, k, less;

    for (n = 0, codes = 1; n <= 5; n++, codes *= ARRAY_LEN(alphabet))
        for (code = (unsigned)_i; code < codes; code += 6)
            for (less = 0; less < 4; less++) {
                struct transcript got, want;
                struct bytes b = {.len = 0};
                struct iovec whole;
                unsigned rest = code;

                put32(&b, 0);
                for (k = 0; k < n; k++, rest /= ARRAY_LEN(alphabet))
                    put32(&b, alphabet[rest % ARRAY_LEN(alphabet)]);
                whole = piece_of(b.p, b.len - less);
                transcript_plain(&want, b.p, b.len - less, NULL, 0);
                transcript_of(&got, &whole, 1, NULL, 0, 0);
                if (got.end != want.end || got.count != want.count ||
                    got.fault.at != want.fault.at)
                    transcripts_same(&got, &want);
                transcript_free(&got);
                transcript_free(&want);
            }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("laws");
    TCase *tc = check_case(s, "laws");

    tcase_add_loop_test(tc, what_is_written_is_read, 0, 8);
    tcase_add_loop_test(tc, any_bytes, 0, 16);
    tcase_add_loop_test(tc, all_short_items, 0, 6);
    return check_run(s);
}
