/*
 * Any decoder of a READ_PLUS4res against this library's: whatever is legal
 * both accept, with the same segments and the same bytes in them; whatever is
 * not, both refuse, but for what the other one's table of intended differences
 * names (decoder.h).
 */
#include "decoder.h"
#include "fuzz.h"

const size_t fuzz_params = 0;

#define MOST 4096

/* The entry of the table that a fault falls under. */
static unsigned difference(enum readplus_error error)
{
    switch (error) {
    case READPLUS_ERR_BAD_BOOL:
        return FUZZ_ACCEPTS_BOOL;
    case READPLUS_ERR_BAD_PAD:
        return FUZZ_ACCEPTS_PAD;
    case READPLUS_ERR_BAD_CONTENT:
        return FUZZ_ACCEPTS_CONTENT;
    case READPLUS_ERR_TRAILING:
        return FUZZ_ACCEPTS_TRAILING;
    case READPLUS_ERR_RANGE:
    case READPLUS_ERR_GAP:
    case READPLUS_ERR_ORDER:
    case READPLUS_ERR_OVERLAP:
        return FUZZ_ACCEPTS_PLACE;
    default:
        return 0; /* truncation: nobody may let that pass */
    }
}

static void same_segment(const struct fuzz_decoder_segment *theirs,
                         const struct readplus_segment *ours, size_t i)
{
    if ((theirs->hole != 0) != (ours->content == READPLUS_CONTENT_HOLE))
        fuzz_fail("segment %zu: data or hole", i);
    if (theirs->offset != ours->offset)
        fuzz_fail("segment %zu: offset %" PRIu64 ", not %" PRIu64, i,
                  theirs->offset, ours->offset);
    if (theirs->length != ours->length)
        fuzz_fail("segment %zu: length %" PRIu64 ", not %" PRIu64, i,
                  theirs->length, ours->length);
    if (ours->data != NULL &&
        (theirs->data == NULL ||
         memcmp(theirs->data, ours->data, (size_t)ours->length) != 0))
        fuzz_fail("segment %zu: its bytes", i);
}

/* Both accepted it. */
static void same_answer(const struct fuzz_decoder_answer *theirs,
                        const struct readplus_decoder *decoder,
                        const struct readplus_segment *ours, size_t count)
{
    uint64_t used = readplus_decoder_consumed(decoder);
    size_t i;

    if (theirs->status != readplus_decoder_status(decoder))
        fuzz_fail("rp_status %" PRIu32 ", not %" PRIu32, theirs->status,
                  readplus_decoder_status(decoder));
    if (theirs->used != 0 && theirs->used != used)
        fuzz_fail("%zu bytes used, not %" PRIu64, theirs->used, used);
    if (theirs->status != 0)
        return;
    if ((theirs->eof != 0) != readplus_decoder_eof(decoder))
        fuzz_fail("rpr_eof");
    if (theirs->count != count)
        fuzz_fail("%zu segments, not %zu", theirs->count, count);
    for (i = 0; i < count; i++)
        same_segment(&theirs->segments[i], &ours[i], i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct readplus_segment ours[FUZZ_DECODER_SEGMENTS + 1];
    static struct fuzz_decoder_answer theirs;
    struct readplus_decoder decoder;
    enum readplus_error error;
    uint8_t *exact;
    size_t count = 0;
    bool accepted;

    if (size > MOST)
        return 0;
    error = readplus_decoder_init_buffer(&decoder, NULL, data, size, 0);
    while (error == READPLUS_OK && count <= FUZZ_DECODER_SEGMENTS) {
        error = readplus_decoder_next(&decoder, &ours[count]);
        count += error == READPLUS_OK;
    }
    if (count > FUZZ_DECODER_SEGMENTS)
        return 0;
    exact = exact_copy(data, size);
    memset(&theirs, 0, sizeof(theirs));
    accepted = fuzz_decoder(exact, size, &theirs) == 0;
    if (error == READPLUS_END && accepted)
        same_answer(&theirs, &decoder, ours, count);
    else if (error == READPLUS_END && !(fuzz_decoder_accepts & FUZZ_MAY_REFUSE))
        fuzz_fail("refused, though it is legal");
    else if (error != READPLUS_END && accepted &&
             !(fuzz_decoder_accepts & difference(error)))
        fuzz_fail("accepted in spite of %s at byte %" PRIu64,
                  readplus_error_name(error),
                  readplus_decoder_fault(&decoder).at);
    free(exact);
    return 0;
}
