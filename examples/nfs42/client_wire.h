/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A TCP connection that carries RPC records (RFC 5531 section 11): whole ones
 * go out, and what comes in is handed out record by record, marks taken off.
 */
#ifndef CLIENT_WIRE_H
#define CLIENT_WIRE_H

#include <sys/uio.h>

#include "client.h"

struct wire {
    int fd;              /* -1: none */
    uint32_t wait;       /* seconds of silence that are borne */
    uint64_t bytes;      /* both ways, headers and all, since the beginning */
    uint64_t left;       /* of the fragment at hand */
    bool last;           /* no fragment of this record follows it */
    const char *failure; /* why the last call failed */
    /* Called a few times a second while there is nothing but to wait. */
    void (*idle)(void *context);
    void *context;
};

void wire_init(struct wire *wire, uint32_t wait);

/* False: wire->failure; no server may listen there at all. */
bool wire_connect(struct wire *wire, const char *host, uint16_t port);

void wire_close(struct wire *wire);

/* Sends one record; the first four bytes are left free for its mark. */
bool wire_send(struct wire *wire, uint8_t *record, size_t len);

/*
 * Waits for the next record.  *size: its bytes, or UINT64_MAX where it comes
 * in more than one fragment and so is not known yet.
 */
bool wire_next(struct wire *wire, uint64_t *size);

/* The next bytes of that record, as many as are there: 0 at its end, -1 where
 * the connection failed. */
ssize_t wire_readv(struct wire *wire, const struct iovec *iov, size_t entries);

/* As many as there are to the end of the record, at most len, waiting. */
ssize_t wire_read(struct wire *wire, void *buffer, size_t len);

#endif /* CLIENT_WIRE_H */
