/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libreadplus: NFSv4.2 READ_PLUS replies (RFC 7862 section 15.10), encoded
 * and decoded exactly.
 *
 * This is the umbrella of the core: everything that neither allocates nor
 * makes a system call.  Structures live on the caller's stack, file data is
 * borrowed and never copied behind the caller's back, and no function prints,
 * aborts, or keeps state of its own, so any number of threads may use the
 * library on objects of their own.
 *
 * What touches the system is included by name: readplus/source.h (extents of
 * a file), readplus/reply.h (one call for a server), readplus/splice.h (the
 * same without copying), readplus/restore.h (a file with its holes).  Users of
 * libtirpc find readplus/rpc.h in a library of its own.
 */
#ifndef READPLUS_H
#define READPLUS_H

#include <readplus/base.h>
#include <readplus/segment.h>
#include <readplus/size.h>
#include <readplus/plan.h>
#include <readplus/encode.h>
#include <readplus/decode.h>
#include <readplus/scatter.h>
#include <readplus/expand.h>
#include <readplus/stream.h>
#include <readplus/seek.h>
#include <readplus/extents.h>
#include <readplus/judge.h>
#include <readplus/message.h>

#endif /* READPLUS_H */
