/*
 * The encoders that are given a finished list: the raw one and the one by
 * reference.  What they write is compared with bytes put down by hand, what
 * they refuse with the fault they name; refusing writes nothing.
 */
#include "codec.h"

#define DATA READPLUS_CONTENT_DATA
#define HOLE READPLUS_CONTENT_HOLE

static uint8_t file[512]; /* file_byte() from offset 0 on */

static void fill_file(void)
{
    size_t i;

    for (i = 0; i < sizeof(file); i++)
        file[i] = file_byte(i);
}

/* --- good lists ---------------------------------------------------------- */

static const struct list {
    const char *name;
    size_t count;
    struct readplus_segment s[6];
} lists[] = {
    {"empty", 0, {{DATA, 0, 0, NULL}}},
    {"hole", 1, {{HOLE, 7, 9, NULL}}},
    {"data 4", 1, {{DATA, 8, 4, file + 8}}},
    {"data 5", 1, {{DATA, 0, 5, file}}},
    {"data 6", 1, {{DATA, 1, 6, file + 1}}},
    {"data 7", 1, {{DATA, 2, 7, file + 2}}},
    {"data, hole", 2, {{DATA, 3, 5, file + 3}, {HOLE, 8, 1, NULL}}},
    {"hole, data", 2, {{HOLE, 0, 9, NULL}, {DATA, 9, 4, file + 9}}},
    {"holes", 2, {{HOLE, 0, 9, NULL}, {HOLE, 9, 1, NULL}}},
    {"datas", 2, {{DATA, 0, 4, file}, {DATA, 4, 3, file + 4}}},
    {"data, data", 2, {{DATA, 0, 1, file}, {DATA, 1, 2, file + 1}}},
    {"nothing, twice", 2, {{DATA, 5, 0, NULL}, {HOLE, 5, 0, NULL}}},
    {"empty data with a pointer", 1, {{DATA, 5, 0, file}}},
    {"all of it",
     6,
     {{HOLE, 0, 1, NULL},
      {DATA, 1, 10, file + 1},
      {DATA, 11, 0, NULL},
      {DATA, 11, 100, file + 11},
      {HOLE, 111, 0, NULL},
      {DATA, 111, 3, file + 111}}},
    {"the last offset",
     2,
     {{HOLE, 0, UINT64_MAX - 1, NULL}, {DATA, UINT64_MAX - 1, 1, file}}},
    {"the end of offsets",
     2,
     {{HOLE, 0, UINT64_MAX, NULL}, {HOLE, UINT64_MAX, 0, NULL}}},
};

/* The item a list makes, by hand. */
static void item_of(struct bytes *b, bool eof, const struct list *list)
{
    size_t i, k;

    put_head(b, eof, (uint32_t)list->count);
    for (i = 0; i < list->count; i++) {
        const struct readplus_segment *s = &list->s[i];

        if (s->content == HOLE) {
            put_hole(b, s->offset, s->length);
            continue;
        }
        put32(b, 0);
        put64(b, s->offset);
        put32(b, (uint32_t)s->length);
        for (k = 0; k < s->length; k++)
            put8(b, s->data[k]);
        while (b->len % 4 != 0)
            put8(b, 0);
    }
}

/* Size, bytes; one byte of room too few, and nothing is written. */
START_TEST(raw_writes_the_item)
{
    const struct list *list = &lists[_i];
    struct readplus_fault fault;
    struct bytes want;
    uint64_t res_size;
    size_t len, k, size = 0;

    fill_file();
    item_of(&want, true, list);
    expect_error(readplus_res_size(list->s, list->count, &res_size),
                 READPLUS_OK);
    ck_assert_uint_eq(res_size, want.len);
    for (len = 0; len <= want.len + 1; len++) {
        uint8_t *buffer = malloc(len);
        enum readplus_error error;

        memset(buffer, 0xa5, len);
        size = 77;
        error = readplus_res_encode(0, true, list->s, list->count, buffer, len,
                                    &size, &fault);
        if (len < want.len) {
            expect_fault(fault, READPLUS_ERR_NOSPACE, READPLUS_NO_SEGMENT, 0);
            ck_assert_uint_eq(size, 77);
            for (k = 0; k < len && buffer[k] == 0xa5; k++)
                ;
            ck_assert_uint_eq(k, len);
        } else {
            expect_fault(fault, READPLUS_OK, READPLUS_NO_SEGMENT, 0);
            ck_assert_uint_eq(size, want.len);
            ck_assert_mem_eq(buffer, want.p, want.len);
            ck_assert(len == want.len || buffer[want.len] == 0xa5);
        }
        expect_error(error, fault.error);
        free(buffer);
    }
}
END_TEST

/* The iovecs hold the same bytes; data is where it was. */
START_TEST(iov_refers_to_the_item)
{
    const struct list *list = &lists[_i];
    size_t scratch_len = READPLUS_IOV_SCRATCH(list->count);
    size_t capacity = READPLUS_IOV_ENTRIES(list->count);
    uint8_t *scratch = malloc(scratch_len);
    struct iovec *iov = calloc(capacity, sizeof(*iov));
    size_t entries = 0, i, at = 0, outside = 0;
    struct bytes want;
    uint64_t size = 0;

    fill_file();
    item_of(&want, false, list);
    expect_error(readplus_encode_iov(false, list->s, list->count, scratch,
                                     scratch_len, iov, capacity, &entries,
                                     &size),
                 READPLUS_OK);
    ck_assert_uint_eq(size, want.len);
    ck_assert_uint_le(entries, capacity);
    for (i = 0; i < entries; i++) {
        const uint8_t *base = iov[i].iov_base;

        ck_assert_uint_gt(iov[i].iov_len, 0);
        ck_assert_uint_le(iov[i].iov_len, want.len - at);
        ck_assert_mem_eq(base, want.p + at, iov[i].iov_len);
        at += iov[i].iov_len;
        if (base < scratch || base >= scratch + scratch_len)
            outside += iov[i].iov_len;
    }
    ck_assert_uint_eq(at, want.len);
    for (i = 0; i < list->count; i++)
        if (list->s[i].content == DATA)
            outside -= (size_t)list->s[i].length;
    ck_assert_uint_eq(outside, 0);
    free(iov);
    free(scratch);
}
END_TEST

START_TEST(iov_refuses_too_little_room)
{
    const struct list *list = &lists[_i];
    size_t scratch_len = READPLUS_IOV_SCRATCH(list->count);
    size_t capacity = READPLUS_IOV_ENTRIES(list->count);
    struct iovec iov[16] = {{0}};
    uint8_t scratch[256];
    size_t entries = 77, k;
    uint64_t size = 77;

    memset(scratch, 0xa5, sizeof(scratch));
    for (k = 0; k < scratch_len; k++)
        expect_error(readplus_encode_iov(true, list->s, list->count, scratch, k,
                                         iov, capacity, &entries, &size),
                     READPLUS_ERR_NOSPACE);
    for (k = 0; k < capacity; k++)
        expect_error(readplus_encode_iov(true, list->s, list->count, scratch,
                                         scratch_len, iov, k, &entries, &size),
                     READPLUS_ERR_LIMIT);
    ck_assert_uint_eq(entries, 77);
    ck_assert_uint_eq(size, 77);
    for (k = 0; k < sizeof(scratch); k++)
        ck_assert_uint_eq(scratch[k], 0xa5);
    for (k = 0; k < ARRAY_LEN(iov); k++)
        ck_assert_ptr_null(iov[k].iov_base);
}
END_TEST

/* --- bad lists ----------------------------------------------------------- */

static const struct refusal {
    enum readplus_error error;
    uint32_t segment;
    uint64_t at;
    size_t count;
    struct readplus_segment s[3];
} refusals[] = {
    {READPLUS_ERR_INVAL, 0, 12, 1, {{(enum readplus_content)2, 0, 1, file}}},
    {READPLUS_ERR_INVAL, 0, 12, 1, {{DATA, 0, 1, NULL}}},
    {READPLUS_ERR_INVAL, 0, 12, 1, {{DATA, 0, 1ull << 32, file}}},
    {READPLUS_ERR_INVAL,
     1,
     36,
     2,
     {{DATA, 0, 5, file}, {(enum readplus_content) - 1, 5, 1, file}}},
    {READPLUS_ERR_INVAL, 0, 12, 2, {{DATA, 0, 1, NULL}, {HOLE, 1, 1, NULL}}},
    {READPLUS_ERR_INVAL, 1, 32, 2, {{HOLE, 0, 1, NULL}, {DATA, 1, 1, NULL}}},
    {READPLUS_ERR_INVAL,
     1,
     32,
     2,
     {{HOLE, 0, 1, NULL}, {DATA, 1, 1ull << 32, file}}},
    {READPLUS_ERR_RANGE, 0, 16, 1, {{HOLE, UINT64_MAX, 1, NULL}}},
    {READPLUS_ERR_RANGE, 0, 16, 1, {{HOLE, UINT64_MAX, UINT64_MAX, NULL}}},
    {READPLUS_ERR_RANGE, 0, 16, 1, {{DATA, UINT64_MAX, 1, file}}},
    {READPLUS_ERR_RANGE,
     1,
     36,
     2,
     {{HOLE, 0, 9, NULL}, {HOLE, 9, UINT64_MAX - 8, NULL}}},
    {READPLUS_ERR_GAP, 1, 36, 2, {{HOLE, 0, 9, NULL}, {HOLE, 10, 1, NULL}}},
    {READPLUS_ERR_OVERLAP, 1, 36, 2, {{HOLE, 0, 9, NULL}, {HOLE, 8, 9, NULL}}},
    {READPLUS_ERR_OVERLAP, 1, 36, 2, {{HOLE, 5, 9, NULL}, {HOLE, 5, 9, NULL}}},
    {READPLUS_ERR_ORDER, 1, 36, 2, {{HOLE, 5, 9, NULL}, {HOLE, 4, 1, NULL}}},
    {READPLUS_ERR_GAP,
     2,
     12 + 24 + 20 + 4,
     3,
     {{DATA, 0, 6, file}, {HOLE, 6, 1, NULL}, {DATA, 8, 1, file}}},
};

START_TEST(bad_lists_are_named)
{
    const struct refusal *r = &refusals[_i];
    uint8_t buffer[128], scratch[128];
    struct readplus_fault fault;
    struct iovec iov[16];
    size_t size = 77, entries = 77, k;
    uint64_t total = 77;

    memset(buffer, 0xa5, sizeof(buffer));
    expect_error(readplus_res_encode(0, true, r->s, r->count, buffer,
                                     sizeof(buffer), &size, &fault),
                 r->error);
    expect_fault(fault, r->error, r->segment, r->at);
    expect_error(readplus_res_encode(0, true, r->s, r->count, buffer,
                                     sizeof(buffer), &size, NULL),
                 r->error);
    for (k = 0; k < sizeof(buffer); k++)
        ck_assert_uint_eq(buffer[k], 0xa5);
    expect_error(readplus_encode_iov(true, r->s, r->count, scratch,
                                     sizeof(scratch), iov, ARRAY_LEN(iov),
                                     &entries, &total),
                 r->error);
    ck_assert_uint_eq(size, 77);
    ck_assert_uint_eq(entries, 77);
    ck_assert_uint_eq(total, 77);
}
END_TEST

/* More segments than a count word can say; none of them is looked at. */
START_TEST(too_many_segments)
{
#if SIZE_MAX > UINT32_MAX
    static const struct readplus_segment one[1];
    size_t many = (size_t)UINT32_MAX + 1, size, entries;
    struct readplus_fault fault;
    uint8_t buffer[64];
    struct iovec iov[4];
    uint64_t total;

    expect_error(readplus_res_encode(0, true, one, many, buffer, sizeof(buffer),
                                     &size, &fault),
                 READPLUS_ERR_LIMIT);
    expect_fault(fault, READPLUS_ERR_LIMIT, READPLUS_NO_SEGMENT, 0);
    expect_error(readplus_encode_iov(true, one, many, buffer, SIZE_MAX, iov,
                                     SIZE_MAX, &entries, &total),
                 READPLUS_ERR_LIMIT);
#endif
}
END_TEST

/* --- status only --------------------------------------------------------- */

START_TEST(status_alone)
{
    static const uint32_t statuses[] = {1, 10004, 10066, 0x80000000u,
                                        UINT32_MAX};
    static const struct readplus_segment hole = {HOLE, 0, 1, NULL};
    struct readplus_fault fault;
    struct bytes want = {.len = 0};
    size_t size, len;

    put32(&want, statuses[_i]);
    for (len = 0; len <= 5; len++) {
        uint8_t *buffer = malloc(len);
        enum readplus_error error;

        memset(buffer, 0xa5, len);
        size = 77;
        error = readplus_res_encode(statuses[_i], true, NULL, 0, buffer, len,
                                    &size, &fault);
        expect_fault(fault, len < 4 ? READPLUS_ERR_NOSPACE : READPLUS_OK,
                     READPLUS_NO_SEGMENT, 0);
        expect_error(error, fault.error);
        ck_assert_uint_eq(size, len < 4 ? 77 : 4);
        if (len >= 4)
            ck_assert_mem_eq(buffer, want.p, 4);
        ck_assert(len == 0 || len == 4 || buffer[len - 1] == 0xa5);
        expect_error(readplus_res_encode(statuses[_i], false, &hole, 1, buffer,
                                         len, &size, &fault),
                     READPLUS_ERR_INVAL);
        expect_fault(fault, READPLUS_ERR_INVAL, READPLUS_NO_SEGMENT, 0);
        free(buffer);
    }
}
END_TEST

/* --- data that is in the buffer ------------------------------------------ */

/* Data at its final place stays, wherever else in the item it is refused. */
START_TEST(data_in_the_buffer)
{
    struct bytes want;
    size_t place, size;

    put_head(&want, 0, 2);
    put_hole(&want, 0, 3);
    put_data(&want, 3, 6);
    ck_assert_uint_eq(want.len, 56);
    for (place = 0; place <= want.len + 6; place++) {
        uint8_t room[3 * 64], *buffer = room + 64, *data = room + 58 + place;
        struct readplus_segment s[] = {{HOLE, 0, 3, NULL}, {DATA, 3, 6, data}};
        struct readplus_fault fault;
        enum readplus_error error;
        size_t k;

        memset(room, 0xa5, sizeof(room));
        for (k = 0; k < 6; k++)
            data[k] = file_byte(3 + k);
        error = readplus_res_encode(0, false, s, 2, buffer, 64, &size, &fault);
        if (place == 0 || place == 48 + 6 || place == 56 + 6) {
            expect_error(error, READPLUS_OK);
            ck_assert_mem_eq(buffer, want.p, want.len);
        } else {
            expect_fault(fault, READPLUS_ERR_INVAL, 1, 32);
            expect_error(error, READPLUS_ERR_INVAL);
        }
    }
}
END_TEST

/* Right behind the item is clear of it; so is empty data inside it. */
START_TEST(data_beside_the_item)
{
    uint8_t buffer[64] = {0};
    struct readplus_segment s[] = {{DATA, 0, 4, buffer + 48},
                                   {DATA, 4, 0, buffer + 20}};
    struct bytes want;
    size_t size;

    memcpy(buffer + 48, "\1\2\3\4", 4);
    put_head(&want, 1, 2);
    put_data(&want, 0, 4);
    put_data(&want, 4, 0);
    expect_error(
        readplus_res_encode(0, true, s, 2, buffer, sizeof(buffer), &size, NULL),
        READPLUS_OK);
    ck_assert_uint_eq(size, 48);
    ck_assert_mem_eq(buffer, want.p, size);
}
END_TEST

/* One in the buffer at its place, one in front of the buffer. */
START_TEST(data_before_the_item)
{
    uint8_t room[128] = {0}, *buffer = room + 8;
    struct readplus_segment s[] = {{DATA, 0, 4, buffer + 28},
                                   {DATA, 4, 8, room}};
    struct bytes want;
    size_t size;

    put_head(&want, 1, 2);
    put_data(&want, 0, 4);
    put_data(&want, 4, 8);
    memcpy(buffer + 28, want.p + 28, 4);
    memcpy(room, want.p + 48, 8);
    expect_error(readplus_res_encode(0, true, s, 2, buffer, 100, &size, NULL),
                 READPLUS_OK);
    ck_assert_uint_eq(size, want.len);
    ck_assert_mem_eq(buffer, want.p, size);
}
END_TEST

/* Each at its final place, behind others of each kind; then the last is not. */
START_TEST(all_data_in_place)
{
    uint8_t buffer[100];
    struct readplus_segment s[] = {{DATA, 0, 4, buffer + 28},
                                   {HOLE, 4, 100, NULL},
                                   {DATA, 104, 5, buffer + 68},
                                   {DATA, 109, 3, buffer + 92}};
    struct readplus_fault fault;
    struct bytes want;
    size_t size;

    put_head(&want, 1, 4);
    put_data(&want, 0, 4);
    put_hole(&want, 4, 100);
    put_data(&want, 104, 5);
    put_data(&want, 109, 3);
    memset(buffer, 0xa5, sizeof(buffer));
    memcpy(buffer + 28, want.p + 28, 4);
    memcpy(buffer + 68, want.p + 68, 5);
    memcpy(buffer + 92, want.p + 92, 3);
    expect_error(readplus_res_encode(0, true, s, 4, buffer, sizeof(buffer),
                                     &size, &fault),
                 READPLUS_OK);
    ck_assert_uint_eq(size, want.len);
    ck_assert_mem_eq(buffer, want.p, size);
    s[3].data--;
    expect_error(readplus_res_encode(0, true, s, 4, buffer, sizeof(buffer),
                                     &size, &fault),
                 READPLUS_ERR_INVAL);
    expect_fault(fault, READPLUS_ERR_INVAL, 3, 76);
}
END_TEST

/* --- READ_PLUS4args ------------------------------------------------------ */

START_TEST(arguments)
{
    struct readplus_args args = {0x0102030405060708u,
                                 0xfffefdfcu,
                                 {0x11121314u, {1, 2, 3, 4, 5, 6, 7, 8, 9}}};
    struct bytes want = {.len = 0};
    size_t len, i;

    put32(&want, 0x11121314u);
    for (i = 0; i < 12; i++)
        put8(&want, args.stateid.other[i]);
    put64(&want, args.offset);
    put32(&want, args.count);
    ck_assert_uint_eq(want.len, READPLUS_ARGS_SIZE);
    for (len = 0; len <= 29; len++) {
        uint8_t *buffer = malloc(len);

        memset(buffer, 0xa5, len);
        expect_error(readplus_args_encode(&args, buffer, len),
                     len < 28 ? READPLUS_ERR_NOSPACE : READPLUS_OK);
        if (len >= 28)
            ck_assert_mem_eq(buffer, want.p, 28);
        for (i = len < 28 ? 0 : 28; i < len; i++)
            ck_assert_uint_eq(buffer[i], 0xa5);
        free(buffer);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("encode");
    TCase *tc = check_case(s, "good lists");

    tcase_add_loop_test(tc, raw_writes_the_item, 0, (int)ARRAY_LEN(lists));
    tcase_add_loop_test(tc, iov_refers_to_the_item, 0, (int)ARRAY_LEN(lists));
    tcase_add_loop_test(tc, iov_refuses_too_little_room, 0,
                        (int)ARRAY_LEN(lists));
    tc = check_case(s, "bad lists");
    tcase_add_loop_test(tc, bad_lists_are_named, 0, (int)ARRAY_LEN(refusals));
    tcase_add_test(tc, too_many_segments);
    tc = check_case(s, "status");
    tcase_add_loop_test(tc, status_alone, 0, 5);
    tc = check_case(s, "in place");
    tcase_add_test(tc, data_in_the_buffer);
    tcase_add_test(tc, data_beside_the_item);
    tcase_add_test(tc, data_before_the_item);
    tcase_add_test(tc, all_data_in_place);
    tc = check_case(s, "arguments");
    tcase_add_test(tc, arguments);
    return check_run(s);
}
