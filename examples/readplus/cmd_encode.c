/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * readplus encode: bytes for the wire from JSON, by the raw encoder.  What a
 * strict decoder would refuse is refused, by the same name; then not one byte
 * is written.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hex.h"
#include "input.h"
#include "json_item.h"
#include "program.h"

struct options {
    enum item_type type; /* ITEM_TYPES: not given */
    bool hex;
    const char *file;
};

static const struct argp_option option_table[] = {
    {"type", 't', "TYPE", 0,
     "Which item: res (default), resop, args, seek-args, seek-res", 0},
    {"hex", 'x', NULL, 0, "Write hexadecimal text instead of bytes", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case 't':
        options->type = item_type_option(arg);
        if (options->type == ITEM_TYPES)
            argp_error(state, "no type is called '%s'", arg);
        return 0;
    case 'x':
        options->hex = true;
        return 0;
    case ARGP_KEY_ARG:
        if (options->file != NULL)
            argp_error(state, "one file at a time");
        options->file = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which file?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    option_table,
    parse_option,
    "SPEC.json|-",
    "Write the bytes that a JSON object, as `readplus decode --json --data' "
    "prints it, describes.",
    NULL,
    NULL,
    NULL};

/* An item being written. */
struct writer {
    uint8_t *bytes;
    size_t room, size;
    size_t skip; /* the opcode before a READ_PLUS4res */
    struct readplus_fault fault;
};

static enum readplus_error write_res(const struct json_spec *spec,
                                     struct writer *writer)
{
    enum readplus_error error;

    writer->skip = spec->type == ITEM_RESOP ? READPLUS_OPCODE_SIZE : 0;
    if (writer->skip > 0)
        memcpy(writer->bytes, "\0\0\0\104", READPLUS_OPCODE_SIZE);
    error = readplus_res_encode(spec->status, spec->eof, spec->segments,
                                spec->count, writer->bytes + writer->skip,
                                writer->room - writer->skip, &writer->size,
                                &writer->fault);
    writer->size += writer->skip;
    writer->fault.at += writer->skip;
    return error;
}

static enum readplus_error write_item(const struct json_spec *spec,
                                      struct writer *writer)
{
    struct readplus_seek_res res = {spec->status, spec->eof, spec->seek_offset};

    switch (spec->type) {
    case ITEM_ARGS:
        writer->size = READPLUS_ARGS_SIZE;
        return readplus_args_encode(&spec->args, writer->bytes, writer->room);
    case ITEM_SEEK_ARGS:
        writer->size = READPLUS_SEEK_ARGS_SIZE;
        return readplus_seek_args_encode(&spec->seek_args, writer->bytes,
                                         writer->room);
    case ITEM_SEEK_RES:
        return readplus_seek_res_encode(&res, writer->bytes, writer->room,
                                        &writer->size);
    default:
        return write_res(spec, writer);
    }
}

/* The bytes in a block the caller frees; NULL, and the reason said. */
static uint8_t *make(const struct json_spec *spec, const char *file,
                     size_t *size)
{
    struct writer writer = {
        NULL, 0, 0, 0, {READPLUS_OK, READPLUS_NO_SEGMENT, 0}};
    enum readplus_error error;
    uint64_t room = 0;

    error = readplus_res_size(spec->segments, spec->count, &room);
    if (error == READPLUS_OK) {
        /* 4 for an opcode, and no item of another type exceeds 32. */
        writer.room = (size_t)room + READPLUS_OPCODE_SIZE + 32;
        writer.bytes = malloc(writer.room);
        if (writer.bytes == NULL) {
            complain("%s: out of memory", file);
            return NULL;
        }
        error = write_item(spec, &writer);
    }
    *size = writer.size;
    if (error == READPLUS_OK)
        return writer.bytes;
    if (writer.fault.segment != READPLUS_NO_SEGMENT)
        complain("%s: %s: segment %" PRIu32 ", which would stand at byte"
                 " %" PRIu64 ": %s",
                 file, readplus_error_name(error), writer.fault.segment,
                 writer.fault.at, readplus_error_text(error));
    else
        complain("%s: %s: %s", file, readplus_error_name(error),
                 readplus_error_text(error));
    free(writer.bytes);
    return NULL;
}

static int write_out(const struct json_spec *spec,
                     const struct options *options)
{
    size_t size = 0;
    uint8_t *bytes = make(spec, options->file, &size);

    if (bytes == NULL)
        return OUTCOME_FAULTY;
    if (options->hex) {
        hex_print(bytes, size, stdout);
        putchar('\n');
    } else {
        fwrite(bytes, 1, size, stdout);
    }
    free(bytes);
    return OUTCOME_OK;
}

/* --type and the object's own type must agree. */
static int check_type(const struct json_spec *spec,
                      const struct options *options)
{
    if (options->type == ITEM_TYPES || options->type == spec->type)
        return OUTCOME_OK;
    complain("%s: describes %s, but --type says %s", options->file,
             item_type_name(spec->type), item_type_name(options->type));
    return OUTCOME_USAGE;
}

int cmd_encode(int argc, char **argv)
{
    struct options options = {ITEM_TYPES, false, NULL};
    char why[JSON_WHY_SIZE] = "";
    struct json_spec spec;
    int outcome;
    uint8_t *text;
    size_t len;
    bool good;

    argp_parse(&parser, argc, argv, 0, NULL, &options);
    text = input_read(options.file, &len);
    if (text == NULL)
        return OUTCOME_UNREADABLE;
    good = json_read_spec((const char *)text, len,
                          options.type == ITEM_TYPES ? ITEM_RES : options.type,
                          &spec, why);
    free(text);
    if (!good) {
        complain("%s: %s", options.file, why);
        return OUTCOME_FAULTY;
    }
    outcome = check_type(&spec, &options);
    if (outcome == OUTCOME_OK)
        outcome = write_out(&spec, &options);
    json_spec_free(&spec);
    return outcome;
}
