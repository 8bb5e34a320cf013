/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the rooms of the probe share: it runs in the emulated guest, statically
 * linked, because an interpreter would be an emulated one.  It makes the files
 * of a seed, knows what every byte of them is without reading them, and holds
 * what comes through a mount against that.
 */
#ifndef READPLUS_KERNEL_PROBE_H
#define READPLUS_KERNEL_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KIB 1024u
#define MIB (1024u * KIB)
#define GIB (UINT64_C(1024) * MIB)
#define PAGE 4096u
#define LARGE (8 * MIB) /* what is longer is not read whole */

#define ENTRIES(table) (sizeof(table) / sizeof((table)[0]))

/* --- random numbers, the same for the same seed ---------------------------- */
uint64_t mix(uint64_t value);
/* Steps *state; a number in [0, below), below not 0. */
uint64_t draw(uint64_t *state, uint64_t below);

/* --- the files of a seed --------------------------------------------------- */
struct extent {
    uint64_t offset, length;
    bool zeros; /* written, but with zeros */
};

struct file {
    char name[16];
    uint64_t size;
    struct extent *extents; /* what is written, ascending */
    size_t count;
    bool reserved; /* all of it with fallocate() before */
    uint64_t key;  /* of its bytes */
};

/* All of them, for good; *count becomes their number. */
const struct file *set_files(uint64_t seed, size_t *count);
/* What [offset, offset + length) must read as: zero outside the extents, and no
 * byte zero inside them. */
void set_expect(const struct file *file, uint64_t offset, void *to,
                size_t length);
/* The bytes of any file of that key, where they are not zero. */
void set_bytes(uint64_t key, uint64_t offset, void *to, size_t length);
/* Bytes of pages that hold anything but zeros, or (exact) that are written. */
uint64_t set_data(const struct file *file, bool exact);

#define DIGEST 32
struct sha256 {
    uint32_t state[8];
    uint64_t length;
    unsigned char block[64];
};
void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t length);
void sha256_end(struct sha256 *sha, unsigned char digest[DIGEST]);
void sha256_of(const void *bytes, size_t length, unsigned char digest[DIGEST]);

/* --- reading --------------------------------------------------------------- */
/* A descriptor for reading, with O_DIRECT where asked; exits if it cannot. */
int open_read(const char *dir, const char *name, bool direct);
/* All of [offset, offset + length) that there is; its length, or -1 with errno
 * of the read that failed. */
long long read_all(int fd, void *to, size_t length, uint64_t offset);
/* Whether a file of the set reads as it must, in order of offsets or not, in
 * steps of about `step` bytes; says on stdout what is wrong. */
bool file_reads(const struct file *file, int fd, size_t step, bool random,
                uint64_t *state);
/* Whether SEEK_DATA and SEEK_HOLE say the same of both. */
bool seeks_agree(const char *name, int fd, int other, uint64_t *state);

/* --- the mount, and what it did -------------------------------------------- */
struct operations {
    unsigned long long read, read_plus, seek; /* how often */
    unsigned long long received;              /* bytes, by READ_PLUS */
    unsigned long long errors;                /* of READ and READ_PLUS */
};
struct operations operations_of(const char *mountpoint);

/* --- the subcommands; arguments behind the name, 0 if all is well ---------- */
int cmd_change(char **arguments);
int cmd_check(char **arguments);
int cmd_fsx(char **arguments);
int cmd_layouts(char **arguments);
int cmd_make(char **arguments);
int cmd_mount(char **arguments);
int cmd_parallel(char **arguments);
int cmd_shape(char **arguments);
int cmd_sums(char **arguments);
int cmd_time(char **arguments);

/* --- small things ---------------------------------------------------------- */
_Noreturn void die(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* DIR/NAME in a buffer of its own. */
void path_in(char path[256], const char *dir, const char *name);
void *buffer(size_t length); /* page-aligned */
uint64_t number(const char *text);
/* true for `yes`, false for `no`, and nothing else. */
bool either(const char *text, const char *yes, const char *no);
double seconds_now(void);

#endif /* READPLUS_KERNEL_PROBE_H */
