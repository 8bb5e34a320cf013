/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a captured packet to what TCP or UDP carry in it.
 */
#ifndef PCAP_PACKET_H
#define PCAP_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who speaks to whom; equal bytes, equal flow and direction. */
struct endpoints {
    uint8_t from[16], to[16]; /* an IPv4 address is in the first four */
    uint16_t from_port, to_port;
    uint8_t protocol; /* 6 TCP, 17 UDP */
    uint8_t version;  /* 4, 6 */
    uint8_t unused[2];
};

struct packet {
    struct endpoints ends;
    bool syn, fin, rst;
    uint32_t seq;
    const uint8_t *payload;
    size_t len;     /* captured */
    size_t missing; /* of the payload: not captured */
};

/*
 * Reads bytes[0, len), of a packet that had `whole` bytes on the wire, of
 * this link type (a DLT_ value).  False: it is no whole TCP or UDP packet in
 * IPv4 or IPv6, or a fragment.  What it finds points into bytes.
 */
bool packet_read(struct packet *packet, int link, const uint8_t *bytes,
                 size_t len, size_t whole);

/* Whether there is a way from this link type to IP. */
bool packet_link_known(int link);

#endif /* PCAP_PACKET_H */
