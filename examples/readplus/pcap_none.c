/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In place of what reads and writes captures, where the program was built
 * without libpcap: it says so.
 */
#include "pcap_list.h"
#include "program.h"

static int say_so(void)
{
    complain("this readplus was built without libpcap");
    return OUTCOME_USAGE;
}

int cmd_pcap(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return say_so();
}

int pcap_list(const char *path, uint16_t port, bool json)
{
    (void)path;
    (void)port;
    (void)json;
    return say_so();
}
