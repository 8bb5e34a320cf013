/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of the catalogue's files, both ways.
 */
#include <string.h>

#include "vector_file.h"

static const char *const types[VECTOR_TYPES] = {
    [VECTOR_ARGS] = "READ_PLUS4args",
    [VECTOR_RES] = "READ_PLUS4res",
    [VECTOR_ARGOP] = "nfs_argop4",
    [VECTOR_RESOP] = "nfs_resop4",
    [VECTOR_SEEK_ARGS] = "SEEK4args",
    [VECTOR_SEEK_RES] = "SEEK4res",
    [VECTOR_SEEK_ARGOP] = "nfs_argop4_seek",
    [VECTOR_SEEK_RESOP] = "nfs_resop4_seek",
    [VECTOR_COMPOUND_ARGS] = "COMPOUND4args",
    [VECTOR_COMPOUND_RES] = "COMPOUND4res",
    [VECTOR_RPC_CALL] = "rpc_call",
    [VECTOR_RPC_REPLY] = "rpc_reply",
    [VECTOR_RECORD_CALL] = "record_call",
    [VECTOR_RECORD_REPLY] = "record_reply",
};

static const char *const classes[CLASSES] = {"valid", "policy", "invalid"};

static const char *const profiles[PROFILES] = {"strict", "tolerant", "any-pad",
                                               "trailing"};

const char *vector_type_name(enum vector_type type)
{
    return types[type];
}

const char *vector_class_name(enum vector_class class)
{
    return classes[class];
}

const char *vector_profile_name(enum vector_profile profile)
{
    return profiles[profile];
}

const char *vector_error_name(enum readplus_error error)
{
    const char *name = readplus_error_name(error);

    return strncmp(name, "READPLUS_ERR_", 13) == 0 ? name + 13 : name + 9;
}

/* The word's index in a table of n, or n. */
static unsigned index_of(const char *word, const char *const *table, unsigned n)
{
    unsigned i = 0;

    while (i < n && strcmp(word, table[i]) != 0)
        i++;
    return i;
}

enum vector_type vector_type_named(const char *name)
{
    return (enum vector_type)index_of(name, types, VECTOR_TYPES);
}

enum vector_class vector_class_named(const char *name)
{
    return (enum vector_class)index_of(name, classes, CLASSES);
}

enum vector_profile vector_profile_named(const char *name)
{
    return (enum vector_profile)index_of(name, profiles, PROFILES);
}

bool vector_error_named(const char *name, enum readplus_error *error)
{
    int value;

    for (value = 0; value > -50; value--) {
        *error = (enum readplus_error)value;
        if (strcmp(vector_error_name(*error), name) == 0)
            return true;
    }
    return false;
}
