/*
 * How a server finds and reads what a reply is made of: READ's way, this
 * library's, and those of others.
 */
#include "file.h"

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#define EXTENTS 512

void file_desk_init(struct file_desk *desk, uint32_t count_max)
{
    struct readplus_limits limits;

    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    desk->len = readplus_reply_buffer(count_max, &limits);
    desk->pages = bench_memory(count_max);
    desk->buffer = bench_memory(desk->len);
}

void file_desk_free(struct file_desk *desk)
{
    close(desk->fd);
    free(desk->pages);
    free(desk->buffer);
}

static uint64_t size_of(const struct file_desk *desk)
{
    struct stat st;

    if (fstat(desk->fd, &st))
        bench_die("fstat");
    return (uint64_t)st.st_size;
}

static void must_read(const struct file_desk *desk, uint8_t *to, uint64_t from,
                      uint64_t len)
{
    if (pread(desk->fd, to, len, (off_t)from) != (ssize_t)len)
        bench_die("pread");
}

static void run_read(struct file_desk *desk, uint64_t from, uint64_t to)
{
    for (; from < to; from += desk->count) {
        (void)size_of(desk);
        must_read(desk, desk->pages, from, desk->count);
    }
}

static void reply_to(struct file_desk *desk, uint64_t at, int way,
                     struct readplus_reply *reply)
{
    struct readplus_args args = {at, desk->count, {0, {0}}};
    struct readplus_limits limits;

    readplus_limits_init(&limits, READPLUS_PRESET_DEFAULT);
    limits.flags = way == FILE_EXACT ? READPLUS_LIMIT_EXACT : 0;
    bench_must(readplus_reply_fd(reply, desk->fd, &args, &limits,
                                 &desk->hints[way], desk->buffer,
                                 desk->len) == READPLUS_OK &&
                   reply->next >= at + desk->count,
               "readplus_reply_fd");
}

static void run_scan(struct file_desk *desk, uint64_t from, uint64_t to)
{
    struct readplus_reply reply;

    for (; from < to; from += desk->count)
        reply_to(desk, from, FILE_SCAN, &reply);
}

static void run_exact(struct file_desk *desk, uint64_t from, uint64_t to)
{
    struct readplus_reply reply;

    for (; from < to; from += desk->count)
        reply_to(desk, from, FILE_EXACT, &reply);
}

/* Bytes of holes are left as they are. */
static void seek_request(struct file_desk *desk, uint64_t from)
{
    uint64_t end = from + desk->count, size = size_of(desk), at = from;

    end = end < size ? end : size;
    while (at < end) {
        off_t data = lseek(desk->fd, (off_t)at, SEEK_DATA), hole;
        uint64_t stop = end;

        if (data < 0 || (uint64_t)data >= end)
            return;
        at = (uint64_t)data;
        hole = lseek(desk->fd, (off_t)at, SEEK_HOLE);
        if (hole > 0 && (uint64_t)hole < end)
            stop = (uint64_t)hole;
        must_read(desk, desk->pages + (at - from), at, stop - at);
        at = stop;
    }
}

static void run_seek(struct file_desk *desk, uint64_t from, uint64_t to)
{
    for (; from < to; from += desk->count)
        seek_request(desk, from);
}

static void run_fiemap(struct file_desk *desk, uint64_t from, uint64_t to)
{
    static uint64_t
        room[(sizeof(struct fiemap) + EXTENTS * sizeof(struct fiemap_extent)) /
                 8 +
             1];
    struct fiemap *map = (struct fiemap *)(void *)room;

    for (; from < to; from += desk->count) {
        (void)size_of(desk);
        memset(map, 0, sizeof(*map));
        map->fm_start = from;
        map->fm_length = desk->count;
        map->fm_extent_count = EXTENTS;
        /* Where there is none (tmpfs), what is left is READ. */
        if (ioctl(desk->fd, FS_IOC_FIEMAP, map) != 0 ||
            map->fm_mapped_extents > 0)
            must_read(desk, desk->pages, from, desk->count);
    }
}

const struct file_way file_ways[FILE_WAYS] = {
    [FILE_READ] = {"READ", run_read},       [FILE_SCAN] = {"scan", run_scan},
    [FILE_EXACT] = {"exact", run_exact},    [FILE_SEEK] = {"SEEK", run_seek},
    [FILE_FIEMAP] = {"FIEMAP", run_fiemap},
};

static void verify_reply(struct file_desk *desk, uint64_t at, int way,
                         const uint8_t *want)
{
    struct readplus_reply reply;
    uint64_t done = 0, i;
    size_t k;

    reply_to(desk, at, way, &reply);
    for (k = 0; k < reply.count; k++) {
        const struct readplus_segment *s = &reply.segments[k];

        if (s->data != NULL)
            bench_must(memcmp(want + done, s->data, s->length) == 0, "data");
        else if (s->content == READPLUS_CONTENT_HOLE)
            for (i = 0; i < s->length && done + i < desk->count; i++)
                bench_must(want[done + i] == 0, "a hole over data");
        done += s->length;
    }
}

void file_desk_verify(struct file_desk *desk, uint64_t size)
{
    uint8_t *want = bench_memory(desk->count);
    uint64_t at;

    for (at = 0; at < size; at += desk->count) {
        must_read(desk, want, at, desk->count);
        verify_reply(desk, at, FILE_SCAN, want);
        verify_reply(desk, at, FILE_EXACT, want);
        memset(desk->pages, 0, desk->count);
        run_seek(desk, at, at + desk->count);
        bench_must(memcmp(desk->pages, want, desk->count) == 0, "SEEK");
        memset(desk->pages, 0, desk->count);
        run_fiemap(desk, at, at + desk->count);
        bench_must(memcmp(desk->pages, want, desk->count) == 0, "FIEMAP");
        if (size > ((uint64_t)16 << 20) && at >= ((uint64_t)16 << 20))
            break; /* a SEEK_HOLE may take for ever */
    }
    free(want);
}
