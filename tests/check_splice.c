/*
 * Replies whose data waits in a pipe: what arrives at the other end of a
 * socket is a strict reply that covers the file's own bytes, whatever the
 * pipe, the budgets, and the file do.  This program has its own splice, send,
 * lseek and fstat, which count, fail, lie, and change the file on their way.
 */
#undef _FORTIFY_SOURCE
#include <readplus.h>
#include <readplus/splice.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "check_main.h"

#define SIZE 1000000u
#define DATA READPLUS_CONTENT_DATA
#define HOLE READPLUS_CONTENT_HOLE

/* ---- system calls -------------------------------------------------------- */

static struct {
    int looks[2];         /* SEEK_DATA, SEEK_HOLE */
    bool lies;            /* data everywhere, for 100 MiB */
    int spliced;          /* from the file, so many times */
    int fails, error;     /* the first that fails, from 1 on, and how */
    int acts;             /* at this one, from 1 on, 0 at each: */
    void (*act)(int fd);  /* this is done before, */
    void (*then)(int fd); /* and this behind it */
    int interrupts;       /* EINTR from splice, so many times */
    int pauses;           /* the same on its way out */
    size_t sends;         /* bytes at once; 0: all */
    int fstats, fstat_fails;
} world;

static void libc(void *function, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (found == NULL)
        ck_abort_msg("no %s", name);
    memcpy(function, &found, sizeof(found));
}

static bool interrupted(int *left)
{
    if (*left == 0)
        return false;
    --*left;
    errno = EINTR;
    return true;
}

off_t lseek(int fd, off_t offset, int whence)
{
    off_t (*real)(int, off_t, int);

    libc(&real, "lseek64");
    if (whence == SEEK_DATA || whence == SEEK_HOLE)
        world.looks[whence == SEEK_HOLE]++;
    if (world.lies)
        return whence == SEEK_HOLE ? offset + (100 << 20) : offset;
    return real(fd, offset, whence);
}

int fstat(int fd, struct stat *st)
{
    int (*real)(int, struct stat *);

    libc(&real, "fstat64");
    if (++world.fstats == world.fstat_fails) {
        errno = EIO;
        return -1;
    }
    return real(fd, st);
}

ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
    ssize_t (*real)(int, const void *, size_t, int);

    libc(&real, "send");
    if (world.sends != 0 && len > world.sends)
        len = world.sends;
    return real(fd, bytes, len, flags);
}

static void happen(int fd, void (*what)(int fd))
{
    if (what != NULL && (world.acts == 0 || world.spliced == world.acts))
        what(fd);
}

ssize_t splice(int in, loff_t *in_at, int out, loff_t *out_at, size_t len,
               unsigned flags)
{
    ssize_t (*real)(int, loff_t *, int, loff_t *, size_t, unsigned), n;

    libc(&real, "splice");
    if (interrupted(in_at != NULL ? &world.interrupts : &world.pauses))
        return -1;
    if (in_at == NULL)
        return real(in, in_at, out, out_at, len, flags);
    world.spliced++;
    happen(in, world.act);
    if (world.fails != 0 && world.spliced >= world.fails) {
        errno = world.error;
        return -1;
    }
    n = real(in, in_at, out, out_at, len, flags);
    happen(in, world.then);
    return n;
}

/* ---- one request, sent and received -------------------------------------- */

static struct readplus_spliced reply;
static struct readplus_limits limits;
static struct readplus_hint hint, *hinted;
static uint8_t file[SIZE], wire[SIZE + 65536], content[SIZE];
static size_t wire_len;
static int ends[2]; /* of the pipe */

static uint64_t below(uint64_t n)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % n;
}

static void new_pipe(int size)
{
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_ge(fcntl(ends[1], F_SETPIPE_SZ, size), size);
}

static void close_pipe(void)
{
    close(ends[0]);
    close(ends[1]);
}

static int new_file(void)
{
    char name[] = "check_splice.XXXXXX";
    int fd = mkstemp(name);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(unlink(name), 0);
    memset(&world, 0, sizeof(world));
    memset(file, 0, sizeof(file));
    memset(&hint, 0, sizeof(hint));
    hinted = NULL;
    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    ck_assert_int_eq(ftruncate(fd, SIZE), 0);
    return fd;
}

static void put(int fd, uint64_t offset, size_t len)
{
    memset(file + offset, (int)(1 + below(255)), len);
    ck_assert_int_eq(pwrite(fd, file + offset, len, (off_t)offset),
                     (ssize_t)len);
}

/* Pieces of up to `most` bytes of data and of hole. */
static int sparse_file(uint64_t most)
{
    int fd = new_file();
    uint64_t at = 0, n;

    for (; at < SIZE; at += n + below(most) + 1) {
        n = below(most) + 1;
        n = n < SIZE - at ? n : SIZE - at;
        put(fd, at, (size_t)n);
    }
    return fd;
}

/* Sends the reply through a small socket that does not wait. */
static void carry(void)
{
    enum readplus_error error;
    int pair[2], small = 4096;
    ssize_t n;

    wire_len = 0;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair),
                     0);
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
    do {
        error = readplus_splice_send(&reply, ends[0], pair[0]);
        if (error != READPLUS_OK) {
            ck_assert_int_eq(error, READPLUS_ERR_IO);
            ck_assert_int_eq(errno, EAGAIN);
        }
        while ((n = read(pair[1], wire + wire_len, sizeof(wire) - wire_len)) >
               0)
            wire_len += (size_t)n;
    } while (error != READPLUS_OK);
    close(pair[0]);
    close(pair[1]);
    ck_assert_uint_eq(reply.entries, 0);
}

static enum readplus_error answer(int fd, const struct readplus_args *args,
                                  size_t len)
{
    uint8_t *buffer = malloc(len);
    enum readplus_error error;

    ck_assert_ptr_nonnull(buffer);
    error = readplus_splice_fd(&reply, fd, ends[1], args, &limits, hinted,
                               buffer, len);
    if (error != READPLUS_ERR_INVAL) {
        uint64_t size = reply.size;

        carry();
        ck_assert_uint_eq(wire_len, size);
    }
    free(buffer);
    return error;
}

/* What came must be a strict reply within its budgets; it is delivered. */
static struct readplus_result delivered(const struct readplus_args *args)
{
    struct iovec to = {content, args->count};
    struct readplus_result result;
    struct readplus_decoder d;
    uint8_t *bytes = exact_copy(wire, wire_len);

    ck_assert_int_eq(readplus_decoder_init_buffer(&d, args, bytes, wire_len, 0),
                     READPLUS_OK);
    ck_assert_int_eq(readplus_scatter(&d, &to, 1, 0, &result), READPLUS_OK);
    free(bytes);
    /* A hole that is clipped clears it. */
    ck_assert(result.eof == reply.eof ||
              (reply.eof && (limits.flags & READPLUS_LIMIT_WHOLE)));
    ck_assert_uint_le(reply.count, limits.maxsegs ? limits.maxsegs : 4096);
    ck_assert_uint_le(wire_len, (uint64_t)limits.maxcount + 4);
    return result;
}

static struct readplus_result check_file(int fd, uint64_t offset,
                                         uint32_t count, size_t len)
{
    struct readplus_args args = {offset, count, {0, {0}}};
    struct readplus_result result;

    ck_assert_int_eq(answer(fd, &args, len), READPLUS_OK);
    result = delivered(&args);
    ck_assert_uint_le(result.bytes, offset < SIZE ? SIZE - offset : 0);
    ck_assert_mem_eq(content, file + (offset < SIZE ? offset : 0),
                     (size_t)result.bytes);
    ck_assert(reply.eof == (offset + result.bytes >= SIZE));
    ck_assert(result.bytes > 0 || count == 0 || offset >= SIZE);
    return result;
}

/* ---- any file, any limits ------------------------------------------------ */

START_TEST(any_request)
{
    static const uint32_t flags[] = {0,
                                     READPLUS_LIMIT_WHOLE,
                                     READPLUS_LIMIT_EXACT,
                                     READPLUS_LIMIT_LINUX,
                                     READPLUS_LIMIT_NO_HOLES,
                                     READPLUS_LIMIT_ONE,
                                     READPLUS_LIMIT_LINUX |
                                         READPLUS_LIMIT_WHOLE};
    static const uint64_t mosts[] = {5000, 40000, 200000};
    static const int sizes[] = {4096, 65536, 1 << 20};
    int i, fd = sparse_file(mosts[_i % 3]);

    new_pipe(sizes[_i / 3]);
    for (i = 0; i < 1500 / (int)check_slow(); i++) {
        uint32_t count = (uint32_t)below(below(SIZE) + 1);

        readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
        hinted = below(3) == 0 ? NULL : &hint;
        limits.flags = flags[below(7)];
        if (below(3) == 0)
            limits.maxcount = 28 + (uint32_t)below(below(100000) + 1);
        if (below(3) == 0)
            limits.maxsegs = 1 + (uint32_t)below(10);
        check_file(fd, below(SIZE + 10), count,
                   below(4) == 0 ? READPLUS_SPLICE_BUFFER_MIN + below(5000)
                                 : readplus_splice_buffer(count, &limits));
    }
    close_pipe();
    close(fd);
}
END_TEST

/* From front to back: the hint carries over. */
START_TEST(front_to_back)
{
    struct readplus_result result;
    uint64_t at;
    int fd = sparse_file(150000);

    new_pipe(1 << 20);
    hinted = &hint;
    for (at = 0; at < SIZE; at += result.bytes)
        result = check_file(fd, at, 131072, 65536);
    ck_assert(result.eof);
    close_pipe();
    close(fd);
}
END_TEST

/* ---- segments and look-ups ----------------------------------------------- */

/* Where the file system has holes at all.  A hole at the end is believed only
 * of a file that was let alone for a tick. */
static bool has_holes(int fd)
{
    struct timespec tick = {0, 20000000};

    nanosleep(&tick, NULL);
    return lseek(fd, 0, SEEK_HOLE) < (off_t)SIZE;
}

START_TEST(all_segments)
{
    int fd = new_file();

    put(fd, 0, 131072);
    put(fd, 262144, 131072);
    put(fd, 524288, 131072);
    if (has_holes(fd)) {
        new_pipe(1 << 20);
        hinted = &hint;
        check_file(fd, 0, SIZE, 65536);
        ck_assert_uint_eq(reply.count, 6);
        ck_assert_int_eq(world.spliced, 3);
        hinted = NULL;
        check_file(fd, 0, SIZE, 65536);
        ck_assert_uint_eq(reply.count, 1);
        check_file(fd, 131072, SIZE, 65536);
        ck_assert_uint_eq(reply.count, 2);
        close_pipe();
    }
    close(fd);
}
END_TEST

START_TEST(look_ups_are_bounded)
{
    int fd = new_file(), i;
    uint64_t at;

    for (at = 0; at < SIZE - 4096; at += 8192)
        put(fd, at, 4096);
    new_pipe(1 << 20);
    hinted = &hint;
    check_file(fd, 0, SIZE - 1, 65536);
    ck_assert_int_le(world.looks[0] + world.looks[1], 8 + SIZE / 65536);
    close_pipe();
    close(fd);

    /* Data to the end, but for the last byte: asked once. */
    fd = new_file();
    put(fd, 65536, 500000);
    if (has_holes(fd)) {
        world.looks[1] = 0;
        new_pipe(1 << 20);
        hinted = &hint;
        for (i = 0; i < 50; i++)
            check_file(fd, 65536 + (uint64_t)i * 5000, 5000, 65536);
        ck_assert_int_eq(world.looks[1], 1);
        close_pipe();
    }
    close(fd);
}
END_TEST

static enum readplus_error first_extent(int fd, uint64_t offset, uint32_t count,
                                        struct readplus_extent *extent)
{
    struct readplus_args args = {offset, count, {0, {0}}};
    struct readplus_fd_source from;
    struct readplus_source source;
    enum readplus_error error;
    uint64_t size;

    ck_assert_int_eq(
        readplus_fd_source_init_look(&from, fd, &args, &limits, &hint, &source),
        READPLUS_OK);
    error = source.next(source.context, offset, extent);
    from.least = 0;
    ck_assert_int_eq(readplus_fd_source_settle(&from, &size), READPLUS_OK);
    ck_assert_ptr_null(readplus_fd_source_data(&from, offset, 1));
    return error;
}

#define MIB ((uint64_t)1 << 20)

/* A search for a hole that went 100 MiB is not begun again before requests
 * have asked for so much, but for 64 MiB. */
START_TEST(far_holes_are_seldom_looked_for)
{
    static const struct {
        uint64_t at;
        uint32_t count;
        int looks; /* for holes, so far */
    } asked[] = {
        {200, 4096, 1}, {100, 4096, 1},     {250, 4096, 1},
        {350, 4096, 1}, {350, 35 * MIB, 1}, {350, 2 * MIB, 2},
        {449, 4096, 2}, {100, 4096, 2},     {200, 200 * MIB, 3},
    };
    struct readplus_extent e;
    int fd = new_file();
    size_t i;

    ck_assert_int_eq(ftruncate(fd, (off_t)(500 * MIB)), 0);
    world.lies = true;
    ck_assert_int_eq(first_extent(fd, 500 * MIB, 1, &e), READPLUS_END);
    for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        ck_assert_int_eq(
            first_extent(fd, asked[i].at * MIB, asked[i].count, &e),
            READPLUS_OK);
        ck_assert_int_eq(e.content, DATA);
        ck_assert_int_eq(world.looks[1], asked[i].looks);
    }
    close(fd);
}
END_TEST

/* Nor where the file changes all the time, so that nothing is remembered. */
START_TEST(changes_make_no_look_up)
{
    static const struct timespec tick = {0, 20000000};
    struct readplus_extent e;
    int fd = new_file(), i;

    ck_assert_int_eq(ftruncate(fd, (off_t)(500 * MIB)), 0);
    world.lies = true;
    for (i = 0; i < 20; i++) {
        ck_assert_int_eq(first_extent(fd, (uint64_t)i * MIB, (uint32_t)MIB, &e),
                         READPLUS_OK);
        ck_assert_int_eq(e.content, DATA);
        nanosleep(&tick, NULL);
        put(fd, 0, 1);
    }
    ck_assert_int_eq(world.looks[1], 1);
    close(fd);
}
END_TEST

START_TEST(dense_files_are_not_looked_at)
{
    int fd = new_file();

    put(fd, 0, SIZE);
    ck_assert_int_eq(fsync(fd), 0);
    new_pipe(1 << 20);
    check_file(fd, 1000, 500000, 65536);
    ck_assert_int_eq(world.looks[0] + world.looks[1], 0);
    close_pipe();
    close(fd);
}
END_TEST

/* ---- what happens meanwhile ---------------------------------------------- */

static void cut(int fd)
{
    ck_assert_int_eq(ftruncate(fd, 300000), 0);
}

static void cut_short(int fd)
{
    ck_assert_int_eq(ftruncate(fd, 1000), 0);
}

static void empty(int fd)
{
    ck_assert_int_eq(ftruncate(fd, 0), 0);
}

static void refill(int fd)
{
    ck_assert_int_eq(ftruncate(fd, SIZE), 0);
}

static void grow(int fd)
{
    ck_assert_int_eq(ftruncate(fd, 2 * SIZE), 0);
}

static int two_pieces(void)
{
    int fd = new_file();

    put(fd, 0, 204800);
    put(fd, 409600, SIZE - 409600);
    new_pipe(1 << 20);
    hinted = &hint;
    return fd;
}

/* Requests all of the file; what was delivered. */
static uint64_t got_of(int fd)
{
    struct readplus_args args = {0, SIZE, {0, {0}}};
    struct readplus_result result;

    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_OK);
    result = delivered(&args);
    ck_assert_mem_eq(content, file, (size_t)result.bytes);
    return result.bytes;
}

START_TEST(cut_on_the_way)
{
    int fd = two_pieces();

    if (has_holes(fd)) {
        world.spliced = 0;
        world.acts = 2; /* before the second piece */
        world.act = cut;
        ck_assert_uint_eq(got_of(fd), 300000);
        ck_assert(reply.eof);
        ck_assert_uint_eq(reply.count, 2);
    }
    close_pipe();
    close(fd);
}
END_TEST

START_TEST(emptied_on_the_way)
{
    int fd = two_pieces();

    world.acts = 1;
    world.act = empty;
    ck_assert_uint_eq(got_of(fd), 0);
    ck_assert(reply.eof);
    close_pipe();
    close(fd);
}
END_TEST

/* For a moment there was nothing: asked again, which finds what there is. */
START_TEST(emptied_and_grown)
{
    int fd = two_pieces();

    memset(file, 0, sizeof(file));
    world.acts = 1;
    world.act = empty;
    world.then = refill;
    ck_assert_uint_eq(got_of(fd), SIZE);
    close_pipe();
    close(fd);
}
END_TEST

/* Without an end: a status says so, and the pipe is empty. */
START_TEST(emptied_and_grown_for_ever)
{
    struct readplus_args args = {0, SIZE, {0, {0}}};
    int fd = two_pieces();

    world.act = empty;
    world.then = refill;
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_ERR_CHANGED);
    ck_assert_uint_eq(reply.status, 10008);
    ck_assert_uint_eq(wire_len, 4);
    ck_assert_int_le(world.spliced, 8);
    close_pipe();
    close(fd);
}
END_TEST

/* What was drawn stays; a hole behind it is told no further than the file. */
START_TEST(cut_when_all_is_drawn)
{
    static void (*const cuts[])(int) = {cut, cut_short};
    static const uint64_t ends_at[] = {300000, 4096};
    struct readplus_args args = {0, 350000, {0, {0}}};
    int fd = new_file();

    hinted = &hint;
    put(fd, 0, 4096); /* one page is drawn at once */
    put(fd, 409600, 4096);
    new_pipe(1 << 20);
    if (has_holes(fd)) {
        world.spliced = 0;
        world.acts = 1;
        world.then = cuts[_i];
        ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_OK);
        ck_assert(reply.eof);
        ck_assert_uint_eq(delivered(&args).bytes, ends_at[_i]);
        /* The page that was cut is the pipe's too. */
        ck_assert_mem_eq(content, file, 1000);
    }
    /* Only data: it is kept, and is the end. */
    hinted = NULL;
    refill(fd);
    put(fd, 0, 4096);
    args.count = 4096;
    world.spliced = 0;
    world.acts = 1;
    world.then = cut_short;
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_OK);
    ck_assert(reply.eof);
    ck_assert_uint_eq(delivered(&args).bytes, 4096);
    close_pipe();
    close(fd);
}
END_TEST

/* The size cannot be told any more: with data no eof, without it an error. */
START_TEST(size_is_lost)
{
    struct readplus_args args = {0, SIZE, {0, {0}}};
    int fd = two_pieces();

    hinted = NULL;
    world.fstats = 0;
    world.fstat_fails = 3;
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_OK);
    ck_assert(!reply.eof);
    ck_assert_uint_gt(delivered(&args).bytes, 0);
    if (has_holes(fd)) {
        args.offset = 204800;
        args.count = 4096;
        world.fstats = 0;
        world.fstat_fails = 2; /* found data behind: the first needs none */
        ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_ERR_IO);
    }
    world.fstats = 0;
    world.fstat_fails = 1;
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_ERR_IO);
    close_pipe();
    close(fd);
}
END_TEST

START_TEST(sent_by_the_byte)
{
    struct readplus_args nothing = {0, 0, {0, {0}}};
    int fd = two_pieces();

    world.sends = 1;
    world.pauses = 2;
    ck_assert_uint_eq(got_of(fd), SIZE);
    ck_assert_int_eq(answer(fd, &nothing, 65536), READPLUS_OK);
    ck_assert_uint_eq(wire_len, READPLUS_RES_HEAD_SIZE);
    close_pipe();
    close(fd);
}
END_TEST

START_TEST(grown_on_the_way)
{
    int fd = two_pieces();

    world.acts = 1;
    world.act = grow;
    ck_assert_uint_eq(got_of(fd), SIZE);
    ck_assert(!reply.eof);
    close_pipe();
    close(fd);
}
END_TEST

START_TEST(fails_on_the_way)
{
    struct readplus_args args = {0, SIZE, {0, {0}}};
    int fd = two_pieces();

    world.interrupts = 3;
    world.fails = 2;
    world.error = EIO;
    world.spliced = 0;
    if (has_holes(fd))
        ck_assert_uint_eq(got_of(fd), 409600);
    ck_assert(!reply.eof);
    world.fails = 1;
    world.spliced = 0;
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_ERR_IO);
    ck_assert_uint_eq(reply.status, 5);
    ck_assert_uint_eq(wire_len, 4);
    world.error = EBADF;
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_ERR_ACCESS);
    world.error = EINVAL; /* a file system that cannot */
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_ERR_INVAL);
    close_pipe();
    close(fd);
}
END_TEST

/* ---- what is refused ----------------------------------------------------- */

static void check_status(int fd, enum readplus_error error, uint32_t status)
{
    struct readplus_args args = {0, 1000, {0, {0}}};

    ck_assert_int_eq(answer(fd, &args, 65536), error);
    ck_assert_uint_eq(reply.status, status);
    ck_assert_uint_eq(wire_len, 4);
    ck_assert_uint_eq(wire[3], status & 255);
    close(fd);
}

START_TEST(statuses)
{
    int fd = two_pieces();
    struct readplus_args args = {0, 1000, {0, {0}}};

    check_status(open(".", O_RDONLY), READPLUS_ERR_ISDIR, 21);
    check_status(open("/dev/zero", O_RDONLY), READPLUS_ERR_WRONG_TYPE, 10083);
    limits.maxcount = 7;
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_ERR_NOSPACE);
    limits.maxcount = 27;
    ck_assert_int_eq(answer(fd, &args, 65536), READPLUS_ERR_NO_PROGRESS);
    ck_assert_uint_eq(reply.status, 10066);
    close_pipe();
    close(fd);
}
END_TEST

START_TEST(wrong_use)
{
    struct readplus_args args = {0, 1000, {0, {0}}};
    static uint8_t buffer[READPLUS_SPLICE_BUFFER_MIN];
    struct readplus_spliced before;
    int fd = two_pieces(), null = open("/dev/null", O_WRONLY), pair[2];

    memset(&before, 0x5a, sizeof(before));
    memcpy(&reply, &before, sizeof(before));
#define SPLICE(to, len)                                                        \
    readplus_splice_fd(&reply, fd, to, &args, &limits, NULL, buffer, len)
    ck_assert_int_eq(SPLICE(ends[1], sizeof(buffer) - 1), READPLUS_ERR_INVAL);
    ck_assert_int_eq(SPLICE(null, sizeof(buffer)), READPLUS_ERR_INVAL);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ck_assert_int_eq(SPLICE(pair[0], sizeof(buffer)), READPLUS_ERR_INVAL);
    close(pair[0]);
    close(pair[1]);
    ck_assert_int_eq(readplus_splice_fd(&reply, fd, ends[1], &args, &limits,
                                        NULL, NULL, sizeof(buffer)),
                     READPLUS_ERR_INVAL);
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
    ck_assert_int_eq(SPLICE(ends[1], sizeof(buffer)), READPLUS_ERR_INVAL);
    ck_assert_mem_eq(&reply, &before, sizeof(before));
    ck_assert_int_eq(read(ends[0], buffer, 1), 1);
    ck_assert_int_eq(SPLICE(ends[1], sizeof(buffer)), READPLUS_OK);
    close_pipe();
    close(null);
    close(fd);
}
END_TEST

/* The pipe holds less than the reply says: an error, not a wait. */
START_TEST(lost_pipe)
{
    struct readplus_args args = {0, 1000, {0, {0}}};
    static uint8_t buffer[READPLUS_SPLICE_BUFFER_MIN];
    int fd = two_pieces(), pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ck_assert_int_eq(SPLICE(ends[1], sizeof(buffer)), READPLUS_OK);
    close_pipe();
    ck_assert_int_eq(pipe(ends), 0);
    close(ends[1]);
    ck_assert_int_eq(readplus_splice_send(&reply, ends[0], pair[0]),
                     READPLUS_ERR_IO);
    ck_assert_int_eq(errno, EPIPE);
    close(ends[0]);
    close(pair[0]);
    close(pair[1]);
    close(fd);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("splice");
    TCase *any = check_case(s, "any"), *looks = check_case(s, "look-ups");
    TCase *faults = check_case(s, "faults"), *use = check_case(s, "use");

    tcase_add_loop_test(any, any_request, 0, 9);
    tcase_add_test(any, front_to_back);
    tcase_add_test(looks, all_segments);
    tcase_add_test(looks, look_ups_are_bounded);
    tcase_add_test(looks, far_holes_are_seldom_looked_for);
    tcase_add_test(looks, changes_make_no_look_up);
    tcase_add_test(looks, dense_files_are_not_looked_at);
    tcase_add_test(faults, cut_on_the_way);
    tcase_add_test(faults, emptied_on_the_way);
    tcase_add_test(faults, emptied_and_grown);
    tcase_add_test(faults, emptied_and_grown_for_ever);
    tcase_add_loop_test(faults, cut_when_all_is_drawn, 0, 2);
    tcase_add_test(faults, size_is_lost);
    tcase_add_test(faults, sent_by_the_byte);
    tcase_add_test(faults, grown_on_the_way);
    tcase_add_test(faults, fails_on_the_way);
    tcase_add_test(use, statuses);
    tcase_add_test(use, wrong_use);
    tcase_add_test(use, lost_pipe);
    return check_run(s);
}
