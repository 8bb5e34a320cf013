/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of `readplus vectors`.  Each returns an exit status and says what
 * went wrong.
 */
#ifndef VECTORS_H
#define VECTORS_H

#include <stdio.h>

#include "vector_wire.h"

/* The vector, field by field, and what it means; in colour if told so. */
void vector_show(const struct vector *vector, bool colour, FILE *to);

/* Writes the whole catalogue into the directory, in that format. */
int vectors_export(const struct catalogue *catalogue, const char *format,
                   const char *directory);

/* Its items as files for a fuzzer to begin with, a folder a type. */
int vectors_corpus(const struct catalogue *catalogue, const char *directory);

/* Runs the command on every vector and prints how it conforms. */
int vectors_test_decoder(const struct catalogue *catalogue, char **command,
                         bool verbose);

/* Prints the vector that the words describe. */
int vectors_new(int count, char **words);

/* One vector as a JSON object. */
void vector_json(const struct vector *vector, FILE *to);

/* The whole catalogue as a table in a language; `name` is its format word.
 * False: no such language. */
bool vectors_table(const struct catalogue *catalogue, const char *language,
                   FILE *to);

/* Opens DIRECTORY/NAME for writing; NULL, and the reason said. */
FILE *vectors_create(const char *directory, const char *name);

/* Closes it; false, and said so, where anything was lost. */
bool vectors_close(FILE *file, const char *name);

/* Vectors longer than this are in no table. */
#define VECTORS_TABLE_MAX ((uint64_t)128 << 10)

#endif /* VECTORS_H */
