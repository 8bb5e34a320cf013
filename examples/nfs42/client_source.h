/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file on the server: found by its path, known by its attributes, opened
 * where the server opens files.
 */
#ifndef CLIENT_SOURCE_H
#define CLIENT_SOURCE_H

#include "client_session.h"

/* What says that a file is the same, and the same as before. */
struct source {
    uint8_t handle[NFS4_FHSIZE];
    uint32_t handle_len;
    stateid4 stateid; /* all zeros: the file is not open */
    bool open;
    uint64_t size, change, fileid;
    uint64_t maxread; /* 0: the server does not say */
    uint32_t mode;
};

/*
 * Looks the file up, learns its attributes and opens it.  REFUSED: there is
 * no such regular file, or it may not be read.
 */
enum reach source_find(struct session *session, struct source *source);

/* The attributes of the file now. */
enum reach source_look(struct session *session, const struct source *source,
                       struct source *now);

/* Size, contents and identity are as they were. */
bool source_same(const struct source *before, const struct source *now);

/* CLOSE, whatever comes of it. */
void source_close(struct session *session, struct source *source);

/* PUTFH of the file. */
nfs_argop4 source_putfh(const struct source *source);

#endif /* CLIENT_SOURCE_H */
