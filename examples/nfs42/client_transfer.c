/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transfer.  One thread: requests go out on as many slots as the session
 * has, replies are taken in the order in which they come.  What is not done
 * and not in flight is asked for; so a reply that was short, doubted or lost
 * needs no book-keeping of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "client_transfer.h"

/* Of a reply, beside the file's bytes. */
#define OVERHEAD 512
#define NO_SLOT UINT32_MAX

/* --- what to ask for ----------------------------------------------------- */

static uint32_t request_size(const struct transfer *t)
{
    uint64_t size = t->options->size;

    if (t->source->maxread > 0 && size > t->source->maxread)
        size = t->source->maxread;
    if (size > t->session->max_response - OVERHEAD)
        size = t->session->max_response - OVERHEAD;
    /* Whole blocks, where it is more than one. */
    return (uint32_t)(size > 4096 ? size & ~(uint64_t)4095 : size);
}

/* The first bytes in [from, end) that are neither done nor in flight. */
static bool next_gap(const struct transfer *t, uint64_t from, uint64_t end,
                     struct range *gap)
{
    bool moved = true;
    uint32_t i;

    while (moved) {
        moved = false;
        if (!ranges_gap(t->done, from, end, gap))
            return false;
        for (i = 0; i < JOBS_MAX && !moved; i++) {
            const struct request *r = &t->requests[i];

            if (!r->busy || readplus_args_end(&r->args) <= gap->from ||
                r->args.offset >= gap->to)
                continue;
            moved = r->args.offset <= gap->from;
            if (moved)
                from = readplus_args_end(&r->args);
            else
                gap->to = r->args.offset;
        }
    }
    return true;
}

static bool next_args(const struct transfer *t, struct readplus_args *args)
{
    uint32_t size = request_size(t);
    struct range gap;

    if (!next_gap(t, 0, t->source->size, &gap))
        return false;
    args->offset = gap.from;
    args->count =
        gap.to - gap.from < size ? (uint32_t)(gap.to - gap.from) : size;
    return true;
}

/* Requests on all free slots; false: the connection failed. */
static bool fill(struct transfer *t)
{
    uint32_t slot;

    for (slot = 0; slot < t->session->usable; slot++) {
        struct request *r = &t->requests[slot];

        if (now() < t->paused)
            return true;
        if (r->busy)
            continue;
        if (!next_args(t, &r->args))
            return true;
        r->read = t->use_read || readplus_judge_use_read(&t->judge);
        if (!request_send(t->session, t->source, slot, r)) {
            session_fail(t->session, REACH_LOST, "%s",
                         t->session->wire.failure);
            return false;
        }
        t->in_flight++;
        if (r->read)
            t->counts->reads++;
        else
            t->counts->read_pluses++;
    }
    return true;
}

/* --- what came ----------------------------------------------------------- */

static enum reach no_memory(struct transfer *t)
{
    return session_fail(t->session, REACH_REFUSED, "out of memory");
}

static void show(struct transfer *t)
{
    progress_show(t->progress, ranges_bytes(t->done), t->session->wire.bytes,
                  t->trouble);
}

/* Bytes that are in the sink. */
static enum reach add(struct transfer *t, uint64_t from, uint64_t to)
{
    if (from >= to)
        return REACH_OK;
    if (!ranges_add(t->done, from, to))
        return no_memory(t);
    t->counts->file_bytes += to - from;
    t->moved = now();
    t->wait = 0;
    t->trouble = NULL;
    return REACH_OK;
}

/* A hole beyond the request needs not be asked for, but where requests are in
 * flight that say themselves what is there. */
static enum reach add_hole(struct transfer *t, uint64_t from, uint64_t to)
{
    enum reach reach = REACH_OK;
    struct range gap;

    if (to > t->source->size)
        to = t->source->size;
    while (reach == REACH_OK && next_gap(t, from, to, &gap)) {
        struct readplus_segment hole = {READPLUS_CONTENT_HOLE, gap.from,
                                        gap.to - gap.from, NULL};

        t->local = t->sink.take(t->sink.context, NULL, &hole) != READPLUS_OK;
        t->failed_at = gap.from;
        reach = t->local ? REACH_REFUSED : add(t, gap.from, gap.to);
        from = gap.to;
    }
    return reach;
}

/* A status that READ and READ_PLUS have in common. */
static enum reach take_status(struct transfer *t, uint32_t slot,
                              const struct brought *brought)
{
    nfsstat4 status = (nfsstat4)brought->status;

    if (brought->not_begun)
        t->session->sequence[slot]--;
    if (session_is_lost(status))
        return session_fail(t->session, REACH_LOST, "the server says %s",
                            status_name(status));
    if (status != NFS4ERR_DELAY && status != NFS4ERR_GRACE)
        return session_fail(t->session, REACH_REFUSED, "the server says %s",
                            status_name(status));
    t->wait = t->wait > 0 ? 2 * t->wait : 0.05;
    if (t->wait > 1)
        t->wait = 1;
    t->paused = now() + t->wait;
    t->trouble = "the server is busy";
    if (now() - t->moved > t->options->timeout)
        return session_fail(t->session, REACH_REFUSED,
                            "the server says %s, again and again",
                            status_name(status));
    return REACH_OK;
}

const char *finding_text(enum readplus_finding finding)
{
    switch (finding) {
    case READPLUS_FINDING_NOTSUPP:
        return "the server has no READ_PLUS";
    case READPLUS_FINDING_TOO_BIG:
        return "a reply did not fit the session";
    case READPLUS_FINDING_IDLE:
        return "its replies bring nothing";
    default:
        return "a reply was no good";
    }
}

/* READ_PLUS is no longer used; where nothing else may be, that is the end. */
static enum reach turn(struct transfer *t,
                       const struct readplus_verdict *verdict)
{
    if (t->options->method == METHOD_READ_PLUS)
        return session_fail(t->session, REACH_REFUSED, "READ_PLUS: %s",
                            finding_text(verdict->finding));
    if (verdict->first)
        t->counts->fallback = finding_text(verdict->finding);
    return REACH_OK;
}

/* READ says that the file ends before its size. */
static enum reach too_short(struct transfer *t)
{
    return session_fail(t->session, REACH_REFUSED,
                        "the file ends before the size it has");
}

/* What the judge makes of it. */
static enum reach act(struct transfer *t, uint32_t slot,
                      const struct request *r, const struct brought *brought)
{
    const struct readplus_answer answer = {
        .status = brought->status,
        .bytes = brought->bytes,
        .eof = brought->eof,
        .error = brought->error,
        .read = r->read,
    };
    struct readplus_verdict verdict;
    enum reach reach;

    if (brought->not_begun)
        return take_status(t, slot, brought);
    verdict = readplus_judge_answer(&t->judge, &r->args, &answer);
    reach = add(t, r->args.offset, verdict.next);
    if (reach != REACH_OK)
        return reach;
    switch (verdict.action) {
    case READPLUS_ACTION_CONTINUE:
        return add_hole(t, readplus_args_end(&r->args), brought->hole_end);
    case READPLUS_ACTION_DONE:
        return verdict.next < t->source->size ? too_short(t) : REACH_OK;
    case READPLUS_ACTION_RETRY:
        return REACH_OK;
    case READPLUS_ACTION_READ_FILE:
    case READPLUS_ACTION_READ_SERVER:
        return turn(t, &verdict);
    case READPLUS_ACTION_STATUS:
        return take_status(t, slot, brought);
    case READPLUS_ACTION_FAIL:
        break;
    }
    return session_fail(t->session, REACH_REFUSED,
                        "the server's answers bring nothing");
}

static uint32_t find_slot(const struct transfer *t, const struct record *record)
{
    uint32_t slot, xid;

    if (!reply_xid(record->head, record->len, &xid))
        return NO_SLOT;
    for (slot = 0; slot < JOBS_MAX; slot++)
        if (t->requests[slot].busy && t->requests[slot].xid == xid)
            return slot;
    return NO_SLOT;
}

/* One reply, whichever comes first. */
static enum reach receive(struct transfer *t)
{
    struct record record;
    struct brought brought;
    struct request *r;
    enum reach reach;
    uint32_t slot;

    if (!record_begin(&record, &t->session->wire))
        return session_fail(t->session, REACH_LOST, "%s",
                            t->session->wire.failure);
    slot = find_slot(t, &record);
    if (slot == NO_SLOT)
        return session_fail(t->session, REACH_LOST,
                            "a reply to a call that was not made");
    r = &t->requests[slot];
    reach = receive_reply(t->session, slot, r, &record, &t->sink, t->passing,
                          &brought);
    r->busy = false;
    t->in_flight--;
    t->local = brought.local;
    if (brought.local) {
        t->failed_at = r->args.offset;
        return REACH_REFUSED;
    }
    if (reach == REACH_LOST) {
        enum reach added =
            add(t, r->args.offset, r->args.offset + brought.bytes);

        return added == REACH_OK ? reach : added;
    }
    return act(t, slot, r, &brought);
}

/* --- sessions ------------------------------------------------------------ */

static void forget_requests(struct transfer *t)
{
    memset(t->requests, 0, sizeof(t->requests));
    t->in_flight = 0;
}

static bool is_same(struct transfer *t, const struct source *found)
{
    t->changed = !source_same(t->source, found);
    if (t->changed)
        session_fail(t->session, REACH_REFUSED, "changed while it was copied");
    return !t->changed;
}

static enum reach connect_once(struct transfer *t, bool again)
{
    struct source found;
    enum reach reach = session_open(t->session);

    if (reach == REACH_OK)
        reach = source_find(t->session, &found);
    if (reach == REACH_OK && again && !is_same(t, &found))
        reach = REACH_REFUSED;
    if (reach != REACH_OK)
        return reach;
    *t->source = found;
    t->counts->sessions++;
    if (t->session->max_response < 2 * OVERHEAD)
        return session_fail(t->session, REACH_REFUSED,
                            "the server grants only replies of %u bytes",
                            (unsigned)t->session->max_response);
    return REACH_OK;
}

enum reach transfer_connect(struct transfer *t, bool again)
{
    double pause = 0.05;
    enum reach reach;

    forget_requests(t);
    if (!again)
        t->moved = now();
    while ((reach = connect_once(t, again)) == REACH_LOST) {
        session_drop(t->session);
        t->trouble = "connecting again";
        if (now() - t->moved > t->options->timeout)
            return REACH_REFUSED;
        if (!session_sleep(t->session, pause))
            return session_fail(t->session, REACH_REFUSED, "interrupted");
        pause = pause < 1 ? 2 * pause : 1;
    }
    return reach;
}

/* A lost session costs more each time that nothing came of the last one. */
static enum reach connect_again(struct transfer *t)
{
    session_drop(t->session);
    if (stop_signal() != 0)
        return session_fail(t->session, REACH_REFUSED, "interrupted");
    if (now() - t->moved > t->options->timeout)
        return REACH_REFUSED;
    t->trouble = "connecting again";
    t->wait = t->wait > 0 ? 2 * t->wait : 0.01;
    if (t->wait > 1)
        t->wait = 1;
    if (!session_sleep(t->session, t->wait))
        return session_fail(t->session, REACH_REFUSED, "interrupted");
    return transfer_connect(t, true);
}

/* --- all of it ----------------------------------------------------------- */

/* What the wire calls while there is nothing but to wait. */
static void idle(void *context)
{
    struct transfer *t = context;

    t->note(t->context);
    show(t);
}

/* One step: ask for what there is to ask for, take one reply. */
static enum reach step(struct transfer *t)
{
    if (!t->session->up)
        return connect_again(t);
    if (!fill(t))
        return REACH_LOST;
    if (t->in_flight == 0)
        return session_sleep(t->session, 0.02)
                   ? REACH_OK
                   : session_fail(t->session, REACH_REFUSED, "interrupted");
    return receive(t);
}

bool transfer_run(struct transfer *t)
{
    uint64_t size = t->source->size;
    enum reach reach = REACH_OK;
    struct range gap;

    forget_requests(t);
    readplus_server_init(&t->server);
    readplus_judge_init(&t->judge, &t->server, size);
    t->local = false;
    t->moved = now();
    t->session->wire.idle = idle;
    t->session->wire.context = t;
    t->passing = malloc(PASSING);
    if (t->passing == NULL)
        reach = no_memory(t);
    while (reach != REACH_REFUSED && ranges_gap(t->done, 0, size, &gap)) {
        reach = step(t);
        if (reach == REACH_LOST)
            t->session->up = false;
        if (reach == REACH_OK && stop_signal() != 0)
            reach = session_fail(t->session, REACH_REFUSED, "interrupted");
        t->note(t->context);
        show(t);
    }
    free(t->passing);
    t->session->wire.idle = NULL;
    return reach != REACH_REFUSED;
}

bool transfer_confirm(struct transfer *t)
{
    enum reach reach = REACH_LOST;
    struct source found;

    t->moved = now();
    t->wait = 0;
    while (reach == REACH_LOST) {
        if (!t->session->up && connect_again(t) != REACH_OK)
            return false;
        reach = source_look(t->session, t->source, &found);
        t->session->up = reach != REACH_LOST;
    }
    return reach == REACH_OK && is_same(t, &found);
}
