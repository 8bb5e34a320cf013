/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names for what can go wrong, and the library's version.  Tables only; never
 * anything that reads or writes a byte of XDR.
 */
#include <stddef.h>

#include <readplus/base.h>

/* One row an error: its name, its sentence, what a server answers. */
struct error_row {
    enum readplus_error error;
    uint32_t nfsstat;
    const char *name;
    const char *text;
};

#define ROW(error, nfsstat, text)                                              \
    {                                                                          \
        error, nfsstat, #error, text                                           \
    }

static const struct error_row error_rows[] = {
    ROW(READPLUS_OK, 0, "success"),
    ROW(READPLUS_END, 0, "nothing more to come"),
    ROW(READPLUS_ERR_INVAL, 10006, "an argument is outside its valid range"),
    ROW(READPLUS_ERR_STATE, 10006, "the call is out of order"),
    ROW(READPLUS_ERR_NOSPACE, 10066, "too few bytes of room"),
    ROW(READPLUS_ERR_LIMIT, 10066, "more elements than allowed"),
    ROW(READPLUS_ERR_NO_PROGRESS, 10066,
        "no room for even one byte of the file"),
    ROW(READPLUS_ERR_NOMEM, 10008, "no memory"),
    ROW(READPLUS_ERR_TRUNCATED, 10036, "the item is cut off"),
    ROW(READPLUS_ERR_BAD_BOOL, 10036, "a bool is neither 0 nor 1"),
    ROW(READPLUS_ERR_BAD_PAD, 10036, "a fill byte is not zero"),
    ROW(READPLUS_ERR_TRAILING, 10036, "bytes follow the item"),
    ROW(READPLUS_ERR_BAD_MESSAGE, 10036,
        "a field of the RPC message or COMPOUND has a value it may not have"),
    ROW(READPLUS_ERR_BAD_CONTENT, 10090,
        "the content is neither data nor hole"),
    ROW(READPLUS_ERR_RANGE, 22, "offset and length exceed 2^64 - 1"),
    ROW(READPLUS_ERR_LATE_START, 10006,
        "the first element starts after the offset asked for"),
    ROW(READPLUS_ERR_GAP, 10006,
        "the element starts after the end of the one before it"),
    ROW(READPLUS_ERR_ORDER, 10006,
        "the element starts before the one before it"),
    ROW(READPLUS_ERR_OVERLAP, 10006,
        "the element starts inside the one before it"),
    ROW(READPLUS_ERR_SOURCE, 10006, "the source broke its contract"),
    ROW(READPLUS_ERR_IO, 5, "the device failed"),
    ROW(READPLUS_ERR_ISDIR, 21, "it is a directory"),
    ROW(READPLUS_ERR_SYMLINK, 10029, "it is a symbolic link"),
    ROW(READPLUS_ERR_WRONG_TYPE, 10083, "it is not a regular file"),
    ROW(READPLUS_ERR_ACCESS, 13, "the descriptor does not allow it"),
    ROW(READPLUS_ERR_CHANGED, 10008, "the file changed under way"),
};

static const struct error_row unknown_row = {
    READPLUS_ERR_INVAL, 10006, "READPLUS_ERR_UNKNOWN", "an unknown error"};

static const struct error_row *error_row(enum readplus_error error)
{
    size_t i;

    for (i = 0; i < sizeof(error_rows) / sizeof(error_rows[0]); i++)
        if (error_rows[i].error == error)
            return &error_rows[i];
    return &unknown_row;
}

const char *readplus_error_name(enum readplus_error error)
{
    return error_row(error)->name;
}

const char *readplus_error_text(enum readplus_error error)
{
    return error_row(error)->text;
}

uint32_t readplus_error_nfsstat(enum readplus_error error)
{
    return error_row(error)->nfsstat;
}

const char *readplus_version(void)
{
    return READPLUS_VERSION;
}
