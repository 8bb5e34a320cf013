/*
 * The ways in which a server can answer for a range of a file, for bench_file.
 */
#ifndef READPLUS_BENCH_FILE_H
#define READPLUS_BENCH_FILE_H

#include "bench.h"

#include <readplus.h>
#include <readplus/reply.h>

#define BLOCK 4096

enum {
    FILE_READ,   /* fstat, pread */
    FILE_SCAN,   /* the library */
    FILE_EXACT,  /* the library, every hole of the file system's */
    FILE_SEEK,   /* SEEK_DATA, SEEK_HOLE and pread for each segment */
    FILE_FIEMAP, /* FIEMAP, pread */
    FILE_WAYS
};

struct file_desk {
    int fd;
    uint32_t count; /* of each request */
    uint8_t *pages, *buffer;
    size_t len;
    struct readplus_hint hints[FILE_WAYS];
};

void file_desk_init(struct file_desk *desk, uint32_t count_max);
void file_desk_free(struct file_desk *desk); /* closes it, too */

/* Every way's content is the file's, at every request. */
void file_desk_verify(struct file_desk *desk, uint64_t size);

/* Requests of desk->count bytes from `from` on up to `to`. */
struct file_way {
    const char *name;
    void (*run)(struct file_desk *desk, uint64_t from, uint64_t to);
};

extern const struct file_way file_ways[FILE_WAYS];

#endif /* READPLUS_BENCH_FILE_H */
