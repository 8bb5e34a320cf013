/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a copy did, in a line for a person or an object for a program.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>

#include "client_copy.h"

static void add(struct json_object *object, const char *key,
                struct json_object *value)
{
    json_object_object_add(object, key, value);
}

static void tell_json(const struct options *options, const struct told *told)
{
    const struct counts *counts = &told->counts;
    struct json_object *object = json_object_new_object();

    add(object, "source", json_object_new_string(options->source));
    add(object, "target", json_object_new_string(options->target));
    add(object, "size", json_object_new_uint64(told->size));
    add(object, "resumed", json_object_new_uint64(told->resumed));
    add(object, "wire_bytes", json_object_new_uint64(told->wire_bytes));
    add(object, "seconds", json_object_new_double(told->seconds));
    add(object, "read_plus_requests",
        json_object_new_uint64(counts->read_pluses));
    add(object, "read_requests", json_object_new_uint64(counts->reads));
    add(object, "sessions", json_object_new_uint64(counts->sessions));
    add(object, "fallback",
        counts->fallback != NULL ? json_object_new_string(counts->fallback)
                                 : NULL);
    add(object, "verified", json_object_new_boolean(options->verify));
    puts(json_object_to_json_string_ext(
        object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(object);
}

void tell_copy(const struct options *options, const struct told *told)
{
    const struct counts *counts = &told->counts;

    if (options->json) {
        tell_json(options, told);
        return;
    }
    if (options->quiet)
        return;
    printf("%s -> %s: %" PRIu64 " bytes, %" PRIu64 " on the wire, %.1f s, "
           "%" PRIu64 " READ_PLUS, %" PRIu64 " READ%s\n",
           options->source, options->target, told->size, told->wire_bytes,
           told->seconds, counts->read_pluses, counts->reads,
           options->verify ? ", verified" : "");
    if (told->resumed > 0)
        printf("%" PRIu64 " bytes were there from an earlier run\n",
               told->resumed);
    if (counts->fallback != NULL)
        printf("READ was used: %s\n", counts->fallback);
}
