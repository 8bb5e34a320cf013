/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A capture of NFS between two addresses that nobody has, as if it had been
 * seen on an Ethernet.
 */
#ifndef PCAP_WRITE_H
#define PCAP_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture; /* being written */

/* Begins the file; NULL, and the reason said. */
struct capture *capture_create(const char *path);

/* Ends it; false, and said so, where anything was lost. */
bool capture_close(struct capture *capture);

/* A connection to the NFS server; a client port for each. */
struct exchange {
    struct capture *capture;
    uint16_t port;
    bool udp;
    uint32_t client_next, server_next; /* TCP sequence numbers */
};

/* Begins an exchange: over TCP with its three packets, over UDP with none. */
void exchange_begin(struct exchange *exchange, struct capture *capture,
                    uint16_t port, bool udp);

/*
 * One side says these bytes: a stream over TCP, in as many packets as it
 * takes; over UDP one datagram, of at most EXCHANGE_DATAGRAM_MAX bytes.
 */
#define EXCHANGE_DATAGRAM_MAX ((size_t)65507)
void exchange_say(struct exchange *exchange, bool client, const uint8_t *bytes,
                  size_t len);

/* Ends it. */
void exchange_end(struct exchange *exchange);

#endif /* PCAP_WRITE_H */
