/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole messages for `readplus decode': COMPOUND, RPC, record-marked TCP.
 */
#ifndef MESSAGE_SHOW_H
#define MESSAGE_SHOW_H

#include "item.h"

/* How a message is shown. */
struct message_look {
    enum readplus_framing framing;
    bool call; /* of a COMPOUND: it is the arguments */
    bool json, data, tolerant;
    const struct readplus_args *range; /* or NULL */
    const char *file;
};

/* Whether the word is a --type of ours: compound, compound-call, rpc, record;
 * *look then knows. */
bool message_type(const char *word, struct message_look *look);

/* Shows every message in bytes[0, len); an exit status. */
int message_show(const struct message_look *look, const uint8_t *bytes,
                 size_t len);

#endif /* MESSAGE_SHOW_H */
