/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file carried through READ_PLUS.  The client knows of the source nothing
 * but what the bytes of the replies say; what it has made is then held
 * against the source itself, and only a proven copy gets the target's name.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "copy.h"
#include "output.h"
#include "progress.h"
#include "proof.h"
#include "server.h"
#include "sparse.h"

struct copier {
    const struct copy_job *job;
    struct copy_report *report;
    int source;
    struct stat before; /* of the source */
    struct sparse_file target;
    bool holes; /* the target's file system has them, and they are sent */
    struct server server;
    uint64_t position; /* where the next request begins */
    bool eof;
};

/* Opens a regular file, without waiting at anything else. */
static bool open_source(struct copier *copier)
{
    const char *path = copier->job->source;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

    if (fd < 0 || fstat(fd, &copier->before) < 0) {
        complain("%s: cannot be read: %s", path, strerror(errno));
    } else if (S_ISREG(copier->before.st_mode)) {
        copier->source = fd;
        return true;
    } else {
        complain("%s: is %s, not a regular file", path,
                 S_ISDIR(copier->before.st_mode) ? "a directory"
                                                 : "something special");
    }
    if (fd >= 0)
        close(fd);
    return false;
}

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool changed(const struct copier *copier)
{
    const struct stat *before = &copier->before;
    struct stat now;

    return fstat(copier->source, &now) < 0 || now.st_size != before->st_size ||
           !same_time(now.st_mtim, before->st_mtim) ||
           !same_time(now.st_ctim, before->st_ctim);
}

/* One segment on its way into the target; only what was asked for counts. */
static bool take(struct copier *copier, const struct readplus_segment *segment,
                 const struct readplus_args *args)
{
    struct copy_report *report = copier->report;
    struct readplus_segment part = *segment;
    uint64_t end = segment->offset + segment->length;

    report->segments++;
    if (segment->content == READPLUS_CONTENT_HOLE) {
        /* All of a hole may be used, also what lies behind the request. */
        if (end > copier->position) {
            report->hole_bytes += end - copier->position;
            copier->position = end;
        }
        return true;
    }
    if (!readplus_segment_clip(&part, args))
        return true;
    report->data_bytes += part.length;
    draw_data(&report->drawing, part.offset, part.length);
    copier->position = part.offset + part.length;
    if (copier->position > copier->target.size)
        return true; /* the source has grown, and so all was for nothing */
    return sparse_write(&copier->target, part.data, (size_t)part.length,
                        part.offset);
}

/* The client: one reply, from its bytes. */
static enum outcome receive(struct copier *copier,
                            const struct readplus_args *args,
                            const uint8_t *wire, size_t len)
{
    struct readplus_decoder decoder;
    struct readplus_segment segment;
    enum readplus_error error;

    error = readplus_decoder_init_buffer(&decoder, args, wire, len,
                                         READPLUS_DECODE_STRICT);
    while (error == READPLUS_OK) {
        error = readplus_decoder_next(&decoder, &segment);
        if (error == READPLUS_OK && !take(copier, &segment, args)) {
            complain("%s: cannot be written: %s", copier->job->target,
                     strerror(errno));
            return OUTCOME_FAULTY;
        }
    }
    copier->eof = readplus_decoder_eof(&decoder);
    if (error == READPLUS_END &&
        (copier->eof || copier->position > args->offset))
        return OUTCOME_OK;
    complain("%s: a reply at offset %" PRIu64 " is no good: %s",
             copier->job->source, args->offset,
             error == READPLUS_END ? "it brings nothing"
                                   : readplus_error_text(error));
    return OUTCOME_FAULTY;
}

/* One request: asked, answered, received. */
static enum outcome exchange(struct copier *copier)
{
    const struct readplus_args args = {.offset = copier->position,
                                       .count = copier->job->count};
    enum readplus_error error;
    const uint8_t *wire;
    size_t len;

    error = server_answer(&copier->server, copier->source, &args, &wire, &len);
    if (error != READPLUS_OK) {
        complain("%s: cannot be read at offset %" PRIu64 ": %s",
                 copier->job->source, args.offset, readplus_error_text(error));
        return error == READPLUS_ERR_CHANGED ? OUTCOME_FAULTY
                                             : OUTCOME_UNREADABLE;
    }
    copier->report->requests++;
    copier->report->wire_bytes += READPLUS_OPCODE_SIZE + len;
    return receive(copier, &args, wire, len);
}

static enum outcome transfer(struct copier *copier)
{
    enum outcome outcome = OUTCOME_OK;
    struct progress progress;

    progress_begin(&progress, copier->target.size);
    /* A source that grows could be followed for ever. */
    while (outcome == OUTCOME_OK && !copier->eof &&
           copier->position <= copier->target.size) {
        outcome = exchange(copier);
        progress_show(&progress, copier->position);
    }
    progress_end(&progress);
    return outcome;
}

/* The copy against the source, both as the file system shows them. */
static enum outcome prove(struct copier *copier)
{
    const char *source = copier->job->source;
    uint64_t size = copier->target.size, at = copier->position;
    bool bytes = copier->eof && at == size &&
                 proof_bytes(copier->source, copier->target.fd, size, &at);
    bool holes = !bytes || !copier->holes ||
                 proof_holes(copier->source, copier->target.fd, size,
                             copier->target.block, &at);

    if (changed(copier))
        complain("%s: changed while it was copied", source);
    else if (!bytes)
        complain("%s: the copy differs near offset %" PRIu64, source, at);
    else if (!holes)
        complain("%s: the copy has data at offset %" PRIu64
                 " in place of a hole",
                 source, at);
    else
        return OUTCOME_OK;
    return OUTCOME_FAULTY;
}

static enum sparse_zeros zeros(const struct readplus_limits *limits)
{
    if (limits->flags & READPLUS_LIMIT_NO_HOLES)
        return SPARSE_WRITE_ZEROS;
    return limits->flags & READPLUS_LIMIT_EXACT ? SPARSE_SKIP_PIECES
                                                : SPARSE_SKIP_ZEROS;
}

/* Into the file that will become the target. */
static enum outcome fill(struct copier *copier, int fd)
{
    enum sparse_zeros policy = zeros(&copier->job->limits);
    struct copy_report *report = copier->report;
    enum outcome outcome;

    report->size = (uint64_t)copier->before.st_size;
    draw_init(&report->drawing, report->size);
    if (!sparse_init(&copier->target, fd, report->size, policy,
                     &copier->holes)) {
        complain("%s: cannot be written: %s", copier->job->target,
                 strerror(errno));
        return OUTCOME_FAULTY;
    }
    copier->holes = copier->holes && policy != SPARSE_WRITE_ZEROS;
    report->holes_proven = copier->holes;
    outcome = transfer(copier);
    if (outcome == OUTCOME_OK)
        outcome = prove(copier);
    if (outcome == OUTCOME_OK)
        report->read = cost_read(report->size, copier->job->count,
                                 copier->job->limits.maxcount);
    return outcome;
}

static enum outcome replace(struct copier *copier)
{
    struct replacement replacement;
    enum outcome outcome;
    enum place place;

    place =
        replacement_begin(&replacement, copier->job->target, &copier->before);
    if (place != PLACE_GOOD)
        return place == PLACE_BAD ? OUTCOME_USAGE : OUTCOME_FAULTY;
    outcome = fill(copier, replacement.fd);
    if (outcome != OUTCOME_OK)
        replacement_abort(&replacement);
    else if (!replacement_commit(&replacement))
        outcome = OUTCOME_FAULTY;
    return outcome;
}

enum outcome copy_file(const struct copy_job *job, struct copy_report *report)
{
    struct copier copier = {.job = job, .report = report};
    enum outcome outcome = OUTCOME_FAULTY;

    memset(report, 0, sizeof(*report));
    if (!open_source(&copier))
        return OUTCOME_UNREADABLE;
    if (server_init(&copier.server, job->count, &job->limits)) {
        outcome = replace(&copier);
        server_end(&copier.server);
    } else {
        complain("out of memory");
    }
    close(copier.source);
    return outcome;
}
