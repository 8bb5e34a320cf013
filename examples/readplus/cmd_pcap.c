/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * readplus pcap: vectors, or the bytes of a reply, as a capture that Wireshark
 * opens: for each a whole call and the whole answer to it, a connection of its
 * own.  What stands around an item is made here; the item is not changed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"
#include "pcap_write.h"
#include "program.h"
#include "vector_wire.h"

struct options {
    const char *directory, *out, *reply;
    struct readplus_args ask;
    bool udp;
    enum vector_class class; /* CLASSES: any */
    char **names;
    int count;
};

enum { KEY_OFFSET = 0x100, KEY_COUNT, KEY_UDP };

static const struct argp_option option_table[] = {
    {"out", 'o', "FILE", 0, "The capture to be written", 0},
    {"udp", KEY_UDP, NULL, 0, "Raw RPC datagrams; without it record-marked TCP",
     0},
    {"dir", 'd', "DIR", 0,
     "Where the catalogue is (default: READPLUS_VECTORS, or as installed)", 0},
    {"class", 'c', "CLASS", 0, "Only valid, invalid or policy vectors", 0},
    {"reply", 'r', "FILE", 0,
     "In place of vectors: a READ_PLUS4res, - for standard input", 0},
    {"offset", KEY_OFFSET, "N", 0, "The offset that reply was asked for", 0},
    {"count", KEY_COUNT, "N", 0, "The count that reply was asked for", 0},
    {0},
};

static error_t parse_number(int key, const char *arg, struct options *options,
                            const struct argp_state *state)
{
    if (key == KEY_OFFSET)
        options->ask.offset =
            number_option("offset", arg, 0, UINT64_MAX, state);
    else if (key == KEY_COUNT)
        options->ask.count =
            (uint32_t)number_option("count", arg, 0, UINT32_MAX, state);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case 'o':
        options->out = arg;
        return 0;
    case KEY_UDP:
        options->udp = true;
        return 0;
    case 'd':
        options->directory = arg;
        return 0;
    case 'r':
        options->reply = arg;
        return 0;
    case 'c':
        options->class = vector_class_named(arg);
        if (options->class == CLASSES)
            argp_error(state, "no class is called '%s'", arg);
        return 0;
    case ARGP_KEY_ARG:
        options->names[options->count++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (options->out == NULL)
            argp_error(state, "--out: which file?");
        return 0;
    default:
        return parse_number(key, arg, options, state);
    }
}

static const struct argp parser = {
    option_table,
    parse_option,
    "--out FILE [NAME...]\n--out FILE --reply FILE",
    "Write vectors, all or those named, or a reply as a capture file.",
    NULL,
    NULL,
    NULL};

/* --- messages -------------------------------------------------------------- */

struct message {
    uint8_t *bytes;
    size_t len, room;
    bool failed; /* out of memory */
};

static void put(struct message *m, const void *bytes, size_t len)
{
    if (m->room - m->len < len && !m->failed) {
        size_t room = 2 * m->room + len + 256;
        uint8_t *more = realloc(m->bytes, room);

        m->failed = more == NULL;
        if (!m->failed) {
            m->bytes = more;
            m->room = room;
        }
    }
    if (m->failed)
        return;
    if (len > 0)
        memcpy(m->bytes + m->len, bytes, len);
    m->len += len;
}

static void put32(struct message *m, uint32_t value)
{
    uint8_t word[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16),
                       (uint8_t)(value >> 8), (uint8_t)value};

    put(m, word, sizeof(word));
}

static void put_words(struct message *m, const uint32_t *words, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        put32(m, words[i]);
}

#define PUT_WORDS(m, ...)                                                      \
    put_words(m, (const uint32_t[]){__VA_ARGS__},                              \
              sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static const char session[] = "readplus session"; /* 16 bytes */

/* RFC 5531, a call without credential. */
static void put_call_head(struct message *m, uint32_t xid)
{
    PUT_WORDS(m, xid, 0, 2, 100003, 4, 1, 0, 0, 0, 0);
}

/* An accepted reply to it. */
static void put_reply_head(struct message *m, uint32_t xid)
{
    PUT_WORDS(m, xid, 1, 0, 0, 0, 0);
}

/* COMPOUND4args {SEQUENCE, PUTFH, this}; the operation has its opcode. */
static void put_compound_args(struct message *m, const void *op, size_t len)
{
    PUT_WORDS(m, 0, 2, 3, 53);
    put(m, session, 16);
    PUT_WORDS(m, 1, 0, 63, 0, 22, 4, 0x666c6521); /* handle "fle!" */
    put(m, op, len);
}

/* COMPOUND4res of the same three. */
static void put_compound_res(struct message *m, uint32_t status, const void *op,
                             size_t len)
{
    PUT_WORDS(m, status, 0, 3, 53, 0);
    put(m, session, 16);
    PUT_WORDS(m, 1, 0, 63, 63, 0, 22, 0);
    put(m, op, len);
}

/* --- one exchange ---------------------------------------------------------- */

static uint32_t word_of(const struct message *m, size_t at)
{
    const uint8_t *p;

    if (m->failed || at > m->len || m->len - at < 4)
        return 0;
    p = m->bytes + at; /* there are bytes, so it is not NULL */
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           p[3];
}

/* Says it, with a record mark over TCP. */
static bool say(struct exchange *e, bool client, struct message *m)
{
    struct message marked = {NULL, 0, 0, m->failed};

    if (e->udp && m->len > EXCHANGE_DATAGRAM_MAX)
        return false;
    if (!e->udp)
        put32(&marked, 0x80000000u | (uint32_t)m->len);
    put(&marked, m->bytes, m->len);
    if (!marked.failed)
        exchange_say(e, client, marked.bytes, marked.len);
    free(marked.bytes);
    return !marked.failed;
}

/* The call that asks for this range; `seek' asks SEEK for a hole. */
static bool say_ask(struct exchange *e, uint32_t xid,
                    const struct readplus_args *ask, bool seek)
{
    struct message op = {0}, m = {0};
    uint8_t args[READPLUS_ARGS_SIZE] = {0};
    bool good = readplus_args_encode(ask, args, sizeof(args)) == READPLUS_OK;

    if (seek)
        args[27] = READPLUS_CONTENT_HOLE, memset(args + 24, 0, 3);
    put32(&op, seek ? 69 : 68);
    put(&op, args, sizeof(args));
    put_call_head(&m, xid);
    put_compound_args(&m, op.bytes, op.len);
    good = good && !op.failed && say(e, true, &m);
    free(op.bytes);
    free(m.bytes);
    return good;
}

/* What is said about one vector: its item, and what is around it. */
struct told {
    enum vector_type type;
    struct readplus_args ask;
    struct message item; /* with its opcode where it is an operation */
    uint32_t xid;
};

static bool is_answer(enum vector_type type)
{
    return type % 2 == 1;
}

static bool is_seek(enum vector_type type)
{
    return type >= VECTOR_SEEK_ARGS && type <= VECTOR_SEEK_RESOP;
}

/* The whole RPC message. */
static void put_message(struct message *m, const struct told *told)
{
    const struct message *item = &told->item;
    bool answer = is_answer(told->type);

    if (told->type >= VECTOR_RPC_CALL) {
        put(m, item->bytes, item->len);
        return;
    }
    if (answer)
        put_reply_head(m, told->xid);
    else
        put_call_head(m, told->xid);
    if (told->type >= VECTOR_COMPOUND_ARGS)
        put(m, item->bytes, item->len);
    else if (answer)
        put_compound_res(m, word_of(item, 4), item->bytes, item->len);
    else
        put_compound_args(m, item->bytes, item->len);
}

static bool tell(struct capture *capture, const struct told *told,
                 uint16_t port, bool udp)
{
    bool record = told->type >= VECTOR_RECORD_CALL, good = true;
    struct message m = {0};
    struct exchange e;

    put_message(&m, told);
    if (m.failed || (udp && m.len > EXCHANGE_DATAGRAM_MAX)) {
        free(m.bytes);
        return false;
    }
    exchange_begin(&e, capture, port, udp);
    if (is_answer(told->type))
        good = say_ask(&e, told->xid, &told->ask, is_seek(told->type));
    if (record) /* it has its own marks */
        exchange_say(&e, !is_answer(told->type), m.bytes, m.len);
    else
        good = good && say(&e, !is_answer(told->type), &m);
    exchange_end(&e);
    free(m.bytes);
    return good;
}

/* --- vectors --------------------------------------------------------------- */

/* Longer ones make no capture that anybody opens. */
#define TELL_MAX ((uint64_t)2 << 20)

static bool tell_vector(struct capture *capture, const struct vector *v,
                        uint16_t port, bool udp)
{
    bool operation = v->type >= VECTOR_COMPOUND_ARGS ||
                     v->type == VECTOR_ARGOP || v->type == VECTOR_RESOP ||
                     v->type == VECTOR_SEEK_ARGOP ||
                     v->type == VECTOR_SEEK_RESOP;
    struct told told = {.type = v->type, .ask = v->ask};
    uint8_t *bytes = vector_bytes(v);
    bool good;

    if (bytes == NULL)
        return false;
    if (!operation)
        put32(&told.item, is_seek(v->type) ? 69 : 68);
    put(&told.item, bytes, (size_t)v->size);
    /* An answer must have its call's xid. */
    told.xid = 0x52500000u | port;
    if (v->type >= VECTOR_RPC_CALL)
        told.xid = word_of(&told.item, v->type >= VECTOR_RECORD_CALL ? 4 : 0);
    good = !told.item.failed && tell(capture, &told, port, udp);
    free(told.item.bytes);
    free(bytes);
    return good;
}

static bool is_wanted(const struct options *options, const struct vector *v)
{
    int i;

    if (options->class != CLASSES && v->class != options->class)
        return false;
    for (i = 0; i < options->count; i++)
        if (strcmp(options->names[i], v->name) == 0)
            return true;
    return options->count == 0;
}

/* A datagram carries no record. */
static bool can_be_told(const struct options *options, const struct vector *v)
{
    return v->size <= TELL_MAX &&
           (!options->udp || (v->type < VECTOR_RECORD_CALL &&
                              v->size <= EXCHANGE_DATAGRAM_MAX - 256));
}

/* A client port for each: also how a reader of the capture tells them apart;
 * each is printed. */
#define FIRST_PORT 52000

static int tell_vectors(const struct options *options, struct capture *capture)
{
    struct catalogue catalogue;
    bool good = true;
    size_t i, told = 0;

    if (!catalogue_read(&catalogue, options->directory))
        return OUTCOME_UNREADABLE;
    for (i = 0; good && i < catalogue.count; i++) {
        const struct vector *v = &catalogue.vectors[i];

        if (!is_wanted(options, v) || !can_be_told(options, v))
            continue;
        good =
            tell_vector(capture, v, (uint16_t)(FIRST_PORT + i), options->udp);
        printf("%zu %s\n", FIRST_PORT + i, v->name);
        told++;
    }
    catalogue_free(&catalogue);
    if (good && told == 0)
        complain("no such vector can be told");
    if (good && told == 0)
        return OUTCOME_USAGE;
    if (!good)
        complain("out of memory");
    return good ? OUTCOME_OK : OUTCOME_FAULTY;
}

static int tell_reply(const struct options *options, struct capture *capture)
{
    struct told told = {.type = VECTOR_RES, .ask = options->ask, .xid = 1};
    size_t len;
    uint8_t *bytes = input_read(options->reply, &len);
    bool good;

    if (bytes == NULL)
        return OUTCOME_UNREADABLE;
    put32(&told.item, 68);
    put(&told.item, bytes, len);
    good = !told.item.failed && len < (size_t)1 << 30 &&
           tell(capture, &told, FIRST_PORT, options->udp);
    if (!good)
        complain("%s: too long for it", options->reply);
    free(told.item.bytes);
    free(bytes);
    return good ? OUTCOME_OK : OUTCOME_FAULTY;
}

static int run(const struct options *options)
{
    struct capture *capture = capture_create(options->out);
    struct stat out;
    int outcome;

    if (capture == NULL)
        return OUTCOME_FAULTY;
    outcome = options->reply != NULL ? tell_reply(options, capture)
                                     : tell_vectors(options, capture);
    if (!capture_close(capture))
        outcome = OUTCOME_FAULTY;
    /* Nothing half done is left; a device is. */
    if (outcome != OUTCOME_OK && stat(options->out, &out) == 0 &&
        S_ISREG(out.st_mode))
        unlink(options->out);
    return outcome;
}

int cmd_pcap(int argc, char **argv)
{
    struct options options = {.directory = getenv("READPLUS_VECTORS"),
                              .class = CLASSES};
    int outcome;

    if (options.directory == NULL)
        options.directory = VECTORS_DIR;
    options.names = calloc((size_t)argc, sizeof(*options.names));
    if (options.names == NULL) {
        complain("out of memory");
        return OUTCOME_FAULTY;
    }
    argp_parse(&parser, argc, argv, 0, NULL, &options);
    outcome = run(&options);
    free(options.names);
    return outcome;
}
