/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes as hexadecimal text, both ways.  It never guesses: half a byte or a
 * stray letter is refused where it stands.
 */
#include <string.h>

#include "hex.h"

/* 0 to 15, or -1 for what is no digit. */
static int digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static bool is_separator(uint8_t c)
{
    return c != '\0' && strchr(" \t\r\n\v\f,:", c) != NULL;
}

bool hex_read(uint8_t *text, size_t len, size_t *size, size_t *bad)
{
    bool fresh = true; /* a 0x may stand here */
    size_t at = 0, out = 0;

    while (at < len) {
        if (is_separator(text[at])) {
            fresh = true;
            at++;
            continue;
        }
        if (fresh && text[at] == '0' && len - at > 1 &&
            (text[at + 1] == 'x' || text[at + 1] == 'X')) {
            fresh = false;
            at += 2;
        }
        if (len - at < 2 || digit(text[at]) < 0 || digit(text[at + 1]) < 0) {
            *bad = at;
            return false;
        }
        /* out never passes at: a byte takes two digits. */
        text[out++] = (uint8_t)(digit(text[at]) * 16 + digit(text[at + 1]));
        fresh = false;
        at += 2;
    }
    *size = out;
    return true;
}

void hex_print(const uint8_t *bytes, size_t len, FILE *to)
{
    static const char digits[] = "0123456789abcdef";
    size_t i;

    for (i = 0; i < len; i++) {
        putc(digits[bytes[i] >> 4], to);
        putc(digits[bytes[i] & 15], to);
    }
}
