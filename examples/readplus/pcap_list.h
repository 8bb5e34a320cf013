/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every exchange of READ_PLUS in a capture, with its verdict.
 */
#ifndef PCAP_LIST_H
#define PCAP_LIST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Lists the exchanges of the capture, "-" for standard input, a line each, in
 * JSON if told so; of packets to or from this port.  Memory does not grow with
 * the capture.  Returns an exit status: 0 where all were well formed.
 */
int pcap_list(const char *path, uint16_t port, bool json);

#endif /* PCAP_LIST_H */
