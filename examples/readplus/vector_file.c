/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The catalogue's files into memory.  Strings and bytes stay where the text
 * was read to; what is not in the format is refused with its line.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hex.h"
#include "input.h"
#include "program.h"
#include "vector_file.h"

/* A file being read, line by line. */
struct text {
    const char *file;
    char *next; /* NULL at the end */
    unsigned line;
    struct vector *vector; /* the one at hand */
    bool in_wire;
};

/* The next word of *rest, cut out; "" where there is none. */
static char *word(char **rest)
{
    char *start = *rest + strspn(*rest, " ");
    char *end = start + strcspn(start, " ");

    *rest = *end == '\0' ? end : end + 1;
    *end = '\0';
    return start;
}

static bool number(char **rest, uint64_t max, uint64_t *value)
{
    return number_parse(word(rest), max, value);
}

static bool number32(char **rest, uint32_t *value)
{
    uint64_t wide;

    if (!number(rest, UINT32_MAX, &wide))
        return false;
    *value = (uint32_t)wide;
    return true;
}

/* Digits into bytes, in place. */
static bool bytes_of(char *digits, const uint8_t **bytes, size_t *len)
{
    size_t bad;

    *bytes = (const uint8_t *)digits;
    return hex_read((uint8_t *)digits, strlen(digits), len, &bad);
}

static bool crc_of(char **rest, uint32_t *crc)
{
    const uint8_t *b;
    size_t len;

    if (!bytes_of(word(rest), &b, &len) || len != 4)
        return false;
    *crc = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 |
           b[3];
    return true;
}

/* Room for one entry more in an array that doubles at powers of 2. */
static void *grown(void *array, size_t count, size_t size)
{
    void *bigger = array;

    if ((count & (count - 1)) == 0)
        bigger = realloc(array, (count == 0 ? 1 : 2 * count) * size);
    if (bigger != NULL)
        memset((char *)bigger + count * size, 0, size);
    return bigger;
}

/* --- wire ------------------------------------------------------------------ */

static bool rule_of(char *rest, struct vector_field *field)
{
    const char *kind = word(&rest);

    field->rule = strcmp(kind, "@pattern") == 0 ? RULE_PATTERN : RULE_HOLES;
    if (field->rule == RULE_HOLES && strcmp(kind, "@holes") != 0)
        return false;
    if (!number(&rest, UINT64_MAX, &field->start) ||
        !number(&rest, UINT64_MAX, &field->each) ||
        !number(&rest, UINT32_MAX, &field->count))
        return false;
    field->size = field->rule == RULE_PATTERN ? field->each : 20 * field->count;
    return true;
}

/* More digits of the field before. */
static bool continued(struct vector *vector, char *digits)
{
    struct vector_field *field;
    const uint8_t *more;
    uint8_t *joined;
    size_t len;

    if (vector->field_count == 0 || !bytes_of(digits, &more, &len))
        return false;
    field = &vector->fields[vector->field_count - 1];
    if (field->rule != RULE_BYTES)
        return false;
    joined = realloc(field->owned, (size_t)field->size + len);
    if (joined == NULL)
        return false;
    if (field->owned == NULL)
        memcpy(joined, field->bytes, (size_t)field->size);
    memcpy(joined + field->size, more, len);
    field->bytes = field->owned = joined;
    field->size += len;
    return true;
}

static bool wire_line(struct vector *vector, char *line)
{
    char *name, *value;
    struct vector_field *field;
    size_t len = 0;

    line += strspn(line, " ");
    name = strstr(line, "  ");
    if (name == NULL)
        return continued(vector, line);
    *name = '\0';
    name += 1 + strspn(name + 1, " ");
    field = grown(vector->fields, vector->field_count, sizeof(*field));
    if (field == NULL)
        return false;
    vector->fields = field;
    field += vector->field_count++;
    value = strstr(name, " = ");
    if (value != NULL)
        *value = '\0';
    field->name = name;
    field->value = value != NULL ? value + 3 : "";
    if (line[0] == '@')
        return rule_of(line, field);
    if (!bytes_of(line, &field->bytes, &len))
        return false;
    field->size = len;
    return true;
}

/* --- what it means --------------------------------------------------------- */

static bool segment_line(struct vector *vector, const char *key, char *rest)
{
    struct vector_segment *segment =
        grown(vector->segments, vector->segment_count, sizeof(*segment));
    size_t len = 0;

    if (segment == NULL)
        return false;
    vector->segments = segment;
    segment += vector->segment_count++;
    segment->content =
        key[0] == 'd' ? READPLUS_CONTENT_DATA : READPLUS_CONTENT_HOLE;
    segment->repeat = 1;
    if (!number(&rest, UINT64_MAX, &segment->offset) ||
        !number(&rest, UINT64_MAX, &segment->length))
        return false;
    if (strcmp(key, "holes") == 0)
        return number(&rest, UINT32_MAX, &segment->repeat);
    if (*rest == '\0' || *rest == '@')
        return true;
    return bytes_of(word(&rest), &segment->bytes, &len) &&
           len == segment->length;
}

static bool stateid_line(struct vector *vector, char *rest)
{
    const uint8_t *other;
    size_t len;

    vector->has_args = true;
    if (!number32(&rest, &vector->stateid.seqid) ||
        !bytes_of(word(&rest), &other, &len) || len != READPLUS_OTHER_SIZE)
        return false;
    memcpy(vector->stateid.other, other, len);
    return true;
}

static bool yes_or_no(char **rest, bool *value)
{
    const char *text = word(rest);

    *value = strcmp(text, "yes") == 0;
    return *value || strcmp(text, "no") == 0;
}

static bool means_line(struct vector *vector, const char *key, char *rest)
{
    if (strcmp(key, "data") == 0 || strcmp(key, "hole") == 0 ||
        strcmp(key, "holes") == 0)
        return segment_line(vector, key, rest);
    if (strcmp(key, "stateid") == 0)
        return stateid_line(vector, rest);
    if (strcmp(key, "status") == 0) {
        vector->has_status = true;
        return number32(&rest, &vector->status);
    }
    if (strcmp(key, "eof") == 0) {
        vector->has_eof = true;
        return yes_or_no(&rest, &vector->eof);
    }
    if (strcmp(key, "offset") == 0)
        return number(&rest, UINT64_MAX, &vector->offset);
    if (strcmp(key, "count") == 0 || strcmp(key, "what") == 0)
        return number32(&rest, &vector->number);
    if (strcmp(key, "item") == 0)
        return number(&rest, UINT64_MAX, &vector->item_at) &&
               number32(&rest, &vector->behind);
    if (strcmp(key, "found") == 0) {
        vector->found = word(&rest);
        return true;
    }
    return false;
}

/* --- what a decoder must say ----------------------------------------------- */

static bool expect_words(char *rest, struct vector_expect *expect)
{
    if (!vector_error_named(word(&rest), &expect->error))
        return false;
    while (*rest != '\0') {
        const char *key = word(&rest);
        bool good = strcmp(key, "stuck") == 0;

        expect->stuck = good;
        if (strcmp(key, "at") == 0)
            good = number(&rest, UINT64_MAX, &expect->at);
        else if (strcmp(key, "segment") == 0)
            good = number32(&rest, &expect->segment);
        else if (strcmp(key, "bytes") == 0)
            good = number(&rest, UINT64_MAX, &expect->bytes);
        else if (strcmp(key, "zeros") == 0)
            good = number(&rest, UINT64_MAX, &expect->zeros);
        else if (strcmp(key, "eof") == 0)
            good = yes_or_no(&rest, &expect->eof);
        else if (strcmp(key, "crc") == 0)
            good = expect->delivers = crc_of(&rest, &expect->crc);
        if (!good)
            return false;
    }
    return true;
}

static bool expect_line(struct vector *vector, char *rest)
{
    struct vector_expect expect = {.segment = READPLUS_NO_SEGMENT};
    char *names = word(&rest), *name;

    if (!expect_words(rest, &expect))
        return false;
    while ((name = strsep(&names, ",")) != NULL) {
        enum vector_profile i = vector_profile_named(name);

        if (i == PROFILES)
            return false;
        vector->expect[i] = expect;
    }
    return true;
}

/* --- vectors --------------------------------------------------------------- */

static bool ask_line(struct vector *vector, char *rest)
{
    vector->asked = true;
    return number(&rest, UINT64_MAX, &vector->ask.offset) &&
           number32(&rest, &vector->ask.count);
}

static bool vector_line(struct text *text, const char *key, char *rest)
{
    struct vector *vector = text->vector;

    if (strcmp(key, "type") == 0) {
        vector->type = vector_type_named(rest);
        return vector->type != VECTOR_TYPES;
    }
    if (strcmp(key, "class") == 0) {
        vector->class = vector_class_named(rest);
        return vector->class != CLASSES;
    }
    if (strcmp(key, "rule") == 0)
        vector->rule = rest;
    else if (strcmp(key, "about") == 0)
        vector->about = rest;
    else if (strcmp(key, "ask") == 0)
        return ask_line(vector, rest);
    else if (strcmp(key, "wire") == 0)
        text->in_wire = true;
    else if (strcmp(key, "size") == 0)
        return number(&rest, UINT64_MAX, &vector->size) &&
               strcmp(word(&rest), "crc") == 0 && crc_of(&rest, &vector->crc);
    else if (strcmp(key, "expect") == 0)
        return expect_line(vector, rest);
    else if (strcmp(key, "head") != 0 && strcmp(key, "tail") != 0)
        return means_line(vector, key, rest);
    return true;
}

static bool any_line(struct catalogue *catalogue, struct text *text, char *line)
{
    char *rest = line;
    const char *key;

    if (line[0] == '#' || line[0] == '\0')
        return true;
    if (line[0] == ' ')
        return text->in_wire && wire_line(text->vector, line);
    text->in_wire = false;
    key = word(&rest);
    if (text->vector == NULL) {
        struct vector *more =
            grown(catalogue->vectors, catalogue->count, sizeof(*more));

        if (more == NULL || strcmp(key, "vector") != 0)
            return false;
        catalogue->vectors = more;
        text->vector = &more[catalogue->count++];
        *text->vector = (struct vector){.name = rest, .rule = "", .about = ""};
        return *rest != '\0';
    }
    if (strcmp(key, "end") != 0)
        return vector_line(text, key, rest);
    text->vector = NULL;
    return true;
}

static bool read_text(struct catalogue *catalogue, struct text *text)
{
    char *line;

    while ((line = strsep(&text->next, "\n")) != NULL) {
        text->line++;
        if (!any_line(catalogue, text, line)) {
            complain("%s:%u: not in the catalogue's format", text->file,
                     text->line);
            return false;
        }
    }
    if (text->vector != NULL)
        complain("%s: ends inside a vector", text->file);
    return text->vector == NULL;
}

static bool read_file(struct catalogue *catalogue, const char *directory,
                      const char *name)
{
    struct text text = {.file = name};
    uint8_t **texts, *bytes, *whole;
    char *path;
    size_t len;

    if (asprintf(&path, "%s/%s", directory, name) < 0)
        return false;
    bytes = input_read(path, &len);
    free(path);
    if (bytes == NULL)
        return false;
    whole = realloc(bytes, len + 1);
    texts = whole == NULL ? NULL
                          : grown(catalogue->texts, catalogue->text_count,
                                  sizeof(*texts));
    if (texts == NULL) {
        free(whole != NULL ? whole : bytes);
        return false;
    }
    whole[len] = '\0';
    catalogue->texts = texts;
    texts[catalogue->text_count++] = whole;
    text.next = (char *)whole;
    return read_text(catalogue, &text);
}

static int is_text(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return len > 4 && strcmp(entry->d_name + len - 4, ".txt") == 0;
}

bool catalogue_read(struct catalogue *catalogue, const char *directory)
{
    struct dirent **entries;
    int i, n = scandir(directory, &entries, is_text, alphasort);
    bool good = true;

    memset(catalogue, 0, sizeof(*catalogue));
    if (n <= 0) {
        complain("%s: no catalogue of vectors there", directory);
        if (n == 0)
            free(entries);
        return false;
    }
    for (i = 0; i < n; i++) {
        good = good && read_file(catalogue, directory, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    if (!good)
        catalogue_free(catalogue);
    return good;
}

void catalogue_free(struct catalogue *catalogue)
{
    size_t i, k;

    for (i = 0; i < catalogue->count; i++) {
        for (k = 0; k < catalogue->vectors[i].field_count; k++)
            free(catalogue->vectors[i].fields[k].owned);
        free(catalogue->vectors[i].fields);
        free(catalogue->vectors[i].segments);
    }
    for (i = 0; i < catalogue->text_count; i++)
        free(catalogue->texts[i]);
    free(catalogue->vectors);
    free(catalogue->texts);
    memset(catalogue, 0, sizeof(*catalogue));
}

const struct vector *catalogue_find(const struct catalogue *catalogue,
                                    const char *name)
{
    size_t i;

    for (i = 0; i < catalogue->count; i++)
        if (strcmp(catalogue->vectors[i].name, name) == 0)
            return &catalogue->vectors[i];
    return NULL;
}
