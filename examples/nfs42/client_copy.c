/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A copy: found, transferred into a partial file, confirmed, and only then
 * named.  It is confirmed that the source's size and change attribute are
 * what they were at the beginning; with --verify also that READ brings what
 * stands in the file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <readplus/restore.h>

#include "client_copy.h"
#include "client_partial.h"

struct copier {
    const struct options *options;
    struct session session;
    struct source source;
    struct transfer transfer;
    struct partial partial;
    struct readplus_restore restore;
    struct progress progress;
    struct counts counts;
    struct ranges verified;
    double started;
    uint64_t resumed;
};

/* --- sinks --------------------------------------------------------------- */

/* Into the file. */
static enum readplus_error restore(void *context,
                                   const struct readplus_args *args,
                                   const struct readplus_segment *segment)
{
    return readplus_restore_segment(context, args, segment);
}

/* Against what is in the file. */
static enum readplus_error compare(void *context,
                                   const struct readplus_args *args,
                                   const struct readplus_segment *segment)
{
    const struct copier *copier = context;
    uint64_t done = 0;

    (void)args; /* READ brings nothing else */
    while (done < segment->length) {
        uint8_t bytes[65536];
        uint64_t left = segment->length - done;
        size_t len = left < sizeof(bytes) ? (size_t)left : sizeof(bytes);
        ssize_t got = pread(copier->partial.fd, bytes, len,
                            (off_t)(segment->offset + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0 || memcmp(bytes, segment->data + done, (size_t)got) != 0)
            return READPLUS_ERR_CHANGED;
        done += (uint64_t)got;
    }
    return READPLUS_OK;
}

static void note(void *context)
{
    struct copier *copier = context;

    partial_note(&copier->partial, copier->options, &copier->source, false);
}

static void no_note(void *context)
{
    (void)context;
}

/* --- the steps ----------------------------------------------------------- */

/* A full disk would stay full; a file that cannot be right is of no use. */
static enum outcome write_failed(struct copier *copier)
{
    complain("%s: cannot be written: %s", copier->options->target,
             strerror(readplus_restore_errno(&copier->restore)));
    partial_discard(&copier->partial);
    return OUTCOME_FAULTY;
}

/* What is done is kept for the next run, unless it is of no use. */
static enum outcome source_failed(struct copier *copier)
{
    complain("%s: %s", copier->options->source, copier->session.why);
    if (copier->transfer.changed) {
        partial_discard(&copier->partial);
        return OUTCOME_FAULTY;
    }
    partial_note(&copier->partial, copier->options, &copier->source, true);
    if (copier->partial.noted && !copier->options->quiet)
        complain("the same command will go on from there");
    partial_keep(&copier->partial);
    return OUTCOME_FAULTY;
}

static enum outcome transfer(struct copier *copier)
{
    struct transfer *t = &copier->transfer;
    bool good;

    if (readplus_restore_init(&copier->restore, copier->partial.fd,
                              READPLUS_RESTORE_SPARSE |
                                  READPLUS_RESTORE_CLIP) != READPLUS_OK)
        return write_failed(copier);
    t->sink = (struct sink){restore, &copier->restore};
    t->done = &copier->partial.done;
    t->note = note;
    t->use_read = copier->options->method == METHOD_READ;
    copier->resumed = ranges_bytes(t->done);
    progress_begin(&copier->progress, copier->source.size, copier->resumed,
                   copier->options->quiet);
    good = transfer_run(t);
    progress_end(&copier->progress);
    if (!good)
        return t->local ? write_failed(copier) : source_failed(copier);
    if (readplus_restore_finish(&copier->restore, copier->source.size) !=
        READPLUS_OK)
        return write_failed(copier);
    return OUTCOME_OK;
}

/* Everything once more by READ, to be compared. */
static enum outcome verify(struct copier *copier)
{
    struct transfer *t = &copier->transfer;
    struct counts counts = {.reads = 0};
    bool good;

    t->sink = (struct sink){compare, copier};
    t->done = &copier->verified;
    t->counts = &counts;
    t->note = no_note;
    t->use_read = true;
    progress_begin(&copier->progress, copier->source.size, 0,
                   copier->options->quiet);
    good = transfer_run(t);
    progress_end(&copier->progress);
    copier->counts.sessions += counts.sessions;
    t->counts = &copier->counts;
    if (!good && t->local) {
        complain("%s: the copy is not what READ brings near offset %llu",
                 copier->options->source, (unsigned long long)t->failed_at);
        partial_discard(&copier->partial);
        return OUTCOME_FAULTY;
    }
    return good ? OUTCOME_OK : source_failed(copier);
}

static enum outcome make(struct copier *copier)
{
    const struct options *options = copier->options;
    enum outcome outcome = partial_begin(&copier->partial, options->target,
                                         options, &copier->source);
    struct told told;

    if (outcome == OUTCOME_OK)
        outcome = transfer(copier);
    if (outcome == OUTCOME_OK && options->verify)
        outcome = verify(copier);
    if (outcome == OUTCOME_OK && !transfer_confirm(&copier->transfer))
        outcome = source_failed(copier);
    if (outcome == OUTCOME_OK && !partial_commit(&copier->partial))
        outcome = OUTCOME_FAULTY;
    if (outcome != OUTCOME_OK)
        return outcome;
    source_close(&copier->session, &copier->source);
    session_close(&copier->session);
    told = (struct told){
        .size = copier->source.size,
        .resumed = copier->resumed,
        .wire_bytes = copier->session.wire.bytes,
        .seconds = now() - copier->started,
        .counts = copier->counts,
    };
    tell_copy(options, &told);
    return OUTCOME_OK;
}

enum outcome copy_file(const struct options *options)
{
    struct copier copier = {.options = options, .started = now()};
    enum outcome outcome = OUTCOME_UNREADABLE;

    copier.transfer = (struct transfer){
        .options = options,
        .session = &copier.session,
        .source = &copier.source,
        .counts = &copier.counts,
        .progress = &copier.progress,
        .context = &copier,
    };
    if (!session_init(&copier.session, options)) {
        complain("out of memory");
        return OUTCOME_FAULTY;
    }
    if (transfer_connect(&copier.transfer, false) == REACH_OK)
        outcome = make(&copier);
    else
        complain("%s: %s", options->source, copier.session.why);
    source_close(&copier.session, &copier.source);
    session_close(&copier.session);
    session_end(&copier.session);
    ranges_clear(&copier.verified);
    return outcome;
}
