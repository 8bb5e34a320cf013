/*
 * The whole core of libreadplus.  The edges (source.h, reply.h, restore.h,
 * rpc.h) are included by name.
 */
#ifndef READPLUS_H
#define READPLUS_H

#include <readplus/base.h>

#endif
