/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any other decoder put before the catalogue: a command that reads bytes from
 * its standard input and prints what `readplus decode --json' would.  What it
 * says is judged here; that it crashes or never ends is an answer, too.
 */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"
#include "vectors.h"

enum answer {
    ANSWER_AGREES,  /* as the catalogue says, fault and place included */
    ANSWER_FAULT,   /* refused as it should be, but it names another fault */
    ANSWER_MEANING, /* accepted as it should be, but it read something else */
    ANSWER_REFUSES, /* refused what is well formed */
    ANSWER_ACCEPTS, /* accepted what is not */
    ANSWER_NONE,    /* no JSON, a crash, or no end within SECONDS */
    ANSWERS
};

static const char *const answers[ANSWERS] = {"agrees",        "other fault",
                                             "other meaning", "refuses",
                                             "accepts",       "no answer"};

#define SECONDS 10
#define OUTPUT_MAX ((size_t)16 << 20)

/* --- running it ------------------------------------------------------------ */

/* The --type word of `readplus decode'; NULL: it has none. */
static const char *type_word(enum vector_type type)
{
    static const char *const words[VECTOR_TYPES] = {
        [VECTOR_ARGS] = "args",         [VECTOR_RES] = "res",
        [VECTOR_RESOP] = "resop",       [VECTOR_SEEK_ARGS] = "seek-args",
        [VECTOR_SEEK_RES] = "seek-res",
    };

    return words[type];
}

static void set_environment(const struct vector *vector)
{
    char number[32];

    setenv("READPLUS_TYPE", type_word(vector->type), 1);
    unsetenv("READPLUS_OFFSET");
    unsetenv("READPLUS_COUNT");
    if (!vector->asked)
        return;
    snprintf(number, sizeof(number), "%" PRIu64, vector->ask.offset);
    setenv("READPLUS_OFFSET", number, 1);
    snprintf(number, sizeof(number), "%" PRIu32, vector->ask.count);
    setenv("READPLUS_COUNT", number, 1);
}

static void child(int in, int out, char **command)
{
    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
        _exit(127);
    alarm(SECONDS);
    execvp(command[0], command);
    _exit(127);
}

/* Runs it with these descriptors; its wait status, or -1. */
static int run(int in, int out, char **command)
{
    int status = -1;
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0)
        child(in, out, command);
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

static bool put_all(int fd, const uint8_t *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);

        if (n <= 0)
            return false;
        bytes += n;
        len -= (size_t)n;
    }
    return lseek(fd, 0, SEEK_SET) == 0;
}

/* All of the file as JSON; NULL where it is none. */
static struct json_object *get_json(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    struct json_object *json = NULL;
    char *text;

    if (size <= 0 || (size_t)size > OUTPUT_MAX)
        return NULL;
    text = calloc(1, (size_t)size + 1);
    if (text != NULL && pread(fd, text, (size_t)size, 0) == size)
        json = json_tokener_parse(text);
    free(text);
    return json;
}

/* What the command says of the vector; NULL: nothing of use. */
static struct json_object *ask(const struct vector *vector, char **command)
{
    int in = memfd_create("vector", MFD_CLOEXEC);
    int out = memfd_create("answer", MFD_CLOEXEC);
    uint8_t *bytes = vector_bytes(vector);
    struct json_object *json = NULL;
    int status = -1;

    set_environment(vector);
    if (in >= 0 && out >= 0 && bytes != NULL &&
        put_all(in, bytes, (size_t)vector->size))
        status = run(in, out, command);
    if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) < 126)
        json = get_json(out);
    free(bytes);
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return json;
}

/* --- what it says ---------------------------------------------------------- */

static struct json_object *get(struct json_object *object, const char *key)
{
    struct json_object *value = NULL;

    json_object_object_get_ex(object, key, &value);
    return value;
}

static bool is_number(struct json_object *object, const char *key,
                      uint64_t want)
{
    struct json_object *value = get(object, key);

    return json_object_is_type(value, json_type_int) &&
           json_object_get_uint64(value) == want;
}

static bool is_bool(struct json_object *object, const char *key, bool want)
{
    struct json_object *value = get(object, key);

    return json_object_is_type(value, json_type_boolean) &&
           (json_object_get_boolean(value) != 0) == want;
}

static bool same_fault(struct json_object *error,
                       const struct vector_expect *expect)
{
    const char *name = json_object_get_string(get(error, "name"));

    return name != NULL &&
           strcmp(name, readplus_error_name(expect->error)) == 0 &&
           is_number(error, "at", expect->at) &&
           (expect->segment == READPLUS_NO_SEGMENT
                ? get(error, "segment") == NULL
                : is_number(error, "segment", expect->segment));
}

static bool same_segment(struct json_object *object,
                         const struct vector_segment *want, uint64_t nth)
{
    const char *content = json_object_get_string(get(object, "content"));
    bool is_data = want->content == READPLUS_CONTENT_DATA;

    return content != NULL && strcmp(content, is_data ? "data" : "hole") == 0 &&
           is_number(object, "offset", want->offset + nth * want->length) &&
           is_number(object, "length", want->length);
}

static bool same_segments(struct json_object *list, const struct vector *vector)
{
    size_t i, k = 0;
    uint64_t n;

    if (!json_object_is_type(list, json_type_array))
        return false;
    for (i = 0; i < vector->segment_count; i++)
        for (n = 0; n < vector->segments[i].repeat; n++)
            if (!same_segment(json_object_array_get_idx(list, k++),
                              &vector->segments[i], n))
                return false;
    return k == json_object_array_length(list);
}

static bool same_meaning(struct json_object *json, const struct vector *v)
{
    const char *what = json_object_get_string(get(json, "sa_what"));

    if (v->type == VECTOR_ARGS)
        return is_number(json, "rpa_offset", v->offset) &&
               is_number(json, "rpa_count", v->number);
    if (v->type == VECTOR_SEEK_ARGS)
        return is_number(json, "sa_offset", v->offset) && what != NULL &&
               strcmp(what, v->number == 0 ? "data" : "hole") == 0;
    if (!is_number(json, "status", v->status))
        return false;
    if (v->status != 0)
        return true;
    if (v->type == VECTOR_SEEK_RES)
        return is_bool(json, "sr_eof", v->eof) &&
               is_number(json, "sr_offset", v->offset);
    return is_bool(json, "eof", v->eof) &&
           same_segments(get(json, "segments"), v);
}

static enum answer judge(struct json_object *json, const struct vector *vector)
{
    const struct vector_expect *strict = &vector->expect[PROFILE_STRICT];
    struct json_object *error;

    if (!json_object_is_type(json, json_type_object) ||
        !json_object_object_get_ex(json, "error", &error))
        return ANSWER_NONE;
    if (strict->error == READPLUS_OK) {
        if (error != NULL)
            return ANSWER_REFUSES;
        return same_meaning(json, vector) ? ANSWER_AGREES : ANSWER_MEANING;
    }
    if (error == NULL)
        return ANSWER_ACCEPTS;
    return same_fault(error, strict) ? ANSWER_AGREES : ANSWER_FAULT;
}

/* --- the table ------------------------------------------------------------- */

static void print_table(size_t table[CLASSES][ANSWERS])
{
    int class, i;

    printf("%-8s", "");
    for (i = 0; i < ANSWERS; i++)
        printf(" %13s", answers[i]);
    putchar('\n');
    for (class = 0; class < CLASSES; class ++) {
        printf("%-8s", vector_class_name((enum vector_class) class));
        for (i = 0; i < ANSWERS; i++)
            printf(" %13zu", table[class][i]);
        putchar('\n');
    }
}

/* Another name for a fault is no failure, and policy is a matter of taste. */
static bool conforms(size_t table[CLASSES][ANSWERS])
{
    int class;

    for (class = 0; class < CLASSES; class ++) {
        if (table[class][ANSWER_NONE] > 0)
            return false;
        if (class != CLASS_POLICY && (table[class][ANSWER_MEANING] > 0 ||
                                      table[class][ANSWER_REFUSES] > 0 ||
                                      table[class][ANSWER_ACCEPTS] > 0))
            return false;
    }
    return true;
}

int vectors_test_decoder(const struct catalogue *catalogue, char **command,
                         bool verbose)
{
    size_t table[CLASSES][ANSWERS] = {{0}}, i;

    for (i = 0; i < catalogue->count; i++) {
        const struct vector *v = &catalogue->vectors[i];
        struct json_object *json;
        enum answer answer;

        if (type_word(v->type) == NULL || v->size > VECTORS_TABLE_MAX)
            continue;
        json = ask(v, command);
        answer = json == NULL ? ANSWER_NONE : judge(json, v);
        json_object_put(json);
        table[v->class][answer]++;
        if (verbose && answer != ANSWER_AGREES)
            printf("%-30s %-7s %s (%s)\n", v->name, vector_class_name(v->class),
                   answers[answer],
                   vector_error_name(v->expect[PROFILE_STRICT].error));
    }
    print_table(table);
    return conforms(table) ? OUTCOME_OK : OUTCOME_FAULTY;
}
