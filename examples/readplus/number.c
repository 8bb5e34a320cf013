/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers as people write them on a command line: exact, or refused; never
 * wrapped, saturated or rounded.
 */
#include <inttypes.h>
#include <string.h>

#include "program.h"

/* The value of a digit of any base up to 16; 16 for what is none. */
static unsigned digit(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return 16;
}

/* The power of 1024 a suffix stands for, as a shift; 64 for no suffix. */
static unsigned suffix(const char *text)
{
    static const char letters[] = "KMGT";
    const char *letter;

    if (text[0] == '\0')
        return 0;
    letter = strchr(letters, text[0]);
    if (letter == NULL || text[1] != '\0')
        return 64;
    return 10 * (unsigned)(letter - letters + 1);
}

bool number_parse(const char *text, uint64_t max, uint64_t *value)
{
    unsigned base = 10, shift;
    uint64_t sum = 0;
    const char *p = text;

    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        base = 16;
        p += 2;
    }
    if (digit(*p) >= base)
        return false;
    for (; digit(*p) < base; p++) {
        if (sum > (UINT64_MAX - digit(*p)) / base)
            return false;
        sum = sum * base + digit(*p);
    }
    shift = suffix(p);
    if (shift == 64 || sum > (max >> shift))
        return false;
    *value = sum << shift;
    return true;
}

uint64_t number_option(const char *option, const char *text, uint64_t min,
                       uint64_t max, const struct argp_state *state)
{
    uint64_t value = 0;

    if (!number_parse(text, max, &value) || value < min)
        argp_error(state,
                   "--%s takes a whole number from %" PRIu64 " to %" PRIu64
                   ", not '%s'",
                   option, min, max, text);
    return value;
}
