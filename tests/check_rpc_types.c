/*
 * The generated types: their numbers are those of RFC 7863, written here a
 * second time by hand; their layout is what the sizes of the core say; and the
 * way from them to segments makes the checks a decode makes, the way to them
 * those an encode makes.
 */
#include "check_rpc.h"

/* --- numbers ------------------------------------------------------------- */

#define IS(name, number)                                                       \
    _Static_assert(READPLUS_##name == (number), #name " is not " #number)

IS(NFS4_OTHER_SIZE, 12);
IS(NFS4_SESSIONID_SIZE, 16);
IS(NFS4_UINT32_MAX, 4294967295u);
IS(NFS4_UINT64_MAX, 18446744073709551615u);
IS(NFS4_MAXFILELEN, 18446744073709551615u);
IS(NFS4_MAXFILEOFF, 18446744073709551614u);

IS(OP_PUTFH, 22);
IS(OP_READ, 25);
IS(OP_SEQUENCE, 53);
IS(OP_ALLOCATE, 59);
IS(OP_COPY, 60);
IS(OP_COPY_NOTIFY, 61);
IS(OP_DEALLOCATE, 62);
IS(OP_IO_ADVISE, 63);
IS(OP_LAYOUTERROR, 64);
IS(OP_LAYOUTSTATS, 65);
IS(OP_OFFLOAD_CANCEL, 66);
IS(OP_OFFLOAD_STATUS, 67);
IS(OP_READ_PLUS, 68);
IS(OP_SEEK, 69);
IS(OP_WRITE_SAME, 70);
IS(OP_CLONE, 71);
IS(OP_GETXATTR, 72);
IS(OP_SETXATTR, 73);
IS(OP_LISTXATTRS, 74);
IS(OP_REMOVEXATTR, 75);
IS(OP_ILLEGAL, 10044);

IS(NFS4_CONTENT_DATA, 0);
IS(NFS4_CONTENT_HOLE, 1);
IS(NFS4_CONTENT_DATA, (int)READPLUS_CONTENT_DATA);
IS(NFS4_CONTENT_HOLE, (int)READPLUS_CONTENT_HOLE);

/* What a READ_PLUS may answer (RFC 7862 section 11.2). */
IS(NFS4_OK, 0);
IS(NFS4ERR_IO, 5);
IS(NFS4ERR_ACCESS, 13);
IS(NFS4ERR_ISDIR, 21);
IS(NFS4ERR_INVAL, 22);
IS(NFS4ERR_STALE, 70);
IS(NFS4ERR_NOTSUPP, 10004);
IS(NFS4ERR_SERVERFAULT, 10006);
IS(NFS4ERR_DELAY, 10008);
IS(NFS4ERR_EXPIRED, 10011);
IS(NFS4ERR_LOCKED, 10012);
IS(NFS4ERR_GRACE, 10013);
IS(NFS4ERR_FHEXPIRED, 10014);
IS(NFS4ERR_MOVED, 10019);
IS(NFS4ERR_NOFILEHANDLE, 10020);
IS(NFS4ERR_OLD_STATEID, 10024);
IS(NFS4ERR_BAD_STATEID, 10025);
IS(NFS4ERR_SYMLINK, 10029);
IS(NFS4ERR_BADXDR, 10036);
IS(NFS4ERR_OPENMODE, 10038);
IS(NFS4ERR_ADMIN_REVOKED, 10047);
IS(NFS4ERR_REQ_TOO_BIG, 10065);
IS(NFS4ERR_REP_TOO_BIG, 10066);
IS(NFS4ERR_REP_TOO_BIG_TO_CACHE, 10067);
IS(NFS4ERR_RETRY_UNCACHED_REP, 10068);
IS(NFS4ERR_TOO_MANY_OPS, 10070);
IS(NFS4ERR_OP_NOT_IN_SESSION, 10071);
IS(NFS4ERR_PNFS_IO_HOLE, 10075);
IS(NFS4ERR_DEADSESSION, 10078);
IS(NFS4ERR_PNFS_NO_LAYOUT, 10080);
IS(NFS4ERR_WRONG_TYPE, 10083);
IS(NFS4ERR_DELEG_REVOKED, 10087);
IS(NFS4ERR_PARTNER_NO_AUTH, 10089);

/* What else its neighbours and its peers may say. */
IS(NFS4ERR_NXIO, 6);
IS(NFS4ERR_TOOSMALL, 10005);
IS(NFS4ERR_RESOURCE, 10018);
IS(NFS4ERR_MINOR_VERS_MISMATCH, 10021);
IS(NFS4ERR_OP_ILLEGAL, 10044);
IS(NFS4ERR_UNION_NOTSUPP, 10090);

/* What the core answers for its errors are such values. */
START_TEST(answers_are_statuses)
{
    ck_assert_uint_eq(readplus_error_nfsstat(READPLUS_OK), READPLUS_NFS4_OK);
    ck_assert_uint_eq(readplus_error_nfsstat(READPLUS_ERR_NOSPACE),
                      READPLUS_NFS4ERR_REP_TOO_BIG);
    ck_assert_uint_eq(readplus_error_nfsstat(READPLUS_ERR_TRUNCATED),
                      READPLUS_NFS4ERR_BADXDR);
    ck_assert_uint_eq(readplus_error_nfsstat(READPLUS_ERR_BAD_CONTENT),
                      READPLUS_NFS4ERR_UNION_NOTSUPP);
    ck_assert_uint_eq(readplus_error_nfsstat(READPLUS_ERR_NOMEM),
                      READPLUS_NFS4ERR_DELAY);
    ck_assert_str_eq(readplus_error_name(READPLUS_ERR_NOMEM),
                     "READPLUS_ERR_NOMEM");
    ck_assert(readplus_error_is_room(READPLUS_ERR_NOMEM));
}
END_TEST

/* --- sizes --------------------------------------------------------------- */

static size_t content_size(readplus_data_content4 content, uint32_t length)
{
    static char bytes[8];
    readplus_read_plus_content c = {.rpc_content = content};

    if (content == READPLUS_NFS4_CONTENT_DATA) {
        c.readplus_read_plus_content_u.rpc_data.d_offset = 1;
        c.readplus_read_plus_content_u.rpc_data.d_data.d_data_len = length;
        c.readplus_read_plus_content_u.rpc_data.d_data.d_data_val = bytes;
    } else {
        c.readplus_read_plus_content_u.rpc_hole.di_offset = 1;
        c.readplus_read_plus_content_u.rpc_hole.di_length = length;
    }
    return xdr_sizeof((xdrproc_t)xdr_readplus_read_plus_content, &c);
}

START_TEST(sizes_are_the_cores)
{
    readplus_READ_PLUS4res res = {.rp_status = READPLUS_NFS4_OK};
    readplus_READ_PLUS4args args = {.rpa_count = 1};
    readplus_SEEK4args seek = {.sa_offset = 1};
    readplus_SEEK4res found = {.sa_status = READPLUS_NFS4_OK};
    uint32_t length;

    for (length = 0; length <= 8; length++) {
        ck_assert_uint_eq(content_size(READPLUS_NFS4_CONTENT_DATA, length),
                          readplus_data_size(length));
        ck_assert_uint_eq(content_size(READPLUS_NFS4_CONTENT_HOLE, length),
                          READPLUS_HOLE_SIZE);
    }
    ck_assert_uint_eq(xdr_sizeof((xdrproc_t)xdr_readplus_READ_PLUS4res, &res),
                      READPLUS_RES_HEAD_SIZE);
    res.rp_status = READPLUS_NFS4ERR_NOTSUPP;
    ck_assert_uint_eq(xdr_sizeof((xdrproc_t)xdr_readplus_READ_PLUS4res, &res),
                      READPLUS_STATUS_SIZE);
    ck_assert_uint_eq(xdr_sizeof((xdrproc_t)xdr_readplus_READ_PLUS4args, &args),
                      READPLUS_ARGS_SIZE);
    ck_assert_uint_eq(xdr_sizeof((xdrproc_t)xdr_readplus_SEEK4args, &seek),
                      READPLUS_SEEK_ARGS_SIZE);
    ck_assert_uint_eq(xdr_sizeof((xdrproc_t)xdr_readplus_SEEK4res, &found),
                      READPLUS_SEEK_RES_SIZE);
}
END_TEST

/* --- from the generated types -------------------------------------------- */

static readplus_read_plus_content hole(uint64_t offset, uint64_t length)
{
    readplus_read_plus_content c = {.rpc_content = READPLUS_NFS4_CONTENT_HOLE};

    c.readplus_read_plus_content_u.rpc_hole.di_offset = offset;
    c.readplus_read_plus_content_u.rpc_hole.di_length = length;
    return c;
}

static readplus_read_plus_content data(uint64_t offset, uint32_t length,
                                       char *bytes)
{
    readplus_read_plus_content c = {.rpc_content = READPLUS_NFS4_CONTENT_DATA};

    c.readplus_read_plus_content_u.rpc_data.d_offset = offset;
    c.readplus_read_plus_content_u.rpc_data.d_data.d_data_len = length;
    c.readplus_read_plus_content_u.rpc_data.d_data.d_data_val = bytes;
    return c;
}

static readplus_READ_PLUS4res result(readplus_read_plus_content *contents,
                                     uint32_t count)
{
    readplus_READ_PLUS4res res = {.rp_status = READPLUS_NFS4_OK};

    res.readplus_READ_PLUS4res_u.rp_resok4.rpr_contents.rpr_contents_len =
        count;
    res.readplus_READ_PLUS4res_u.rp_resok4.rpr_contents.rpr_contents_val =
        contents;
    return res;
}

static void import_fails(const readplus_READ_PLUS4res *from,
                         const struct readplus_args *args,
                         enum readplus_error error, uint64_t at,
                         uint32_t segment)
{
    struct readplus_segment segments[2];
    struct readplus_rpc_res res;

    readplus_rpc_res_init(&res, args, segments, 2, NULL, 0);
    res.count = 5;
    res.eof = true;
    ck_assert_int_eq(readplus_rpc_res_import(&res, from), error);
    fault_is(res.fault, error, at, segment);
    ck_assert_uint_eq(res.count, 0);
    ck_assert(!res.eof);
}

/* Behind data of 5 bytes at 10, whose element ends at byte 36 of the item. */
static void second_fails(readplus_read_plus_content second,
                         enum readplus_error error, uint64_t at)
{
    static char five[] = "hello";
    readplus_read_plus_content contents[2] = {data(10, 5, five), second};
    readplus_READ_PLUS4res from = result(contents, 2);

    import_fails(&from, NULL, error, at, 1);
}

START_TEST(import_checks_elements)
{
    readplus_read_plus_content unknown = {.rpc_content =
                                              (readplus_data_content4)2};

    second_fails(hole(16, 1), READPLUS_ERR_GAP, 40);
    second_fails(hole(14, 1), READPLUS_ERR_OVERLAP, 40);
    second_fails(hole(9, 1), READPLUS_ERR_ORDER, 40);
    second_fails(hole(15, UINT64_MAX - 14), READPLUS_ERR_RANGE, 40);
    second_fails(data(15, 1, NULL), READPLUS_ERR_INVAL, 36);
    second_fails(unknown, READPLUS_ERR_BAD_CONTENT, 36);
}
END_TEST

START_TEST(import_checks_the_rest)
{
    readplus_read_plus_content contents[3] = {hole(10, 1), hole(11, 1),
                                              hole(12, 1)};
    struct readplus_args args = {.offset = 9, .count = 5};
    readplus_READ_PLUS4res from = result(contents, 2);

    import_fails(&from, &args, READPLUS_ERR_LATE_START, 16, 0);
    from = result(contents, 3);
    import_fails(&from, NULL, READPLUS_ERR_LIMIT, 8, READPLUS_NO_SEGMENT);
    from = result(NULL, 1);
    import_fails(&from, NULL, READPLUS_ERR_INVAL, 8, READPLUS_NO_SEGMENT);
    from = result(contents, 2);
    from.readplus_READ_PLUS4res_u.rp_resok4.rpr_eof = 7;
    import_fails(&from, NULL, READPLUS_ERR_BAD_BOOL, 4, READPLUS_NO_SEGMENT);
}
END_TEST

/* No element of another status is looked at, whatever the union holds. */
START_TEST(import_of_a_status)
{
    readplus_READ_PLUS4res from = result(NULL, 9);
    struct readplus_rpc_res res;

    from.rp_status = READPLUS_NFS4ERR_NOTSUPP;
    readplus_rpc_res_init(&res, NULL, NULL, 0, NULL, 0);
    ck_assert_int_eq(readplus_rpc_res_import(&res, &from), READPLUS_OK);
    ck_assert_uint_eq(res.status, 10004);
    ck_assert_uint_eq(res.count, 0);
}
END_TEST

/* Data is borrowed, and what an earlier decode took is freed. */
START_TEST(import_borrows)
{
    static char five[] = "hello";
    readplus_read_plus_content contents[2] = {data(10, 5, five),
                                              data(15, 0, five)};
    readplus_READ_PLUS4res from = result(contents, 2);
    struct readplus_segment segments[2];
    struct readplus_rpc_res res;
    uint8_t wire[64];
    XDR xdrs;

    xdrmem_create(&xdrs, (char *)wire, sizeof(wire), XDR_ENCODE);
    ck_assert(xdr_readplus_READ_PLUS4res(&xdrs, &from));
    readplus_rpc_res_init(&res, NULL, segments, 2, NULL, 0);
    xdrmem_create(&xdrs, (char *)wire, sizeof(wire), XDR_DECODE);
    ck_assert(readplus_rpc_res_xdr(&xdrs, &res));
    ck_assert_ptr_nonnull(res.blocks);
    ck_assert_int_eq(readplus_rpc_res_import(&res, &from), READPLUS_OK);
    ck_assert_ptr_null(res.blocks);
    ck_assert_uint_eq(res.count, 2);
    ck_assert_ptr_eq(segments[0].data, (uint8_t *)five);
    ck_assert_ptr_null(segments[1].data);
    xdr_free((xdrproc_t)readplus_rpc_res_xdr, &res);
    ck_assert_ptr_eq(segments[0].data, (uint8_t *)five);
}
END_TEST

/* --- to them ------------------------------------------------------------- */

START_TEST(export_needs_room)
{
    struct readplus_segment segments[2] = {
        {READPLUS_CONTENT_HOLE, 0, 10, NULL},
        {READPLUS_CONTENT_DATA, 10, 3, (const uint8_t *)"abc"}};
    readplus_read_plus_content contents[2];
    readplus_READ_PLUS4res to = result(NULL, 77);
    struct readplus_rpc_res res;

    readplus_rpc_res_init(&res, NULL, segments, 2, NULL, 0);
    res.count = 2;
    ck_assert_int_eq(readplus_rpc_res_export(&res, contents, 1, &to),
                     READPLUS_ERR_LIMIT);
    fault_is(res.fault, READPLUS_ERR_LIMIT, 8, READPLUS_NO_SEGMENT);
    ck_assert_uint_eq(
        to.readplus_READ_PLUS4res_u.rp_resok4.rpr_contents.rpr_contents_len,
        77);
    ck_assert_int_eq(readplus_rpc_res_export(&res, contents, 2, &to),
                     READPLUS_OK);
    ck_assert_ptr_eq(
        contents[1].readplus_read_plus_content_u.rpc_data.d_data.d_data_val,
        (const char *)segments[1].data);
    ck_assert_uint_eq(xdr_sizeof((xdrproc_t)xdr_readplus_READ_PLUS4res, &to),
                      52);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rpc_types");
    TCase *tc = check_case(s, "numbers");

    tcase_add_test(tc, answers_are_statuses);
    tcase_add_test(tc, sizes_are_the_cores);
    tc = check_case(s, "import");
    tcase_add_test(tc, import_checks_elements);
    tcase_add_test(tc, import_checks_the_rest);
    tcase_add_test(tc, import_of_a_status);
    tcase_add_test(tc, import_borrows);
    tc = check_case(s, "export");
    tcase_add_test(tc, export_needs_room);
    return check_run(s);
}
