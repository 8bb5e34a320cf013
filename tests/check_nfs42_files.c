/*
 * nfs42d's names, handles and folders; and that nothing outside the export is
 * ever reached.
 */
#include "nfs42_talk.h"

static struct talk t;
static const struct talk_channel much;
static const stateid4 none; /* the anonymous stateid */

static void begin(void)
{
    talk_world(&t);
    talk_start(&t);
    talk_greet(&t, much);
}

static void end(void)
{
    talk_end(&t);
}

static void shell(const char *command)
{
    char line[256];

    snprintf(line, sizeof(line), "cd '%s' && %s", t.folder, command);
    ck_assert_int_eq(system(line), 0);
}

/* --- names ---------------------------------------------------------------- */

static uint32_t lookup_bytes(const char *name, size_t len)
{
    talk_begin(&t, 3);
    talk_sequence(&t, 0, false);
    talk_words(&t, OP_PUTROOTFH, OP_LOOKUP);
    put_opaque(&t.put, name, len);
    return talk_ask(&t);
}

START_TEST(names_lead_to_one_entry)
{
    char longest[256];

    memset(longest, 'n', sizeof(longest));
    ck_assert_uint_eq(lookup_bytes("a", 1), NFS4_OK);
    ck_assert_uint_eq(lookup_bytes("", 0), NFS4ERR_INVAL);
    ck_assert_uint_eq(lookup_bytes(".", 1), NFS4ERR_BADNAME);
    ck_assert_uint_eq(lookup_bytes("..", 2), NFS4ERR_BADNAME);
    ck_assert_uint_eq(lookup_bytes("../secret", 9), NFS4ERR_BADCHAR);
    ck_assert_uint_eq(lookup_bytes("d/e", 3), NFS4ERR_BADCHAR);
    ck_assert_uint_eq(lookup_bytes("/etc/passwd", 11), NFS4ERR_BADCHAR);
    ck_assert_uint_eq(lookup_bytes("a\0b", 3), NFS4ERR_BADCHAR);
    ck_assert_uint_eq(lookup_bytes("b", 1), NFS4ERR_NOENT);
    ck_assert_uint_eq(lookup_bytes(longest, 255), NFS4ERR_NOENT);
    ck_assert_uint_eq(lookup_bytes(longest, 256), NFS4ERR_NAMETOOLONG);
}
END_TEST

static uint32_t lookup_in(const char *folder, const char *name)
{
    talk_begin(&t, 4);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_PUTROOTFH);
    talk_name(&t, OP_LOOKUP, folder);
    talk_name(&t, OP_LOOKUP, name);
    return talk_ask(&t);
}

START_TEST(links_are_given_not_followed)
{
    const linktext4 *text =
        &t.results[3].nfs_resop4_u.opreadlink.READLINK4res_u.resok4.link;

    talk_begin(&t, 4);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_PUTROOTFH);
    talk_name(&t, OP_LOOKUP, "link");
    put32(&t.put, OP_READLINK);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
    ck_assert_uint_eq(text->linktext4_len, 9);
    ck_assert_mem_eq(text->linktext4_val, "../secret", 9);
    ck_assert_uint_eq(lookup_in("up", "secret"), NFS4ERR_SYMLINK);
    ck_assert_uint_eq(lookup_in("a", "b"), NFS4ERR_NOTDIR);
    /* a folder that becomes a link between two requests */
    ck_assert_uint_eq(lookup_in("d", "e"), NFS4_OK);
    shell("mkdir out && touch out/e && mv export/d moved && "
          "ln -s ../out export/d");
    ck_assert_uint_eq(lookup_in("d", "e"), NFS4ERR_SYMLINK);
}
END_TEST

START_TEST(there_is_nothing_above_the_root)
{
    talk_begin(&t, 3);
    talk_sequence(&t, 0, false);
    talk_words(&t, OP_PUTROOTFH, OP_LOOKUPP);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_NOENT);
    talk_begin(&t, 5);
    talk_sequence(&t, 0, false);
    put32(&t.put, OP_PUTROOTFH);
    talk_name(&t, OP_LOOKUP, "d");
    talk_words(&t, OP_LOOKUPP, OP_LOOKUPP);
    ck_assert_uint_eq(talk_ask(&t), NFS4ERR_NOENT);
    ck_assert_uint_eq(talk_status(&t, 3), NFS4_OK);
}
END_TEST

/* --- handles -------------------------------------------------------------- */

/* Reads from the file of a handle; the status, and 4 bytes of it. */
static uint32_t read_handle(const uint8_t *handle, char bytes[4])
{
    const READ4resok *res = &t.results[2].nfs_resop4_u.opread.READ4res_u.resok4;
    uint32_t status;

    talk_begin(&t, 3);
    talk_sequence(&t, 0, false);
    talk_putfh(&t, handle);
    talk_read(&t, OP_READ, &none, 0, 4);
    status = talk_ask(&t);
    if (status == NFS4_OK) {
        ck_assert_uint_eq(res->data.data_len, 4);
        memcpy(bytes, res->data.data_val, 4);
    }
    return status;
}

START_TEST(handles_cannot_be_made_up)
{
    uint8_t handle[HANDLE_SIZE], other[HANDLE_SIZE];
    char bytes[4];
    unsigned bit;

    ck_assert(talk_lookup(&t, "d/e/f", handle));
    for (bit = 0; bit < 8 * HANDLE_SIZE; bit++) {
        memcpy(other, handle, sizeof(other));
        other[bit / 8] ^= (uint8_t)(1u << bit % 8);
        ck_assert_uint_eq(read_handle(other, bytes), NFS4ERR_BADHANDLE);
    }
    /* the number of one file with the signature of another */
    ck_assert(talk_lookup(&t, "a", other));
    memcpy(other + 20, handle + 20, 8);
    ck_assert_uint_eq(read_handle(other, bytes), NFS4ERR_BADHANDLE);
    ck_assert_uint_eq(read_handle(handle, bytes), NFS4_OK);
    ck_assert_mem_eq(bytes, "deep", 4);
}
END_TEST

static void start_again(void)
{
    talk_forget(&t);
    talk_stop(&t);
    talk_start(&t);
    talk_greet(&t, much);
}

START_TEST(handles_outlive_the_server)
{
    uint8_t handle[HANDLE_SIZE];
    char bytes[4];

    ck_assert(talk_lookup(&t, "d/e/f", handle));
    start_again();
    ck_assert_uint_eq(read_handle(handle, bytes), NFS4_OK);
    ck_assert_mem_eq(bytes, "deep", 4);
    /* but not its key, and not as another export's */
    shell("mv key kept");
    start_again();
    ck_assert_uint_eq(read_handle(handle, bytes), NFS4ERR_BADHANDLE);
    shell("mv kept key && mkdir other && ln export/d/e/f other/f");
    snprintf(t.export, sizeof(t.export), "%s/other", t.folder);
    start_again();
    ck_assert_uint_eq(read_handle(handle, bytes), NFS4ERR_BADHANDLE);
}
END_TEST

/* A search in vain is not repeated at once, and DELAY says so. */
static uint32_t read_at_last(const uint8_t *handle, char bytes[4])
{
    uint32_t status;

    do
        status = read_handle(handle, bytes);
    while (status == NFS4ERR_DELAY && usleep(1000) == 0);
    return status;
}

START_TEST(a_handle_is_a_file_not_a_name)
{
    uint8_t handle[HANDLE_SIZE];
    char bytes[4];

    ck_assert(talk_lookup(&t, "d/e/f", handle));
    shell("mv export/d/e/f export/d/g && echo other >export/d/e/f");
    ck_assert_uint_eq(read_at_last(handle, bytes), NFS4_OK);
    ck_assert_mem_eq(bytes, "deep", 4);
    shell("mv export/d export/h");
    ck_assert_uint_eq(read_at_last(handle, bytes), NFS4_OK);
    shell("mv export/h/g elsewhere"); /* out of the export */
    ck_assert_uint_eq(read_at_last(handle, bytes), NFS4ERR_STALE);
    shell("mv elsewhere export/back");
    ck_assert_uint_eq(read_at_last(handle, bytes), NFS4_OK);
    shell("rm export/back && echo later >export/back");
    ck_assert_uint_eq(read_at_last(handle, bytes), NFS4ERR_STALE);
}
END_TEST

/* --- folders -------------------------------------------------------------- */

/* Goes on from *cookie; the number of entries, UINT32_MAX for an error. */
static uint32_t list_on(uint64_t *cookie, uint32_t maxcount, bool *eof)
{
    const uint8_t *at;
    uint32_t n = 0, len;

    talk_begin(&t, 3);
    talk_sequence(&t, 0, false);
    talk_words(&t, OP_PUTROOTFH, OP_READDIR);
    put64(&t.put, *cookie);
    talk_words(&t, 0, 0, 0, maxcount, 1, 1u << FATTR4_TYPE);
    if (talk_ask(&t) != NFS4_OK)
        return UINT32_MAX;
    ck_assert_uint_le((size_t)(t.bytes + t.len - t.rest) - 4, maxcount);
    for (at = t.rest + 12; put_load32(at) == 1; n++) {
        *cookie = (uint64_t)put_load32(at + 4) << 32 | put_load32(at + 8);
        len = put_load32(at + 12);
        at += 16 + (len + 3) / 4 * 4;
        at += 4 + 4 * put_load32(at);
        at += 4 + put_load32(at);
    }
    *eof = put_load32(at + 4) != 0;
    return n;
}

START_TEST(folders_are_listed_in_any_portions)
{
    uint32_t maxcount, n, total, found = 0;
    uint64_t cookie;
    bool eof;

    shell("for i in 1 2 3 4 5 6 7 8 9; do touch export/file$i; done");
    for (maxcount = 16; maxcount < 900; maxcount += 13) {
        cookie = 0;
        total = 0;
        do {
            n = list_on(&cookie, maxcount, &eof);
            if (n == UINT32_MAX)
                break;
            total += n;
        } while (!eof);
        if (n == UINT32_MAX)
            ck_assert_uint_eq(talk_status(&t, 2), NFS4ERR_TOOSMALL);
        else
            ck_assert_uint_eq(total, 14);
        found += n != UINT32_MAX;
    }
    ck_assert_uint_ge(found, 60);
    cookie = 2;
    ck_assert_uint_eq(list_on(&cookie, 900, &eof), UINT32_MAX);
    ck_assert_uint_eq(talk_status(&t, 2), NFS4ERR_BAD_COOKIE);
}
END_TEST

/* The very file, by the very path, but over a link that leads outside. */
START_TEST(a_folder_that_left_is_not_followed)
{
    uint8_t handle[HANDLE_SIZE];
    char bytes[4];

    ck_assert(talk_lookup(&t, "d/e/f", handle));
    ck_assert_uint_eq(read_at_last(handle, bytes), NFS4_OK);
    shell("mv export/d out && ln -s ../out export/d");
    ck_assert_uint_eq(read_at_last(handle, bytes), NFS4ERR_STALE);
    shell("rm export/d && mv out export/d");
    ck_assert_uint_eq(read_at_last(handle, bytes), NFS4_OK);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("nfs42_files");
    TCase *tc;

    tc = check_case(s, "names and handles");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_add_test(tc, names_lead_to_one_entry);
    tcase_add_test(tc, links_are_given_not_followed);
    tcase_add_test(tc, there_is_nothing_above_the_root);
    tcase_add_test(tc, handles_cannot_be_made_up);
    tcase_add_test(tc, handles_outlive_the_server);
    tcase_add_test(tc, a_handle_is_a_file_not_a_name);
    tcase_add_test(tc, a_folder_that_left_is_not_followed);
    tc = check_case(s, "folders");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_add_test(tc, folders_are_listed_in_any_portions);
    return check_run(s);
}
