/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One combination: every file of the set is read through a fresh mount and
 * compared with what it must hold; the kernel's count of operations and bytes
 * then tells whether READ_PLUS did it and whether holes came as holes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe.h"

/* Above what surrounds the elements of a reply: record mark, RPC, SEQUENCE,
 * PUTFH, the head of READ_PLUS, and the two elements the request's ends cut. */
#define AROUND 240u
#define ELEMENTS 36u /* a hole's 20 and a data header's 16 */

struct combination {
    const char *mountpoint, *local;
    uint64_t seed;
    size_t step;
    bool random, direct;
    const char *preset;
    bool exact;
    /* what happened */
    unsigned files, wrong, seeks_wrong, holes_wrong;
    unsigned long long data; /* bytes that were not holes */
};

/* What of the file is data to this server. */
static unsigned long long data_of(const struct combination *combination,
                                  const struct file *file)
{
    int fd;
    off_t at = 0, end;
    unsigned long long total = 0;

    if (!combination->exact)
        return set_data(file, false);
    fd = open_read(combination->local, file->name, false);
    while ((at = lseek(fd, at, SEEK_DATA)) >= 0) {
        end = lseek(fd, at, SEEK_HOLE);
        total += (unsigned long long)((end - at) + PAGE) / PAGE * PAGE;
        at = end;
    }
    close(fd);
    return total;
}

/* Whether so many bytes in so many replies can have been this file. */
static bool holes_came(const struct combination *combination,
                       const struct file *file, unsigned long long replies,
                       unsigned long long received)
{
    unsigned long long data = data_of(combination, file), most;

    if (strcmp(combination->preset, "single-data") == 0)
        return file->size > 8 * MIB || received >= file->size;
    if (strcmp(combination->preset, "single") == 0 && data != 0)
        return true;
    most = data + replies * AROUND + (file->count + 1) * ELEMENTS;
    if (combination
            ->random) /* a hole cut inside a page begins or ends as data */
        most += replies * 2 * PAGE;
    if (received <= most)
        return true;
    printf("  %s: %llu bytes in %llu replies for %llu of data\n", file->name,
           received, replies, data);
    return false;
}

static void check_file(struct combination *combination, const struct file *file,
                       uint64_t *state)
{
    struct operations before = operations_of(combination->mountpoint), after;
    int fd =
        open_read(combination->mountpoint, file->name, combination->direct);
    int local = open_read(combination->local, file->name, false);

    combination->files++;
    if (!file_reads(file, fd, combination->step, combination->random, state))
        combination->wrong++;
    after = operations_of(combination->mountpoint);
    if (!holes_came(combination, file, after.read_plus - before.read_plus,
                    after.received - before.received))
        combination->holes_wrong++;
    if (!seeks_agree(file->name, fd, local, state))
        combination->seeks_wrong++;
    combination->data += data_of(combination, file);
    close(fd);
    close(local);
}

/* check MOUNTPOINT LOCAL SEED STEP random|ordered direct|buffered PRESET
 * exact|scan */
int cmd_check(char **arguments)
{
    struct combination combination = {
        .mountpoint = arguments[0],
        .local = arguments[1],
        .seed = number(arguments[2]),
        .step = number(arguments[3]),
        .random = either(arguments[4], "random", "ordered"),
        .direct = either(arguments[5], "direct", "buffered"),
        .preset = arguments[6],
        .exact = either(arguments[7], "exact", "scan"),
    };
    uint64_t state = mix(combination.seed ^ combination.step);
    struct operations operations;
    size_t i, count;
    const struct file *file = set_files(combination.seed, &count);
    bool good;

    for (i = 0; i < count; i++)
        check_file(&combination, &file[i], &state);
    operations = operations_of(combination.mountpoint);
    good = combination.wrong == 0 && combination.seeks_wrong == 0 &&
           combination.holes_wrong == 0 && operations.read == 0 &&
           operations.read_plus > 0 && operations.seek > 0 &&
           operations.errors == 0;
    printf("%s files=%u wrong=%u seeks-wrong=%u holes-wrong=%u READ=%llu "
           "READ_PLUS=%llu errors=%llu received=%llu data=%llu SEEK=%llu\n",
           good ? "good" : "BAD", combination.files, combination.wrong,
           combination.seeks_wrong, combination.holes_wrong, operations.read,
           operations.read_plus, operations.errors, operations.received,
           combination.data, operations.seek);
    return good ? 0 : 1;
}
