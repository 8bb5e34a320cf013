/*
 * The C export in use: the table is compiled with this and libreadplus, whose
 * decoder must say of every READ_PLUS4res what the table says.
 */
#include <stdio.h>
#include <string.h>

#include <readplus.h>

#include "vectors.c"

static char buffer[1 << 20];

static int differs(const struct read_plus_vector *v)
{
    struct readplus_args args = {v->offset, v->count, {0, {0}}};
    struct iovec iov = {buffer, sizeof(buffer)};
    struct readplus_decoder decoder;
    struct readplus_result result;
    enum readplus_error error = readplus_decoder_init_buffer(
        &decoder, &args, v->wire, v->size, READPLUS_DECODE_STRICT);
    const char *name;

    error = readplus_scatter(&decoder, &iov, 1, 0, &result);
    name = readplus_error_name(error);
    if (error != READPLUS_OK)
        name += strlen("READPLUS_ERR_");
    else
        name = "OK";
    return strcmp(name, v->result) != 0 || result.fault.at != v->at ||
           result.bytes != v->bytes || result.zero_bytes != v->zeros ||
           result.eof != (v->eof != 0);
}

int main(void)
{
    size_t i, tried = 0, bad = 0;

    for (i = 0; i < read_plus_vector_count; i++) {
        const struct read_plus_vector *v = &read_plus_vectors[i];

        if (strcmp(v->type, "READ_PLUS4res") != 0 || !v->asked ||
            v->bytes > sizeof(buffer))
            continue;
        tried++;
        if (differs(v)) {
            printf("%s\n", v->name);
            bad++;
        }
    }
    printf("%zu of %zu vectors decoded, %zu otherwise\n", tried,
           read_plus_vector_count, bad);
    return bad != 0 || tried < 400;
}
