/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hexadecimal dumps made plain, line by line.  A line is only touched where
 * it has the form of a dump; what it means is for the reader of digits.
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "hex_dump.h"

static size_t blanks(const uint8_t *line, size_t len)
{
    size_t n = 0;

    while (n < len && (line[n] == ' ' || line[n] == '\t'))
        n++;
    return n;
}

/* The length of "00000010: " or "\t0x0010:  ", up to the colon; 0: none. */
static size_t offset_length(const uint8_t *line, size_t len)
{
    size_t at = blanks(line, len), digits = 0;

    if (len - at > 2 && line[at] == '0' && line[at + 1] == 'x')
        at += 2;
    while (at < len && isxdigit(line[at])) {
        at++;
        digits++;
    }
    if (digits < 4 || len - at < 2 || line[at] != ':' ||
        blanks(line + at + 1, 1) == 0)
        return 0;
    return at + 1;
}

/* "12:34:56.789012 IP ..." */
static bool is_packet_line(const uint8_t *line, size_t len)
{
    static const char form[] = "dd:dd:dd.";
    size_t i;

    for (i = 0; i < sizeof(form) - 1; i++)
        if (i >= len ||
            (form[i] == 'd' ? !isdigit(line[i]) : line[i] != form[i]))
            return false;
    return true;
}

static void plain_line(uint8_t *line, size_t len)
{
    size_t at = offset_length(line, len);

    if (is_packet_line(line, len))
        at = len;
    memset(line, ' ', at);
    if (at == 0)
        return;
    at += blanks(line + at, len - at);
    while (at < len && !(len - at > 1 && blanks(line + at, 2) == 2))
        at++;
    memset(line + at, ' ', len - at);
}

void hex_undump(uint8_t *text, size_t len)
{
    size_t at, end;

    for (at = 0; at < len; at = end + 1) {
        const uint8_t *newline = memchr(text + at, '\n', len - at);

        end = newline != NULL ? (size_t)(newline - text) : len;
        plain_line(text + at, end - at);
    }
}
