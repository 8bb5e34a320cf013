/*
 * Restoring fails as it should: full and broken disks, file systems without
 * holes, descriptors that cannot do, replies that are none.
 */
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>

#include "restore_rig.h"

/*
 * ENOSPC, EIO at every call: the error is told, what was counted is there, and
 * the same request can be tried again once the device is well.
 */
START_TEST(device_fails)
{
    static const int errors[] = {ENOSPC, EIO, EDQUOT, EFBIG, EPERM};
    struct readplus_segment segments[] = {
        {DATA, 0, BLOCK, model},
        {HOLE, BLOCK, BLOCK, NULL},
        {DATA, 2 * BLOCK, BLOCK, model + 2 * BLOCK},
        {HOLE, 3 * BLOCK, BLOCK, NULL}};
    struct readplus_args args = {.offset = 0, .count = 4 * BLOCK};
    int good;

    memset(model, 0, MODEL);
    memset(model, 5, BLOCK);
    memset(model + 2 * BLOCK, 6, BLOCK);
    for (good = 0; good < 4; good++) {
        int fd = old_file();
        struct readplus_restore restore = begun(fd, 0);
        struct readplus_result result;
        struct reply r;

        well();
        device.countdown = good;
        device.error = errors[_i];
        reply_init(&r, &args, true, segments, 4, 1000);
        ck_assert_int_eq(readplus_restore_reply(&restore, &r.decoder, &result),
                         READPLUS_ERR_IO);
        ck_assert_int_eq(readplus_restore_errno(&restore), errors[_i]);
        ck_assert_uint_eq(result.bytes, (uint64_t)good * BLOCK);
        ck_assert(!result.eof);
        ck_assert_int_eq(result.fault.error, READPLUS_ERR_IO);
        ck_assert_uint_eq(result.fault.segment, (uint32_t)good);
        ck_assert_int_eq(pread(fd, content, MODEL, 0), MODEL);
        ck_assert_mem_eq(content, model, result.bytes);
        guarded_free(&r.g);

        ck_assert_int_eq(readplus_restore_finish(&restore, 4 * BLOCK),
                         READPLUS_ERR_IO);
        well();
        reply_init(&r, &args, true, segments, 4, 0);
        ck_assert_int_eq(readplus_restore_reply(&restore, &r.decoder, &result),
                         READPLUS_OK);
        ck_assert_int_eq(readplus_restore_finish(&restore, 4 * BLOCK),
                         READPLUS_OK);
        is_model(fd, 4 * BLOCK);
        guarded_free(&r.g);
        close(fd);
    }
}
END_TEST

/* Other ways in which a device says no. */
START_TEST(device_is_odd)
{
    struct readplus_segment data = {DATA, 0, 2 * BLOCK, model};
    struct readplus_segment hole = {HOLE, 0, MODEL, NULL};
    int fd = old_file();
    struct readplus_restore restore;

    well();
    device.no_stat = true;
    ck_assert_int_eq(readplus_restore_init(&restore, fd, 0), READPLUS_ERR_IO);
    ck_assert_int_eq(readplus_restore_errno(&restore), EIO);

    well();
    device.stuck = true;
    restore = begun(fd, 0);
    ck_assert_int_eq(readplus_restore_segment(&restore, NULL, &data),
                     READPLUS_ERR_IO);
    ck_assert_int_eq(readplus_restore_errno(&restore), EIO);

    well(); /* zeros of a hole that cannot be punched: the second 64 KiB fail */
    device.no_punch = true;
    device.no_punch_error = ENOSYS;
    device.countdown = 1;
    device.error = ENOSPC;
    restore = begun(fd, 0);
    ck_assert_int_eq(readplus_restore_segment(&restore, NULL, &hole),
                     READPLUS_ERR_IO);
    ck_assert_int_eq(readplus_restore_errno(&restore), ENOSPC);
    ck_assert_int_eq(device.writes, 2);

    well(); /* zeros in data, and no way to punch them */
    device.countdown = 0;
    device.error = EIO;
    memset(model, 0, 2 * BLOCK);
    restore = begun(fd, READPLUS_RESTORE_SPARSE);
    ck_assert_int_eq(readplus_restore_segment(&restore, NULL, &data),
                     READPLUS_ERR_IO);
    ck_assert_int_eq(device.writes, 0);
    close(fd);
}
END_TEST

/* The end: interrupted is no failure, what the last block needs may be one. */
START_TEST(end_fails)
{
    struct readplus_segment hole = {HOLE, 0, BLOCK + 1, NULL};
    int fd = old_file();
    struct readplus_restore restore = begun(fd, 0);

    well();
    ck_assert_int_eq(readplus_restore_segment(&restore, NULL, &hole),
                     READPLUS_OK);
    device.countdown = 0;
    device.error = EIO;
    ck_assert_int_eq(readplus_restore_finish(&restore, BLOCK + 1),
                     READPLUS_ERR_IO);
    ck_assert_int_eq(device.punches, 2);
    well();
    device.interruptions = 2;
    ck_assert_int_eq(readplus_restore_finish(&restore, BLOCK + 1), READPLUS_OK);
    memset(model, 0, MODEL);
    is_model(fd, BLOCK + 1);
    is_hole(fd, 0, BLOCK + 1);
    close(fd);
}
END_TEST

/* A mount of our own, gone with this process; false: not allowed here. */
static bool mounted(const char *type, const char *options, char *dir)
{
    if (unshare(CLONE_NEWNS) == 0 &&
        mount("none", "/", "none", MS_REC | MS_PRIVATE, "") == 0 &&
        mkdtemp(dir) != NULL && mount("none", dir, type, 0, options) == 0)
        return true;
    if (getenv("CI") != NULL)
        ck_abort_msg("cannot mount %s: %s", type, strerror(errno));
    printf("no %s mounted (%s): not tested\n", type, strerror(errno));
    return false;
}

static int file_in(const char *dir)
{
    char path[64];
    int fd;

    (void)snprintf(path, sizeof(path), "%s/file", dir);
    fd = open(path, O_RDWR | O_CREAT, 0600);
    ck_assert_int_ge(fd, 0);
    return fd;
}

/* The real thing: a file system of 16 blocks. */
START_TEST(full_disk)
{
    char dir[] = "/tmp/readplus-full-XXXXXX";
    struct readplus_segment big = {DATA, 0, MODEL, model};
    struct readplus_segment far = {DATA, 100 * MODEL, BLOCK, model};
    struct readplus_restore restore;
    int fd;

    well();
    if (!mounted("tmpfs", "size=64k", dir))
        return;
    fd = file_in(dir);
    restore = begun(fd, 0);
    memset(model, 3, MODEL);
    ck_assert_int_eq(readplus_restore_segment(&restore, NULL, &big),
                     READPLUS_ERR_IO);
    ck_assert_int_eq(readplus_restore_errno(&restore), ENOSPC);
    ck_assert_uint_eq(readplus_restore_next(&restore), 0);
    /* A hole takes no room, so a sparse file of any size has enough. */
    ck_assert_int_eq(ftruncate(fd, 0), 0);
    restore = begun(fd, 0);
    ck_assert_int_eq(readplus_restore_segment(&restore, NULL, &far),
                     READPLUS_OK);
    close(fd);
    (void)umount(dir);
    (void)rmdir(dir);
}
END_TEST

/* The real thing: ramfs knows no hole punching. */
START_TEST(no_holes)
{
    char dir[] = "/tmp/readplus-flat-XXXXXX";
    struct readplus_restore restore;
    size_t size;
    int fd;

    well();
    if (!mounted("ramfs", "", dir))
        return;
    fd = file_in(dir);
    memset(content, 0xee, sizeof(content));
    ck_assert_int_eq(write(fd, content, sizeof(content)),
                     (ssize_t)sizeof(content));
    size = make_model();
    restore = begun(fd, READPLUS_RESTORE_SPARSE);
    restore_model(&restore, size, true);
    is_model(fd, size);
    ck_assert_int_eq(device.punches, 1);
    close(fd);
    (void)umount(dir);
    (void)rmdir(dir);
}
END_TEST

START_TEST(offsets_no_file_has)
{
    struct readplus_segment data = {DATA, INT64_MAX, 1, model};
    int fd = new_file("", 0);
    struct readplus_restore restore = begun(fd, 0);

    well();
    ck_assert_int_eq(readplus_restore_segment(&restore, NULL, &data),
                     READPLUS_ERR_IO);
    ck_assert_int_eq(readplus_restore_errno(&restore), EFBIG);
    data.offset = UINT64_MAX - 1;
    ck_assert_int_eq(readplus_restore_segment(&restore, NULL, &data),
                     READPLUS_ERR_IO);
    ck_assert_int_eq(device.writes, 0);
    ck_assert_int_eq(readplus_restore_finish(&restore, (uint64_t)INT64_MAX + 1),
                     READPLUS_ERR_IO);
    ck_assert_int_eq(readplus_restore_errno(&restore), EFBIG);
    ck_assert_int_eq(device.truncations, 0);
    /* The largest there can be is for the file system to judge. */
    device.countdown = 0;
    device.error = EFBIG;
    ck_assert_int_eq(readplus_restore_finish(&restore, INT64_MAX),
                     READPLUS_ERR_IO);
    ck_assert_int_eq(device.truncations, 1);
    close(fd);
}
END_TEST

START_TEST(wrong_destination)
{
    struct readplus_restore restore;
    char path[] = "/tmp/readplus-mode-XXXXXX";
    int fd = mkstemp(path), ends[2], other;

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(readplus_restore_init(&restore, fd, 4),
                     READPLUS_ERR_INVAL);
    other = open(path, O_RDONLY);
    ck_assert_int_eq(readplus_restore_init(&restore, other, 0),
                     READPLUS_ERR_ACCESS);
    close(other);
    other = open(path, O_WRONLY | O_APPEND);
    ck_assert_int_eq(readplus_restore_init(&restore, other, 0),
                     READPLUS_ERR_INVAL);
    close(other);
    other = open("/tmp", O_RDONLY | O_DIRECTORY);
    ck_assert_int_eq(readplus_restore_init(&restore, other, 0),
                     READPLUS_ERR_ISDIR);
    close(other);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(readplus_restore_init(&restore, ends[1], 0),
                     READPLUS_ERR_WRONG_TYPE);
    ck_assert_int_eq(readplus_restore_init(&restore, -1, 0), READPLUS_ERR_IO);
    ck_assert_int_eq(readplus_restore_errno(&restore), EBADF);
    close(ends[0]);
    close(ends[1]);
    close(fd);
    unlink(path);
}
END_TEST

START_TEST(wrong_use)
{
    static const uint8_t empty[12];
    struct readplus_segment pieces = {DATA, 0, 1, NULL};
    struct readplus_args args = {.offset = 0, .count = 1};
    int fd = new_file("", 0);
    struct readplus_restore restore = begun(fd, 0);
    struct readplus_decoder decoder;
    struct readplus_segment segment;
    struct readplus_result result;
    struct reply r;

    well();
    ck_assert_int_eq(readplus_restore_segment(&restore, NULL, &pieces),
                     READPLUS_ERR_INVAL);
    ck_assert_int_eq(readplus_decoder_init_buffer(&decoder, NULL, empty, 12, 0),
                     READPLUS_OK);
    ck_assert_int_eq(readplus_restore_reply(&restore, &decoder, &result),
                     READPLUS_ERR_INVAL);
    pieces.data = model;
    reply_init(&r, &args, false, &pieces, 1, 0);
    ck_assert_int_eq(readplus_decoder_next(&r.decoder, &segment), READPLUS_OK);
    ck_assert_int_eq(readplus_restore_reply(&restore, &r.decoder, &result),
                     READPLUS_ERR_STATE);
    guarded_free(&r.g);
    close(fd);
}
END_TEST

/* A reply with a fault, one that is an error, and one that says nothing. */
START_TEST(faulty_replies)
{
    static const uint8_t bytes[] = {
        0, 0, 0, 0, 0,   0,   0,   1,   0, 0, 0, 2, /* eof, two elements */
        0, 0, 0, 0, 0,   0,   0,   0,   0, 0, 0, 0,
        0, 0, 0, 4, 'g', 'o', 'o', 'd', 0, 0, 0, 9}; /* arm 9 */
    static const uint8_t denied[] = {0, 0, 39, 20}, idle[12],
                         over[12] = {[7] = 1};
    struct readplus_args args = {.offset = 0, .count = 10};
    uint32_t flags = _i == 0 ? 0 : READPLUS_DECODE_TOLERANT;
    int fd = new_file("", 0);
    struct readplus_restore restore = begun(fd, 0);
    struct readplus_decoder decoder;
    struct readplus_result result;

    well();
    ck_assert_int_eq(readplus_decoder_init_buffer(&decoder, &args, bytes,
                                                  sizeof(bytes), flags),
                     READPLUS_OK);
    ck_assert_int_eq(readplus_restore_reply(&restore, &decoder, &result),
                     _i == 0 ? READPLUS_ERR_BAD_CONTENT : READPLUS_OK);
    ck_assert_int_eq(result.fault.error, READPLUS_ERR_BAD_CONTENT);
    ck_assert_uint_eq(result.fault.segment, 1);
    ck_assert_uint_eq(result.bytes, 4);
    ck_assert(!result.eof);
    memcpy(model, "good", 4);
    is_model(fd, 4);

    ck_assert_int_eq(
        readplus_decoder_init_buffer(&decoder, &args, denied, 4, flags),
        READPLUS_OK);
    ck_assert_int_eq(readplus_restore_reply(&restore, &decoder, &result),
                     READPLUS_OK);
    ck_assert_uint_eq(result.bytes, 0);
    ck_assert(result.progress && !result.eof);

    ck_assert_int_eq(
        readplus_decoder_init_buffer(&decoder, &args, idle, 12, flags),
        READPLUS_OK);
    ck_assert_int_eq(readplus_restore_reply(&restore, &decoder, &result),
                     READPLUS_OK);
    ck_assert(!result.progress);

    args.count = 0; /* nothing was asked for */
    ck_assert_int_eq(
        readplus_decoder_init_buffer(&decoder, &args, idle, 12, flags),
        READPLUS_OK);
    ck_assert_int_eq(readplus_restore_reply(&restore, &decoder, &result),
                     READPLUS_OK);
    ck_assert(result.progress);
    args.count = 10;
    ck_assert_int_eq(
        readplus_decoder_init_buffer(&decoder, &args, over, 12, flags),
        READPLUS_OK);
    ck_assert_int_eq(readplus_restore_reply(&restore, &decoder, &result),
                     READPLUS_OK);
    ck_assert(result.progress && result.eof && result.bytes == 0);

    ck_assert_int_eq(
        readplus_decoder_init_buffer(&decoder, &args, idle, 11, flags),
        READPLUS_ERR_TRUNCATED);
    ck_assert_int_eq(readplus_restore_reply(&restore, &decoder, &result),
                     READPLUS_ERR_TRUNCATED);
    close(fd);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("restore failures");
    TCase *tc = check_case(s, "device");

    tcase_add_loop_test(tc, device_fails, 0, 5);
    tcase_add_test(tc, device_is_odd);
    tcase_add_test(tc, end_fails);
    tcase_add_test(tc, full_disk);
    tcase_add_test(tc, no_holes);
    tc = check_case(s, "use");
    tcase_add_test(tc, offsets_no_file_has);
    tcase_add_test(tc, wrong_destination);
    tcase_add_test(tc, wrong_use);
    tcase_add_loop_test(tc, faulty_replies, 0, 2);
    return check_run(s);
}
