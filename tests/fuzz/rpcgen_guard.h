/*
 * The decoder that rpcgen makes of xdr/read_plus.x, kept from the 4 GiB that a
 * count word or a length word makes it allocate: it is asked only about bytes
 * that cover what these words say.
 */
#ifndef READPLUS_FUZZ_RPCGEN_GUARD_H
#define READPLUS_FUZZ_RPCGEN_GUARD_H

#include <readplus/rpc.h>

#include "fuzz.h"

static inline uint32_t guard_word(const uint8_t *p)
{
    struct script s = {p, 4};

    return script_32(&s);
}

/* Walks as the generated decoder does, as far as it would. */
static inline bool guard_covers(const uint8_t *item, size_t len)
{
    size_t at = READPLUS_RES_HEAD_SIZE;
    uint32_t left, content, length, pad;

    if (len < at || guard_word(item) != 0)
        return true;
    left = guard_word(item + 8);
    if (left > (len - at) / 4)
        return false;
    for (; left > 0 && len - at >= 4; left--) {
        content = guard_word(item + at);
        if (content > 1) {
            at += 4;
            continue;
        }
        if (len - at < (content == 1 ? 20u : 16u))
            return true;
        if (content == 1) {
            at += 20;
            continue;
        }
        length = guard_word(item + at + 12);
        if (length > len - at - 16)
            return false;
        at += 16 + length;
        pad = (0u - length) & 3;
        if (pad > len - at)
            return true;
        at += pad;
    }
    return true;
}

/* True where it accepts; *used becomes what it took.  Give *from to
 * guard_free either way. */
static inline bool guard_decode(const uint8_t *item, size_t len,
                                readplus_READ_PLUS4res *from, size_t *used)
{
    bool accepted;
    XDR xdrs;

    memset(from, 0, sizeof(*from));
    xdrmem_create(&xdrs, (char *)(uintptr_t)item, (u_int)len, XDR_DECODE);
    accepted = xdr_readplus_READ_PLUS4res(&xdrs, from);
    *used = xdr_getpos(&xdrs);
    xdr_destroy(&xdrs);
    return accepted;
}

/*
 * What it is meant to accept and we refuse, with the reason why we do
 * (README.md has the table in words; RFC 4506 unless said).
 */
static inline bool guard_intended(enum readplus_error error)
{
    switch (error) {
    case READPLUS_ERR_BAD_BOOL:    /* section 4.4: any word is TRUE there */
    case READPLUS_ERR_BAD_PAD:     /* section 3: fill is not looked at */
    case READPLUS_ERR_BAD_CONTENT: /* RFC 7862 15.10.3: `default: void` */
    case READPLUS_ERR_RANGE:       /* RFC 7862 15.10.3 and on: no XDR rule, */
    case READPLUS_ERR_GAP:         /* and rpcgen knows no others */
    case READPLUS_ERR_ORDER:
    case READPLUS_ERR_OVERLAP:
    case READPLUS_ERR_LATE_START:
    case READPLUS_ERR_TRAILING: /* a COMPOUND goes on there */
    case READPLUS_ERR_LIMIT:    /* ours: the caller's array */
        return true;
    default:
        return false;
    }
}

static inline void guard_free(readplus_READ_PLUS4res *from)
{
    xdr_free((xdrproc_t)xdr_readplus_READ_PLUS4res, from);
}

#endif /* READPLUS_FUZZ_RPCGEN_GUARD_H */
