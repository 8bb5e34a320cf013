#!/usr/bin/env python3
# SPDX-License-Identifier: CC0-1.0
"""A capture made worse, on standard output.

    shuffle_pcap.py swap|twice|lose|pad|NUMBER FILE

swap: neighbours of one direction change places; twice: each packet again;
lose: every seventh is missing; pad: 2200 MiB of something else in the middle;
a number: bytes of its packets changed, other ones for each number.
"""

import random
import struct
import sys


def packets(raw):
    at = 24
    while at < len(raw):
        size = struct.unpack_from('<I', raw, at + 8)[0]
        yield raw[at:at + 16 + size]
        at += 16 + size


def sender(packet):
    return packet[16 + 26:16 + 30] + packet[16 + 34:16 + 38]


def payload(packet):
    return len(packet) - 16 - 54


def swapped(all_packets):
    """data packets behind the next of their direction, never past others"""
    out, i = list(all_packets), 0
    while i + 2 < len(out):
        a, b = out[i], out[i + 2]
        if payload(a) > 0 and payload(b) > 0 and sender(a) == sender(b):
            out[i], out[i + 2] = b, a
            i += 3
        else:
            i += 1
    return out


def changed(all_packets, seed):
    """one byte in every third packet"""
    choose = random.Random(seed)
    for packet in all_packets:
        out = bytearray(packet)
        if choose.randrange(3) == 0:
            out[choose.randrange(16, len(out))] = choose.choice(
                (0, 1, 0x80, 0xff, choose.randrange(256)))
        yield bytes(out)


def main():
    how = sys.argv[1]
    with open(sys.argv[2], 'rb') as f:
        raw = f.read()
    out = sys.stdout.buffer
    out.write(raw[:24])
    every = list(packets(raw))
    if how == 'swap':
        out.write(b''.join(swapped(every)))
    elif how == 'twice':
        out.write(b''.join(p + p for p in every))
    elif how == 'lose':
        out.write(b''.join(p for i, p in enumerate(every) if i % 7))
    elif how.isdigit():
        out.write(b''.join(changed(every, int(how))))
    else:
        other = struct.pack('<IIII', 0, 0, 65000, 65000) + bytes(65000)
        block = other * 16
        out.write(raw[24:])
        for _ in range(2200 * 2**20 // len(block) + 1):
            out.write(block)
        out.write(raw[24:])


if __name__ == '__main__':
    main()
