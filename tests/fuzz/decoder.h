/*
 * The one function to write in order to fuzz a READ_PLUS decoder of your own
 * against libreadplus: bytes in, segments out.  It is linked with fuzz_any.c
 * (tests/fuzz/README.md says how); decoder_rpcgen.c is an example, for the
 * decoder that rpcgen makes.  This header needs nothing else of libreadplus
 * and may be included by C++.
 */
#ifndef READPLUS_FUZZ_DECODER_H
#define READPLUS_FUZZ_DECODER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FUZZ_DECODER_SEGMENTS 128

struct fuzz_decoder_segment {
    int hole;            /* 0: data */
    uint64_t offset;     /* d_offset, di_offset */
    uint64_t length;     /* file bytes */
    const uint8_t *data; /* of data: length bytes; looked at before the next
                            call, then forgotten */
};

struct fuzz_decoder_answer {
    uint32_t status; /* rp_status; unless 0 there is nothing else to set */
    int eof;         /* rpr_eof: 0 or 1 */
    size_t count;    /* segments set below; a reply with more is not compared */
    struct fuzz_decoder_segment segments[FUZZ_DECODER_SEGMENTS];
    /* The bytes of the item, where your decoder knows; else 0. */
    size_t used;
};

/*
 * Decodes one READ_PLUS4res (RFC 7863), rp_status first, from exactly these
 * bytes.  0: accepted, *answer is set (it comes zeroed); anything else:
 * refused.
 */
int fuzz_decoder(const uint8_t *bytes, size_t len,
                 struct fuzz_decoder_answer *answer);

/*
 * What your decoder is meant to let pass although RFC 4506 or 7862 forbid it.
 * What is not named here and accepted is reported, and so is everything that
 * is legal and refused.
 */
#define FUZZ_ACCEPTS_BOOL 0x01u    /* rpr_eof neither 0 nor 1 */
#define FUZZ_ACCEPTS_PAD 0x02u     /* fill bytes that are not 0 */
#define FUZZ_ACCEPTS_CONTENT 0x04u /* data_content4 neither data nor hole */
#define FUZZ_ACCEPTS_PLACE                                                     \
    0x08u                           /* gaps, overlaps, disorder, ends past
                                       2^64 - 1 */
#define FUZZ_ACCEPTS_TRAILING 0x10u /* bytes behind the item */
/* And the reverse: it may refuse a legal reply, for want of memory, say. */
#define FUZZ_MAY_REFUSE 0x20u

extern const unsigned fuzz_decoder_accepts;

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_FUZZ_DECODER_H */
