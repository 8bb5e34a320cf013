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

#define HINT_WORDS (sizeof(struct readplus_seen) / sizeof(uintptr_t))

/* The record kept last; false where there is none, or one is being written
 * now, and *seen is anything.  `turn` is odd meanwhile, and 0 before the first.  Words as wide as a
 * pointer are atomic on every machine without help from a library. */
static inline bool hint_load(const struct readplus_hint *hint,
                             struct readplus_seen *seen)
{
    uint32_t turn;
    size_t i;

    if (hint == NULL)
        return false;
    turn = __atomic_load_n(&hint->turn, __ATOMIC_ACQUIRE);
    if (turn == 0 || (turn & 1) != 0)
        return false;
    for (i = 0; i < HINT_WORDS; i++) {
        uintptr_t word = __atomic_load_n(&hint->words[i], __ATOMIC_RELAXED);

        memcpy((uint8_t *)seen + i * sizeof(word), &word, sizeof(word));
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&hint->turn, __ATOMIC_RELAXED) == turn;
}

/* Keeps a record, unless somebody else is doing so. */
static inline void hint_keep(struct readplus_hint *hint,
                             const struct readplus_seen *seen)
{
    uint32_t turn;
    size_t i;

    if (hint == NULL)
        return;
    turn = __atomic_load_n(&hint->turn, __ATOMIC_RELAXED);
    if ((turn & 1) != 0 ||
        !__atomic_compare_exchange_n(&hint->turn, &turn, turn + 1, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    for (i = 0; i < HINT_WORDS; i++) {
        uintptr_t word;

        memcpy(&word, (const uint8_t *)seen + i * sizeof(word), sizeof(word));
        __atomic_store_n(&hint->words[i], word, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&hint->turn, turn + 2, __ATOMIC_RELEASE);
}

#endif /* READPLUS_LIB_HINT_H */
