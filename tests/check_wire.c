/*
 * The private headers everything rests on: loads and stores of XDR words over
 * every value of every byte at any address, fill, sums that do not wrap.
 */
#include "../lib/checked.h"
#include "../lib/wire.h"
#include "codec.h"

/* Byte `place` of a word is `value`, the others are all different. */
START_TEST(every_byte_of_every_word)
{
    unsigned value, place, shift, i;

    for (value = 0; value < 256; value++)
        for (place = 0; place < 8; place++)
            for (shift = 0; shift < 8; shift++) {
                uint8_t room[24], out[24], *p = room + 8 + shift;
                uint64_t want = 0;

                memset(room, 0xa5, sizeof(room));
                memset(out, 0xa5, sizeof(out));
                for (i = 0; i < 8; i++) {
                    p[i] = (uint8_t)(i == place ? value : 0x11 * (i + 1));
                    want = want << 8 | p[i];
                }
                if (wire_load64(p) != want || wire_load8(p + place) != value ||
                    wire_load32(p) != (uint32_t)(want >> 32) ||
                    wire_load32(p + 4) != (uint32_t)want)
                    ck_abort_msg("load %u %u %u", value, place, shift);
                wire_store64(out + 8 + shift, want);
                if (memcmp(out, room, sizeof(out)) != 0)
                    ck_abort_msg("store64 %u %u %u", value, place, shift);
                memset(out + 8 + shift, 0xa5, 8);
                wire_store32(out + 8 + shift, (uint32_t)(want >> 32));
                if (memcmp(out, room, 12 + shift) != 0 ||
                    out[12 + shift] != 0xa5)
                    ck_abort_msg("store32 %u %u %u", value, place, shift);
            }
}
END_TEST

START_TEST(fill)
{
    static const unsigned pads[] = {0, 3, 2, 1};
    uint64_t length;

    for (length = 0; length < 64; length++)
        ck_assert_uint_eq(wire_pad(length), pads[length % 4]);
    ck_assert_uint_eq(wire_pad(UINT32_MAX), 1);
    ck_assert_uint_eq(wire_pad(UINT64_MAX), 1);
    ck_assert_uint_eq(wire_pad(UINT64_MAX - 3), 0);
}
END_TEST

START_TEST(sums)
{
    static const struct {
        uint64_t a, b;
        bool fits;
    } rows[] = {
        {0, 0, true},
        {1, 2, true},
        {UINT64_MAX, 0, true},
        {0, UINT64_MAX, true},
        {UINT64_MAX, 1, false},
        {1, UINT64_MAX, false},
        {UINT64_MAX, UINT64_MAX, false},
        {1ull << 63, (1ull << 63) - 1, true},
        {1ull << 63, 1ull << 63, false},
    };
    size_t i;

    for (i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t a = rows[i].a, b = rows[i].b, sum = 77;

        ck_assert_int_eq(checked_add64(a, b, &sum), rows[i].fits);
        ck_assert_uint_eq(sum, rows[i].fits ? a + b : 77);
        ck_assert_uint_eq(saturating_add64(a, b),
                          rows[i].fits ? a + b : UINT64_MAX);
        ck_assert_uint_eq(min64(a, b), a < b ? a : b);
        ck_assert_uint_eq(max64(a, b), a < b ? b : a);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("wire");
    TCase *tc = check_case(s, "words");

    tcase_add_test(tc, every_byte_of_every_word);
    tcase_add_test(tc, fill);
    tcase_add_test(tc, sums);
    return check_run(s);
}
