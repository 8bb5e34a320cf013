/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file drawn as one line.  It takes the same few steps for a file of any
 * size.
 */
#include <string.h>

#include "draw.h"

void draw_init(struct drawing *drawing, uint64_t size)
{
    memset(drawing, 0, sizeof(*drawing));
    drawing->size = size;
    drawing->cell = size / DRAW_CELLS + (size % DRAW_CELLS != 0);
}

void draw_data(struct drawing *drawing, uint64_t offset, uint64_t length)
{
    uint64_t end, cell, room;

    if (offset >= drawing->size)
        return;
    if (length > drawing->size - offset)
        length = drawing->size - offset;
    for (end = offset + length; offset < end; offset += room) {
        cell = offset / drawing->cell;
        room = drawing->cell - offset % drawing->cell;
        if (room > end - offset)
            room = end - offset;
        drawing->data[cell] += room;
    }
}

void draw_line(const struct drawing *drawing, char line[DRAW_CELLS + 1])
{
    uint64_t at = 0, here;
    unsigned i;

    for (i = 0; at < drawing->size; i++) {
        here = drawing->cell;
        if (here > drawing->size - at)
            here = drawing->size - at;
        if (drawing->data[i] == 0)
            line[i] = '.';
        else
            line[i] = drawing->data[i] >= here ? '#' : '+';
        at += here;
    }
    line[i] = '\0';
}
