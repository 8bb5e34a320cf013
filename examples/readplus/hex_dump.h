/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hexadecimal dumps as people paste them, made plain.
 */
#ifndef HEX_DUMP_H
#define HEX_DUMP_H

#include <stddef.h>
#include <stdint.h>

/*
 * Overwrites with blanks what xxd and tcpdump -x or -X print beside the
 * digits: the offset before the colon, the characters behind two blanks, and
 * tcpdump's line about the packet.  Other text stays; none moves.
 */
void hex_undump(uint8_t *text, size_t len);

#endif /* HEX_DUMP_H */
