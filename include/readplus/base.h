/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ground everything stands on: what a call can answer, which version this
 * is, and what is exported.
 *
 * Every call that can fail returns one enum readplus_error.  0 is success, +1
 * says that an iteration is over, negative values are failures, in groups by
 * whose fault they are.  A failure changes nothing but what the function's
 * own description names.
 */
#ifndef READPLUS_BASE_H
#define READPLUS_BASE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define READPLUS_API __attribute__((visibility("default")))
#define READPLUS_MUST_CHECK __attribute__((warn_unused_result))
#else
#define READPLUS_API
#define READPLUS_MUST_CHECK
#endif

/* The version of these headers; readplus_version() is that of the library. */
#define READPLUS_VERSION_MAJOR 0
#define READPLUS_VERSION_MINOR 1
#define READPLUS_VERSION_PATCH 0
#define READPLUS_VERSION "0.1.0"

enum readplus_error {
    READPLUS_OK = 0,
    READPLUS_END = 1, /* nothing more to come; not a failure */

    /* The caller broke a function's rules. */
    READPLUS_ERR_INVAL = -1, /* an argument is outside its valid range */
    READPLUS_ERR_STATE = -2, /* a call out of order */

    /*
     * No room.  Nothing was written, the object stays usable, and what came
     * before still makes a legal reply.
     */
    READPLUS_ERR_NOSPACE = -10,     /* too few bytes: buffer or maxcount */
    READPLUS_ERR_LIMIT = -11,       /* too few entries: array or maxsegs */
    READPLUS_ERR_NO_PROGRESS = -12, /* no room for even one file byte */
    READPLUS_ERR_NOMEM = -13,       /* malloc failed (readplus/rpc.h only) */

    /* The bytes are not XDR (RFC 4506). */
    READPLUS_ERR_TRUNCATED = -20,   /* an item is cut off */
    READPLUS_ERR_BAD_BOOL = -21,    /* a bool is neither 0 nor 1 */
    READPLUS_ERR_BAD_PAD = -22,     /* fill bytes are not zero */
    READPLUS_ERR_TRAILING = -23,    /* bytes after the item */
    READPLUS_ERR_BAD_MESSAGE = -24, /* an RPC or COMPOUND field has a value
                                       that it may not have */

    /* XDR, but not what RFC 7862 section 15.10.3 allows. */
    READPLUS_ERR_BAD_CONTENT = -30, /* data_content4 neither data nor hole */
    READPLUS_ERR_RANGE = -31,       /* offset + length above 2^64 - 1 */
    READPLUS_ERR_LATE_START = -32,  /* the first element starts after the
                                       offset asked for */
    READPLUS_ERR_GAP = -33,         /* bytes between two elements are missing */
    READPLUS_ERR_ORDER = -34,       /* an element starts before the one before
                                       it starts */
    READPLUS_ERR_OVERLAP = -35, /* an element starts inside the one before */

    /* What the bytes come from failed. */
    READPLUS_ERR_SOURCE = -40,     /* a source broke its contract */
    READPLUS_ERR_IO = -41,         /* the device failed */
    READPLUS_ERR_ISDIR = -42,      /* a directory */
    READPLUS_ERR_SYMLINK = -43,    /* a symbolic link */
    READPLUS_ERR_WRONG_TYPE = -44, /* any other file that is not regular */
    READPLUS_ERR_ACCESS = -45,     /* the descriptor does not allow it */
    READPLUS_ERR_CHANGED = -46     /* the file changed under way */
};

/* Whose fault a value is.  Each is false for READPLUS_OK and READPLUS_END. */
static inline bool readplus_error_is_caller(enum readplus_error error)
{
    return error <= -1 && error >= -9;
}

static inline bool readplus_error_is_room(enum readplus_error error)
{
    return error <= -10 && error >= -19;
}

static inline bool readplus_error_is_xdr(enum readplus_error error)
{
    return error <= -20 && error >= -29;
}

static inline bool readplus_error_is_rfc(enum readplus_error error)
{
    return error <= -30 && error >= -39;
}

static inline bool readplus_error_is_source(enum readplus_error error)
{
    return error <= -40 && error >= -49;
}

/*
 * The enumerator's name, such as "READPLUS_ERR_BAD_PAD"; for a number that is
 * no enumerator, "READPLUS_ERR_UNKNOWN".  The string is static, never NULL.
 */
READPLUS_API const char *readplus_error_name(enum readplus_error error);

/*
 * One short sentence in English, without full stop, for a person: what the
 * value means.  The string is static, never NULL.
 */
READPLUS_API const char *readplus_error_text(enum readplus_error error);

/*
 * The nfsstat4 (RFC 7862 section 11) with which a server answers a request
 * that ended with this value: NFS4_OK (0) for OK and END, NFS4ERR_REP_TOO_BIG
 * where room was the cause, NFS4ERR_BADXDR for what is not XDR,
 * NFS4ERR_UNION_NOTSUPP for an unknown arm, NFS4ERR_SERVERFAULT for a bug in
 * the server, and the natural one for each failure of a source.
 */
READPLUS_API uint32_t readplus_error_nfsstat(enum readplus_error error);

/*
 * The name of an nfsstat4 value, such as "NFS4ERR_NOTSUPP", or NULL where
 * NFSv4.2 assigns none.  The string is static.
 */
READPLUS_API const char *readplus_nfsstat_name(uint32_t status);

/* The library's version, "MAJOR.MINOR.PATCH".  Static, never NULL. */
READPLUS_API const char *readplus_version(void);

/*
 * Where something stands that a decoder or an encoder refused.  `at` counts
 * bytes from the first byte of the item (rp_status): the first byte of the
 * faulty XDR item; for fill bytes the first that is not zero; for an item that
 * is cut, where that item starts; for a segment that lies wrongly (range, gap,
 * order, overlap, late start), its offset field.  `segment` is the index of
 * the element, READPLUS_NO_SEGMENT where no element is concerned.
 */
#define READPLUS_NO_SEGMENT UINT32_MAX

struct readplus_fault {
    enum readplus_error error; /* READPLUS_OK: no fault */
    uint32_t segment;
    uint64_t at;
};

#ifdef __cplusplus
}
#endif

#endif /* READPLUS_BASE_H */
