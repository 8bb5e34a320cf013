/*
 * Every string of words at a boundary of something, against the decoder that
 * rpcgen makes.  tests/fuzz/rpcgen_guard.h has the table of what that accepts
 * and we, as is meant, refuse.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "exhaustive.h"

static const uint32_t alphabet[] = {0, 1,          2,          3,         4,
                                    5, 0x80000000, 0xfffffffd, 0xffffffff};
#define LETTERS (sizeof(alphabet) / sizeof(alphabet[0]))
#define WORDS_MOST (EXHAUSTIVE_MOST / 4 - 1)

/* Where an item ends against memory that nobody may touch. */
static uint8_t *edge(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    HOLDS(p != MAP_FAILED);
    HOLDS(mprotect(p + page, page, PROT_NONE) == 0);
    return p + page;
}

static void put_word(uint8_t *p, uint32_t word)
{
    p[0] = (uint8_t)(word >> 24);
    p[1] = (uint8_t)(word >> 16);
    p[2] = (uint8_t)(word >> 8);
    p[3] = (uint8_t)word;
}

/* Behind rp_status and `head`, whose length is in words. */
static void each_string(struct share *share, unsigned bound,
                        const uint32_t *head, unsigned head_words,
                        void (*judge)(const uint8_t *item, size_t len))
{
    uint8_t *end = edge(), whole[EXHAUSTIVE_MOST] = {0}, *from, *item;
    uint64_t strings = 1, n, letters;
    unsigned words, k;
    size_t cut, len;

    HOLDS(head_words + bound <= WORDS_MOST);
    for (k = 0; k < head_words; k++)
        put_word(whole + 4 + 4 * k, head[k]);
    from = whole + 4 + 4 * head_words;
    for (words = 0; words <= bound; words++, strings *= LETTERS) {
        for (n = 0; n < strings; n++) {
            for (letters = n, k = words; k > 0; k--, letters /= LETTERS)
                put_word(from + 4 * (k - 1), alphabet[letters % LETTERS]);
            for (cut = 0; cut < (words == 0 ? 1 : 4); cut++) {
                if (!share_has(share, 4 * n + cut))
                    continue;
                len = (size_t)(from - whole) + 4 * words - cut;
                item = end - len;
                memcpy(item, whole, len);
                judge(item, len);
            }
        }
    }
}

/* Field for field what the generated decoder made. */
static void same_content(const struct readplus_segment *s,
                         const readplus_read_plus_content *c)
{
    const readplus_data4 *data = &c->readplus_read_plus_content_u.rpc_data;
    const readplus_data_info4 *hole = &c->readplus_read_plus_content_u.rpc_hole;

    HOLDS((uint32_t)s->content == (uint32_t)c->rpc_content);
    if (s->content == READPLUS_CONTENT_HOLE) {
        HOLDS(s->offset == hole->di_offset && s->length == hole->di_length);
        return;
    }
    HOLDS(s->offset == data->d_offset && s->length == data->d_data.d_data_len);
    HOLDS(s->length == 0 ||
          memcmp(s->data, data->d_data.d_data_val, (size_t)s->length) == 0);
}

static void as_rpcgen(const uint8_t *item, size_t len)
{
    struct readplus_segment segments[EXHAUSTIVE_ELEMENTS];
    readplus_READ_PLUS4res from;
    const readplus_read_plus_res4 *ok =
        &from.readplus_READ_PLUS4res_u.rp_resok4;
    struct readplus_decoder decoder;
    enum readplus_error error;
    uint32_t count = 0, i;
    size_t theirs;

    error = readplus_decoder_init_buffer(&decoder, NULL, item, len, 0);
    while (error == READPLUS_OK && count < EXHAUSTIVE_ELEMENTS) {
        error = readplus_decoder_next(&decoder, &segments[count]);
        count += error == READPLUS_OK;
    }
    HOLDS(error != READPLUS_OK);
    if (!guard_covers(item, len)) {
        HOLDS(error != READPLUS_END);
        return;
    }
    if (!guard_decode(item, len, &from, &theirs)) {
        HOLDS(error != READPLUS_END && error != READPLUS_ERR_TRAILING);
    } else {
        HOLDS(error == READPLUS_END || guard_intended(error));
        if (error == READPLUS_END || error == READPLUS_ERR_TRAILING) {
            HOLDS(theirs == readplus_decoder_consumed(&decoder));
            HOLDS(from.rp_status == 0 &&
                  ok->rpr_contents.rpr_contents_len == count);
            HOLDS((ok->rpr_eof != 0) == readplus_decoder_eof(&decoder));
            for (i = 0; i < count; i++)
                same_content(&segments[i],
                             &ok->rpr_contents.rpr_contents_val[i]);
        }
    }
    guard_free(&from);
}

void exhaust_words(struct share *share, unsigned bound)
{
    each_string(share, bound, NULL, 0, as_rpcgen);
}

void exhaust_paths(struct share *share, unsigned bound)
{
    static const uint32_t heads[][2] = {{1, 1}, {1, 2}};

    each_string(share, bound, NULL, 0, paths_agree);
    each_string(share, bound, heads[0], 2, paths_agree);
    each_string(share, bound, heads[1], 2, paths_agree);
}
