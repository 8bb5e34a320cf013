/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The catalogue as a table in C, Rust, Go or Python: name, type, class, the
 * request, what a strict decoder says and delivers, and the bytes.  Entries
 * longer than VECTORS_TABLE_MAX are left out; JSON has their rules.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vectors.h"

/* What is printed of each: the same words in every language. */
struct entry {
    const struct vector *vector;
    const struct vector_expect *strict;
    const uint8_t *bytes;
    const char *type, *class, *result;
};

enum spelling { SPELL_LIST, SPELL_ESCAPED, SPELL_HEX };

/* The bytes: numbers twenty a line, or all in one string. */
static void each_byte(const struct entry *entry, enum spelling how, FILE *to)
{
    const struct vector *vector = entry->vector;
    uint64_t i;

    for (i = 0; i < vector->size; i++) {
        uint8_t byte = entry->bytes[i];

        if (how == SPELL_LIST)
            fprintf(to, "%u,", byte);
        else
            fprintf(to, "%s%02x", how == SPELL_ESCAPED ? "\\x" : "", byte);
        if (how == SPELL_LIST && i % 20 == 19 && i + 1 < vector->size)
            fputs("\n    ", to);
    }
}

/* --- C --------------------------------------------------------------------- */

static const char c_head[] =
    "/* SPDX-License-Identifier: CC0-1.0 */\n"
    "/* Golden vectors of READ_PLUS, RFC 7862; by `readplus vectors'. */\n"
    "#include <stddef.h>\n"
    "#include <stdint.h>\n\n"
    "struct read_plus_vector {\n"
    "    const char *name, *type, *class_name, *result;\n"
    "    int asked, eof;          /* eof: as delivered */\n"
    "    uint64_t offset;         /* asked for */\n"
    "    uint32_t count, crc32;   /* crc32: of what is delivered */\n"
    "    uint64_t at;             /* of the fault */\n"
    "    uint64_t bytes, zeros;   /* delivered */\n"
    "    size_t size;\n"
    "    const uint8_t *wire;\n"
    "};\n\n";

static void c_bytes(const struct entry *e, FILE *to)
{
    fprintf(to, "static const uint8_t wire_%s[] = {\n    ", e->vector->name);
    each_byte(e, SPELL_LIST, to);
    fputs(e->vector->size == 0 ? "0};\n" : "};\n", to);
}

static void c_entry(const struct entry *e, FILE *to)
{
    const struct vector *v = e->vector;

    fprintf(to, "    {\"%s\", \"%s\", \"%s\", \"%s\", %d, %d,\n", v->name,
            e->type, e->class, e->result, v->asked, e->strict->eof);
    fprintf(to, "     UINT64_C(%" PRIu64 "), %" PRIu32 "u, 0x%08" PRIx32 "u,",
            v->ask.offset, v->ask.count, e->strict->crc);
    fprintf(
        to, " %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", wire_%s},\n",
        e->strict->at, e->strict->bytes, e->strict->zeros, v->size, v->name);
}

/* --- Rust ------------------------------------------------------------------ */

static const char rust_head[] =
    "// SPDX-License-Identifier: CC0-1.0\n"
    "// Golden vectors of READ_PLUS, RFC 7862; by `readplus vectors'.\n\n"
    "#[derive(Debug, Clone, Copy)]\n"
    "pub struct Vector {\n"
    "    pub name: &'static str,\n"
    "    pub kind: &'static str,\n"
    "    pub class: &'static str,\n"
    "    /// what a strict decoder says\n"
    "    pub result: &'static str,\n"
    "    /// offset and count of the request\n"
    "    pub ask: Option<(u64, u32)>,\n"
    "    /// where the fault is\n"
    "    pub at: u64,\n"
    "    /// delivered: bytes, bytes from holes, CRC-32, end of file\n"
    "    pub bytes: u64,\n"
    "    pub zeros: u64,\n"
    "    pub crc32: u32,\n"
    "    pub eof: bool,\n"
    "    pub wire: &'static [u8],\n"
    "}\n\n"
    "pub static VECTORS: &[Vector] = &[\n";

static void rust_entry(const struct entry *e, FILE *to)
{
    const struct vector *v = e->vector;

    fprintf(to,
            "    Vector { name: \"%s\", kind: \"%s\", class: \"%s\", result: "
            "\"%s\", ",
            v->name, e->type, e->class, e->result);
    if (v->asked)
        fprintf(to, "ask: Some((%" PRIu64 ", %" PRIu32 ")), ", v->ask.offset,
                v->ask.count);
    else
        fputs("ask: None, ", to);
    fprintf(to,
            "at: %" PRIu64 ", bytes: %" PRIu64 ", zeros: %" PRIu64
            ", crc32: 0x%08" PRIx32 ", eof: %s, wire: &[\n    ",
            e->strict->at, e->strict->bytes, e->strict->zeros, e->strict->crc,
            e->strict->eof ? "true" : "false");
    each_byte(e, SPELL_LIST, to);
    fputs("] },\n", to);
}

/* --- Go -------------------------------------------------------------------- */

static const char go_head[] =
    "// SPDX-License-Identifier: CC0-1.0\n\n"
    "// Package vectors has golden vectors of READ_PLUS, RFC 7862; by\n"
    "// `readplus vectors'.\n"
    "package vectors\n\n"
    "// Vector is an item on the wire and what a strict decoder says of it.\n"
    "type Vector struct {\n"
    "\tName, Type, Class, Result string\n"
    "\tAsked                     bool\n"
    "\tOffset                    uint64 // asked for\n"
    "\tCount                     uint32\n"
    "\tAt                        uint64 // of the fault\n"
    "\tBytes, Zeros              uint64 // delivered\n"
    "\tCRC32                     uint32\n"
    "\tEOF                       bool\n"
    "\tWire                      string // its bytes\n"
    "}\n\n"
    "// Vectors is the catalogue.\n"
    "var Vectors = []Vector{\n";

static void go_entry(const struct entry *e, FILE *to)
{
    const struct vector *v = e->vector;

    fprintf(
        to,
        "\t{\"%s\", \"%s\", \"%s\", \"%s\", %s, %" PRIu64 ", %" PRIu32
        ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", 0x%08" PRIx32 ", %s,\n\t\t\"",
        v->name, e->type, e->class, e->result, v->asked ? "true" : "false",
        v->ask.offset, v->ask.count, e->strict->at, e->strict->bytes,
        e->strict->zeros, e->strict->crc, e->strict->eof ? "true" : "false");
    each_byte(e, SPELL_ESCAPED, to);
    fputs("\"},\n", to);
}

/* --- Python ---------------------------------------------------------------- */

static const char python_head[] =
    "# SPDX-License-Identifier: CC0-1.0\n"
    "\"\"\"Golden vectors of READ_PLUS, RFC 7862; by `readplus vectors'.\"\"\""
    "\n\nfrom collections import namedtuple\n\n"
    "# ask: (offset, count) or None; result, at: what a strict decoder says\n"
    "# and where; bytes, zeros, crc32, eof: what is delivered\n"
    "Vector = namedtuple('Vector', 'name type class_name result ask at bytes '"
    "\n                    'zeros crc32 eof wire')\n\n"
    "VECTORS = [\n";

static void python_entry(const struct entry *e, FILE *to)
{
    const struct vector *v = e->vector;

    fprintf(to, "    Vector('%s', '%s', '%s', '%s', ", v->name, e->type,
            e->class, e->result);
    if (v->asked)
        fprintf(to, "(%" PRIu64 ", %" PRIu32 ")", v->ask.offset, v->ask.count);
    else
        fputs("None", to);
    fprintf(to,
            ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", 0x%08" PRIx32
            ", %s,\n           bytes.fromhex('",
            e->strict->at, e->strict->bytes, e->strict->zeros, e->strict->crc,
            e->strict->eof ? "True" : "False");
    each_byte(e, SPELL_HEX, to);
    fputs("')),\n", to);
}

/* --- all of them ----------------------------------------------------------- */

static const struct language {
    const char *name, *head, *middle, *foot;
    void (*bytes)(const struct entry *e, FILE *to); /* before the table */
    void (*entry)(const struct entry *e, FILE *to);
} languages[] = {
    {"c", c_head, "\nconst struct read_plus_vector read_plus_vectors[] = {\n",
     "};\n\nconst size_t read_plus_vector_count =\n"
     "    sizeof(read_plus_vectors) / sizeof(read_plus_vectors[0]);\n",
     c_bytes, c_entry},
    {"rust", rust_head, "", "];\n", NULL, rust_entry},
    {"go", go_head, "", "}\n", NULL, go_entry},
    {"python", python_head, "", "]\n", NULL, python_entry},
};

static bool put_each(const struct catalogue *catalogue,
                     void (*put)(const struct entry *e, FILE *to), FILE *to)
{
    size_t i;

    for (i = 0; put != NULL && i < catalogue->count; i++) {
        const struct vector *v = &catalogue->vectors[i];
        const struct vector_expect *strict = &v->expect[PROFILE_STRICT];
        uint8_t *bytes;

        if (v->size > VECTORS_TABLE_MAX)
            continue;
        bytes = vector_bytes(v);
        if (bytes == NULL)
            return false;
        put(&(struct entry){v, strict, bytes, vector_type_name(v->type),
                            vector_class_name(v->class),
                            vector_error_name(strict->error)},
            to);
        free(bytes);
    }
    return true;
}

bool vectors_table(const struct catalogue *catalogue, const char *name,
                   FILE *to)
{
    size_t i;

    for (i = 0; i < sizeof(languages) / sizeof(languages[0]); i++) {
        const struct language *l = &languages[i];

        if (strcmp(name, l->name) != 0)
            continue;
        fputs(l->head, to);
        if (!put_each(catalogue, l->bytes, to))
            return false;
        fputs(l->middle, to);
        if (!put_each(catalogue, l->entry, to))
            return false;
        fputs(l->foot, to);
        return true;
    }
    return false;
}
