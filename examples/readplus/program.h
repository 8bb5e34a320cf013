/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every room of the readplus program knows: its commands, its exit
 * statuses, how it complains and how it reads a number.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses, the same for every command. */
enum outcome {
    OUTCOME_OK = 0,        /* done; what was read is well formed */
    OUTCOME_FAULTY = 1,    /* the input is faulty, or the work failed */
    OUTCOME_USAGE = 2,     /* wrong use */
    OUTCOME_UNREADABLE = 3 /* a file could not be read */
};

/* Each gets argv[0] as "readplus NAME" and returns an exit status. */
int cmd_copy(int argc, char **argv);
int cmd_decode(int argc, char **argv);
int cmd_demo(int argc, char **argv);
int cmd_encode(int argc, char **argv);
int cmd_map(int argc, char **argv);
int cmd_reply(int argc, char **argv);
int cmd_pcap(int argc, char **argv);
int cmd_vectors(int argc, char **argv);

/* "readplus: " and the message, one line, to standard error. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * A whole number in decimal or after 0x, with K, M, G or T for powers of
 * 1024.  False, and *value unchanged, where the text is anything else or the
 * number exceeds max.
 */
bool number_parse(const char *text, uint64_t max, uint64_t *value);

/*
 * The same for an option's argument inside an argp parser: a bad one is wrong
 * use, said so, and ends the program.
 */
uint64_t number_option(const char *option, const char *text, uint64_t min,
                       uint64_t max, const struct argp_state *state);

#endif /* PROGRAM_H */
