/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An item as a listing for a person.
 */
#ifndef LISTING_H
#define LISTING_H

#include <stdio.h>

#include "item.h"

/*
 * A line a field: its offset in the item, its bytes, its name in the RFC, and
 * what it says.  File data is shown with `data`.
 */
void listing_print(const struct item *item, bool data, FILE *to);

#endif /* LISTING_H */
