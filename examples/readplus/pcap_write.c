/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets of Ethernet, IPv4, TCP and UDP around NFS, checksums included, into
 * libpcap's format by libpcap.  What is in them is not looked at.
 */
#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#include "pcap_write.h"
#include "program.h"

#define ETHERNET 14
#define IPV4 20
#define TCP 20
#define UDP 8
#define NFS_PORT 2049
#define PAYLOAD_MAX 32000 /* of a TCP packet */

enum tcp_flag { FIN = 1, SYN = 2, PSH = 8, ACK = 16 };

struct capture {
    pcap_t *pcap;
    pcap_dumper_t *dumper;
    const char *path;
    uint64_t microseconds;
    uint8_t packet[ETHERNET + IPV4 + UDP + 65536];
};

static const uint8_t client_address[4] = {192, 0, 2, 1}; /* RFC 5737 */
static const uint8_t server_address[4] = {192, 0, 2, 2};

struct capture *capture_create(const char *path)
{
    struct capture *c = calloc(1, sizeof(*c));

    if (c == NULL) {
        complain("out of memory");
        return NULL;
    }
    c->path = path;
    c->microseconds = UINT64_C(1600000000000000);
    c->pcap = pcap_open_dead(DLT_EN10MB, 262144);
    if (c->pcap != NULL)
        c->dumper = pcap_dump_open(c->pcap, path);
    if (c->dumper != NULL)
        return c;
    complain("%s: cannot be written: %s", path,
             c->pcap != NULL ? pcap_geterr(c->pcap) : "out of memory");
    if (c->pcap != NULL)
        pcap_close(c->pcap);
    free(c);
    return NULL;
}

bool capture_close(struct capture *c)
{
    bool good = pcap_dump_flush(c->dumper) == 0;

    if (!good)
        complain("%s: cannot be written: %s", c->path, strerror(errno));
    pcap_dump_close(c->dumper);
    pcap_close(c->pcap);
    free(c);
    return good;
}

/* --- headers --------------------------------------------------------------- */

static void store16(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

static void store32(uint8_t *to, uint32_t value)
{
    store16(to, value >> 16);
    store16(to + 2, value);
}

/* RFC 1071, before the final complement. */
static uint32_t sum(uint32_t total, const uint8_t *bytes, size_t len)
{
    for (; len > 1; bytes += 2, len -= 2)
        total += (uint32_t)bytes[0] << 8 | bytes[1];
    if (len > 0)
        total += (uint32_t)bytes[0] << 8;
    while (total >> 16 != 0)
        total = (total & 0xffff) + (total >> 16);
    return total;
}

static uint32_t checksum(uint32_t total, const uint8_t *bytes, size_t len)
{
    return ~sum(total, bytes, len) & 0xffff;
}

/* Ethernet and IPv4; returns the sum of the pseudo header of what follows. */
static uint32_t put_ip(struct capture *c, bool client, uint8_t protocol,
                       size_t len)
{
    const uint8_t *from = client ? client_address : server_address;
    const uint8_t *to = client ? server_address : client_address;
    uint8_t *p = c->packet;
    uint8_t pseudo[4] = {0, protocol, 0, 0};

    memset(p, 0, ETHERNET + IPV4);
    p[0] = p[6] = 2; /* made up: locally administered */
    p[5] = to[3];
    p[11] = from[3];
    store16(p + 12, 0x0800);
    p += ETHERNET;
    p[0] = 0x45;
    store16(p + 2, (uint32_t)(IPV4 + len));
    p[6] = 0x40; /* not to be fragmented */
    p[8] = 64;
    p[9] = protocol;
    memcpy(p + 12, from, 4);
    memcpy(p + 16, to, 4);
    store16(p + 10, checksum(0, p, IPV4));
    store16(pseudo + 2, (uint32_t)len);
    return sum(sum(0, p + 12, 8), pseudo, sizeof(pseudo));
}

static void dump(struct capture *c, size_t len)
{
    struct pcap_pkthdr header;

    memset(&header, 0, sizeof(header));
    c->microseconds += 10;
    header.ts.tv_sec = (time_t)(c->microseconds / 1000000);
    header.ts.tv_usec = (suseconds_t)(c->microseconds % 1000000);
    header.caplen = header.len = (bpf_u_int32)len;
    pcap_dump((u_char *)c->dumper, &header, c->packet);
}

static void put_ports(const struct exchange *e, bool client, uint8_t *p)
{
    store16(p, client ? e->port : NFS_PORT);
    store16(p + 2, client ? NFS_PORT : e->port);
}

static void tcp(struct exchange *e, bool client, unsigned flags,
                const uint8_t *bytes, size_t len)
{
    struct capture *c = e->capture;
    uint32_t *mine = client ? &e->client_next : &e->server_next;
    uint32_t theirs = client ? e->server_next : e->client_next;
    uint32_t total = put_ip(c, client, 6, TCP + len);
    uint8_t *p = c->packet + ETHERNET + IPV4;

    memset(p, 0, TCP);
    put_ports(e, client, p);
    store32(p + 4, *mine);
    store32(p + 8, (flags & ACK) != 0 ? theirs : 0);
    p[12] = TCP / 4 << 4;
    p[13] = (uint8_t)flags;
    store16(p + 14, 65535);
    if (len > 0)
        memcpy(p + TCP, bytes, len);
    store16(p + 16, checksum(total, p, TCP + len));
    *mine += (uint32_t)len + ((flags & (SYN | FIN)) != 0);
    dump(c, ETHERNET + IPV4 + TCP + len);
}

static void udp(struct exchange *e, bool client, const uint8_t *bytes,
                size_t len)
{
    struct capture *c = e->capture;
    uint32_t total = put_ip(c, client, 17, UDP + len);
    uint8_t *p = c->packet + ETHERNET + IPV4;
    uint32_t check;

    memset(p, 0, UDP);
    put_ports(e, client, p);
    store16(p + 4, (uint32_t)(UDP + len));
    if (len > 0)
        memcpy(p + UDP, bytes, len);
    check = checksum(total, p, UDP + len);
    store16(p + 6, check == 0 ? 0xffff : check); /* 0 means none */
    dump(c, ETHERNET + IPV4 + UDP + len);
}

/* --- exchanges ------------------------------------------------------------- */

void exchange_begin(struct exchange *e, struct capture *capture, uint16_t port,
                    bool over_udp)
{
    *e = (struct exchange){capture, port, over_udp, 1000, 2000};
    if (over_udp)
        return;
    tcp(e, true, SYN, NULL, 0);
    tcp(e, false, SYN | ACK, NULL, 0);
    tcp(e, true, ACK, NULL, 0);
}

void exchange_say(struct exchange *e, bool client, const uint8_t *bytes,
                  size_t len)
{
    size_t step;

    if (e->udp) {
        udp(e, client, bytes, len);
        return;
    }
    for (; len > 0; bytes += step, len -= step) {
        step = len < PAYLOAD_MAX ? len : PAYLOAD_MAX;
        tcp(e, client, ACK | (step == len ? (unsigned)PSH : 0), bytes, step);
        tcp(e, !client, ACK, NULL, 0);
    }
}

void exchange_end(struct exchange *e)
{
    if (e->udp)
        return;
    tcp(e, true, FIN | ACK, NULL, 0);
    tcp(e, false, FIN | ACK, NULL, 0);
    tcp(e, true, ACK, NULL, 0);
}
