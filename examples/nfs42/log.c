/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log: who asked what, what was answered, and what READ_PLUS made of it.
 * A line is written whole, after its reply was made; file names and bytes of
 * files are never in it.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "operations.h"

struct log {
    FILE *file;
};

struct log *log_open(const char *path)
{
    struct log *log = calloc(1, sizeof(*log));

    if (log != NULL)
        log->file = fopen(path, "ae");
    if (log == NULL || log->file == NULL) {
        fprintf(stderr, "nfs42d: %s: %s\n", path, strerror(errno));
        free(log);
        return NULL;
    }
    return log;
}

void log_close(struct log *log)
{
    if (log == NULL)
        return;
    fclose(log->file);
    free(log);
}

static void add_number(json_object *object, const char *key, uint64_t value)
{
    json_object_object_add(object, key, json_object_new_uint64(value));
}

static json_object *operation_object(const struct done *done)
{
    const struct operation *operation = operation_find(done->op);
    json_object *object = json_object_new_object();

    json_object_object_add(object, "op",
                           json_object_new_string(operation != NULL
                                                      ? operation->name
                                                      : "ILLEGAL"));
    add_number(object, "status", done->status);
    if (done->op != OP_READ && done->op != OP_READ_PLUS)
        return object;
    add_number(object, "offset", done->asked.offset);
    add_number(object, "count", done->asked.count);
    add_number(object, "data", done->data);
    add_number(object, "holes", done->holes);
    add_number(object, "wire", done->wire);
    json_object_object_add(object, "eof", json_object_new_boolean(done->eof));
    return object;
}

void log_compound(struct log *log, const char *from, uint32_t xid,
                  const struct compound *compound)
{
    json_object *line, *ops;
    struct timespec now;
    uint32_t i;

    if (log == NULL)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    line = json_object_new_object();
    ops = json_object_new_array();
    json_object_object_add(
        line, "time",
        json_object_new_double((double)now.tv_sec + (double)now.tv_nsec / 1e9));
    json_object_object_add(line, "from", json_object_new_string(from));
    add_number(line, "xid", xid);
    for (i = 0; i < compound->results; i++)
        json_object_array_add(ops, operation_object(&compound->done[i]));
    json_object_object_add(line, "ops", ops);
    add_number(line, "reply", reply_size(compound->reply));
    if (compound->replayed)
        json_object_object_add(line, "replayed", json_object_new_boolean(true));
    fprintf(log->file, "%s\n",
            json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN));
    fflush(log->file);
    json_object_put(line);
}
