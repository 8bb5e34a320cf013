/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SipHash-2-4: a keyed hash of short messages that cannot be forged by who has
 * not the key.  It signs filehandles and tells requests apart.
 */
#ifndef NFS42_SIPHASH_H
#define NFS42_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#define SIPHASH_KEY_SIZE 16

uint64_t siphash(const uint8_t key[SIPHASH_KEY_SIZE], const void *bytes,
                 size_t len);

#endif /* NFS42_SIPHASH_H */
