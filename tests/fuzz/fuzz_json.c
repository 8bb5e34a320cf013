/*
 * The program's reader of JSON over hostile text: it accepts or gives a
 * reason, and what it accepted and can be encoded is printed as JSON that is
 * read as the same item again.
 */
#include "fuzz.h"

#include "json_item.h"

#define MOST 4096
#define ENCODED (256 * 1024)

/* The item's bytes; 0: it cannot be encoded. */
static size_t encode(const struct json_spec *spec, uint8_t *to)
{
    struct readplus_seek_res found = {spec->status, spec->eof,
                                      spec->seek_offset};
    enum readplus_error error;
    size_t size = 0;

    switch (spec->type) {
    case ITEM_ARGS:
        size = READPLUS_ARGS_SIZE;
        error = readplus_args_encode(&spec->args, to, ENCODED);
        break;
    case ITEM_SEEK_ARGS:
        size = READPLUS_SEEK_ARGS_SIZE;
        error = readplus_seek_args_encode(&spec->seek_args, to, ENCODED);
        break;
    case ITEM_SEEK_RES:
        error = readplus_seek_res_encode(&found, to, ENCODED, &size);
        break;
    default:
        error = readplus_res_encode(spec->status, spec->eof, spec->segments,
                                    spec->count, to, ENCODED, &size, NULL);
        break;
    }
    return error == READPLUS_OK ? size : 0;
}

static char *printed(const uint8_t *bytes, size_t len, enum item_type type,
                     size_t *text_len)
{
    struct item item;
    char *text = NULL;
    FILE *f = open_memstream(&text, text_len);

    HOLDS(f != NULL);
    item_decode(&item, type, bytes, len, NULL, false);
    HOLDS(item.fault.error == READPLUS_OK);
    json_print_item(&item, true, f);
    fclose(f);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t first[ENCODED], second[ENCODED];
    char why[JSON_WHY_SIZE] = "", *text;
    struct json_spec spec;
    enum item_type type;
    size_t len, text_len;
    uint8_t *exact;

    if (size > MOST)
        return 0;
    exact = exact_copy(data, size);
    if (!json_read_spec((char *)exact, size, ITEM_RES, &spec, why)) {
        HOLDS(why[0] != '\0' && memchr(why, '\0', sizeof(why)) != NULL);
        free(exact);
        return 0;
    }
    free(exact);
    /* An opcode before the item is not this target's business. */
    type = spec.type == ITEM_RESOP ? ITEM_RES : spec.type;
    len = encode(&spec, first);
    json_spec_free(&spec);
    if (len == 0)
        return 0;
    text = printed(first, len, type, &text_len);
    HOLDS(json_read_spec(text, text_len, ITEM_TYPES, &spec, why));
    HOLDS(spec.type == type);
    HOLDS(encode(&spec, second) == len && memcmp(first, second, len) == 0);
    json_spec_free(&spec);
    free(text);
    return 0;
}
