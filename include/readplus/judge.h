/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client's judgement.  Servers answer READ_PLUS with less than was asked,
 * with nothing, with an end of file that is none, with bytes that are no
 * reply, or not at all; for each answer this says what it is and what to do:
 * go on, ask again, or use READ, for the file or for the whole server.
 *
 * No verdict ever rests on believing a READ_PLUS against the evidence: where
 * one is doubted, READ decides, whose answers are taken as they are.
 *
 * The two objects have no lock of their own.  Calls that name the same file,
 * or files of the same server, are serialised by the caller: one lock around
 * readplus_judge_answer and readplus_judge_use_read is enough, however many
 * calls are in flight.
 */
#ifndef READPLUS_JUDGE_H
#define READPLUS_JUDGE_H

#include <readplus/decode.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a server is known for; one for each (or for each fsid of it). */
struct readplus_server {
    /* To be set before use; readplus_server_init gives READPLUS_PATIENCE. */
    uint32_t patience; /* answers without progress, in a row, in a file, and
                          doubted files, in a row, in a server; at least 1 */
    bool use_read;     /* may be set and cleared by the caller too */
    uint32_t doubted;  /* files doubted since a READ_PLUS was good.  Private */
};

#define READPLUS_PATIENCE 3u

/* Begins with trust: READ_PLUS is used. */
READPLUS_API void readplus_server_init(struct readplus_server *server);

/* All fields are private.  The server must outlive it. */
struct readplus_judge {
    struct readplus_server *server;
    uint64_t known_size;
    uint32_t idle; /* answers without progress, in a row */
    bool use_read;
};

/*
 * Begins with a file of which the attributes say that it has known_size
 * bytes; 0: not known, an end of file is then believed wherever it comes.
 */
READPLUS_API void readplus_judge_init(struct readplus_judge *judge,
                                      struct readplus_server *server,
                                      uint64_t known_size);

/* New attributes. */
READPLUS_API void readplus_judge_set_size(struct readplus_judge *judge,
                                          uint64_t known_size);

/* The next call on this file is to be READ, not READ_PLUS. */
READPLUS_API bool readplus_judge_use_read(const struct readplus_judge *judge);

/* What a call brought. */
struct readplus_answer {
    /* rp_status; of a COMPOUND that ended earlier, the status of what failed */
    uint32_t status;
    /*
     * File bytes from the request's offset on, without a gap, that the caller
     * keeps: readplus_result.bytes, or more where holes are used as far as
     * they reach.
     */
    uint64_t bytes;
    bool eof; /* the file ends behind them: readplus_result.eof */
    /* What the delivery returned, or the fault it tolerated; READPLUS_OK. */
    enum readplus_error error;
    bool read; /* the call was READ */
};

/* What an answer is. */
enum readplus_finding {
    READPLUS_FINDING_WHOLE = 0,   /* all that was asked, or more */
    READPLUS_FINDING_SHORT = 1,   /* some of it */
    READPLUS_FINDING_EOF = 2,     /* up to the end of the file */
    READPLUS_FINDING_IDLE = 3,    /* nothing, and there is more: no progress */
    READPLUS_FINDING_NOTSUPP = 4, /* the server has no READ_PLUS */
    READPLUS_FINDING_TOO_BIG = 5, /* the reply did not fit the session */
    READPLUS_FINDING_IMPLAUSIBLE = 6, /* no bytes and eof before the known
                                         size, or a fault in the reply */
    READPLUS_FINDING_STATUS = 7,      /* any other status */
    READPLUS_FINDING_LOCAL = 8 /* the failure is the client's own: the caller's
                                  rules, room, the destination */
};

/* What to do with it. */
enum readplus_action {
    READPLUS_ACTION_CONTINUE = 0,  /* keep the bytes; go on at `next` */
    READPLUS_ACTION_DONE = 1,      /* keep the bytes; the file ends at `next` */
    READPLUS_ACTION_RETRY = 2,     /* the same request again */
    READPLUS_ACTION_READ_FILE = 3, /* from `next` on by READ, in this file */
    READPLUS_ACTION_READ_SERVER = 4, /* the same, in every file of the server */
    READPLUS_ACTION_STATUS = 5, /* as with READ: wait, recover, or give up */
    READPLUS_ACTION_FAIL = 6    /* an I/O error */
};

struct readplus_verdict {
    enum readplus_finding finding;
    enum readplus_action action;
    uint64_t next; /* where to go on, whichever the action */
    uint64_t left; /* bytes of the request behind `next` */
    bool first; /* this verdict is what turned the file or the server to READ;
                   false for the other calls in flight that find the same */
};

/*
 * Judges one answer to *args.  Answers may come in any order: a READ_PLUS that
 * was sent before the others turned to READ is as good as ever where it brings
 * bytes, and is asked again by READ where it does not.
 *
 *   NFS4ERR_NOTSUPP, NFS4ERR_OP_ILLEGAL: READ for the server.
 *   NFS4ERR_REP_TOO_BIG(_TO_CACHE): READ for the file; its reply is 16 bytes
 *     shorter than that of a READ_PLUS with one data element.
 *   eof before the known size: without bytes it is doubted, READ for the file;
 *     with bytes it is not believed, and the next answer decides.
 *   A fault of the reply (the XDR and RFC groups of enum readplus_error):
 *     doubted; the bytes before it are kept, READ for the file from there.
 *   No progress: asked again, up to server->patience times in a row in all;
 *     then READ for the file, and if READ does no better an I/O error.
 *   Doubted files, server->patience in a row: READ for the server.
 *   A READ is believed: its eof before the known size means a shorter file.
 */
READPLUS_API struct readplus_verdict readplus_judge_answer(
    struct readplus_judge *judge, const struct readplus_args *args,
    const struct readplus_answer *answer);

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_JUDGE_H */
