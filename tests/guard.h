/*
 * Memory between two pages that nobody may touch: one byte written or read
 * outside ends the test.  For every delivery test.
 *
 *     struct guarded g = guarded_new(len, true);     ends at a page's end
 *     ... g.bytes[0, len) ...
 *     guarded_free(&g);
 */
#ifndef READPLUS_TESTS_GUARD_H
#define READPLUS_TESTS_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check_main.h"

struct guarded {
    uint8_t *bytes;
    size_t len;
    uint8_t *map;
    size_t mapped;
};

/* len bytes, none of them ours on the far side of its end or its beginning. */
static inline struct guarded guarded_new(size_t len, bool at_end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t inner = (len + page - 1) / page * page;
    struct guarded g = {.len = len, .mapped = inner + 2 * page};

    g.map = mmap(NULL, g.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(g.map, MAP_FAILED);
    if (inner > 0)
        ck_assert_int_eq(mprotect(g.map + page, inner, PROT_READ | PROT_WRITE),
                         0);
    g.bytes = g.map + page + (at_end ? inner - len : 0);
    return g;
}

/* The same with a copy of bytes in it. */
static inline struct guarded guarded_copy(const void *bytes, size_t len,
                                          bool at_end)
{
    struct guarded g = guarded_new(len, at_end);

    if (len > 0)
        memcpy(g.bytes, bytes, len);
    return g;
}

static inline void guarded_free(struct guarded *g)
{
    munmap(g->map, g->mapped);
    g->bytes = NULL;
}

#endif
