/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON into an item's fields, for `readplus encode`.  Numbers are exact or
 * refused: json-c turns what exceeds 2^64 - 1 into 2^64 - 1 in silence, so
 * the digits are looked at before it sees them.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "hex.h"
#include "json_item.h"

/* What all the fills of one object may come to, in bytes; a fuzzer sets less. */
#ifndef FILL_MAX
#define FILL_MAX (1 << 30)
#endif

/* Where in the object the reader is, and what it found wrong there. */
struct reader {
    char *why;
    char where[48];     /* "", or "segments[3]." */
    uint64_t fill_left; /* bytes of data it may still make up */
};

static bool refuse(struct reader *reader, const char *key, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

static bool refuse(struct reader *reader, const char *key, const char *format,
                   ...)
{
    int used = snprintf(reader->why, JSON_WHY_SIZE, "%s%s", reader->where, key);
    va_list args;

    if (used < 0 || used >= JSON_WHY_SIZE)
        return false;
    va_start(args, format);
    vsnprintf(reader->why + used, (size_t)(JSON_WHY_SIZE - used), format, args);
    va_end(args);
    return false;
}

/* The end of the string that starts behind p. */
static const char *skip_string(const char *p, const char *end)
{
    for (; p < end && *p != '"'; p++)
        if (*p == '\\' && end - p > 1)
            p++;
    return p < end ? p + 1 : p;
}

/*
 * The first number above 2^64 - 1 outside of strings, or NULL.  Also the first
 * apostrophe there: json-c lets it begin a string, JSON does not, and numbers
 * behind it would be taken for a string's.
 */
static const char *bad_token(const char *p, const char *end)
{
    const char *start;
    uint64_t value;

    while (p < end) {
        if (*p == '"') {
            p = skip_string(p + 1, end);
            continue;
        }
        if (*p == '\'')
            return p;
        value = 0;
        for (start = p; p < end && *p >= '0' && *p <= '9'; p++) {
            if (value > (UINT64_MAX - (uint64_t)(*p - '0')) / 10)
                return start;
            value = value * 10 + (uint64_t)(*p - '0');
        }
        if (p == start)
            p++;
    }
    return NULL;
}

/* The member, which must be there and of this type. */
static struct json_object *member(struct reader *reader,
                                  struct json_object *object, const char *key,
                                  enum json_type type)
{
    struct json_object *value;

    if (!json_object_object_get_ex(object, key, &value)) {
        refuse(reader, key, ": is missing");
        return NULL;
    }
    if (json_object_get_type(value) != type) {
        refuse(reader, key, ": is no %s",
               type == json_type_int ? "whole number"
                                     : json_type_to_name(type));
        return NULL;
    }
    return value;
}

static bool get_number(struct reader *reader, struct json_object *object,
                       const char *key, uint64_t max, uint64_t *number)
{
    struct json_object *value = member(reader, object, key, json_type_int);

    if (value == NULL)
        return false;
    if (json_object_get_int64(value) < 0 || json_object_get_uint64(value) > max)
        return refuse(reader, key, ": is not within 0 and %" PRIu64, max);
    *number = json_object_get_uint64(value);
    return true;
}

static bool get_word(struct reader *reader, struct json_object *object,
                     const char *key, uint32_t *number)
{
    uint64_t value = 0;

    if (!get_number(reader, object, key, UINT32_MAX, &value))
        return false;
    *number = (uint32_t)value;
    return true;
}

static bool get_bool(struct reader *reader, struct json_object *object,
                     const char *key, bool *flag)
{
    struct json_object *value = member(reader, object, key, json_type_boolean);

    if (value == NULL)
        return false;
    *flag = json_object_get_boolean(value);
    return true;
}

/* A data_content4, by the word decode prints. */
static bool get_content(struct reader *reader, struct json_object *object,
                        const char *key, enum readplus_content *content)
{
    struct json_object *value = member(reader, object, key, json_type_string);
    const char *word;

    if (value == NULL)
        return false;
    word = json_object_get_string(value);
    if (strcmp(word, "data") != 0 && strcmp(word, "hole") != 0)
        return refuse(reader, key, ": %s",
                      readplus_error_name(READPLUS_ERR_BAD_CONTENT));
    *content = strcmp(word, "data") == 0 ? READPLUS_CONTENT_DATA
                                         : READPLUS_CONTENT_HOLE;
    return true;
}

/* The bytes of a string of hexadecimal digits; NULL where they are none. */
static uint8_t *get_hex(struct reader *reader, struct json_object *object,
                        const char *key, size_t *len)
{
    struct json_object *value = member(reader, object, key, json_type_string);
    size_t text_len, bad;
    uint8_t *bytes;

    if (value == NULL)
        return NULL;
    text_len = (size_t)json_object_get_string_len(value);
    bytes = malloc(text_len > 0 ? text_len : 1);
    if (bytes == NULL) {
        refuse(reader, key, ": out of memory");
        return NULL;
    }
    memcpy(bytes, json_object_get_string(value), text_len);
    if (!hex_read(bytes, text_len, len, &bad)) {
        refuse(reader, key, ": no byte in hexadecimal at character %zu", bad);
        free(bytes);
        return NULL;
    }
    return bytes;
}

static bool get_stateid(struct reader *reader, struct json_object *object,
                        const char *key, struct readplus_stateid *stateid)
{
    struct json_object *value = member(reader, object, key, json_type_object);
    uint8_t *other;
    size_t len = 0;

    if (value == NULL || !get_word(reader, value, "seqid", &stateid->seqid))
        return false;
    other = get_hex(reader, value, "other", &len);
    if (other == NULL)
        return false;
    if (len == sizeof(stateid->other))
        memcpy(stateid->other, other, len);
    free(other);
    return len == sizeof(stateid->other) ||
           refuse(reader, "other", ": has %zu bytes, not %d", len,
                  READPLUS_OTHER_SIZE);
}

/* Data as one byte, many times. */
static uint8_t *get_fill(struct reader *reader, struct json_object *object,
                         size_t *len)
{
    struct json_object *fill = member(reader, object, "fill", json_type_object);
    uint64_t length = 0, byte = 0;
    uint8_t *bytes;

    if (fill == NULL ||
        !get_number(reader, fill, "length", UINT64_MAX, &length) ||
        !get_number(reader, fill, "byte", UINT8_MAX, &byte))
        return NULL;
    if (length > UINT32_MAX) {
        refuse(reader, "fill", ": %s: no data segment is that long",
               readplus_error_name(READPLUS_ERR_INVAL));
        return NULL;
    }
    if (length > reader->fill_left) {
        refuse(reader, "fill", ": all of them exceed %d MiB", FILL_MAX >> 20);
        return NULL;
    }
    reader->fill_left -= length;
    bytes = malloc(length > 0 ? (size_t)length : 1);
    if (bytes == NULL) {
        refuse(reader, "fill", ": out of memory");
        return NULL;
    }
    memset(bytes, (int)byte, (size_t)length);
    *len = (size_t)length;
    return bytes;
}

/* The bytes of a data segment, from either source. */
static bool get_data(struct reader *reader, struct json_object *object,
                     struct readplus_segment *segment)
{
    bool hex = json_object_object_get_ex(object, "data_hex", NULL);
    bool fill = json_object_object_get_ex(object, "fill", NULL);
    size_t len = 0;

    if (hex && fill)
        return refuse(reader, "fill", ": stands beside data_hex");
    if (hex)
        segment->data = get_hex(reader, object, "data_hex", &len);
    else if (fill)
        segment->data = get_fill(reader, object, &len);
    else if (segment->length > 0 ||
             !json_object_object_get_ex(object, "length", NULL))
        return refuse(reader, "data_hex", ": is missing, and so is fill");
    if ((hex || fill) && segment->data == NULL)
        return false;
    if (json_object_object_get_ex(object, "length", NULL) &&
        segment->length != len)
        return refuse(reader, "length",
                      ": is %" PRIu64 ", but there are %zu bytes of data",
                      segment->length, len);
    segment->length = len;
    return true;
}

static bool get_segment(struct reader *reader, struct json_object *object,
                        struct readplus_segment *segment)
{
    bool sized;

    if (json_object_get_type(object) != json_type_object)
        return refuse(reader, "", "is no object");
    sized = json_object_object_get_ex(object, "length", NULL);
    if (!get_content(reader, object, "content", &segment->content) ||
        !get_number(reader, object, "offset", UINT64_MAX, &segment->offset))
        return false;
    if ((sized || segment->content == READPLUS_CONTENT_HOLE) &&
        !get_number(reader, object, "length", UINT64_MAX, &segment->length))
        return false;
    return segment->content == READPLUS_CONTENT_HOLE ||
           get_data(reader, object, segment);
}

static bool get_segments(struct reader *reader, struct json_object *object,
                         struct json_spec *spec)
{
    struct json_object *array =
        member(reader, object, "segments", json_type_array);
    size_t count, i;

    if (array == NULL)
        return false;
    count = json_object_array_length(array);
    spec->segments = calloc(count > 0 ? count : 1, sizeof(*spec->segments));
    if (spec->segments == NULL)
        return refuse(reader, "segments", ": out of memory");
    spec->count = count;
    for (i = 0; i < count; i++) {
        snprintf(reader->where, sizeof(reader->where), "segments[%zu].", i);
        if (!get_segment(reader, json_object_array_get_idx(array, i),
                         &spec->segments[i]))
            return false;
    }
    reader->where[0] = '\0';
    return true;
}

/* rp_status or sa_status; NFS4_OK where the object does not say. */
static bool get_status(struct reader *reader, struct json_object *object,
                       struct json_spec *spec)
{
    return !json_object_object_get_ex(object, "status", NULL) ||
           get_word(reader, object, "status", &spec->status);
}

static bool get_res(struct reader *reader, struct json_object *object,
                    struct json_spec *spec)
{
    if (!get_status(reader, object, spec))
        return false;
    if (spec->status == 0)
        return get_bool(reader, object, "eof", &spec->eof) &&
               get_segments(reader, object, spec);
    return !json_object_object_get_ex(object, "segments", NULL) ||
           get_segments(reader, object, spec);
}

static bool get_seek_res(struct reader *reader, struct json_object *object,
                         struct json_spec *spec)
{
    if (!get_status(reader, object, spec))
        return false;
    return spec->status != 0 ||
           (get_bool(reader, object, "sr_eof", &spec->eof) &&
            get_number(reader, object, "sr_offset", UINT64_MAX,
                       &spec->seek_offset));
}

static bool get_seek_args(struct reader *reader, struct json_object *object,
                          struct readplus_seek_args *args)
{
    enum readplus_content what = READPLUS_CONTENT_DATA;

    if (!get_stateid(reader, object, "sa_stateid", &args->stateid) ||
        !get_number(reader, object, "sa_offset", UINT64_MAX, &args->offset) ||
        !get_content(reader, object, "sa_what", &what))
        return false;
    args->what = what;
    return true;
}

static bool get_fields(struct reader *reader, struct json_object *object,
                       struct json_spec *spec)
{
    switch (spec->type) {
    case ITEM_ARGS:
        return get_stateid(reader, object, "rpa_stateid",
                           &spec->args.stateid) &&
               get_number(reader, object, "rpa_offset", UINT64_MAX,
                          &spec->args.offset) &&
               get_word(reader, object, "rpa_count", &spec->args.count);
    case ITEM_SEEK_ARGS:
        return get_seek_args(reader, object, &spec->seek_args);
    case ITEM_SEEK_RES:
        return get_seek_res(reader, object, spec);
    default:
        return get_res(reader, object, spec);
    }
}

/* The type the object names, if any. */
static bool get_type(struct reader *reader, struct json_object *object,
                     enum item_type *type)
{
    struct json_object *value;

    if (!json_object_object_get_ex(object, "type", NULL))
        return true;
    value = member(reader, object, "type", json_type_string);
    if (value == NULL)
        return false;
    *type = item_type_named(json_object_get_string(value));
    return *type != ITEM_TYPES ||
           refuse(reader, "type", ": no such type is known");
}

/* What json-c makes of the text; it must be one object and no more. */
static struct json_object *tokenize(struct reader *reader, const char *text,
                                    size_t len)
{
    struct json_tokener *tokener = json_tokener_new();
    struct json_object *object;
    size_t end;

    if (tokener == NULL) {
        refuse(reader, "", "out of memory");
        return NULL;
    }
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
    object = json_tokener_parse_ex(tokener, text, (int)len);
    end = json_tokener_get_parse_end(tokener);
    if (json_tokener_get_error(tokener) == json_tokener_continue)
        refuse(reader, "", "JSON that ends too early");
    else if (json_tokener_get_error(tokener) != json_tokener_success)
        refuse(reader, "", "not JSON at character %zu: %s", end,
               json_tokener_error_desc(json_tokener_get_error(tokener)));
    else if (json_object_get_type(object) != json_type_object)
        /* json-c does not tell this from memory it did not get. */
        refuse(reader, "", "no JSON object, or one too large for memory");
    else if (end < len)
        refuse(reader, "", "more than one object, at character %zu", end);
    else {
        json_tokener_free(tokener);
        return object;
    }
    json_object_put(object);
    json_tokener_free(tokener);
    return NULL;
}

static struct json_object *parse(struct reader *reader, const char *text,
                                 size_t len)
{
    const char *bad = bad_token(text, text + len);

    if (bad == NULL)
        return tokenize(reader, text, len);
    if (*bad == '\'')
        refuse(reader, "", "not JSON at character %td: an apostrophe",
               bad - text);
    else
        refuse(reader, "", "a number above 2^64 - 1 at character %td",
               bad - text);
    return NULL;
}

bool json_read_spec(const char *text, size_t len, enum item_type type,
                    struct json_spec *spec, char why[JSON_WHY_SIZE])
{
    struct reader reader = {why, "", FILL_MAX};
    struct json_object *object = parse(&reader, text, len);
    bool good = false;

    memset(spec, 0, sizeof(*spec));
    spec->type = type;
    if (object != NULL)
        good = get_type(&reader, object, &spec->type) &&
               get_fields(&reader, object, spec);
    json_object_put(object);
    if (!good)
        json_spec_free(spec);
    return good;
}

void json_spec_free(struct json_spec *spec)
{
    size_t i;

    for (i = 0; i < spec->count; i++)
        free((void *)(uintptr_t)spec->segments[i].data);
    free(spec->segments);
    spec->segments = NULL;
    spec->count = 0;
}
