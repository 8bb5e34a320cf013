/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The catalogue of wire-format vectors in memory, as its files say it
 * (tests/vectors/README).
 */
#ifndef VECTOR_FILE_H
#define VECTOR_FILE_H

#include <readplus.h>

enum vector_type {
    VECTOR_ARGS,
    VECTOR_RES,
    VECTOR_ARGOP,
    VECTOR_RESOP,
    VECTOR_SEEK_ARGS,
    VECTOR_SEEK_RES,
    VECTOR_SEEK_ARGOP,
    VECTOR_SEEK_RESOP,
    VECTOR_COMPOUND_ARGS,
    VECTOR_COMPOUND_RES,
    VECTOR_RPC_CALL,
    VECTOR_RPC_REPLY,
    VECTOR_RECORD_CALL,
    VECTOR_RECORD_REPLY,
    VECTOR_TYPES /* their number */
};

enum vector_class { CLASS_VALID, CLASS_POLICY, CLASS_INVALID, CLASSES };

enum vector_profile {
    PROFILE_STRICT,
    PROFILE_TOLERANT,
    PROFILE_ANY_PAD,
    PROFILE_TRAILING,
    PROFILES
};

/* Bytes of the wire with their name; or the rule that makes them. */
enum vector_rule { RULE_BYTES, RULE_PATTERN, RULE_HOLES };

struct vector_field {
    const char *name, *value; /* value may be "" */
    enum vector_rule rule;
    const uint8_t *bytes; /* RULE_BYTES */
    uint8_t *owned;       /* private */
    uint64_t start, each, count;
    uint64_t size;
};

/* A segment as it is meant; `repeat` of them, one behind the other. */
struct vector_segment {
    enum readplus_content content;
    uint64_t offset, length, repeat;
    const uint8_t *bytes; /* of data, or NULL: the pattern */
};

struct vector_expect {
    enum readplus_error error;
    uint32_t segment;
    uint64_t at;
    bool delivers; /* what follows was given */
    bool eof, stuck;
    uint32_t crc;
    uint64_t bytes, zeros;
};

struct vector {
    const char *name, *rule, *about;
    enum vector_type type;
    enum vector_class class;
    bool asked;
    struct readplus_args ask;
    struct vector_field *fields;
    size_t field_count;
    uint64_t size;
    uint32_t crc;

    /* What it means, as far as it says anything. */
    const char *found; /* of a message: item, denied ..., else NULL */
    uint64_t item_at;
    uint32_t behind;
    bool has_status, has_eof, has_args;
    bool eof;
    uint32_t status, number; /* number: count or what */
    uint64_t offset;
    struct readplus_stateid stateid;
    struct vector_segment *segments;
    size_t segment_count;

    struct vector_expect expect[PROFILES];
};

struct catalogue {
    struct vector *vectors;
    size_t count;
    uint8_t **texts; /* what the strings above point into */
    size_t text_count;
};

/*
 * Reads every *.txt of the directory, in the order of their names.  False,
 * and the reason said, where one cannot be read or is not in the format; then
 * there is nothing to free.
 */
bool catalogue_read(struct catalogue *catalogue, const char *directory);

void catalogue_free(struct catalogue *catalogue);

const struct vector *catalogue_find(const struct catalogue *catalogue,
                                    const char *name);

/* The words of the files. */
const char *vector_type_name(enum vector_type type);
const char *vector_class_name(enum vector_class class);
const char *vector_profile_name(enum vector_profile profile);

/* The reverse; the number of them where the word is unknown. */
enum vector_type vector_type_named(const char *name);
enum vector_class vector_class_named(const char *name);
enum vector_profile vector_profile_named(const char *name);

/* The name of an error without READPLUS_ERR_. */
const char *vector_error_name(enum readplus_error error);
bool vector_error_named(const char *name, enum readplus_error *error);

#endif /* VECTOR_FILE_H */
