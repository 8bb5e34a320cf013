/*
 * The codec that rpcgen makes of xdr/read_plus.x against the catalogue: what
 * is well formed is read and written byte for byte, and what it accepts and
 * should not is what tests/vectors/rpcgen_accepts says, no more and no less.
 * The filter of the bridge says of each what the catalogue says.
 */
#include <stdarg.h>
#include <stdio.h>

#include "examples/readplus/vector_check.h"
#include "check_rpc.h"

static struct catalogue catalogue;

__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

void complain(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* Room for any of the generated types. */
union object {
    readplus_READ_PLUS4args args;
    readplus_READ_PLUS4res res;
    readplus_SEEK4args seek_args;
    readplus_SEEK4res seek_res;
};

/* The generated routine for a vector; NULL where there is none. */
static xdrproc_t routine(const struct vector *v)
{
    switch (v->type) {
    case VECTOR_ARGS:
    case VECTOR_ARGOP:
        return (xdrproc_t)xdr_readplus_READ_PLUS4args;
    case VECTOR_RES:
    case VECTOR_RESOP:
        return (xdrproc_t)xdr_readplus_READ_PLUS4res;
    case VECTOR_SEEK_ARGS:
    case VECTOR_SEEK_ARGOP:
        return (xdrproc_t)xdr_readplus_SEEK4args;
    case VECTOR_SEEK_RES:
    case VECTOR_SEEK_RESOP:
        return (xdrproc_t)xdr_readplus_SEEK4res;
    default:
        return NULL;
    }
}

/* The item's bytes, without an opcode, in a block of exactly that size. */
static uint8_t *item_of(const struct vector *v, size_t *len)
{
    size_t skip = vector_skip(v->type);
    uint8_t *bytes, *item;

    if (routine(v) == NULL || v->size > VECTOR_LARGE || v->size < skip)
        return NULL;
    bytes = vector_bytes(v);
    ck_assert_ptr_nonnull(bytes);
    *len = (size_t)v->size - skip;
    item = exact_copy(bytes + skip, *len);
    free(bytes);
    return item;
}

/* No word of it can be a count or a length worth mentioning. */
static bool is_small(const uint8_t *item, size_t len)
{
    size_t at;

    for (at = 0; len - at >= 4; at += 4)
        if (load32(item + at) > UINT16_MAX)
            return false;
    return true;
}

static bool may_ask(const struct vector *v, const uint8_t *item, size_t len)
{
    return routine(v) != (xdrproc_t)xdr_readplus_READ_PLUS4res ||
           is_safe(item, len) || is_small(item, len);
}

/* --- what is well formed --------------------------------------------------- */

static void write_back(const struct vector *v, union object *object,
                       const uint8_t *item, size_t len)
{
    uint8_t *out = malloc(len + 4);
    XDR xdrs;

    ck_assert_ptr_nonnull(out);
    ck_assert_msg(xdr_sizeof(routine(v), object) == len, "%s: xdr_sizeof",
                  v->name);
    xdrmem_create(&xdrs, (char *)out, (u_int)len, XDR_ENCODE);
    ck_assert_msg(routine(v)(&xdrs, object), "%s: not written", v->name);
    ck_assert_msg(memcmp(out, item, len) == 0, "%s: written otherwise",
                  v->name);
    xdr_destroy(&xdrs);
    free(out);
}

/* True where the routine accepts, having read *used bytes; writes it back
 * with `back`. */
static bool accepts(const struct vector *v, uint8_t *item, size_t len,
                    bool back, size_t *used)
{
    union object object;
    bool good;
    XDR xdrs;

    memset(&object, 0, sizeof(object));
    xdrmem_create(&xdrs, (char *)item, (u_int)len, XDR_DECODE);
    good = routine(v)(&xdrs, &object);
    *used = xdr_getpos(&xdrs);
    if (good && back)
        write_back(v, &object, item, len);
    xdr_free(routine(v), &object);
    return good;
}

START_TEST(reads_and_writes_what_is_good)
{
    size_t i, len, used, seen = 0;

    for (i = 0; i < catalogue.count; i++) {
        const struct vector *v = &catalogue.vectors[i];
        uint8_t *item;

        if (!vector_is_writable(v))
            continue;
        item = item_of(v, &len);
        if (item == NULL)
            continue;
        ck_assert_msg(accepts(v, item, len, true, &used), "%s: refused",
                      v->name);
        ck_assert_msg(used == len, "%s: not read to its end", v->name);
        free(item);
        seen++;
    }
    ck_assert_uint_gt(seen, 400);
}
END_TEST

/* --- what is not ----------------------------------------------------------- */

/* What the strict profile refuses and the generated routine accepts. */
static void list_accepted(FILE *to)
{
    size_t i, len, used;

    for (i = 0; i < catalogue.count; i++) {
        const struct vector *v = &catalogue.vectors[i];
        enum readplus_error error = v->expect[PROFILE_STRICT].error;
        uint8_t *item;

        if (error == READPLUS_OK || error == READPLUS_ERR_BAD_MESSAGE)
            continue;
        item = item_of(v, &len);
        if (item == NULL)
            continue;
        if (!may_ask(v, item, len))
            fprintf(to,
                    "%-30s %-11s not asked: it allocates what is announced\n",
                    v->name, vector_error_name(error));
        else if (accepts(v, item, len, false, &used))
            fprintf(to, "%-30s %-11s accepted, %zu of %zu bytes read\n",
                    v->name, vector_error_name(error), used, len);
        free(item);
    }
}

/* The next line that is no comment; false at the end. */
static bool next_line(FILE *from, char *line, int room)
{
    do
        if (fgets(line, room, from) == NULL)
            return false;
    while (line[0] == '#' || line[0] == '\n');
    return true;
}

START_TEST(accepts_what_the_table_says)
{
    FILE *table = fopen(VECTORS_DIR "/rpcgen_accepts", "r");
    FILE *now = tmpfile();
    char want[256], got[256];
    bool more;

    ck_assert_ptr_nonnull(now);
    list_accepted(now);
    rewind(now);
    if (table == NULL || getenv("READPLUS_PRINT_TABLE") != NULL)
        while (next_line(now, got, sizeof(got)))
            fputs(got, stdout);
    ck_assert_ptr_nonnull(table);
    rewind(now);
    do {
        more = next_line(table, want, sizeof(want));
        ck_assert_int_eq(next_line(now, got, sizeof(got)), more);
        if (more)
            ck_assert_str_eq(got, want);
    } while (more);
    fclose(table);
    fclose(now);
}
END_TEST

/* --- the filter ------------------------------------------------------------ */

/* What was decoded, written again: the same bytes. */
static void filter_writes(struct readplus_rpc_res *res, const char *name,
                          const uint8_t *item, size_t len)
{
    uint8_t *out = malloc(len);
    XDR xdrs;

    ck_assert_ptr_nonnull(out);
    xdrmem_create(&xdrs, (char *)out, (u_int)len, XDR_ENCODE);
    ck_assert_msg(readplus_rpc_res_xdr(&xdrs, res), "%s: not written", name);
    ck_assert_msg(xdr_getpos(&xdrs) == len && memcmp(out, item, len) == 0,
                  "%s: written otherwise", name);
    xdr_destroy(&xdrs);
    free(out);
}

/* Elements are stored as they arrive, so that the array needs room for those
 * that are there, whatever the count word says. */
static void filter_judges(const struct vector *v, uint8_t *item, size_t len)
{
    const struct vector_expect *want = &v->expect[PROFILE_TRAILING];
    struct readplus_segment *segments = calloc(len / 16 + 1, sizeof(*segments));
    struct readplus_rpc_res res;
    XDR xdrs;

    ck_assert_ptr_nonnull(segments);
    readplus_rpc_res_init(&res, v->asked ? &v->ask : NULL, segments, UINT32_MAX,
                          NULL, 0);
    xdrmem_create(&xdrs, (char *)item, (u_int)len, XDR_DECODE);
    if (readplus_rpc_res_xdr(&xdrs, &res))
        filter_writes(&res, v->name, item, xdr_getpos(&xdrs));
    ck_assert_msg(
        res.fault.error == want->error &&
            (want->error == READPLUS_OK ||
             (res.fault.at == want->at && res.fault.segment == want->segment)),
        "%s: %s at %llu in %u", v->name, readplus_error_name(res.fault.error),
        (unsigned long long)res.fault.at, res.fault.segment);
    xdr_free((xdrproc_t)readplus_rpc_res_xdr, &res);
    free(segments);
}

START_TEST(filter_judges_as_the_catalogue)
{
    size_t i, len, seen = 0;

    for (i = 0; i < catalogue.count; i++) {
        const struct vector *v = &catalogue.vectors[i];
        uint8_t *item = v->type == VECTOR_RES ? item_of(v, &len) : NULL;

        if (item == NULL)
            continue;
        filter_judges(v, item, len);
        free(item);
        seen++;
    }
    ck_assert_uint_gt(seen, 400);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("vectors_rpc");
    TCase *tc = check_case(s, "catalogue");
    int status;

    if (!catalogue_read(&catalogue, VECTORS_DIR))
        return EXIT_FAILURE;
    tcase_add_test(tc, reads_and_writes_what_is_good);
    tcase_add_test(tc, accepts_what_the_table_says);
    tcase_add_test(tc, filter_judges_as_the_catalogue);
    status = check_run(s);
    catalogue_free(&catalogue);
    return status;
}
