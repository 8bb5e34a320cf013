/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one request leaves for the next about the same file, in an object that
 * any number of threads read and write without waiting.  A reader gets one
 * whole record or none; whether it still holds is for the reader to prove.
 */
#ifndef READPLUS_LIB_HINT_H
#define READPLUS_LIB_HINT_H

#include <string.h>

#include <readplus/source.h>

#define HINT_WORDS (sizeof(struct readplus_seen) / sizeof(uint32_t))

/* The record kept last; false where there is none, or one is being written
 * now.  `turn` is odd meanwhile, and 0 before the first.  Words of 32 bits are
 * atomic on every machine without help from a library. */
static inline bool hint_load(const struct readplus_hint *hint,
                             struct readplus_seen *seen)
{
    uint32_t words[HINT_WORDS], turn;
    size_t i;

    if (hint == NULL)
        return false;
    turn = __atomic_load_n(&hint->turn, __ATOMIC_ACQUIRE);
    if (turn == 0 || (turn & 1) != 0)
        return false;
    for (i = 0; i < HINT_WORDS; i++)
        words[i] = __atomic_load_n(&hint->words[i], __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__atomic_load_n(&hint->turn, __ATOMIC_RELAXED) != turn)
        return false;
    memcpy(seen, words, sizeof(words));
    return true;
}

/* Keeps a record, unless somebody else is doing so. */
static inline void hint_keep(struct readplus_hint *hint,
                             const struct readplus_seen *seen)
{
    uint32_t words[HINT_WORDS], turn;
    size_t i;

    if (hint == NULL)
        return;
    turn = __atomic_load_n(&hint->turn, __ATOMIC_RELAXED);
    if ((turn & 1) != 0 ||
        !__atomic_compare_exchange_n(&hint->turn, &turn, turn + 1, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy(words, seen, sizeof(words));
    for (i = 0; i < HINT_WORDS; i++)
        __atomic_store_n(&hint->words[i], words[i], __ATOMIC_RELAXED);
    __atomic_store_n(&hint->turn, turn + 2, __ATOMIC_RELEASE);
}

#endif /* READPLUS_LIB_HINT_H */
