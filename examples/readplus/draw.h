/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file drawn as one line: where its data is and where its holes are.
 */
#ifndef DRAW_H
#define DRAW_H

#include <stdint.h>

#define DRAW_CELLS 64

struct drawing {
    uint64_t size; /* of the file, bytes */
    uint64_t cell; /* of the file, bytes a character */
    uint64_t data[DRAW_CELLS];
};

void draw_init(struct drawing *drawing, uint64_t size);

/* Data lies at [offset, offset + length); what is past the size is cut off.
 * Data that is told twice counts twice. */
void draw_data(struct drawing *drawing, uint64_t offset, uint64_t length);

/* A string: '#' data, '.' hole, '+' both; "" for an empty file. */
void draw_line(const struct drawing *drawing, char line[DRAW_CELLS + 1]);

#endif /* DRAW_H */
