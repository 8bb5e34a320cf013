/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line of nfs42d.
 */
#ifndef NFS42_OPTIONS_H
#define NFS42_OPTIONS_H

#include "nfs42d.h"

/* Ends the program, saying why, where the command line is wrong. */
void options_parse(struct options *options, int argc, char **argv);

#endif /* NFS42_OPTIONS_H */
