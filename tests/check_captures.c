/*
 * What real peers sent is understood as two other parsers understood it, is
 * delivered right, and a client does with it what it should.
 */
#include <readplus.h>

#include "captures.h"
#include "guard.h"

static struct readplus_args args_of(const struct capture *c)
{
    struct readplus_args args;

    ck_assert_int_eq(
        readplus_args_decode(c->args, sizeof(c->args), 0, &args, NULL),
        READPLUS_OK);
    return args;
}

/* The text makes the very bytes that were captured. */
START_TEST(bytes_are_the_captured_ones)
{
    const struct capture *c = &captures[_i];

    ck_assert_uint_eq(c->len, c->length);
    ck_assert_uint_eq(crc32_of(c->item, c->len), c->crc32);
}
END_TEST

static void decodes(const struct capture *c, const struct iovec *iov,
                    size_t pieces)
{
    struct readplus_args args = args_of(c);
    struct readplus_decoder decoder;
    struct readplus_segment segment;
    size_t i;

    ck_assert_int_eq(readplus_decoder_init(&decoder, &args, iov, pieces, 0),
                     READPLUS_OK);
    ck_assert_uint_eq(readplus_decoder_status(&decoder), c->status);
    ck_assert_int_eq(readplus_decoder_eof(&decoder), c->eof == 1);
    for (i = 0; i < c->count; i++) {
        ck_assert_int_eq(readplus_decoder_next(&decoder, &segment),
                         READPLUS_OK);
        ck_assert_int_eq(segment.content, c->segments[i].content);
        ck_assert_uint_eq(segment.offset, c->segments[i].offset);
        ck_assert_uint_eq(segment.length, c->segments[i].length);
    }
    ck_assert_int_eq(readplus_decoder_next(&decoder, &segment), READPLUS_END);
    ck_assert_uint_eq(readplus_decoder_consumed(&decoder), c->len);
}

START_TEST(decodes_as_others_do)
{
    const struct capture *c = &captures[_i];
    struct guarded g = guarded_copy(c->item, c->len, true);
    struct iovec pieces[65536 / 13 + 16];
    size_t n = 0, at;

    decodes(c, &(struct iovec){g.bytes, g.len}, 1);
    for (at = 0; at < g.len; at += 13)
        pieces[n++] =
            (struct iovec){g.bytes + at, g.len - at < 13 ? g.len - at : 13};
    decodes(c, pieces, n);
    guarded_free(&g);
}
END_TEST

/* Where byte `at` of the file stands in the item, NULL in a hole. */
static const uint8_t *byte_of(const struct capture *c, uint64_t at)
{
    const uint8_t *element = c->item + READPLUS_RES_HEAD_SIZE;
    size_t i;

    for (i = 0; i < c->count; i++) {
        const struct readplus_segment *s = &c->segments[i];
        bool data = s->content == READPLUS_CONTENT_DATA;

        if (at - s->offset < s->length)
            return data ? element + READPLUS_DATA_HEAD_SIZE + (at - s->offset)
                        : NULL;
        element +=
            data ? readplus_data_size((uint32_t)s->length) : READPLUS_HOLE_SIZE;
    }
    ck_abort_msg("%s: byte %" PRIu64 " is not there", c->name, at);
    return NULL;
}

static struct readplus_result delivered(const struct capture *c, uint8_t *to,
                                        size_t room)
{
    struct readplus_args args = args_of(c);
    struct readplus_decoder decoder;
    struct readplus_result result;
    struct iovec destination = {to, room};

    ck_assert_int_eq(
        readplus_decoder_init_buffer(&decoder, &args, c->item, c->len, 0),
        READPLUS_OK);
    ck_assert_int_eq(readplus_scatter(&decoder, &destination, 1, 0, &result),
                     READPLUS_OK);
    return result;
}

START_TEST(delivered_right)
{
    const struct capture *c = &captures[_i];
    struct readplus_args args = args_of(c);
    struct guarded g = guarded_new(args.count, _i % 2 == 0);
    struct readplus_result result;
    uint64_t covered = 0, i;
    size_t s;

    memset(g.bytes, 0xa5, g.len);
    result = delivered(c, g.bytes, g.len);
    for (s = 0; s < c->count; s++)
        covered += c->segments[s].length;
    ck_assert_uint_eq(result.bytes, covered);
    ck_assert_int_eq(result.eof, c->eof == 1);
    for (i = 0; i < g.len; i++) { /* Check notes down each ck_assert: slow */
        const uint8_t *byte =
            i < result.bytes ? byte_of(c, args.offset + i) : NULL;
        uint8_t want = i >= result.bytes ? 0xa5 : byte == NULL ? 0 : *byte;

        if (g.bytes[i] != want)
            ck_abort_msg("%s: byte %" PRIu64 " is wrong", c->name, i);
    }
    guarded_free(&g);
}
END_TEST

/* --- the judgement ------------------------------------------------------- */

static const char *const findings[] = {
    [READPLUS_FINDING_WHOLE] = "whole",
    [READPLUS_FINDING_SHORT] = "short",
    [READPLUS_FINDING_EOF] = "eof",
    [READPLUS_FINDING_IDLE] = "idle",
    [READPLUS_FINDING_NOTSUPP] = "notsupp",
    [READPLUS_FINDING_TOO_BIG] = "too-big",
    [READPLUS_FINDING_IMPLAUSIBLE] = "implausible",
    [READPLUS_FINDING_STATUS] = "status",
    [READPLUS_FINDING_LOCAL] = "local",
};

static const char *const actions[] = {
    [READPLUS_ACTION_CONTINUE] = "continue",
    [READPLUS_ACTION_DONE] = "done",
    [READPLUS_ACTION_RETRY] = "retry",
    [READPLUS_ACTION_READ_FILE] = "read-file",
    [READPLUS_ACTION_READ_SERVER] = "read-server",
    [READPLUS_ACTION_STATUS] = "status",
    [READPLUS_ACTION_FAIL] = "fail",
};

static struct readplus_verdict judged(struct readplus_judge *judge,
                                      const struct capture *c)
{
    struct readplus_args args = args_of(c);
    uint8_t *to = malloc(args.count + 1);
    struct readplus_result result = delivered(c, to, args.count);
    struct readplus_answer answer = {.status = c->status,
                                     .bytes = result.bytes,
                                     .eof = result.eof,
                                     .error = result.fault.error};

    free(to);
    return readplus_judge_answer(judge, &args, &answer);
}

START_TEST(what_a_client_does)
{
    const struct capture *c = &captures[_i];
    struct readplus_server server;
    struct readplus_judge judge;
    struct readplus_verdict v;

    readplus_server_init(&server);
    readplus_judge_init(&judge, &server, c->size);
    v = judged(&judge, c);
    ck_assert_str_eq(findings[v.finding], c->finding);
    ck_assert_str_eq(actions[v.action], c->action);
    ck_assert_uint_eq(v.next, c->next);
}
END_TEST

static const struct capture *named(const char *name)
{
    int i;

    for (i = 0; i < n_captures; i++)
        if (strcmp(captures[i].name, name) == 0)
            return &captures[i];
    ck_abort_msg("no capture %s", name);
    return NULL;
}

/* nfs-ganesha 4.3 through a client's day: its third file ends the trust. */
START_TEST(ganesha_is_found_out)
{
    static const char *const names[] = {"k6.12-user-ganesha-buffered-0000",
                                        "k6.12-user-ganesha-buffered-0008",
                                        "k6.12-user-ganesha-buffered-0010"};
    struct readplus_server server;
    struct readplus_judge judge;
    size_t i;

    readplus_server_init(&server);
    for (i = 0; i < 3; i++) {
        const struct capture *c = named(names[i]);

        readplus_judge_init(&judge, &server, c->size);
        ck_assert(!readplus_judge_use_read(&judge));
        ck_assert_int_eq(judged(&judge, c).action,
                         i < 2 ? READPLUS_ACTION_READ_FILE
                               : READPLUS_ACTION_READ_SERVER);
    }
    readplus_judge_init(&judge, &server, 1);
    ck_assert(readplus_judge_use_read(&judge));
}
END_TEST

/* Its large files: no bytes, no eof, asked again and again. */
START_TEST(ganesha_without_end)
{
    const struct capture *c = named("k6.12-user-ganesha-buffered-0012");
    struct readplus_server server;
    struct readplus_judge judge;
    uint32_t i;

    readplus_server_init(&server);
    readplus_judge_init(&judge, &server, c->size);
    for (i = 1; i < READPLUS_PATIENCE; i++)
        ck_assert_int_eq(judged(&judge, c).action, READPLUS_ACTION_RETRY);
    ck_assert_int_eq(judged(&judge, c).action, READPLUS_ACTION_READ_FILE);
}
END_TEST

/* A reply lists as the extents that it has, neighbours merged. */
START_TEST(lists)
{
    const struct capture *c = &captures[_i];
    struct readplus_args args = args_of(c);
    struct readplus_extent array[8];
    struct readplus_extents extents;
    struct readplus_decoder decoder;
    uint64_t at = args.offset;
    size_t i, n = 0;

    ck_assert_int_eq(
        readplus_decoder_init_buffer(&decoder, &args, c->item, c->len, 0),
        READPLUS_OK);
    ck_assert_int_eq(readplus_extents_init(&extents, at, array, 8, 0),
                     READPLUS_OK);
    ck_assert_int_eq(readplus_extents_add(&extents, &decoder), READPLUS_OK);
    ck_assert_int_eq(readplus_extents_eof(&extents), c->eof == 1);
    ck_assert_int_eq(readplus_extents_finish(&extents), READPLUS_OK);
    for (i = 0; i < c->count; i++) /* no two alike in these */
        if (c->segments[i].length > 0) {
            ck_assert_int_eq(array[n].content, c->segments[i].content);
            ck_assert_uint_eq(array[n].offset, c->segments[i].offset);
            ck_assert_uint_eq(array[n].length, c->segments[i].length);
            at += array[n++].length;
        }
    ck_assert_uint_eq(readplus_extents_count(&extents), n);
    ck_assert_uint_eq(readplus_extents_next(&extents), at);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("captures");
    TCase *tc = check_case(s, "each");

    captures_read(CAPTURES);
    tcase_add_loop_test(tc, bytes_are_the_captured_ones, 0, n_captures);
    tcase_add_loop_test(tc, decodes_as_others_do, 0, n_captures);
    tcase_add_loop_test(tc, delivered_right, 0, n_captures);
    tcase_add_loop_test(tc, what_a_client_does, 0, n_captures);
    tcase_add_loop_test(tc, lists, 0, n_captures);
    tc = check_case(s, "together");
    tcase_add_test(tc, ganesha_is_found_out);
    tcase_add_test(tc, ganesha_without_end);
    if (n_captures < 50) { /* nothing read is nothing tested */
        fprintf(stderr, "%d captures only\n", n_captures);
        return EXIT_FAILURE;
    }
    return check_run(s);
}
