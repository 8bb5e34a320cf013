/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * readplus vectors: the catalogue of wire-format vectors, listed, shown,
 * checked against the library, taken elsewhere, and put before other decoders.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "vector_check.h"
#include "vectors.h"

struct options {
    const char *directory, *format;
    enum vector_type type;   /* VECTOR_TYPES: any */
    enum vector_class class; /* CLASSES: any */
    bool verbose;
    const char *action;
    char **words; /* behind the action */
    int count;
};

static const struct argp_option option_table[] = {
    {"dir", 'd', "DIR", 0,
     "Where the catalogue is (default: READPLUS_VECTORS, or as installed)", 0},
    {"format", 'f', "FORMAT", 0,
     "export: json, bin, hex, c, rust, go or python", 0},
    {"type", 't', "TYPE", 0, "list: only these, such as READ_PLUS4res", 0},
    {"class", 'c', "CLASS", 0, "list: only valid, invalid or policy", 0},
    {"verbose", 'v', NULL, 0, "test-decoder: say each difference", 0},
    {0},
};

static void set_type(struct options *options, const char *word,
                     const struct argp_state *state)
{
    options->type = vector_type_named(word);
    if (options->type == VECTOR_TYPES)
        argp_error(state, "no type is called '%s'", word);
}

static void set_class(struct options *options, const char *word,
                      const struct argp_state *state)
{
    options->class = vector_class_named(word);
    if (options->class == CLASSES)
        argp_error(state, "no class is called '%s'", word);
}

/* The action, or a word of it; a command to be run takes all that follows. */
static void take_word(struct options *options, char *word,
                      struct argp_state *state)
{
    if (options->action == NULL) {
        options->action = word;
        return;
    }
    options->words[options->count++] = word;
    if (strcmp(options->action, "test-decoder") != 0)
        return;
    while (state->next < state->argc)
        options->words[options->count++] = state->argv[state->next++];
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case 'd':
        options->directory = arg;
        return 0;
    case 'f':
        options->format = arg;
        return 0;
    case 't':
        set_type(options, arg, state);
        return 0;
    case 'c':
        set_class(options, arg, state);
        return 0;
    case 'v':
        options->verbose = true;
        return 0;
    case ARGP_KEY_ARG:
        take_word(options, arg, state);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "list, show, check, export, new, corpus or "
                          "test-decoder?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    option_table,
    parse_option,
    "list\nshow NAME...\ncheck [DIR]\nexport DIR\nnew WORD...\ncorpus "
    "DIR\ntest-decoder COMMAND [ARG...]",
    "Golden vectors of READ_PLUS on the wire.\v"
    "new: NAME, then ask=OFFSET:COUNT, status=N, eof=yes, data=OFFSET:LENGTH, "
    "hole=OFFSET:LENGTH, and to spoil it set=BYTE:HEX, cut=BYTES, add=HEX.\n"
    "test-decoder: the bytes are on the command's standard input, "
    "READPLUS_TYPE, READPLUS_OFFSET and READPLUS_COUNT in its environment; it "
    "prints what `readplus decode --json' would.",
    NULL,
    NULL,
    NULL};

static int list(const struct options *options,
                const struct catalogue *catalogue)
{
    size_t i;

    for (i = 0; i < catalogue->count; i++) {
        const struct vector *v = &catalogue->vectors[i];

        if ((options->type != VECTOR_TYPES && v->type != options->type) ||
            (options->class != CLASSES && v->class != options->class))
            continue;
        printf("%-30s %-7s %-15s %10" PRIu64 "  %s\n", v->name,
               vector_class_name(v->class), vector_type_name(v->type), v->size,
               v->about);
    }
    return OUTCOME_OK;
}

static int show(const struct options *options,
                const struct catalogue *catalogue)
{
    bool colour = isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL;
    int i, outcome = OUTCOME_OK;

    for (i = 0; i < options->count; i++) {
        const struct vector *v = catalogue_find(catalogue, options->words[i]);

        if (v != NULL) {
            vector_show(v, colour, stdout);
        } else {
            complain("no vector is called '%s'", options->words[i]);
            outcome = OUTCOME_USAGE;
        }
    }
    return outcome;
}

/* Whether the library and the catalogue agree on the vector; said if not. */
static bool agrees(const struct vector *vector)
{
    static const size_t pieces[] = {VECTOR_WHOLE, 1, 7};
    char why[VECTOR_WHY_SIZE];
    struct vector_wire wire;
    bool good = vector_wire_init(&wire, vector);
    size_t i;

    if (good) {
        good =
            wire.size == vector->size && vector_wire_crc(&wire) == vector->crc;
        vector_wire_free(&wire);
    }
    if (!good) {
        printf("%s: its bytes are not what its size and CRC-32 say\n",
               vector->name);
        return false;
    }
    for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        if (pieces[i] != VECTOR_WHOLE && vector->size > VECTORS_TABLE_MAX)
            continue;
        good = vector_decodes(vector, pieces[i], why) && good;
        if (!good)
            break;
    }
    good = good && vector_encodes(vector, why);
    if (!good)
        printf("%s: %s\n", vector->name, why);
    return good;
}

static int check(const struct catalogue *catalogue)
{
    size_t all[CLASSES] = {0}, bad[CLASSES] = {0}, failed = 0, i;

    for (i = 0; i < catalogue->count; i++) {
        const struct vector *v = &catalogue->vectors[i];

        all[v->class]++;
        if (!agrees(v))
            bad[v->class]++, failed++;
    }
    for (i = 0; i < CLASSES; i++)
        printf("%-8s %4zu agree, %zu differ\n",
               vector_class_name((enum vector_class)i), all[i] - bad[i],
               bad[i]);
    printf("%-8s %4zu agree, %zu differ\n", "all", catalogue->count - failed,
           failed);
    return failed == 0 ? OUTCOME_OK : OUTCOME_FAULTY;
}

/* How many words each action takes. */
static const struct {
    const char *name;
    int least, most;
} actions[] = {
    {"list", 0, 0},
    {"show", 1, 1000},
    {"check", 0, 1},
    {"export", 1, 1},
    {"new", 1, 1000},
    {"corpus", 1, 1},
    {"test-decoder", 1, 1000},
};

static bool is_action(const struct options *options)
{
    size_t i;

    for (i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        if (strcmp(options->action, actions[i].name) != 0)
            continue;
        if (options->count >= actions[i].least &&
            options->count <= actions[i].most)
            return true;
        complain("vectors %s: %d words are not what it takes; see --help",
                 options->action, options->count);
        return false;
    }
    complain("vectors does not know '%s'; see --help", options->action);
    return false;
}

static int act(const struct options *options, const struct catalogue *catalogue)
{
    const char *action = options->action;

    if (strcmp(action, "list") == 0)
        return list(options, catalogue);
    if (strcmp(action, "show") == 0)
        return show(options, catalogue);
    if (strcmp(action, "check") == 0)
        return check(catalogue);
    if (strcmp(action, "export") == 0)
        return vectors_export(catalogue, options->format, options->words[0]);
    if (strcmp(action, "corpus") == 0)
        return vectors_corpus(catalogue, options->words[0]);
    return vectors_test_decoder(catalogue, options->words, options->verbose);
}

static int begin(struct options *options)
{
    struct catalogue catalogue;
    int outcome;

    if (!is_action(options))
        return OUTCOME_USAGE;
    if (strcmp(options->action, "new") == 0)
        return vectors_new(options->count, options->words);
    if (strcmp(options->action, "check") == 0 && options->count == 1)
        options->directory = options->words[0];
    if (options->directory == NULL)
        options->directory = VECTORS_DIR;
    if (!catalogue_read(&catalogue, options->directory))
        return OUTCOME_UNREADABLE;
    outcome = act(options, &catalogue);
    catalogue_free(&catalogue);
    return outcome;
}

int cmd_vectors(int argc, char **argv)
{
    struct options options = {.directory = getenv("READPLUS_VECTORS"),
                              .format = "json",
                              .type = VECTOR_TYPES,
                              .class = CLASSES};
    int outcome;

    /* NULL at the end, as a command's words must have. */
    options.words = calloc((size_t)argc + 1, sizeof(*options.words));
    if (options.words == NULL) {
        complain("out of memory");
        return OUTCOME_FAULTY;
    }
    argp_parse(&parser, argc, argv, ARGP_IN_ORDER, NULL, &options);
    outcome = begin(&options);
    free(options.words);
    return outcome;
}
