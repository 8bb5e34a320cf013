/*
 * Replies from a file that others write to, punch holes in and cut, all at
 * once: every byte a reply tells must be one the file has held.  Runs in
 * READPLUS_TEST_DIR (the build folder) for READPLUS_RACE_SECONDS (1) each.
 *
 * The same is asked of replies whose data waits in a pipe, though that data is
 * not copied: it is the pages of the file.  What is written to them until they
 * are sent is sent, so one reply may hold bytes of many moments, but only such
 * as were written there; a page that is cut off or punched out of the file
 * stays in the pipe as it was, or with zeros where a part of it went.  Lengths
 * are no page's: the reply is strict whatever happens.
 */
#include <readplus.h>
#include <readplus/reply.h>
#include <readplus/splice.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "check_main.h"

#define CELL 65536u
#define CELLS 16u
#define SIZE ((uint64_t)CELL * CELLS)
/* From here on the file is cut and written anew. */
#define CUT ((uint64_t)CELL * 12)
#define PAGE 4096u
#define GENERATIONS 4u
/* The longest request. */
#define MOST (2 * CELL)

/* What may stand in a cell. */
enum kind { ALWAYS_DATA, SOMETIMES, ALWAYS_HOLE };

static enum kind kind_of(uint64_t offset)
{
    return offset >= CUT ? ALWAYS_DATA : (enum kind)((offset / CELL) % 3);
}

/* The least of the GENERATIONS values written at offset; never 0. */
static uint8_t base_of(uint64_t offset)
{
    return (uint8_t)(1 + offset / PAGE % 60 * GENERATIONS);
}

struct race {
    int fd;
    atomic_bool stop;
    atomic_ulong requests, holes, wrong, spliced, spliced_holes;
    uint32_t flags;
    atomic_ulong wrong_at;
    struct readplus_hint hint;
};

static uint64_t below(uint64_t *state, uint64_t n)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state % n;
}

/* Leaves the processor to the readers for a moment. */
static void rest(void)
{
    struct timespec moment = {0, 20000};

    nanosleep(&moment, NULL);
}

static void fill(uint8_t *bytes, uint64_t offset, size_t len, unsigned gen)
{
    size_t i;

    for (i = 0; i < len; i += PAGE)
        memset(bytes + i, base_of(offset + i) + (int)gen,
               len - i < PAGE ? len - i : PAGE);
}

static void put(struct race *race, uint64_t offset, size_t len, unsigned gen)
{
    static _Thread_local uint8_t bytes[SIZE - CUT];

    fill(bytes, offset, len, gen);
    if (pwrite(race->fd, bytes, len, (off_t)offset) != (ssize_t)len)
        atomic_fetch_add(&race->wrong, 1);
}

static void *writer(void *context)
{
    struct race *race = context;
    uint64_t state = 12345;
    unsigned gen = 0;

    for (; !race->stop; rest()) {
        uint64_t cell = below(&state, CUT / CELL) * CELL;
        uint64_t page = below(&state, CELL / PAGE);
        uint64_t pages = 1 + below(&state, CELL / PAGE - page);

        if (kind_of(cell) != ALWAYS_HOLE)
            put(race, cell + page * PAGE, (size_t)pages * PAGE,
                gen++ % GENERATIONS);
    }
    return NULL;
}

static void *puncher(void *context)
{
    struct race *race = context;
    uint64_t state = 777;

    for (; !race->stop; rest()) {
        uint64_t cell = below(&state, CUT / CELL) * CELL;
        uint64_t page = below(&state, CELL / PAGE);
        uint64_t pages = 1 + below(&state, CELL / PAGE - page);

        if (kind_of(cell) == SOMETIMES &&
            fallocate(race->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                      (off_t)(cell + page * PAGE), (off_t)(pages * PAGE)))
            atomic_fetch_add(&race->wrong, 1);
    }
    return NULL;
}

/*
 * Cuts the file and writes it again from there on, so that no byte behind CUT
 * is ever zero.  Always at CUT, which no folio of the page cache straddles:
 * Linux zeroes the rest of one that is cut, and pread() may see that.
 */
static void *cutter(void *context)
{
    struct race *race = context;
    unsigned gen = 0;

    for (; !race->stop; rest()) {
        if (ftruncate(race->fd, (off_t)CUT))
            atomic_fetch_add(&race->wrong, 1);
        put(race, CUT, (size_t)(SIZE - CUT), gen++ % GENERATIONS);
    }
    return NULL;
}

static bool may_be(uint64_t offset, uint8_t byte)
{
    enum kind kind = kind_of(offset);

    if (byte == 0)
        return kind != ALWAYS_DATA;
    return kind != ALWAYS_HOLE &&
           (uint8_t)(byte - base_of(offset)) < GENERATIONS;
}

static void check_byte(struct race *race, uint64_t offset, uint8_t byte)
{
    if (may_be(offset, byte))
        return;
    if (atomic_fetch_add(&race->wrong, 1) == 0)
        race->wrong_at = (unsigned long)offset;
}

static void check_segment(struct race *race, const struct readplus_segment *s)
{
    uint64_t i;

    if (s->content == READPLUS_CONTENT_HOLE) {
        atomic_fetch_add(&race->holes, 1);
        for (i = 0; i < s->length; i += PAGE - (s->offset + i) % PAGE)
            check_byte(race, s->offset + i, 0);
        return;
    }
    for (i = 0; i < s->length; i++)
        check_byte(race, s->offset + i, s->data[i]);
}

static void fault(struct race *race, bool so)
{
    if (so)
        atomic_fetch_add(&race->wrong, 1);
}

/* Any request, as this race wants it answered. */
static struct readplus_args any(const struct race *race, uint64_t *state,
                                struct readplus_limits *limits)
{
    struct readplus_args args = {
        below(state, SIZE), 1 + (uint32_t)below(state, MOST), {0}};

    readplus_limits_init(limits, READPLUS_PRESET_DEFAULT);
    limits->flags = race->flags;
    return args;
}

/* Checks a reply in one piece; the number of holes. */
static unsigned check_item(struct race *race, const struct readplus_args *args,
                           const void *bytes, size_t len)
{
    struct readplus_decoder d;
    struct readplus_segment s;
    enum readplus_error error;
    unsigned holes = 0;

    error = readplus_decoder_init_buffer(&d, args, bytes, len, 0);
    while (error == READPLUS_OK) {
        error = readplus_decoder_next(&d, &s);
        if (error != READPLUS_OK)
            break;
        holes += s.content == READPLUS_CONTENT_HOLE;
        check_segment(race, &s);
    }
    fault(race, error != READPLUS_END);
    return holes;
}

/* ---- bytes that were read ------------------------------------------------ */

static void ask(struct race *race, uint64_t *state, uint8_t *buffer, size_t len)
{
    struct readplus_limits limits;
    struct readplus_args args = any(race, state, &limits);
    struct readplus_reply reply;
    enum readplus_error error;
    uint32_t i;

    error = readplus_reply_fd(&reply, race->fd, &args, &limits, &race->hint,
                              buffer, len);
    atomic_fetch_add(&race->requests, 1);
    if (error == READPLUS_ERR_CHANGED)
        return;
    fault(race, error != READPLUS_OK);
    if (error != READPLUS_OK)
        return;
    if (reply.entries == 1 && reply.count > 1) {
        check_item(race, &args, reply.iov->iov_base, reply.iov->iov_len);
        return;
    }
    for (i = 0; i < reply.count; i++)
        check_segment(race, &reply.segments[i]);
}

static void *reader(void *context)
{
    struct race *race = context;
    struct readplus_limits limits;
    uint64_t state = (uint64_t)(uintptr_t)&limits | 1;
    uint8_t *buffer;
    size_t len;

    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    len = readplus_reply_buffer(MOST, &limits);
    buffer = malloc(len);
    while (buffer != NULL && !race->stop)
        ask(race, &state, buffer, len);
    free(buffer);
    return NULL;
}

/* ---- bytes that wait in a pipe ------------------------------------------- */

struct line {
    int pipe[2], socket[2];
    uint8_t buffer[65536], wire[MOST + 65536];
    size_t got;
};

static void carry(struct race *race, struct line *line,
                  struct readplus_spliced *reply)
{
    enum readplus_error error;
    ssize_t n;

    line->got = 0;
    do {
        error = readplus_splice_send(reply, line->pipe[0], line->socket[0]);
        if (error != READPLUS_OK && errno != EAGAIN)
            break;
        while ((n = read(line->socket[1], line->wire + line->got,
                         sizeof(line->wire) - line->got)) > 0)
            line->got += (size_t)n;
    } while (error != READPLUS_OK);
    fault(race, error != READPLUS_OK);
}

static void ask_splice(struct race *race, uint64_t *state, struct line *line)
{
    struct readplus_limits limits;
    struct readplus_args args = any(race, state, &limits);
    struct readplus_spliced reply;
    enum readplus_error error;
    uint64_t size;

    error = readplus_splice_fd(&reply, race->fd, line->pipe[1], &args, &limits,
                               &race->hint, line->buffer, sizeof(line->buffer));
    atomic_fetch_add(&race->spliced, 1);
    fault(race, error != READPLUS_OK && error != READPLUS_ERR_CHANGED);
    if (error == READPLUS_ERR_INVAL)
        return;
    size = reply.size;
    if (below(state, 4) == 0)
        rest(); /* the file goes on */
    carry(race, line, &reply);
    fault(race, line->got != size);
    if (error == READPLUS_OK)
        atomic_fetch_add(&race->spliced_holes,
                         check_item(race, &args, line->wire, line->got));
}

static void *splicer(void *context)
{
    struct race *race = context;
    struct line *line = malloc(sizeof(*line));
    uint64_t state = 4711;

    if (line == NULL || pipe(line->pipe) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, line->socket) != 0)
        abort();
    fault(race, fcntl(line->pipe[1], F_SETPIPE_SZ, 1 << 20) < 1 << 20);
    while (!race->stop)
        ask_splice(race, &state, line);
    close(line->pipe[0]);
    close(line->pipe[1]);
    close(line->socket[0]);
    close(line->socket[1]);
    free(line);
    return NULL;
}

/* ---- all at once --------------------------------------------------------- */

static int race_file(void)
{
    const char *dir = getenv("READPLUS_TEST_DIR");
    char name[4096];
    int fd;

    snprintf(name, sizeof(name), "%s/check_race.XXXXXX", dir ? dir : ".");
    fd = mkstemp(name);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(unlink(name), 0);
    /* No readahead, whose folios might straddle CUT. */
    ck_assert_int_eq(posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM), 0);
    return fd;
}

static const uint32_t policies[] = {
    0, READPLUS_LIMIT_EXACT, READPLUS_LIMIT_WHOLE,
    READPLUS_LIMIT_EXACT | READPLUS_LIMIT_WHOLE};

#define PARTS 6

START_TEST(all_at_once)
{
    static void *(*const parts[PARTS])(void *) = {writer, puncher, cutter,
                                                  reader, reader,  splicer};
    const char *seconds = getenv("READPLUS_RACE_SECONDS");
    struct race race = {.fd = race_file(), .flags = policies[_i]};
    pthread_t threads[PARTS];
    uint64_t cell;
    int i;

    ck_assert_int_eq(ftruncate(race.fd, SIZE), 0);
    for (cell = 0; cell < SIZE; cell += CELL)
        if (kind_of(cell) == ALWAYS_DATA)
            put(&race, cell, CELL, 0);
    for (i = 0; i < PARTS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, parts[i], &race), 0);
    sleep(seconds != NULL ? (unsigned)atoi(seconds) : 1);
    race.stop = true;
    for (i = 0; i < PARTS; i++)
        pthread_join(threads[i], NULL);
    printf("policy %#x: %lu requests, %lu holes; spliced %lu requests, %lu "
           "holes; %lu wrong bytes (first at %lu)\n",
           race.flags, race.requests, race.holes, race.spliced,
           race.spliced_holes, race.wrong, race.wrong_at);
    fflush(stdout);
    ck_assert_uint_eq(race.wrong, 0);
    ck_assert_uint_gt(race.holes, 0);
    ck_assert_uint_gt(race.spliced, 0);
    close(race.fd);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("race");
    TCase *tc = check_case(s, "race");

    tcase_set_timeout(tc, 3600);
    tcase_add_loop_test(tc, all_at_once, 0, 4);
    return check_run(s);
}
