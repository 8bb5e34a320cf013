/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records of many TCP connections, put together as packets pass by, in
 * memory that does not grow with the capture.
 */
#ifndef PCAP_STREAM_H
#define PCAP_STREAM_H

#include "pcap_packet.h"

struct streams;

/* Called for each whole record, marks included. */
typedef void record_taker(void *context, const struct endpoints *ends,
                          const uint8_t *record, size_t len);

/* NULL: out of memory. */
struct streams *streams_create(record_taker *taker, void *context);
void streams_free(struct streams *streams);

/* Takes the next packet of a TCP connection. */
void streams_take(struct streams *streams, const struct packet *packet);

/* How often bytes were missing, so that records were lost. */
uint64_t streams_lost(const struct streams *streams);

#endif /* PCAP_STREAM_H */
