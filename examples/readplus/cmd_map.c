/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * readplus map: how much of a file is hole, and what READ_PLUS would save on
 * it, before anything is set up.  Files are only read.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cost.h"
#include "policy.h"

enum { EXACT, SCAN, ALLOCATED, WITNESSES };

static const char *const witness_names[WITNESSES] = {
    [EXACT] = "exact", [SCAN] = "scan", [ALLOCATED] = "allocated"};

/* The policies whose price is told; the last words of cmd_copy's. */
static const char *const policies[] = {"default",     "whole",        "exact",
                                       "whole,exact", "linux-client", "rdma",
                                       "single-data", "single"};

#define POLICIES (sizeof(policies) / sizeof(policies[0]))

static const uint32_t usual_counts[] = {64 << 10, 256 << 10, 1 << 20};

#define COUNTS (sizeof(usual_counts) / sizeof(usual_counts[0]))

struct options {
    uint64_t block;
    uint32_t counts[COUNTS];
    size_t count_count;
    bool json;
    char **files;
    size_t file_count;
    struct readplus_limits limits[POLICIES];
};

/* What is known of one file. */
struct map {
    const char *name;
    uint64_t size;
    struct layout layouts[WITNESSES];
    bool known[WITNESSES];
    struct layout_figures figures[WITNESSES];
    struct cost read[COUNTS];
    struct cost costs[POLICIES][COUNTS];
};

enum { KEY_COUNT = 0x100, KEY_BLOCK };

static const struct argp_option option_table[] = {
    {"block", KEY_BLOCK, "N", 0,
     "Tell which share is in whole holes of so many bytes, aligned "
     "(default 1M)",
     0},
    {"count", KEY_COUNT, "N", 0,
     "Tell the price of requests of so many bytes (default: 64K, 256K and 1M)",
     0},
    {"json", 'j', NULL, 0, "Print one JSON object a file", 0},
    {0},
};

static void prepare(struct options *options, const struct argp_state *state)
{
    size_t i;

    for (i = 0; i < POLICIES; i++) {
        options->limits[i].maxcount = UINT32_MAX;
        policy_parse(policies[i], &options->limits[i], state);
    }
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case KEY_BLOCK:
        options->block = number_option("block", arg, 1, UINT64_MAX, state);
        return 0;
    case KEY_COUNT:
        options->counts[0] =
            (uint32_t)number_option("count", arg, 1, UINT32_MAX, state);
        options->count_count = 1;
        return 0;
    case 'j':
        options->json = true;
        return 0;
    case ARGP_KEY_ARGS:
        options->files = state->argv + state->next;
        options->file_count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which file?");
        return 0;
    case ARGP_KEY_INIT:
        prepare(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    option_table,
    parse_option,
    "FILE...",
    "Tell where the holes of files are, and what READ_PLUS would save on "
    "them.\v"
    "Exact: what the file system calls a hole (SEEK_DATA). Scan: zeros in "
    "aligned blocks of 4096 bytes, too. Allocated: what takes up space, "
    "written or not (FIEMAP).",
    NULL,
    NULL,
    NULL};

/* Asks all witnesses.  False, with errno. */
static bool look(struct map *map, int fd, uint64_t block)
{
    struct layout *layouts = map->layouts;
    enum layout_result results[WITNESSES];
    size_t i;

    results[EXACT] = layout_exact(&layouts[EXACT], fd, map->size);
    results[SCAN] = layout_scan(&layouts[SCAN], fd, &layouts[EXACT], 4096);
    results[ALLOCATED] = layout_allocated(&layouts[ALLOCATED], fd, map->size);
    for (i = 0; i < WITNESSES; i++) {
        if (results[i] == LAYOUT_FAILED)
            return false;
        map->known[i] = results[i] == LAYOUT_GOOD;
        layout_measure(&layouts[i], block, &map->figures[i]);
    }
    return true;
}

static bool price(struct map *map, const struct options *options)
{
    size_t p, c, witness;

    for (c = 0; c < options->count_count; c++) {
        map->read[c] = cost_read(map->size, options->counts[c], UINT32_MAX);
        for (p = 0; p < POLICIES; p++) {
            witness =
                options->limits[p].flags & READPLUS_LIMIT_EXACT ? EXACT : SCAN;
            if (!cost_read_plus(&map->layouts[witness], &map->layouts[EXACT],
                                options->counts[c], &options->limits[p],
                                &map->costs[p][c]))
                return false;
        }
    }
    return true;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static void tell_holes(const struct map *map, uint64_t block)
{
    char line[DRAW_CELLS + 1];
    size_t i;

    printf("%-10s %9s %20s %8s %8s %20s\n", "", "holes", "bytes", "share",
           "aligned", "largest");
    for (i = 0; i < WITNESSES; i++) {
        const struct layout_figures *f = &map->figures[i];

        if (!map->known[i])
            continue;
        printf("%-10s %9" PRIu64 " %20" PRIu64 " %7.3f%% %7.3f%% %20" PRIu64
               "\n",
               witness_names[i], f->holes, f->hole_bytes,
               share(f->hole_bytes, map->size),
               share(f->aligned_bytes, map->size), f->largest);
    }
    for (i = 0; i < WITNESSES; i++) {
        draw_line(&map->figures[i].drawing, line);
        if (map->known[i])
            printf("%-10s [%s]\n", witness_names[i], line);
    }
    printf("aligned: in whole holes of %" PRIu64 " bytes; map: # data, "
           ". hole, + both; one mark is %" PRIu64 " bytes\n",
           block, map->figures[EXACT].drawing.cell);
}

static void tell_costs(const struct map *map, const struct options *options)
{
    size_t p, c;

    printf("\n%-14s", "on the wire");
    for (c = 0; c < options->count_count; c++)
        printf(" %20s %7" PRIu32 "K", "bytes, requests of",
               options->counts[c] >> 10);
    printf("\n%-14s", "READ");
    for (c = 0; c < options->count_count; c++)
        printf(" %20" PRIu64 " %8s", map->read[c].bytes, "");
    for (p = 0; p < POLICIES; p++) {
        printf("\n%-14s", policies[p]);
        for (c = 0; c < options->count_count; c++)
            printf(" %20" PRIu64 " %7.3f%%", map->costs[p][c].bytes,
                   share(map->costs[p][c].bytes, map->read[c].bytes));
    }
    printf("\n\n");
}

static void tell(const struct map *map, const struct options *options)
{
    printf("%s: %" PRIu64 " bytes\n", map->name, map->size);
    tell_holes(map, options->block);
    tell_costs(map, options);
}

static void add_number(struct json_object *object, const char *key,
                       uint64_t number)
{
    json_object_object_add(object, key, json_object_new_uint64(number));
}

static void add_share(struct json_object *object, const char *key,
                      uint64_t part, uint64_t whole)
{
    json_object_object_add(object, key,
                           json_object_new_double(share(part, whole) / 100));
}

static struct json_object *figures_json(const struct layout_figures *figures)
{
    uint64_t size = figures->drawing.size;
    struct json_object *object = json_object_new_object();
    char line[DRAW_CELLS + 1];

    draw_line(&figures->drawing, line);
    add_number(object, "holes", figures->holes);
    add_number(object, "hole_bytes", figures->hole_bytes);
    add_share(object, "share", figures->hole_bytes, size);
    add_number(object, "aligned_hole_bytes", figures->aligned_bytes);
    add_share(object, "aligned_share", figures->aligned_bytes, size);
    add_number(object, "largest_hole", figures->largest);
    json_object_object_add(object, "map", json_object_new_string(line));
    return object;
}

static struct json_object *cost_json(const struct cost *cost)
{
    struct json_object *object = json_object_new_object();

    add_number(object, "requests", cost->requests);
    add_number(object, "wire_bytes", cost->bytes);
    return object;
}

static struct json_object *costs_json(const struct map *map, uint32_t count,
                                      size_t c)
{
    struct json_object *object = json_object_new_object();
    size_t p;

    add_number(object, "count", count);
    json_object_object_add(object, "READ", cost_json(&map->read[c]));
    for (p = 0; p < POLICIES; p++)
        json_object_object_add(object, policies[p],
                               cost_json(&map->costs[p][c]));
    return object;
}

static void tell_json(const struct map *map, const struct options *options)
{
    struct json_object *object = json_object_new_object();
    struct json_object *wire = json_object_new_array();
    size_t i;

    json_object_object_add(object, "file", json_object_new_string(map->name));
    add_number(object, "size", map->size);
    add_number(object, "block", options->block);
    for (i = 0; i < WITNESSES; i++)
        json_object_object_add(object, witness_names[i],
                               map->known[i] ? figures_json(&map->figures[i])
                                             : NULL);
    for (i = 0; i < options->count_count; i++)
        json_object_array_add(wire, costs_json(map, options->counts[i], i));
    json_object_object_add(object, "wire", wire);
    puts(json_object_to_json_string_ext(
        object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(object);
}

/* One file that is open. */
static int map_open(struct map *map, int fd, const struct options *options)
{
    struct stat st;

    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        complain("%s: is no regular file", map->name);
        return OUTCOME_UNREADABLE;
    }
    map->size = (uint64_t)st.st_size;
    if (!look(map, fd, options->block)) {
        complain("%s: cannot be read: %s", map->name, strerror(errno));
        return OUTCOME_UNREADABLE;
    }
    if (!price(map, options)) {
        complain("%s: out of memory", map->name);
        return OUTCOME_FAULTY;
    }
    if (options->json)
        tell_json(map, options);
    else
        tell(map, options);
    return OUTCOME_OK;
}

static int map_file(const char *name, const struct options *options)
{
    int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    struct map map = {.name = name};
    int outcome;
    size_t i;

    if (fd < 0) {
        complain("%s: cannot be read: %s", name, strerror(errno));
        return OUTCOME_UNREADABLE;
    }
    outcome = map_open(&map, fd, options);
    for (i = 0; i < WITNESSES; i++)
        layout_free(&map.layouts[i]);
    close(fd);
    return outcome;
}

int cmd_map(int argc, char **argv)
{
    struct options options = {.block = 1 << 20, .count_count = COUNTS};
    int outcome = OUTCOME_OK, one;
    size_t i;

    memcpy(options.counts, usual_counts, sizeof(usual_counts));
    argp_parse(&parser, argc, argv, 0, NULL, &options);
    for (i = 0; i < options.file_count; i++) {
        one = map_file(options.files[i], &options);
        if (one > outcome)
            outcome = one;
    }
    return outcome;
}
