/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a captured packet to what TCP or UDP carry in it.  Every length in it
 * is somebody's claim: nothing is read behind what was captured.
 */
#include <pcap/pcap.h>
#include <string.h>

#include "pcap_packet.h"

/* What is left of the packet. */
struct rest {
    const uint8_t *p;
    size_t len;   /* captured */
    size_t whole; /* on the wire */
};

static uint32_t load16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t load32(const uint8_t *p)
{
    return load16(p) << 16 | load16(p + 2);
}

static bool skip(struct rest *rest, size_t n)
{
    if (rest->len < n || rest->whole < n)
        return false;
    rest->p += n;
    rest->len -= n;
    rest->whole -= n;
    return true;
}

/* No more than n bytes belong to what is read next. */
static void cut(struct rest *rest, size_t n)
{
    if (rest->whole > n)
        rest->whole = n;
    if (rest->len > n)
        rest->len = n;
}

/* --- down to IP ------------------------------------------------------------ */

static bool skip_ethernet(struct rest *rest)
{
    uint32_t type;

    if (!skip(rest, 12))
        return false;
    while (rest->len >= 2 && (type = load16(rest->p)) != 0x0800) {
        if (type == 0x86dd)
            break;
        if ((type != 0x8100 && type != 0x88a8) || !skip(rest, 4)) /* VLAN */
            return false;
    }
    return skip(rest, 2);
}

static size_t link_header(int link)
{
    switch (link) {
    case DLT_NULL:
    case DLT_LOOP:
        return 4;
    case DLT_LINUX_SLL:
        return 16;
#ifdef DLT_LINUX_SLL2
    case DLT_LINUX_SLL2:
        return 20;
#endif
    default: /* DLT_RAW and the like */
        return 0;
    }
}

bool packet_link_known(int link)
{
    return link == DLT_EN10MB || link == DLT_RAW || link == DLT_IPV4 ||
           link == DLT_IPV6 || link_header(link) > 0;
}

/* --- IP -------------------------------------------------------------------- */

static bool skip_ipv4(struct rest *rest, struct endpoints *ends)
{
    const uint8_t *p = rest->p;
    size_t header, total;

    if (rest->len < 20)
        return false;
    header = (size_t)(p[0] & 15) * 4;
    total = load16(p + 2);
    /* Offload leaves a length of 0: as much as there is. */
    if (total == 0)
        total = rest->whole;
    if (header < 20 || total < header || (load16(p + 6) & 0x3fff) != 0)
        return false;
    ends->version = 4;
    ends->protocol = p[9];
    memcpy(ends->from, p + 12, 4);
    memcpy(ends->to, p + 16, 4);
    cut(rest, total);
    return skip(rest, header);
}

static bool skip_ipv6(struct rest *rest, struct endpoints *ends)
{
    const uint8_t *p = rest->p;
    size_t length;

    if (rest->len < 40)
        return false;
    length = load16(p + 4);
    ends->version = 6;
    ends->protocol = p[6];
    memcpy(ends->from, p + 8, 16);
    memcpy(ends->to, p + 24, 16);
    if (length > 0)
        cut(rest, 40 + length);
    return skip(rest, 40);
}

static bool skip_ip(struct rest *rest, struct endpoints *ends)
{
    if (rest->len == 0)
        return false;
    if (rest->p[0] >> 4 == 4)
        return skip_ipv4(rest, ends);
    return rest->p[0] >> 4 == 6 && skip_ipv6(rest, ends);
}

/* --- TCP and UDP ----------------------------------------------------------- */

static bool read_tcp(struct rest *rest, struct packet *packet)
{
    const uint8_t *p = rest->p;
    size_t header;

    if (rest->len < 20)
        return false;
    header = (size_t)(p[12] >> 4) * 4;
    packet->seq = load32(p + 4);
    packet->fin = (p[13] & 1) != 0;
    packet->syn = (p[13] & 2) != 0;
    packet->rst = (p[13] & 4) != 0;
    return header >= 20 && skip(rest, header);
}

static bool read_udp(struct rest *rest)
{
    size_t length;

    if (rest->len < 8)
        return false;
    length = load16(rest->p + 4);
    if (length < 8)
        return false;
    cut(rest, length);
    return skip(rest, 8);
}

bool packet_read(struct packet *packet, int link, const uint8_t *bytes,
                 size_t len, size_t whole)
{
    struct rest rest = {bytes, len, whole < len ? len : whole};

    memset(packet, 0, sizeof(*packet));
    if (!(link == DLT_EN10MB ? skip_ethernet(&rest)
                             : skip(&rest, link_header(link))) ||
        !skip_ip(&rest, &packet->ends) || rest.len < 4)
        return false;
    packet->ends.from_port = (uint16_t)load16(rest.p);
    packet->ends.to_port = (uint16_t)load16(rest.p + 2);
    if (packet->ends.protocol == 6) {
        if (!read_tcp(&rest, packet))
            return false;
    } else if (packet->ends.protocol != 17 || !read_udp(&rest)) {
        return false;
    }
    packet->payload = rest.p;
    packet->len = rest.len;
    packet->missing = rest.whole - rest.len;
    return true;
}
