/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rooms of the readplus program that judge: numbers, hexadecimal text,
 * the drawn map, and the proof of a copy, which must be able to fail.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "../examples/readplus/draw.h"
#include "../examples/readplus/hex.h"
#include "../examples/readplus/program.h"
#include "../examples/readplus/proof.h"
#include "../examples/readplus/sparse.h"
#include "check_main.h"

START_TEST(numbers_are_exact_or_refused)
{
    static const struct {
        const char *text;
        uint64_t max, value;
    } good[] = {
        {"0", 0, 0},
        {"18446744073709551615", UINT64_MAX, UINT64_MAX},
        {"0xffffffffffffffff", UINT64_MAX, UINT64_MAX},
        {"0XaB", 171, 171},
        {"4K", UINT64_MAX, 4096},
        {"16777215T", UINT64_MAX, UINT64_MAX - ((uint64_t)1 << 40) + 1},
        {"3G", UINT32_MAX, (uint64_t)3 << 30},
        {"007", 7, 7},
    };
    static const char *const bad[] = {
        "",
        "-1",
        "+1",
        " 1",
        "1 ",
        "1.0",
        "1e3",
        "0x",
        "0xg",
        "K",
        "1KB",
        "1k",
        "1kK",
        "18446744073709551616",
        "4G",
        "0x1g",
        "x10",
        "16777216T",
        "99999999999999999999999",
    };
    uint64_t value;
    size_t i;

    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        ck_assert_msg(number_parse(good[i].text, good[i].max, &value), "%s",
                      good[i].text);
        ck_assert_uint_eq(value, good[i].value);
    }
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        uint64_t max = strcmp(bad[i], "4G") == 0 ? UINT32_MAX : UINT64_MAX;

        value = 77;
        ck_assert_msg(!number_parse(bad[i], max, &value), "%s", bad[i]);
        ck_assert_uint_eq(value, 77);
    }
}
END_TEST

/* hex_read on a block of exactly that size; returns how many bytes, or -1 -
 * the bad place. */
static long hex(const char *text, uint8_t *bytes)
{
    uint8_t *copy = exact_copy(text, strlen(text));
    size_t size = 0, bad = 0;
    bool good = hex_read(copy, strlen(text), &size, &bad);

    if (good)
        memcpy(bytes, copy, size);
    free(copy);
    return good ? (long)size : -1 - (long)bad;
}

START_TEST(hexadecimal_text)
{
    static const struct {
        const char *text;
        long result;
    } table[] = {
        {"", 0},         {"\n", 0},       {"00", 1},
        {"0x00", 1},     {"aB\nCd", 2},   {"0xab,0xCD", 2},
        {"ab:cd", 2},    {"ab cd ", 2},   {"a", -1 - 0},
        {"abc", -1 - 2}, {"0x", -1 - 2},  {"ab 0x", -1 - 5},
        {"a b", -1 - 0}, {"xy", -1 - 0},  {"000x00", -1 - 2},
        {"zz", -1 - 0},  {"0x0", -1 - 2}, {"ab;", -1 - 2},
    };
    uint8_t bytes[8];
    size_t i;

    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        ck_assert_msg(hex(table[i].text, bytes) == table[i].result, "'%s'",
                      table[i].text);
    ck_assert_int_eq(hex("0xdE, ad:BE\nef", bytes), 4);
    ck_assert_mem_eq(bytes, "\xde\xad\xbe\xef", 4);
    ck_assert_int_eq(hex(((const char[]){'0', '0', '\0', '1', '\0'}), bytes),
                     1);
}
END_TEST

static const char *drawn(uint64_t size, uint64_t offset, uint64_t length)
{
    static char line[DRAW_CELLS + 1];
    struct drawing drawing;

    draw_init(&drawing, size);
    draw_data(&drawing, offset, length);
    draw_line(&drawing, line);
    return line;
}

START_TEST(the_map_is_never_too_long)
{
    char line[DRAW_CELLS + 1];
    uint64_t size;

    memset(line, '#', DRAW_CELLS);
    line[DRAW_CELLS] = '\0';
    ck_assert_str_eq(drawn(0, 0, 0), "");
    ck_assert_str_eq(drawn(1, 0, 1), "#");
    ck_assert_str_eq(drawn(3, 1, 1), ".#.");
    ck_assert_str_eq(drawn(3, 1, UINT64_MAX), ".##");
    ck_assert_str_eq(drawn(3, 3, 1), "...");
    ck_assert_str_eq(drawn(UINT64_MAX, 0, UINT64_MAX), line);
    line[0] = '+';
    ck_assert_str_eq(drawn((uint64_t)1 << 63, 1, (uint64_t)1 << 63), line);
    for (size = 0; size < 1000; size++)
        ck_assert_uint_le(strlen(drawn(size, 0, size / 2)), DRAW_CELLS);
}
END_TEST

#define BLOCK 65536u
#define BLOCKS 8u

/* A file that is open and has no name: per block, a letter or ' ' a hole. */
static int file(const char layout[BLOCKS + 1])
{
    char name[] = "check_program.XXXXXX";
    static char block[BLOCK];
    int fd = mkstemp(name);
    size_t i;

    ck_assert_int_ge(fd, 0);
    unlink(name);
    ck_assert_int_eq(ftruncate(fd, BLOCK * BLOCKS), 0);
    for (i = 0; i < BLOCKS; i++) {
        memset(block, layout[i] == '0' ? 0 : layout[i], BLOCK);
        if (layout[i] != ' ')
            ck_assert_int_eq(pwrite(fd, block, BLOCK, (off_t)(i * BLOCK)),
                             BLOCK);
    }
    return fd;
}

/* Where a proof fails; -1 where it does not. */
static long bytes_differ(const char *source, const char *copy)
{
    int a = file(source), b = file(copy);
    uint64_t at = 0;
    bool same = proof_bytes(a, b, BLOCK * BLOCKS, &at);

    close(a);
    close(b);
    return same ? -1 : (long)at;
}

static long holes_lost(const char *source, const char *copy)
{
    int a = file(source), b = file(copy);
    uint64_t at = 0;
    bool kept = proof_holes(a, b, BLOCK * BLOCKS, 4096, &at);

    close(a);
    close(b);
    return kept ? -1 : (long)at;
}

START_TEST(the_proof_of_bytes_can_fail)
{
    int a = file("aaaaaaaa"), b = file("aaaaaaaa");
    uint64_t at;

    ck_assert_int_eq(bytes_differ("aaaaaaaa", "aaaaaaaa"), -1);
    ck_assert_int_eq(bytes_differ("        ", "        "), -1);
    ck_assert_int_eq(bytes_differ("a 0 00  ", "a00   0 "), -1);
    ck_assert_int_ge(bytes_differ("aaaaaaaa", "aaaaaaab"), 0);
    ck_assert_int_ge(bytes_differ("       a", "        "), 0);
    ck_assert_int_ge(bytes_differ("        ", "       a"), 0);
    ck_assert_int_ge(bytes_differ("a      a", "a      b"), 0);
    ck_assert_int_ge(bytes_differ("a   a   ", "a  a    "), 0);
    ck_assert(proof_bytes(a, b, BLOCK * BLOCKS, &at));
    ck_assert_int_eq(pwrite(a, "b", 1, BLOCK * BLOCKS - 1), 1);
    ck_assert(!proof_bytes(a, b, BLOCK * BLOCKS, &at));
    /* A copy that is too short has no such bytes. */
    ck_assert_int_eq(ftruncate(a, BLOCK), 0);
    ck_assert(!proof_bytes(a, b, BLOCK * BLOCKS, &at));
    close(a);
    close(b);
}
END_TEST

START_TEST(the_proof_of_holes_can_fail)
{
    ck_assert_int_eq(holes_lost("aaaaaaaa", "aaaaaaaa"), -1);
    ck_assert_int_eq(holes_lost("a a a a ", "a a a a "), -1);
    ck_assert_int_eq(holes_lost("00000000", "        "), -1);
    ck_assert_int_eq(holes_lost("       a", "0      a"), 0);
    ck_assert_int_eq(holes_lost("a       ", "a      0"), 7 * BLOCK);
    ck_assert_int_eq(holes_lost("a a a a ", "a a 0 a0"), 7 * BLOCK);
    ck_assert_int_eq(holes_lost("a a a a ", "a a0a a "), 3 * BLOCK);
}
END_TEST

/* What is written of "aaaaaaaa" and zeros, as the file system shows it. */
static uint64_t data_after(enum sparse_zeros zeros, size_t len,
                           const char *layout)
{
    static uint8_t bytes[BLOCK * BLOCKS];
    char name[] = "check_program.XXXXXX";
    struct sparse_file to;
    uint64_t at, end, sum = 0;
    int fd = mkstemp(name);
    bool holes;
    size_t i;

    unlink(name);
    for (i = 0; i < BLOCKS; i++)
        memset(bytes + i * BLOCK, layout[i] == '0' ? 0 : layout[i], BLOCK);
    ck_assert(sparse_init(&to, fd, sizeof(bytes), zeros, &holes));
    for (i = 0; i < sizeof(bytes); i += len)
        ck_assert(
            sparse_write(&to, bytes + i,
                         len < sizeof(bytes) - i ? len : sizeof(bytes) - i, i));
    for (at = 0; at < sizeof(bytes); at = end) {
        at = proof_next_data(fd, at, sizeof(bytes));
        end = proof_next_hole(fd, at, sizeof(bytes));
        sum += end - at;
    }
    for (i = 0; i < sizeof(bytes); i += BLOCK) {
        static uint8_t back[BLOCK];

        ck_assert_int_eq(pread(fd, back, BLOCK, (off_t)i), BLOCK);
        ck_assert_mem_eq(back, bytes + i, BLOCK);
    }
    close(fd);
    return holes ? sum / BLOCK : 99;
}

START_TEST(zeros_are_written_by_policy)
{
    static const size_t lens[] = {1000, 4096, BLOCK, 5 * BLOCK + 1};
    size_t i;

    if (data_after(SPARSE_SKIP_ZEROS, BLOCK, "a0000000") == 99)
        return; /* a file system without holes */
    for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        ck_assert_uint_eq(data_after(SPARSE_WRITE_ZEROS, lens[i], "a0a00000"),
                          8);
        ck_assert_uint_eq(data_after(SPARSE_SKIP_ZEROS, lens[i], "a0a00000"),
                          2);
    }
    ck_assert_uint_eq(data_after(SPARSE_SKIP_PIECES, BLOCK, "a0a00000"), 8);
    ck_assert_uint_eq(data_after(SPARSE_SKIP_PIECES, 1000, "a0a00000"), 2);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("program");
    TCase *tc = check_case(s, "readplus");

    tcase_add_test(tc, numbers_are_exact_or_refused);
    tcase_add_test(tc, hexadecimal_text);
    tcase_add_test(tc, the_map_is_never_too_long);
    tcase_add_test(tc, the_proof_of_bytes_can_fail);
    tcase_add_test(tc, the_proof_of_holes_can_fail);
    tcase_add_test(tc, zeros_are_written_by_policy);
    return check_run(s);
}
