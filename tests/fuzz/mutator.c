/*
 * The mutator that knows what a READ_PLUS4res is: segments are put in, taken
 * out, repeated, exchanged and split as units, fields get values next to
 * their limits and to what their neighbours say, and now and then the whole is
 * made well formed again, so that what lies deep behind many good segments is
 * reached as often as what lies in front.  Every third time the bytes are left
 * to the fuzzer's own mutator.  The input need not be a reply at all.
 */
#include "fuzz.h"

#define UNITS 64
#define HEAD READPLUS_RES_HEAD_SIZE
#define NEW_DATA 40

/* An input being changed: params bytes, the head, units, whatever is left. */
struct draft {
    uint8_t *p; /* the item */
    size_t len, room;
    size_t at[UNITS + 1]; /* where each unit begins; at[n]: the last ends */
    size_t n;
    uint8_t *params; /* NULL: there are none */
    uint64_t state;
};

static uint32_t dice(struct draft *d, uint32_t n)
{
    return fuzz_random(&d->state) % n;
}

static uint64_t load(const uint8_t *p, unsigned bytes)
{
    struct script s = {p, bytes};

    return script_take(&s, bytes);
}

static void store(uint8_t *p, unsigned bytes, uint64_t v)
{
    while (bytes-- > 0) {
        p[bytes] = (uint8_t)v;
        v >>= 8;
    }
}

static size_t round4(uint64_t n)
{
    return (size_t)((n + 3) / 4 * 4);
}

/* --- units ---------------------------------------------------------------- */

/* How long the element is that begins here, whatever is the matter with it;
 * 0 where none can. */
static size_t unit_length(const uint8_t *p, size_t left)
{
    uint64_t content, length;

    if (left < 4)
        return 0;
    content = load(p, 4);
    if (content == 1)
        return left < 20 ? 0 : 20;
    if (content != 0)
        return 4;
    if (left < 16)
        return 0;
    length = load(p + 12, 4);
    return length > left - 16 || round4(length) > left - 16
               ? 0
               : 16 + round4(length);
}

static void units_find(struct draft *d)
{
    size_t at = HEAD, length;

    d->n = 0;
    d->at[0] = at;
    if (d->len < HEAD)
        return;
    while (d->n < UNITS) {
        length = unit_length(d->p + at, d->len - at);
        if (length == 0)
            return;
        at += length;
        d->at[++d->n] = at;
    }
}

/* Replaces `out` bytes at `at` by `in` bytes whose values are not set; false
 * where there is no room. */
static bool splice(struct draft *d, size_t at, size_t out, size_t in)
{
    if (in > out && in - out > d->room - d->len)
        return false;
    memmove(d->p + at + in, d->p + at + out, d->len - at - out);
    d->len = d->len - out + in;
    return true;
}

/* --- values --------------------------------------------------------------- */

static uint64_t asked(const struct draft *d)
{
    return d->params != NULL ? load(d->params, 8) : 0;
}

/* Where the unit before this one ends in the file. */
static uint64_t expected(const struct draft *d, size_t unit)
{
    const uint8_t *p;

    if (unit == 0)
        return asked(d);
    p = d->p + d->at[unit - 1];
    if (load(p, 4) == 1)
        return load(p + 4, 8) + load(p + 12, 8);
    return load(p, 4) == 0 ? load(p + 4, 8) + load(p + 12, 4) : 0;
}

static uint64_t value_64(struct draft *d, size_t unit, uint64_t now)
{
    uint64_t step = dice(d, 4) == 0 ? dice(d, 40) : dice(d, 2);
    uint64_t base;

    switch (dice(d, 8)) {
    case 0:
        base = expected(d, unit);
        break;
    case 1:
        base = asked(d);
        break;
    case 2:
        base = asked(d) + (d->params != NULL ? load(d->params + 8, 4) : 0);
        break;
    case 3:
        base = (uint64_t)1 << dice(d, 64);
        break;
    case 4:
        base = 0;
        break;
    case 5: /* the end of the file space, seen from where this begins */
        base = 0 - expected(d, unit);
        break;
    case 6:
        base = UINT64_MAX;
        break;
    default:
        base = now;
        break;
    }
    return dice(d, 2) == 0 ? base + step : base - step;
}

static uint32_t value_32(struct draft *d, uint32_t now)
{
    static const uint32_t words[] = {0, 1,  2,           3,           4,
                                     5, 68, 0x7fffffffu, 0x80000000u, 10088};
    uint32_t step = dice(d, 5);
    uint32_t left = (uint32_t)d->len;

    switch (dice(d, 6)) {
    case 0:
        return words[dice(d, sizeof(words) / sizeof(words[0]))];
    case 1:
        return 0u - step;
    case 2:
        return left - step;
    case 3:
        return (uint32_t)d->n + step;
    case 4:
        return now - step;
    default:
        return now + step;
    }
}

/* --- operations ----------------------------------------------------------- */

/* One field of the head or of a unit gets a value it may not like. */
static void field(struct draft *d)
{
    static const struct {
        uint8_t at, bytes;
    } head[] = {{0, 4}, {4, 4}, {8, 4}};
    size_t unit = dice(d, (uint32_t)d->n + 1), at;
    unsigned bytes, which = dice(d, 3);

    if (unit == d->n) {
        at = head[which].at;
        bytes = head[which].bytes;
    } else {
        bool hole = load(d->p + d->at[unit], 4) == 1;

        at = d->at[unit] + (which == 0 ? 0 : which == 1 ? 4 : 12);
        bytes = which == 1 || (which == 2 && hole) ? 8 : 4;
    }
    if (at > d->len || bytes > d->len - at)
        return;
    store(d->p + at, bytes,
          bytes == 8 ? value_64(d, unit, load(d->p + at, 8))
                     : value_32(d, (uint32_t)load(d->p + at, 4)));
}

/* The bytes of a new element of `length` bytes in the file. */
static void put_unit(struct draft *d, size_t at, bool hole, uint64_t offset,
                     uint64_t length)
{
    uint64_t i;

    store(d->p + at, 4, hole);
    store(d->p + at + 4, 8, offset);
    store(d->p + at + 12, hole ? 8 : 4, length);
    for (i = 0; !hole && i < round4(length); i++)
        d->p[at + 16 + i] = i < length ? (uint8_t)(offset + i + 1) : 0;
}

static void insert(struct draft *d)
{
    size_t unit = dice(d, (uint32_t)d->n + 1);
    bool hole = dice(d, 2) == 0;
    uint64_t length = dice(d, NEW_DATA), offset = expected(d, unit);

    if (d->len < HEAD ||
        !splice(d, d->at[unit], 0, hole ? 20 : 16 + round4(length)))
        return;
    if (hole && dice(d, 4) == 0)
        length = value_64(d, unit, 0);
    put_unit(d, d->at[unit], hole, offset, length);
}

static void take_out(struct draft *d)
{
    size_t first, last;

    if (d->n == 0)
        return;
    first = dice(d, (uint32_t)d->n);
    last =
        first + 1 + (dice(d, 4) == 0 ? dice(d, (uint32_t)(d->n - first)) : 0);
    (void)splice(d, d->at[first], d->at[last] - d->at[first], 0);
}

/* A unit once more, at its place or anywhere. */
static void repeat(struct draft *d)
{
    uint8_t copy[256];
    size_t from, to, length;

    if (d->n == 0)
        return;
    from = dice(d, (uint32_t)d->n);
    to = dice(d, 2) == 0 ? from : dice(d, (uint32_t)d->n + 1);
    length = d->at[from + 1] - d->at[from];
    if (length > sizeof(copy))
        return;
    memcpy(copy, d->p + d->at[from], length);
    if (splice(d, d->at[to], 0, length))
        memcpy(d->p + d->at[to], copy, length);
}

/* Two neighbours exchanged. */
static void exchange(struct draft *d)
{
    uint8_t copy[256];
    size_t a, one, two;

    if (d->n < 2)
        return;
    a = dice(d, (uint32_t)d->n - 1);
    one = d->at[a + 1] - d->at[a];
    two = d->at[a + 2] - d->at[a + 1];
    if (one > sizeof(copy))
        return;
    memcpy(copy, d->p + d->at[a], one);
    memmove(d->p + d->at[a], d->p + d->at[a + 1], two);
    memcpy(d->p + d->at[a] + two, copy, one);
}

/* A data element gets another length, with bytes and fill to match. */
static void resize(struct draft *d)
{
    size_t unit, at;
    uint64_t length = dice(d, 8) == 0 ? dice(d, 600) : dice(d, NEW_DATA);

    if (d->n == 0)
        return;
    unit = dice(d, (uint32_t)d->n);
    at = d->at[unit];
    if (load(d->p + at, 4) != 0 ||
        !splice(d, at, d->at[unit + 1] - at, 16 + round4(length)))
        return;
    put_unit(d, at, false, expected(d, unit), length);
}

/* A hole becomes two that mean the same. */
static void split(struct draft *d)
{
    size_t unit, at;
    uint64_t offset, length, first;

    if (d->n == 0)
        return;
    unit = dice(d, (uint32_t)d->n);
    at = d->at[unit];
    if (load(d->p + at, 4) != 1 || !splice(d, at, 0, 20))
        return;
    offset = load(d->p + at + 24, 8);
    length = load(d->p + at + 32, 8);
    first = length == 0 ? 0 : fuzz_random(&d->state) % length;
    put_unit(d, at, true, offset, first);
    put_unit(d, at + 20, true, offset + first, length - first);
}

/* Bytes cut off near the end of a unit, or some put behind the last. */
static void tail(struct draft *d)
{
    size_t at = d->at[dice(d, (uint32_t)d->n + 1)], few = dice(d, 9);

    if (dice(d, 3) == 0 && few <= d->room - d->len) {
        memset(d->p + d->len, (int)dice(d, 2), few);
        d->len += few;
        return;
    }
    at = at + 4 < few ? 0 : at + 4 - few;
    if (at < d->len)
        d->len = at;
}

static void params(struct draft *d)
{
    if (d->params == NULL)
        return;
    switch (dice(d, 5)) {
    case 0:
        store(d->params, 8, value_64(d, dice(d, (uint32_t)d->n + 1), asked(d)));
        break;
    case 1:
        store(d->params + 8, 4,
              dice(d, 3) == 0 ? value_32(d, 64) : dice(d, 300));
        break;
    case 2:
        d->params[12] ^= (uint8_t)(1u << dice(d, 8));
        break;
    case 3:
        d->params[13] = (uint8_t)dice(d, 256);
        break;
    default:
        store(d->params + 14, 2, dice(d, 300));
        break;
    }
}

/* Everything as it should be: one element behind the other, zero fill, the
 * right count. */
static void repair(struct draft *d)
{
    uint64_t offset = asked(d), length;
    size_t i;

    if (d->len < HEAD)
        return;
    if (dice(d, 4) == 0 && offset > 0)
        offset -= 1 + dice(d, 20) % offset;
    for (i = 0; i < d->n; i++) {
        uint8_t *p = d->p + d->at[i];
        bool hole = load(p, 4) != 0;

        if (hole && d->at[i + 1] - d->at[i] < 20) {
            d->n = i;
            break;
        }
        length = load(p + 12, hole ? 8 : 4);
        if (hole && length > UINT64_MAX - offset)
            length = dice(d, 100);
        store(p, 4, hole);
        store(p + 4, 8, offset);
        store(p + 12, hole ? 8 : 4, length);
        if (!hole)
            memset(p + 16 + length, 0, round4(length) - (size_t)length);
        offset += length;
    }
    store(d->p, 4, 0);
    store(d->p + 4, 4, dice(d, 2));
    store(d->p + 8, 4, d->n);
    if (dice(d, 4) != 0)
        d->len = d->at[d->n];
}

/* ------------------------------------------------------------------------- */

static void change(struct draft *d)
{
    static void (*const operations[])(struct draft *) = {
        field,    field,  field, insert, insert, take_out, repeat,
        exchange, resize, split, tail,   params, params,   repair};
    uint32_t which = dice(d, sizeof(operations) / sizeof(operations[0]));

    operations[which](d);
    units_find(d);
    if (which > 2 && d->len >= HEAD && dice(d, 4) != 0)
        store(d->p + 8, 4, d->n);
    if (dice(d, 3) == 0)
        repair(d);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned seed)
{
    struct draft d = {.state = seed};
    uint32_t times;

    if (dice(&d, 3) == 0 || size < fuzz_params ||
        max_size < fuzz_params + 2 * HEAD)
        return LLVMFuzzerMutate(data, size, max_size);
    d.params = fuzz_params > 0 ? data : NULL;
    d.p = data + fuzz_params;
    d.len = size - fuzz_params;
    d.room = max_size - fuzz_params;
    if (d.len < HEAD) {
        memset(d.p + d.len, 0, HEAD - d.len);
        d.len = HEAD;
    }
    units_find(&d);
    for (times = 1 + dice(&d, 3); times > 0; times--)
        change(&d);
    return fuzz_params + d.len;
}
