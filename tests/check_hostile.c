/*
 * The catalogue of hostile replies, row by row, in every way there is to take
 * a reply that lies in memory: element by element, in batches of any size,
 * delivered by copying; the bytes in one block, cut at every place, in single
 * bytes.
 */
#include "brought.h"
#include "hostile.h"
#include "pieces.h"

/* Longer items are not cut at every place. */
#define SHORT 256

static const struct readplus_args *args_of(const struct hostile *row)
{
    return row->ranged ? &row->args : NULL;
}

/* The plain decoder and the catalogue must agree before anything else. */
static void row_is_plain(const struct hostile *row, const struct transcript *t)
{
    expect_fault(t->fault, row->fault.error, row->fault.segment, row->fault.at);
    ck_assert_uint_eq(t->count, row->good);
    if (row->fault.error == READPLUS_OK)
        ck_assert_uint_eq(t->consumed, row->size);
}

static void iterate(const struct hostile *row, const struct transcript *want,
                    const struct pieces *p, size_t batch)
{
    struct transcript got;

    transcript_of(&got, p->iov, p->n, args_of(row), row->flags, batch);
    transcripts_same(&got, want);
    transcript_free(&got);
}

/* Delivery into destinations that are whole, cut, too short. */
static void deliver(const struct hostile *row, const struct transcript *t,
                    const struct pieces *p, size_t room, size_t step)
{
    struct delivery got, want;

    delivery_plain(&want, t, &row->args, room, row->flags, false);
    delivery_of(&got, p->iov, p->n, &row->args, room, step, row->flags, false);
    deliveries_same(&got, &want, room);
    if (room >= row->args.count) {
        ck_assert_uint_eq(got.result.bytes, row->delivered_len);
        ck_assert_mem_eq(got.image, row->delivered, row->delivered_len);
        ck_assert_int_eq(got.result.eof, row->eof);
        ck_assert_int_eq(row->stuck, row->fault.error == READPLUS_OK &&
                                         !got.result.progress);
    }
    delivery_free(&got);
    delivery_free(&want);
}

static void every_way(const struct hostile *row, const struct transcript *t,
                      struct pieces p)
{
    iterate(row, t, &p, 0);
    iterate(row, t, &p, 1);
    iterate(row, t, &p, 16);
    if (row->ranged && row->len <= SHORT) {
        deliver(row, t, &p, row->args.count, row->args.count + 1u);
        deliver(row, t, &p, row->args.count + 9u, 5);
    } else if (row->ranged) {
        deliver(row, t, &p, 16, 16);
    }
    pieces_free(&p);
}

/* The row of this number; a failure names the number. */
static void with_row(int number, void (*run)(const struct hostile *,
                                             const struct transcript *))
{
    struct hostile row = {0};
    FILE *f = hostile_open();
    struct transcript t;

    while (number-- >= 0)
        ck_assert(hostile_next(f, &row));
    fclose(f);
    if (!row.elsewhere) {
        transcript_plain(&t, row.item, row.len, args_of(&row), row.flags);
        run(&row, &t);
        transcript_free(&t);
    }
    free(row.item);
    free(row.delivered);
}

static void in_one_block(const struct hostile *row, const struct transcript *t)
{
    size_t batch;

    row_is_plain(row, t);
    every_way(row, t, pieces_cut(row->item, row->len, 0, row->len));
    if (row->len > SHORT)
        return;
    for (batch = 2; batch <= 6; batch++) {
        struct pieces p = pieces_each(row->item, row->len, SHORT, false);

        iterate(row, t, &p, batch);
        pieces_free(&p);
    }
}

static void cut_once(const struct hostile *row, const struct transcript *t)
{
    size_t at;

    for (at = 1; row->len <= SHORT && at < row->len; at++)
        every_way(row, t, pieces_cut(row->item, row->len, at, at));
}

static void in_small_pieces(const struct hostile *row,
                            const struct transcript *t)
{
    size_t step;

    for (step = 1; row->len <= SHORT && step <= 9; step++)
        every_way(row, t, pieces_each(row->item, row->len, step, step % 2));
    if (row->len > SHORT)
        every_way(row, t, pieces_each(row->item, row->len, 1000, true));
}

/* Law 7: a good item has no proper prefix that strict accepts, and tolerant
 * delivers what of it is good; delivery agrees at every room. */
static void prefixes(const struct hostile *row, const struct transcript *whole)
{
    struct hostile cut = *row;
    struct transcript t;

    if (whole->end != READPLUS_END || row->len > SHORT)
        return;
    for (cut.len = 0; cut.len < whole->consumed; cut.len++) {
        struct pieces p = pieces_each(row->item, cut.len, SHORT, false);

        for (cut.flags = 0; cut.flags <= 1; cut.flags++) {
            struct delivery got, want;

            transcript_plain(&t, row->item, cut.len, args_of(row),
                             cut.flags | READPLUS_DECODE_ANY_PAD);
            expect_error(t.end, READPLUS_ERR_TRUNCATED);
            cut.flags |= READPLUS_DECODE_ANY_PAD;
            iterate(&cut, &t, &p, 0);
            delivery_plain(&want, &t, &row->args, cut.len, cut.flags, false);
            delivery_of(&got, p.iov, p.n, &row->args, cut.len, 7, cut.flags,
                        false);
            if (row->ranged)
                deliveries_same(&got, &want, cut.len);
            ck_assert(!got.result.eof || !row->ranged);
            delivery_free(&got);
            delivery_free(&want);
            transcript_free(&t);
            cut.flags &= READPLUS_DECODE_TOLERANT;
        }
        pieces_free(&p);
    }
}

START_TEST(rows_in_one_block)
{
    with_row(_i, in_one_block);
}
END_TEST

START_TEST(rows_cut_at_every_place)
{
    with_row(_i, cut_once);
}
END_TEST

START_TEST(rows_in_small_pieces)
{
    with_row(_i, in_small_pieces);
}
END_TEST

START_TEST(rows_cut_short)
{
    with_row(_i, prefixes);
}
END_TEST

/* Every row of the catalogue this file began with is here: 57 that a decoder
 * meets, 20 that an encoder does. */
START_TEST(no_row_is_forgotten)
{
    bool decode[58] = {true}, encode[21] = {true};
    struct hostile row = {0};
    FILE *f = hostile_open();
    unsigned number;

    while (hostile_next(f, &row)) {
        if (sscanf(row.id, "D%2u", &number) == 1 && number < ARRAY_LEN(decode))
            decode[number] = true;
        if (sscanf(row.id, "E%2u", &number) == 1 && number < ARRAY_LEN(encode))
            encode[number] = true;
        /* Bytes to judge, or a test that makes more of it. */
        ck_assert_msg(row.elsewhere || row.ranged || row.fault.error ||
                          row.good > 0 || row.len > 0,
                      "%s", row.id);
    }
    fclose(f);
    for (number = 0; number < ARRAY_LEN(decode); number++)
        ck_assert_msg(decode[number], "D%02u", number);
    for (number = 0; number < ARRAY_LEN(encode); number++)
        ck_assert_msg(encode[number], "E%02u", number);
}
END_TEST

/* Whether tests/`file` has that test, and runs it. */
static bool test_is_in(const char *file, const char *test)
{
    char path[4096], start[128], add[128], line[1024];
    bool begun = false, run = false;
    FILE *f;

    snprintf(path, sizeof(path), "%s/tests/%s", TOP_SRCDIR, file);
    snprintf(start, sizeof(start), "START_TEST(%s)", test);
    snprintf(add, sizeof(add), "(tc, %s", test);
    f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s", path);
    while (fgets(line, sizeof(line), f) != NULL) {
        begun = begun || strncmp(line, start, strlen(start)) == 0;
        run = run || (strstr(line, add) != NULL &&
                      strcspn(strstr(line, add) + strlen(add), ",)") == 0);
    }
    fclose(f);
    return begun && run;
}

/* The tests that rows name exist. */
START_TEST(elsewhere_is_somewhere)
{
    char line[1024], file[64], test[64];
    FILE *f = hostile_open();
    unsigned rows = 0;

    while (fgets(line, sizeof(line), f) != NULL) {
        if (strncmp(line, "elsewhere ", 10) != 0)
            continue;
        ck_assert_msg(
            sscanf(line, "elsewhere %63[^,], %63[a-z0-9_]", file, test) == 2,
            "%s", line);
        ck_assert_msg(test_is_in(file, test), "%s", line);
        rows++;
    }
    fclose(f);
    ck_assert_uint_ge(rows, 29);
}
END_TEST

/* Read outside of any test, so no assertion may fail here: the rows are
 * counted by their first line. */
static int count_rows(void)
{
    FILE *f = fopen(TOP_SRCDIR "/tests/hostile.txt", "r");
    char line[1024];
    int rows = 0;

    while (f != NULL && fgets(line, sizeof(line), f) != NULL)
        rows += strncmp(line, "id ", 3) == 0;
    if (f != NULL)
        fclose(f);
    return rows;
}

int main(void)
{
    Suite *s = suite_create("hostile");
    TCase *tc = check_case(s, "rows");
    int rows = count_rows();

    tcase_add_loop_test(tc, rows_in_one_block, 0, rows);
    tcase_add_loop_test(tc, rows_cut_at_every_place, 0, rows);
    tcase_add_loop_test(tc, rows_in_small_pieces, 0, rows);
    tcase_add_loop_test(tc, rows_cut_short, 0, rows);
    tcase_add_test(tc, no_row_is_forgotten);
    tcase_add_test(tc, elsewhere_is_somewhere);
    return check_run(s);
}
