/*
 * Replies become files with the same bytes and the same holes, whatever was in
 * the file before, and whatever the file system can.
 */
#include <readplus/stream.h>

#include "restore_rig.h"

START_TEST(any_file)
{
    bool old = (_i & 1) != 0, no_punch = (_i & 2) != 0;
    uint32_t clip = _i & 4 ? READPLUS_RESTORE_CLIP : 0;
    int rounds;

    seed = (uint32_t)_i;
    for (rounds = 0; rounds < 40; rounds++) {
        size_t size = make_model();
        int fd = old ? old_file() : new_file("", 0);
        struct readplus_restore restore = begun(fd, clip);

        well();
        device.no_punch = no_punch;
        device.most = below(2) ? 0 : 1000;
        device.interruptions = (int)below(4);
        restore_model(&restore, size, below(2));
        is_model(fd, size);
        if (!old || !no_punch)
            holes_are_kept(fd, size);
        if (!old)
            ck_assert_int_eq(device.punches, 0);
        if (no_punch) /* asked once, remembered */
            ck_assert_int_le(device.punches, 1);
        close(fd);
    }
}
END_TEST

/* The same file from the events of a stream, however it is received. */
static void restore_events(struct readplus_restore *restore,
                           const struct readplus_args *args,
                           const struct reply *r,
                           struct readplus_result *result)
{
    const uint8_t *from = r->g.bytes;
    uint8_t ahead[300];
    struct readplus_stream stream;
    struct readplus_event event;
    struct iovec want[1];
    size_t n, len;

    ck_assert_int_eq(readplus_stream_init_events(&stream, args, 0),
                     READPLUS_OK);
    readplus_stream_set_size(&stream, r->g.len);
    readplus_stream_set_ahead(&stream, ahead, 36 + below(264));
    while (readplus_stream_want(&stream, want, 1, &n) == READPLUS_OK) {
        len = 1 + below((uint32_t)want[0].iov_len);
        memcpy(want[0].iov_base, from, len);
        from += len;
        ck_assert_int_eq(readplus_stream_advance(&stream, len), READPLUS_OK);
        while (readplus_stream_event(&stream, &event) == READPLUS_OK)
            if (event.kind != READPLUS_EVENT_DATA_BEGIN)
                ck_assert_int_eq(
                    readplus_restore_segment(restore, args, &event.segment),
                    READPLUS_OK);
    }
    ck_assert_int_eq(readplus_stream_end(&stream, result), READPLUS_OK);
}

START_TEST(any_file_by_events)
{
    bool whole = (_i & 1) != 0;
    uint32_t flags = _i & 2 ? READPLUS_RESTORE_SPARSE : 0;
    int rounds;

    well();
    seed = (uint32_t)_i;
    for (rounds = 0; rounds < 10; rounds++) {
        size_t size = make_model();
        int fd = old_file();
        struct readplus_restore restore = begun(fd, flags);
        uint64_t at = 0;

        while (at < size) {
            struct readplus_args args = {.offset = at,
                                         .count = 1 + below(10 * BLOCK)};
            struct readplus_result result;
            struct reply r;

            answer(&r, &args, size, whole);
            restore_events(&restore, &args, &r, &result);
            ck_assert_uint_ge(readplus_restore_next(&restore),
                              at + result.bytes);
            at = readplus_restore_next(&restore);
            guarded_free(&r.g);
        }
        ck_assert_int_eq(readplus_restore_finish(&restore, size), READPLUS_OK);
        is_model(fd, size);
        close(fd);
    }
}
END_TEST

/* A hole of 1 GiB around a request for 100 bytes. */
START_TEST(hole_beyond)
{
    static const struct readplus_segment hole = {HOLE, 1 << 20, 1 << 30, NULL};
    struct readplus_args args = {.offset = (1 << 20) + 500, .count = 100};
    uint64_t end = (1 << 20) + (1 << 30);
    int fd = new_file("", 0);
    struct readplus_restore restore;
    struct readplus_result result;
    struct reply r;

    well();
    reply_init(&r, &args, true, &hole, 1, 0);
    restore = begun(fd, 0);
    ck_assert_int_eq(readplus_restore_reply(&restore, &r.decoder, &result),
                     READPLUS_OK);
    ck_assert_uint_eq(result.bytes, end - args.offset);
    ck_assert_uint_eq(result.zero_bytes, result.bytes);
    ck_assert(result.eof);
    ck_assert_uint_eq(readplus_restore_next(&restore), end);
    ck_assert_int_eq(readplus_restore_finish(&restore, end), READPLUS_OK);
    ck_assert_int_eq(lseek(fd, 0, SEEK_END), (off_t)end);
    is_hole(fd, 0, (off_t)end);
    guarded_free(&r.g);

    reply_init(&r, &args, true, &hole, 1, 0);
    restore = begun(fd, READPLUS_RESTORE_CLIP);
    ck_assert_int_eq(readplus_restore_reply(&restore, &r.decoder, &result),
                     READPLUS_OK);
    ck_assert_uint_eq(result.bytes, 100);
    ck_assert(!result.eof);
    ck_assert_uint_eq(readplus_restore_next(&restore), args.offset + 100);
    guarded_free(&r.g);
    close(fd);
}
END_TEST

/* Almost 2^64 of it, in a file that exists: no more is punched than is there. */
START_TEST(hole_without_end)
{
    struct readplus_segment hole = {HOLE, 0, UINT64_MAX, NULL};
    struct readplus_args args = {.offset = BLOCK, .count = 1};
    struct readplus_restore restore;
    struct readplus_result result;
    struct reply r;
    int fd = old_file();

    well();
    reply_init(&r, &args, false, &hole, 1, 0);
    restore = begun(fd, 0);
    ck_assert_int_eq(readplus_restore_reply(&restore, &r.decoder, &result),
                     READPLUS_OK);
    ck_assert_uint_eq(result.bytes, UINT64_MAX - BLOCK);
    ck_assert_int_eq(device.punches, 1);
    ck_assert_int_eq(readplus_restore_finish(&restore, MODEL), READPLUS_OK);
    memset(model, 0xee, BLOCK);
    memset(model + BLOCK, 0, MODEL - BLOCK);
    is_model(fd, MODEL);
    guarded_free(&r.g);
    close(fd);
}
END_TEST

/* Data outside the request is not believed, nor what comes behind it. */
START_TEST(data_beyond)
{
    struct readplus_segment segments[] = {{DATA, 0, 100, model},
                                          {HOLE, 100, 1000, NULL}};
    struct readplus_args args = {.offset = 10, .count = 50};
    struct readplus_restore restore;
    struct readplus_result result;
    struct reply r;
    int fd = old_file();

    well();
    memset(model, 7, 100);
    reply_init(&r, &args, true, segments, 2, 0);
    restore = begun(fd, 0);
    ck_assert_int_eq(readplus_restore_reply(&restore, &r.decoder, &result),
                     READPLUS_OK);
    ck_assert_uint_eq(result.bytes, 50);
    ck_assert(!result.eof);
    ck_assert_uint_eq(readplus_restore_next(&restore), 60);
    ck_assert_int_eq(device.punches, 0);
    memset(model, 0xee, MODEL);
    memset(model + 10, 7, 50);
    is_model(fd, MODEL);
    guarded_free(&r.g);
    close(fd);
}
END_TEST

/* A hole that begins where the request ends is used, two of them are not. */
START_TEST(hole_behind)
{
    struct readplus_segment segments[] = {
        {DATA, 0, 50, model}, {HOLE, 50, 100, NULL}, {HOLE, 150, 100, NULL}};
    struct readplus_args args = {.offset = 0, .count = 50};
    uint32_t flags = _i == 0 ? 0 : READPLUS_RESTORE_CLIP;
    int fd = new_file("", 0);
    struct readplus_restore restore = begun(fd, flags);
    struct readplus_result result;
    struct reply r;

    well();
    reply_init(&r, &args, true, segments, 3, 0);
    ck_assert_int_eq(readplus_restore_reply(&restore, &r.decoder, &result),
                     READPLUS_OK);
    ck_assert_uint_eq(result.bytes, _i == 0 ? 150 : 50);
    ck_assert_uint_eq(result.zero_bytes, result.bytes - 50);
    ck_assert(!result.eof);
    ck_assert_uint_eq(readplus_restore_next(&restore), result.bytes);
    guarded_free(&r.g);
    close(fd);
}
END_TEST

/* What was written by an earlier try is no longer zero. */
START_TEST(told_otherwise)
{
    struct readplus_segment data = {DATA, 0, 2 * BLOCK, model};
    struct readplus_segment hole = {HOLE, 0, 2 * BLOCK, NULL};
    int fd = new_file("", 0);
    struct readplus_restore restore = begun(fd, 0);

    well();
    memset(model, 9, 2 * BLOCK);
    ck_assert_int_eq(readplus_restore_segment(&restore, NULL, &data),
                     READPLUS_OK);
    ck_assert_int_eq(readplus_restore_segment(&restore, NULL, &hole),
                     READPLUS_OK);
    ck_assert_int_eq(device.punches, 1);
    memset(model, 0, 2 * BLOCK);
    is_model(fd, 2 * BLOCK);
    is_hole(fd, 0, 2 * BLOCK);
    close(fd);
}
END_TEST

/* Stored zeros become holes where that is wanted, and only there. */
START_TEST(zeros_as_holes)
{
    uint32_t flags = _i & 1 ? READPLUS_RESTORE_SPARSE : 0;
    int fd = _i & 2 ? old_file() : new_file("", 0);
    struct readplus_restore restore = begun(fd, flags);
    struct readplus_segment all = {DATA, 100, 12 * BLOCK - 200, model + 100};
    struct guarded g;

    well();
    memset(model, _i & 2 ? 0xee : 0, MODEL);
    memset(model + 100, 0, 12 * BLOCK - 200);
    memset(model + 3 * BLOCK, 1, BLOCK);
    model[7 * BLOCK + 5] = 1; /* one byte in its block */
    g = guarded_copy(model + 100, all.length, (_i & 4) != 0);
    all.data = g.bytes;
    ck_assert_int_eq(readplus_restore_segment(&restore, NULL, &all),
                     READPLUS_OK);
    ck_assert_uint_eq(readplus_restore_next(&restore), 12 * BLOCK - 100);
    ck_assert_int_eq(readplus_restore_finish(&restore, MODEL), READPLUS_OK);
    is_model(fd, MODEL);
    if (flags != 0) {
        is_hole(fd, BLOCK, 3 * BLOCK);
        is_hole(fd, 4 * BLOCK, 7 * BLOCK);
        is_hole(fd, 8 * BLOCK, 11 * BLOCK);
    } else {
        ck_assert_int_eq(lseek(fd, BLOCK, SEEK_DATA), BLOCK);
        ck_assert_int_eq(device.punches, 0);
    }
    guarded_free(&g);
    close(fd);
}
END_TEST

static struct readplus_extent reported[8];
static size_t reports;

static void note(void *context, const struct readplus_extent *done)
{
    ck_assert_ptr_eq(context, &reports);
    reported[reports++] = *done;
}

START_TEST(progress_is_told)
{
    struct readplus_segment segments[] = {
        {HOLE, 0, 10, NULL}, {DATA, 10, 5, model}, {HOLE, 15, 0, NULL}};
    struct readplus_args args = {.offset = 4, .count = 8};
    int fd = new_file("", 0);
    struct readplus_restore restore = begun(fd, 0);
    struct readplus_result result;
    struct reply r;

    well();
    readplus_restore_set_progress(&restore, note, &reports);
    reply_init(&r, &args, false, segments, 3, 0);
    ck_assert_int_eq(readplus_restore_reply(&restore, &r.decoder, &result),
                     READPLUS_OK);
    ck_assert_uint_eq(reports, 2);
    ck_assert_int_eq(reported[0].content, HOLE);
    ck_assert_uint_eq(reported[0].offset, 4);
    ck_assert_uint_eq(reported[0].length, 6);
    ck_assert_int_eq(reported[1].content, DATA);
    ck_assert_uint_eq(reported[1].offset, 10);
    ck_assert_uint_eq(reported[1].length, 2);
    guarded_free(&r.g);
    close(fd);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("restore");
    TCase *tc = check_case(s, "any file");

    tcase_add_loop_test(tc, any_file, 0, 8);
    tcase_add_loop_test(tc, any_file_by_events, 0, 4);
    tc = check_case(s, "holes");
    tcase_add_test(tc, hole_beyond);
    tcase_add_test(tc, hole_without_end);
    tcase_add_test(tc, data_beyond);
    tcase_add_loop_test(tc, hole_behind, 0, 2);
    tcase_add_test(tc, told_otherwise);
    tcase_add_loop_test(tc, zeros_as_holes, 0, 8);
    tcase_add_test(tc, progress_is_told);
    return check_run(s);
}
