/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The catalogue written elsewhere: as JSON, as a file a vector, as a table in
 * a language, as a corpus for fuzzers.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hex.h"
#include "program.h"
#include "vector_check.h"
#include "vectors.h"

FILE *vectors_create(const char *directory, const char *name)
{
    FILE *file = NULL;
    char *path;

    if (asprintf(&path, "%s/%s", directory, name) >= 0) {
        file = fopen(path, "wbe");
        free(path);
    }
    if (file == NULL)
        complain("%s/%s: cannot be written: %s", directory, name,
                 strerror(errno));
    return file;
}

bool vectors_close(FILE *file, const char *name)
{
    bool bad = ferror(file) != 0;

    if (fclose(file) == 0 && !bad)
        return true;
    complain("%s: cannot be written: %s", name, strerror(errno));
    return false;
}

static bool make_directory(const char *directory)
{
    if (mkdir(directory, 0777) == 0 || errno == EEXIST)
        return true;
    complain("%s: cannot be made: %s", directory, strerror(errno));
    return false;
}

/* --- one file -------------------------------------------------------------- */

static void put_json(const struct catalogue *catalogue, FILE *to)
{
    size_t i;

    fprintf(to,
            "{\"schema\":\"readplus-vectors\",\"version\":1,\"license\":"
            "\"CC0-1.0\",\"made_by\":\"libreadplus %s\",\n\"vectors\":[\n",
            readplus_version());
    for (i = 0; i < catalogue->count; i++) {
        vector_json(&catalogue->vectors[i], to);
        fputs(i + 1 < catalogue->count ? ",\n" : "\n", to);
    }
    fputs("]}\n", to);
}

static int one_file(const struct catalogue *catalogue, const char *format,
                    const char *directory, const char *name)
{
    FILE *to = vectors_create(directory, name);
    bool good = true;

    if (to == NULL)
        return OUTCOME_FAULTY;
    if (strcmp(format, "json") == 0)
        put_json(catalogue, to);
    else
        good = vectors_table(catalogue, format, to);
    return vectors_close(to, name) && good ? OUTCOME_OK : OUTCOME_FAULTY;
}

/* --- a file a vector ------------------------------------------------------- */

static bool put_file(const char *directory, const char *name,
                     const uint8_t *bytes, size_t len, bool as_hex)
{
    FILE *to = vectors_create(directory, name);

    if (to == NULL)
        return false;
    if (as_hex) {
        hex_print(bytes, len, to);
        putc('\n', to);
    } else {
        fwrite(bytes, 1, len, to);
    }
    return vectors_close(to, name);
}

static void put_index(const struct vector *v, FILE *to)
{
    const struct vector_expect *strict = &v->expect[PROFILE_STRICT];

    fprintf(to, "%s\t%s\t%s\t%" PRIu64 "\t", v->name, vector_type_name(v->type),
            vector_class_name(v->class), v->size);
    if (v->asked)
        fprintf(to, "%" PRIu64 "\t%" PRIu32 "\t", v->ask.offset, v->ask.count);
    else
        fputs("-\t-\t", to);
    fprintf(to, "%s\t%" PRIu64 "\n", vector_error_name(strict->error),
            strict->at);
}

static bool many_files(const struct catalogue *catalogue, const char *directory,
                       bool as_hex, FILE *index)
{
    char name[128];
    size_t i;

    fputs("#name\ttype\tclass\tsize\toffset\tcount\tresult\tat\n", index);
    for (i = 0; i < catalogue->count; i++) {
        const struct vector *v = &catalogue->vectors[i];
        uint8_t *bytes;
        bool good;

        put_index(v, index);
        if (v->size > VECTOR_LARGE)
            continue;
        bytes = vector_bytes(v);
        snprintf(name, sizeof(name), "%s.%s", v->name, as_hex ? "hex" : "bin");
        good = bytes != NULL &&
               put_file(directory, name, bytes, (size_t)v->size, as_hex);
        free(bytes);
        if (!good)
            return false;
    }
    return true;
}

static int all_files(const struct catalogue *catalogue, const char *directory,
                     bool as_hex)
{
    FILE *index = vectors_create(directory, "index.tsv");
    bool good;

    if (index == NULL)
        return OUTCOME_FAULTY;
    good = many_files(catalogue, directory, as_hex, index);
    return vectors_close(index, "index.tsv") && good ? OUTCOME_OK
                                                     : OUTCOME_FAULTY;
}

/* --- what there is --------------------------------------------------------- */

static void count_left_out(const struct catalogue *catalogue, uint64_t limit)
{
    size_t i, left_out = 0;

    for (i = 0; i < catalogue->count; i++)
        left_out += catalogue->vectors[i].size > limit;
    printf("%zu vectors written", catalogue->count - left_out);
    if (left_out > 0)
        printf(", %zu above %" PRIu64 " KiB left out", left_out, limit >> 10);
    putchar('\n');
}

int vectors_export(const struct catalogue *catalogue, const char *format,
                   const char *directory)
{
    static const char *const names[][2] = {{"json", "vectors.json"},
                                           {"c", "vectors.c"},
                                           {"rust", "vectors.rs"},
                                           {"go", "vectors.go"},
                                           {"python", "vectors.py"}};
    bool as_hex = strcmp(format, "hex") == 0;
    bool files = as_hex || strcmp(format, "bin") == 0;
    uint64_t limit = files ? VECTOR_LARGE : VECTORS_TABLE_MAX;
    int outcome = OUTCOME_USAGE;
    size_t i = 0;

    while (i < 5 && strcmp(format, names[i][0]) != 0)
        i++;
    if (!files && i == 5) {
        complain("no format is called '%s'", format);
        return OUTCOME_USAGE;
    }
    if (!make_directory(directory))
        return OUTCOME_FAULTY;
    outcome = files ? all_files(catalogue, directory, as_hex)
                    : one_file(catalogue, format, directory, names[i][1]);
    if (outcome == OUTCOME_OK)
        count_left_out(catalogue, i == 0 ? UINT64_MAX : limit);
    return outcome;
}

/* The words of `readplus decode --type' name the folders. */
static const char *folder(enum vector_type type)
{
    static const char *const names[VECTOR_TYPES] = {
        "args",     "res",   "argop",  "resop",    "seek-args",
        "seek-res", "argop", "resop",  "compound", "compound",
        "rpc",      "rpc",   "record", "record"};

    return names[type];
}

/* Seeds are short, or a fuzzer wastes its time. */
#define SEED_MAX 4096

int vectors_corpus(const struct catalogue *catalogue, const char *directory)
{
    size_t i, written = 0;
    bool good = make_directory(directory);

    for (i = 0; good && i < catalogue->count; i++) {
        const struct vector *v = &catalogue->vectors[i];
        char *sub = NULL;
        uint8_t *bytes;

        if (v->size > SEED_MAX)
            continue;
        bytes = vector_bytes(v);
        good = bytes != NULL &&
               asprintf(&sub, "%s/%s", directory, folder(v->type)) >= 0 &&
               make_directory(sub) &&
               put_file(sub, v->name, bytes, (size_t)v->size, false);
        free(sub);
        free(bytes);
        written++;
    }
    if (good)
        printf("%zu seeds written\n", written);
    return good ? OUTCOME_OK : OUTCOME_FAULTY;
}
