/*
 * The two ends of bench_ends: a server process with a thread a connection, and
 * clients that ask it for ranges of files, each way in turn.  Between them is
 * a stream socket; a call is one struct call, a reply begins with its length.
 */
#ifndef READPLUS_BENCH_ENDS_H
#define READPLUS_BENCH_ENDS_H

#include "bench.h"

#include <readplus.h>
#include <readplus/reply.h>
#include <readplus/splice.h>

#define COUNT_MAX (1u << 20)

/* What a call asks for.  The ways first. */
enum call_kind {
    CALL_READ = 0,   /* pread, sendmsg; received into the buffer */
    CALL_PLUS = 1,   /* this library at both ends */
    CALL_RPCGEN = 2, /* SEEK and pread a segment; rpcgen's code at both ends */
    CALL_SPLICE = 3, /* this library, the file's bytes through a pipe */
    WAYS = 4,
    CALL_CPU = 4,    /* the server's processor time so far, seconds */
    CALL_SERIAL = 5, /* count: whether requests for one file wait in turn */
    CALL_SHAPE = 6   /* offset: bytes a second (0: no limit) of the link */
};

struct call {
    uint32_t kind;
    uint32_t count;
    uint64_t offset;
    uint32_t file; /* 0: the one file; else number file - 1 of the tree */
    uint32_t unused;
    double not_before; /* by the clock, when the link has brought this call */
};

/* What precedes the bytes of a READ. */
struct read_head {
    uint32_t length, eof;
};

static inline uint64_t shorter(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Serves the file open as fd, and those in `tree` ("" for none), to every
 * connection the listener accepts.  Does not return: its parent ends it. */
_Noreturn void serve(int listener, int fd, const char *tree);

/* ---- rpcgen's way, apart because its headers are -------------------------- */

/* The reply to a call about fd, in buffer[0, len); its length. */
size_t rpcgen_reply(int fd, const struct call *call, uint8_t *file_bytes,
                    uint8_t *buffer, size_t len);

/* Its content, into to[0, count); the bytes that were delivered. */
size_t rpcgen_deliver(const struct call *call, uint8_t *reply, size_t len,
                      uint8_t *to, bool *eof);

/* ---- clients -------------------------------------------------------------- */

struct client {
    int connection;
    uint8_t *row;     /* FRONT bytes, the content, BACK bytes */
    uint8_t *content; /* page-aligned */
    uint8_t *reply;   /* rpcgen's, before it is decoded */
    struct readplus_segment *segments;
};

void client_init(struct client *client, int connection);
void client_free(struct client *client);
/* Sends the call; then takes the replies, in order, into client->content.  The
 * bytes that were delivered. */
void client_ask(struct client *client, const struct call *call);
size_t client_take(struct client *client, const struct call *call, bool *eof);
/* CALL_CPU, CALL_SERIAL, CALL_SHAPE; returns the server's processor time. */
double client_control(struct client *client, uint32_t kind, uint64_t value);

/* ---- trials ---------------------------------------------------------------- */

#define CLIENTS_MAX 2
#define WINDOW_MAX 32
#define TREE_FILES 2000

struct trial {
    const char *set, *layout;
    uint64_t size, data, hole; /* pieces of data, each before a hole */
    uint32_t count;
    bool tcp, shuffled, serial, tree;
    int clients;
    int window;            /* calls a client keeps under way */
    double rate, delay;    /* of the link: bytes a second, seconds */
    double faster, dearer; /* goals: READ's time over ours; our CPU over its */
    int rounds;
    uint32_t repeat;  /* how many times a pass reads the file */
    uint32_t without; /* ways left out, a bit each */
};

/* Makes the files of a trial in dir, starts the server, and connects to it. */
void run_begin(const struct trial *trial, const char *dir);
void run_end(void);

/*
 * The whole file, or tree, once.  *time is the wall's, *cpu the processors' at
 * both ends, seconds.  With `check`, what arrives is compared with the file.
 * False: it took longer than `limit`, and was stopped.
 */
bool run_pass(uint32_t way, bool check, double limit, double *time,
              double *cpu);

#endif /* READPLUS_BENCH_ENDS_H */
