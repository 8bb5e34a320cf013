/*
 * An example of decoder.h: the decoder that rpcgen makes, as a user of it
 * would wire it to fuzz_any.c.
 */
#include "decoder.h"
#include "rpcgen_guard.h"

const unsigned fuzz_decoder_accepts =
    FUZZ_ACCEPTS_BOOL | FUZZ_ACCEPTS_PAD | FUZZ_ACCEPTS_CONTENT |
    FUZZ_ACCEPTS_PLACE | FUZZ_ACCEPTS_TRAILING;

static readplus_READ_PLUS4res decoded;

static void segment(const readplus_read_plus_content *from,
                    struct fuzz_decoder_segment *to)
{
    const readplus_data4 *data = &from->readplus_read_plus_content_u.rpc_data;
    const readplus_data_info4 *hole =
        &from->readplus_read_plus_content_u.rpc_hole;

    to->hole = from->rpc_content == READPLUS_NFS4_CONTENT_HOLE;
    if (to->hole) {
        to->offset = hole->di_offset;
        to->length = hole->di_length;
        return;
    }
    to->offset = data->d_offset;
    to->length = data->d_data.d_data_len;
    to->data = (const uint8_t *)data->d_data.d_data_val;
}

int fuzz_decoder(const uint8_t *bytes, size_t len,
                 struct fuzz_decoder_answer *answer)
{
    const readplus_read_plus_res4 *body;
    u_int i;

    guard_free(&decoded); /* the segments of the call before */
    if (!guard_covers(bytes, len))
        return 1;
    if (!guard_decode(bytes, len, &decoded, &answer->used))
        return 1;
    answer->status = (uint32_t)decoded.rp_status;
    if (decoded.rp_status != READPLUS_NFS4_OK)
        return 0;
    body = &decoded.readplus_READ_PLUS4res_u.rp_resok4;
    answer->eof = body->rpr_eof;
    answer->count = body->rpr_contents.rpr_contents_len;
    for (i = 0; i < answer->count && i < FUZZ_DECODER_SEGMENTS; i++)
        segment(&body->rpr_contents.rpr_contents_val[i], &answer->segments[i]);
    return 0;
}
