/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the two rooms of nfs42_odd share: the file, the way in which the server
 * is odd, and bytes to be sent.
 */
#ifndef NFS42_ODD_H
#define NFS42_ODD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <readplus.h>

#define BYTES_ROOM (4 << 20)

struct bytes {
    size_t len;
    uint8_t at[BYTES_ROOM];
};

void put32(struct bytes *bytes, uint32_t value);
void put64(struct bytes *bytes, uint64_t value);

struct odd {
    const char *way;
    int fd;
    uint64_t size;
    unsigned long requests; /* READ_PLUS, so far */
};

/* The server is odd in this way, and by now has shown that it can be good. */
bool is(const struct odd *odd, const char *way);

/*
 * True of one READ_PLUS in n, by chance: a rhythm could meet that of a client
 * which sends so many at once, and never let it get anywhere.
 */
bool now_and_then(const struct odd *odd, unsigned n);

/* Appends a READ_PLUS4res; its status. */
uint32_t put_item(struct odd *odd, const struct readplus_args *args,
                  struct bytes *bytes);

/* Every way there is, one a line. */
void list_ways(void);

#endif /* NFS42_ODD_H */
