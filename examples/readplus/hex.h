/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes as hexadecimal text, both ways.
 */
#ifndef HEX_H
#define HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Reads text as people paste it: two digits a byte, with or without 0x before
 * and white space, commas or colons between.  It happens in place: *size bytes
 * at the start of text[0, len) replace it.  False where something else stands
 * at text[*bad], or the text ends there, *bad being len; it is then spoilt.
 */
bool hex_read(uint8_t *text, size_t len, size_t *size, size_t *bad);

/* Two lower-case digits a byte and nothing between. */
void hex_print(const uint8_t *bytes, size_t len, FILE *to);

#endif /* HEX_H */
