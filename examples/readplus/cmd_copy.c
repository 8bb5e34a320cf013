/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * readplus copy: a sparse file through READ_PLUS, and what that cost on the
 * wire against READ.  The work is in copy.c; here it is asked for and told.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>

#include "copy.h"
#include "policy.h"

struct options {
    struct copy_job job;
    const char *policy;
    bool json;
};

enum { KEY_COUNT = 0x100, KEY_MAXCOUNT, KEY_POLICY };

static const struct argp_option option_table[] = {
    {"count", KEY_COUNT, "N", 0,
     "Bytes of the file each request asks for (default 1M)", 0},
    {"maxcount", KEY_MAXCOUNT, "N", 0,
     "Bytes of a reply, less its status: at least 28 (default: as many as "
     "the request can need)",
     0},
    {"policy", KEY_POLICY, "WORDS", 0,
     POLICY_HELP " (default: whole, since this client keeps all of a hole)", 0},
    {"json", 'j', NULL, 0, "Print one JSON object", 0},
    {0},
};

static void take_argument(struct options *options, char *arg,
                          const struct argp_state *state)
{
    if (state->arg_num == 0)
        options->job.source = arg;
    else if (state->arg_num == 1)
        options->job.target = arg;
    else
        argp_error(state, "one source and one target");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case KEY_COUNT:
        options->job.count =
            (uint32_t)number_option("count", arg, 1, UINT32_MAX, state);
        return 0;
    case KEY_MAXCOUNT:
        options->job.limits.maxcount = (uint32_t)number_option(
            "maxcount", arg, READPLUS_MAXCOUNT_MIN, UINT32_MAX, state);
        return 0;
    case KEY_POLICY:
        options->policy = arg;
        return 0;
    case 'j':
        options->json = true;
        return 0;
    case ARGP_KEY_ARG:
        take_argument(options, arg, state);
        return 0;
    case ARGP_KEY_END:
        if (options->job.target == NULL)
            argp_error(state, "which file, and where to?");
        policy_parse(options->policy, &options->job.limits, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    option_table,
    parse_option,
    "SRC DST",
    "Copy a file by asking READ_PLUS requests to its end, answering each, and "
    "decoding the bytes of the answers; DST gets the holes of SRC.\v"
    "DST appears when it is complete and was proven: same bytes, same size, "
    "and no data where SRC has a hole. Until then, and after any failure, it "
    "is what it was.\n\n"
    "Exit status: 0 copied and proven; 1 not, such as SRC changing under way "
    "or a full disk; 2 wrong use; 3 SRC could not be read.",
    NULL,
    NULL,
    NULL};

static double percent(const struct copy_report *report)
{
    return 100.0 * (double)report->wire_bytes / (double)report->read.bytes;
}

static void tell(const struct copy_job *job, const struct copy_report *report)
{
    char map[DRAW_CELLS + 1];

    draw_line(&report->drawing, map);
    printf("%s -> %s: %" PRIu64 " bytes, proven%s\n\n", job->source,
           job->target, report->size,
           report->holes_proven ? ", no data where there was a hole" : "");
    printf("%-10s %12s %12s %20s %20s\n", "", "requests", "segments",
           "file bytes sent", "bytes on the wire");
    printf("%-10s %12" PRIu64 " %12" PRIu64 " %20" PRIu64 " %20" PRIu64 "\n",
           "READ_PLUS", report->requests, report->segments, report->data_bytes,
           report->wire_bytes);
    printf("%-10s %12" PRIu64 " %12s %20" PRIu64 " %20" PRIu64 "\n", "READ",
           report->read.requests, "", report->size, report->read.bytes);
    printf("%.4g %% of what READ would have sent\n\n[%s]\n", percent(report),
           map);
    printf("# data  . hole  + both; one mark is %" PRIu64 " bytes\n",
           report->drawing.cell);
}

static void add(struct json_object *object, const char *key,
                struct json_object *value)
{
    json_object_object_add(object, key, value);
}

static void tell_json(const struct copy_job *job,
                      const struct copy_report *report)
{
    struct json_object *object = json_object_new_object();
    char map[DRAW_CELLS + 1];

    draw_line(&report->drawing, map);
    add(object, "source", json_object_new_string(job->source));
    add(object, "target", json_object_new_string(job->target));
    add(object, "size", json_object_new_uint64(report->size));
    add(object, "count", json_object_new_uint64(job->count));
    add(object, "maxcount", json_object_new_uint64(job->limits.maxcount));
    add(object, "requests", json_object_new_uint64(report->requests));
    add(object, "segments", json_object_new_uint64(report->segments));
    add(object, "data_bytes", json_object_new_uint64(report->data_bytes));
    add(object, "hole_bytes", json_object_new_uint64(report->hole_bytes));
    add(object, "wire_bytes", json_object_new_uint64(report->wire_bytes));
    add(object, "read_requests", json_object_new_uint64(report->read.requests));
    add(object, "read_wire_bytes", json_object_new_uint64(report->read.bytes));
    add(object, "same_bytes", json_object_new_boolean(true));
    add(object, "same_size", json_object_new_boolean(true));
    add(object, "same_holes",
        report->holes_proven ? json_object_new_boolean(true) : NULL);
    add(object, "map", json_object_new_string(map));
    puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
    json_object_put(object);
}

int cmd_copy(int argc, char **argv)
{
    struct options options = {
        .job = {.count = 1 << 20, .limits = {.maxcount = UINT32_MAX}},
        .policy = "whole"};
    struct copy_report report;
    int outcome;

    argp_parse(&parser, argc, argv, 0, NULL, &options);
    outcome = (int)copy_file(&options.job, &report);
    if (outcome != OUTCOME_OK)
        return outcome;
    if (options.json)
        tell_json(&options.job, &report);
    else
        tell(&options.job, &report);
    return outcome;
}
