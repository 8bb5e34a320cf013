/*
 * Fixed encode and decode runs for tests/bench/instructions.sh, which counts
 * the instructions inside measured() with callgrind.  The library's sources
 * are compiled into this program, and memcpy, memmove and memset are its own,
 * so that neither the linker nor the processor at hand changes a count.
 *
 *     instructions RUN     one of those in runs[]; without: their names
 */
#include <readplus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 512

static uint8_t file[MOST * 64], item[2 * sizeof(file)], out[sizeof(item)];
static struct readplus_segment segments[MOST], taken[MOST];
static struct iovec iov[READPLUS_IOV_ENTRIES(MOST)];
static size_t count, item_len;
static struct readplus_args args = {.count = sizeof(file)};

/* One byte a step, and nothing a compiler could make a call of memcpy of. */
static void *copy(void *to, const void *from, size_t n)
{
    uint8_t *t = to;
    const uint8_t *f = from;
    size_t i;

    for (i = 0; i < n; i++) {
        t[i] = f[i];
        __asm__ volatile("" ::: "memory");
    }
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    return copy(to, from, n);
}

/* No run moves anything to overlap what it was. */
void *memmove(void *to, const void *from, size_t n)
{
    return copy(to, from, n);
}

void *memset(void *to, int byte, size_t n)
{
    uint8_t *t = to;
    size_t i;

    for (i = 0; i < n; i++) {
        t[i] = (uint8_t)byte;
        __asm__ volatile("" ::: "memory");
    }
    return to;
}

static void must(bool ok)
{
    if (!ok)
        abort();
}

/* n segments of `piece` bytes, data and holes in turns, or of one kind. */
static void lay(size_t n, uint32_t piece, int kind)
{
    size_t i;

    count = n;
    for (i = 0; i < n; i++) {
        bool hole = kind < 0 ? i % 2 == 1 : kind == READPLUS_CONTENT_HOLE;

        segments[i] = (struct readplus_segment){
            hole ? READPLUS_CONTENT_HOLE : READPLUS_CONTENT_DATA, i * piece,
            piece, hole ? NULL : file + i * piece};
    }
    must(readplus_res_encode(0, true, segments, n, item, sizeof(item),
                             &item_len, NULL) == READPLUS_OK);
}

static void encode_iov(void)
{
    size_t entries;
    uint64_t size;

    must(readplus_encode_iov(true, segments, count, out, sizeof(out), iov,
                             READPLUS_IOV_ENTRIES(MOST), &entries,
                             &size) == READPLUS_OK &&
         size == item_len);
}

static void encode_copy(void)
{
    size_t size;

    must(readplus_res_encode(0, true, segments, count, out, sizeof(out), &size,
                             NULL) == READPLUS_OK &&
         size == item_len);
}

static void decode_take(void)
{
    struct readplus_decoder decoder;
    enum readplus_error error;
    size_t n;

    must(readplus_decoder_init_buffer(&decoder, &args, item, item_len, 0) ==
         READPLUS_OK);
    while ((error = readplus_decoder_take(&decoder, taken, MOST, &n)) ==
           READPLUS_OK)
        ;
    must(error == READPLUS_END);
}

static void decode_whole(void)
{
    struct readplus_res res;

    must(readplus_res_decode(&args, item, item_len, 0, taken, MOST, &res) ==
         READPLUS_OK);
}

static void decode_next(void)
{
    struct readplus_decoder decoder;
    enum readplus_error error;

    must(readplus_decoder_init_buffer(&decoder, &args, item, item_len, 0) ==
         READPLUS_OK);
    while ((error = readplus_decoder_next(&decoder, taken)) == READPLUS_OK)
        ;
    must(error == READPLUS_END);
}

static void decode_scatter(void)
{
    struct readplus_decoder decoder;
    struct readplus_result result;
    struct iovec to = {out, sizeof(out)};

    must(readplus_decoder_init_buffer(&decoder, &args, item, item_len, 0) ==
         READPLUS_OK);
    must(readplus_scatter(&decoder, &to, 1, 0, &result) == READPLUS_OK);
}

static void decode_stream(void)
{
    struct iovec to = {out, sizeof(out)}, want[2];
    struct readplus_stream stream;
    struct readplus_result result;
    size_t n, i, at = 0;

    must(readplus_stream_init(&stream, &args, &to, 1, 0) == READPLUS_OK);
    while (readplus_stream_want(&stream, want, 2, &n) == READPLUS_OK) {
        size_t got = 0;

        for (i = 0; i < n; i++) {
            memcpy(want[i].iov_base, item + at, want[i].iov_len);
            at += want[i].iov_len;
            got += want[i].iov_len;
        }
        must(readplus_stream_advance(&stream, got) == READPLUS_OK);
    }
    must(readplus_stream_end(&stream, &result) == READPLUS_OK);
}

static const struct run {
    const char *name;
    void (*run)(void);
    size_t segments;
    uint32_t piece;
    int kind; /* -1: in turns */
} runs[] = {
    {"encode-iov-data", encode_iov, 1, 64, READPLUS_CONTENT_DATA},
    {"encode-iov-hole", encode_iov, 1, 64, READPLUS_CONTENT_HOLE},
    {"encode-iov-512", encode_iov, 512, 64, -1},
    {"encode-iov-512-odd", encode_iov, 512, 13, -1},
    {"encode-copy-512", encode_copy, 512, 16, -1},
    {"decode-take-data", decode_take, 1, 64, READPLUS_CONTENT_DATA},
    {"decode-take-hole", decode_take, 1, 64, READPLUS_CONTENT_HOLE},
    {"decode-take-512", decode_take, 512, 64, -1},
    {"decode-take-512-odd", decode_take, 512, 13, -1},
    {"decode-whole-data", decode_whole, 1, 64, READPLUS_CONTENT_DATA},
    {"decode-whole-hole", decode_whole, 1, 64, READPLUS_CONTENT_HOLE},
    {"decode-whole-512", decode_whole, 512, 64, -1},
    {"decode-next-512", decode_next, 512, 64, -1},
    {"decode-scatter-512", decode_scatter, 512, 16, -1},
    {"decode-stream-512", decode_stream, 512, 16, -1},
};
#define RUNS (sizeof(runs) / sizeof(runs[0]))

/* What callgrind is told to count. */
void measured(void (*run)(void));
__attribute__((noinline)) void measured(void (*run)(void))
{
    run();
    __asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
    size_t i;

    for (i = 0; i < RUNS; i++) {
        if (argc < 2) {
            puts(runs[i].name);
        } else if (strcmp(argv[1], runs[i].name) == 0) {
            lay(runs[i].segments, runs[i].piece, runs[i].kind);
            measured(runs[i].run);
            return 0;
        }
    }
    return argc < 2 ? 0 : 2;
}
