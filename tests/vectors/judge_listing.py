#!/usr/bin/env python3
# SPDX-License-Identifier: CC0-1.0
"""`readplus decode --pcap --json' against the catalogue.

    judge_listing.py vectors.json PORTS LISTED

The xid that `readplus pcap' gives to an item's exchange ends in its port.
"""

import json
import sys

ITEMS = ('READ_PLUS4res', 'nfs_resop4')


def main():
    with open(sys.argv[1], encoding='ascii') as f:
        vectors = {v['name']: v for v in json.load(f)['vectors']}
    with open(sys.argv[2], encoding='ascii') as f:
        ports = {int(p): n for p, n in (line.split() for line in f)}
    with open(sys.argv[3], encoding='ascii') as f:
        listed = [json.loads(line) for line in f]
    seen = set()
    for x in listed:
        if x['xid'] >> 16 != 0x5250:
            continue
        v = vectors[ports[x['xid'] & 0xffff]]
        # Another operation is no READ_PLUS, whatever it says.
        if v['type'] not in ITEMS or 'other' in v['name']:
            continue
        # Without a byte of READ_PLUS4res the message is at fault.
        if v['size'] <= (4 if v['type'] == 'nfs_resop4' else 0):
            continue
        seen.add(v['name'])
        want = v['expect']['strict']
        got = 'OK' if x['error'] is None else x['error']['name'][13:]
        # Of an nfs_resop4 the opcode is not counted.
        skip = 4 if v['type'] == 'nfs_resop4' else 0
        if got != want['result'] or (
                got != 'OK' and x['error']['at'] != want['at'] - skip):
            sys.exit('%s: %s, not %s' % (v['name'], x, want))
        if got == 'OK' and (x['status'] != v['status'] or
                            x['bytes'] != want.get('bytes', 0) or
                            x['eof'] != bool(v['eof'])):
            sys.exit('%s: %s' % (v['name'], x))
    missed = {n for n in ports.values() if vectors[n]['type'] in ITEMS and
              'other' not in n and vectors[n]['size'] > 3} - seen
    if missed or len(seen) < 400:
        sys.exit('%d seen; not seen: %s' % (len(seen), sorted(missed)))
    print('%d verdicts as in the catalogue' % len(seen))


if __name__ == '__main__':
    main()
