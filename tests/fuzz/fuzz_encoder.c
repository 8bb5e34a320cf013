/*
 * The in-place encoder, called in any order with anything: a call that fails
 * changes neither it nor the buffer, data is granted to the byte that fits, no
 * byte outside the grant is the caller's to lose, and whatever is finished is
 * a reply the strict decoder accepts, within every limit and every Law.
 */
#include "invariants.h"

#include "../codec.h"

#define MOST 2048
#define CALLS 24
#define CANARY 0xc5

struct setup {
    struct readplus_encoder e;
    struct readplus_args args;
    struct readplus_limits limits;
    uint64_t file_size;
    uint8_t *buffer;
    size_t len;
    struct readplus_encoder e_saved;
    uint8_t saved[MOST];
    uint8_t *to; /* the grant that is open */
    uint32_t granted;
    bool resized;
};

static void limits_read(struct script *in, struct readplus_limits *l)
{
    uint8_t how = script_8(in);

    readplus_limits_init(l, (enum readplus_preset)(how % 6));
    if (how & 0x08)
        l->maxcount = (uint32_t)script_size(in) % 600;
    if (how & 0x10)
        l->maxsegs = script_8(in) % 5;
    if (how & 0x20)
        l->flags ^= script_8(in) & 0x1f;
    if (how & 0x40) {
        l->hole_lo = script_size(in);
        l->hole_hi = script_size(in);
    }
}

static uint64_t end_of(const struct setup *t)
{
    uint64_t end = readplus_args_end(&t->args);

    return end < t->file_size ? end : t->file_size;
}

/* Where the next call aims: mostly right, sometimes near, sometimes away. */
static uint64_t aim(struct script *in, const struct setup *t)
{
    uint8_t how = script_8(in);
    uint64_t next = readplus_encoder_next(&t->e);

    if (how < 0xc0)
        return next;
    return how < 0xe0 ? next + (how & 0x0f) - 8 : script_size(in);
}

/* Before a call, and behind one that failed. */
static void save(struct setup *t)
{
    memcpy(&t->e_saved, &t->e, sizeof(t->e));
    memcpy(t->saved, t->buffer, t->len);
}

static void unchanged(const struct setup *t)
{
    HOLDS(memcmp(&t->e_saved, &t->e, sizeof(t->e)) == 0);
    HOLDS(memcmp(t->saved, t->buffer, t->len) == 0);
}

static void call_hole(struct setup *t, struct script *in)
{
    uint64_t offset = aim(in, t), length = script_size(in);

    save(t);
    if (readplus_encoder_hole(&t->e, offset, length) != READPLUS_OK)
        unchanged(t);
}

static void call_begin(struct setup *t, struct script *in)
{
    uint64_t offset = aim(in, t), want = script_size(in), end = end_of(t);
    uint64_t room = t->e.budget.xdr_bytes, able;
    enum readplus_error error;
    uint32_t granted = 77;
    uint8_t *to = NULL;

    save(t);
    error = readplus_encoder_data_begin(&t->e, offset, want, &to, &granted);
    if (error != READPLUS_OK) {
        HOLDS(granted == 77 && to == NULL);
        unchanged(t);
        return;
    }
    able = offset < end ? end - offset : 0;
    able = want < able ? want : able;
    HOLDS(granted == readplus_data_fit(room, able));
    HOLDS(granted > 0 || able == 0);
    HOLDS(offset == readplus_encoder_next(&t->e));
    if (granted == 0)
        return;
    HOLDS(to >= t->buffer && granted <= t->len - (size_t)(to - t->buffer));
    t->to = to;
    t->granted = granted;
}

static void call_commit(struct setup *t, struct script *in)
{
    uint8_t how = script_8(in);
    uint64_t offset = readplus_encoder_next(&t->e);
    uint32_t filled =
        how & 0x40 ? t->granted : script_32(in) % (t->granted + 2);
    enum readplus_error error;
    uint32_t i;

    for (i = 0; i < filled && i < t->granted; i++)
        t->to[i] = file_byte(offset + i);
    save(t);
    error = readplus_encoder_data_commit(&t->e, filled);
    if (error != READPLUS_OK)
        unchanged(t);
    if (t->to == NULL)
        HOLDS(error == READPLUS_ERR_STATE);
    else if (filled > t->granted)
        HOLDS(error == READPLUS_ERR_INVAL);
    else
        HOLDS(error == READPLUS_OK &&
              readplus_encoder_next(&t->e) == offset + filled);
    if (error == READPLUS_OK) {
        t->to = NULL;
        t->granted = 0;
    }
}

static void call_resize(struct setup *t, struct script *in)
{
    uint8_t how = script_8(in);
    uint64_t next = readplus_encoder_next(&t->e);

    t->file_size = how & 1 ? script_size(in) : next + (how >> 1);
    t->resized = true;
    readplus_encoder_set_file_size(&t->e, t->file_size);
}

/* --- what was finished ---------------------------------------------------- */

static void check_segment(const struct setup *t,
                          const struct readplus_segment *s)
{
    uint64_t lo = t->args.offset, hi = readplus_args_end(&t->args), i;

    HOLDS(s->length > 0);
    HOLDS(s->offset + s->length <= t->file_size);
    if (s->content == READPLUS_CONTENT_HOLE) {
        HOLDS(!(t->limits.flags & READPLUS_LIMIT_NO_HOLES));
        if (t->limits.flags & READPLUS_LIMIT_WHOLE) {
            lo = lo < t->limits.hole_lo ? lo : t->limits.hole_lo;
            hi = hi > t->limits.hole_hi ? hi : t->limits.hole_hi;
        }
    }
    HOLDS(s->offset >= lo && s->offset + s->length <= hi);
    for (i = 0; s->data != NULL && i < s->length; i++)
        HOLDS(s->data[i] == file_byte(s->offset + i));
}

/* The two rules of the preset for Linux's clients; see readplus/size.h. */
static void check_linux(const struct setup *t, uint64_t wire, uint64_t covered,
                        bool last)
{
    if (!(t->limits.flags & READPLUS_LIMIT_LINUX))
        return;
    if (last)
        HOLDS(wire <= readplus_data_size(t->args.count));
    else
        HOLDS(wire <= 16 + covered);
}

static void finished(const struct setup *t, size_t len)
{
    struct readplus_decoder d;
    struct readplus_segment s;
    enum readplus_error error;
    uint64_t end = t->args.offset, wanted = readplus_args_end(&t->args);
    uint32_t count = 0;

    HOLDS(len <= t->len && len - 4 <= t->limits.maxcount);
    HOLDS(readplus_decoder_init_buffer(&d, &t->args, t->buffer, len, 0) ==
          READPLUS_OK);
    while ((error = readplus_decoder_next(&d, &s)) == READPLUS_OK) {
        if (count++ > 0)
            check_linux(t, readplus_decoder_at(&d) - READPLUS_RES_HEAD_SIZE,
                        end - t->args.offset, false);
        check_segment(t, &s);
        end = s.offset + s.length;
    }
    HOLDS(error == READPLUS_END);
    check_linux(t, len - READPLUS_RES_HEAD_SIZE, 0, true);
    HOLDS(t->limits.maxsegs == 0 || count <= t->limits.maxsegs);
    HOLDS(end == readplus_encoder_next(&t->e));
    HOLDS(readplus_decoder_eof(&d) ==
          ((end < wanted ? end : wanted) >= t->file_size));
    /* Law 3 */
    HOLDS(count > 0 || readplus_decoder_eof(&d) || t->args.count == 0 ||
          t->args.offset == UINT64_MAX);
}

static bool call_finish(struct setup *t)
{
    enum readplus_error error;
    size_t len = 0;

    save(t);
    error = readplus_encoder_finish(&t->e, &len);
    if (error != READPLUS_OK)
        unchanged(t);
    if (t->to != NULL)
        HOLDS(error == READPLUS_ERR_STATE);
    if (error == READPLUS_ERR_CHANGED)
        HOLDS(t->resized);
    if (error != READPLUS_OK) {
        HOLDS(len == 0);
        return false;
    }
    finished(t, len);
    HOLDS(readplus_encoder_finish(&t->e, &len) == READPLUS_ERR_STATE);
    HOLDS(readplus_encoder_hole(&t->e, readplus_encoder_next(&t->e), 1) ==
          READPLUS_ERR_STATE);
    return true;
}

static bool step(struct setup *t, struct script *in)
{
    uint8_t which = script_8(in) % 8;
    bool over = false;

    if (which <= 1)
        call_hole(t, in);
    else if (which <= 3)
        call_begin(t, in);
    else if (which <= 5)
        call_commit(t, in);
    else if (which == 6)
        call_resize(t, in);
    else
        over = call_finish(t);
    invariant_encoder(&t->e, t->len);
    return over;
}

/* With room for a byte, and a byte to tell, one can be told. */
static void progress(const struct setup *t)
{
    struct readplus_encoder e = t->e;
    uint32_t granted = 0;
    uint8_t *to;

    if (t->limits.maxcount < READPLUS_MAXCOUNT_MIN || t->len < 32 ||
        t->args.count == 0 || t->args.offset >= end_of(t))
        return;
    HOLDS(readplus_encoder_data_begin(&e, t->args.offset, 1, &to, &granted) ==
          READPLUS_OK);
    HOLDS(granted == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct script in = {data, size};
    struct setup t;
    enum readplus_error error;
    int calls;

    memset(&t, 0, sizeof(t));
    limits_read(&in, &t.limits);
    t.args.offset = script_size(&in);
    t.args.count = (uint32_t)script_size(&in);
    t.file_size =
        script_8(&in) & 1 ? script_size(&in) : t.args.offset + script_8(&in);
    t.len = (size_t)(script_size(&in) % MOST);
    t.buffer = malloc(t.len + 1); /* one more, never NULL */
    HOLDS(t.buffer != NULL);
    memset(t.buffer, CANARY, t.len + 1);
    error = readplus_encoder_init(&t.e, &t.args, t.file_size, &t.limits,
                                  t.buffer, t.len);
    if (error == READPLUS_OK) {
        invariant_encoder(&t.e, t.len);
        progress(&t);
        for (calls = 0; calls < CALLS && in.left > 0; calls++)
            if (step(&t, &in))
                break;
    } else {
        HOLDS(error == READPLUS_ERR_NOSPACE);
        HOLDS(t.len < READPLUS_RES_HEAD_SIZE ||
              t.limits.maxcount < READPLUS_BODY_HEAD_SIZE);
    }
    HOLDS(t.buffer[t.len] == CANARY);
    free(t.buffer);
    return 0;
}
