#!/usr/bin/env python3
# SPDX-License-Identifier: CC0-1.0
"""The third judge: what tshark says of a capture of the vectors.

    tshark ... -T pdml | judge_tshark.py EXPORT PORTS ANSWERS

EXPORT is a folder with the JSON and bin exports, PORTS what `readplus pcap'
printed: the port and the name of each vector.  Compares status, eof, kinds, offsets, lengths and
bytes of every well-formed vector, field by field; checks that what is cut
short is flagged.  Into the folder `answers' goes what tshark said, as a
decoder's JSON, a file a vector, for `readplus vectors test-decoder'.
"""

import hashlib
import json
import os
import sys
import xml.etree.ElementTree as ElementTree

OPERATIONS = {'68', '69'}
# What stands around these is the vector's own, and may be no message at all.
ITEMS = {'READ_PLUS4args', 'READ_PLUS4res', 'nfs_argop4', 'nfs_resop4',
         'SEEK4args', 'SEEK4res', 'nfs_argop4_seek', 'nfs_resop4_seek'}

WORDS = {'READ_PLUS4args': 'args', 'READ_PLUS4res': 'res',
         'nfs_resop4': 'resop', 'SEEK4args': 'seek-args',
         'SEEK4res': 'seek-res'}
# Well formed, and yet tshark (4.0) does not put it together.
BEYOND = {'record_reply_words': 'a first fragment of four bytes',
          'record_reply_empty_fragment': 'a fragment of no bytes'}


def value(element, name):
    """the number of the first field of that name in it, or None"""
    for field in element.iter('field'):
        if field.get('name') == name:
            return int(field.get('value'), 16) if field.get('value') else None
    return None


def content(element):
    """one element of rpr_contents, as tshark read it"""
    out = {'content': {0: 'data', 1: 'hole'}.get(
        int(element.get('value'), 16), 'unknown')}
    out['offset'] = value(element, 'nfs.offset4')
    if out['content'] == 'data':
        out['length'] = value(element, 'nfs.read.data_length')
        for field in element.iter('field'):
            if field.get('name') == 'nfs.data' and field.get('value'):
                out['data'] = field.get('value')
    else:
        out['length'] = value(element, 'nfs.length4')
    return out


def reply(op, seek):
    out = {'error': None, 'status': value(op, 'nfs.nfsstat4')}
    if out['status'] != 0:
        return out
    eof = value(op, 'nfs.eof')
    if seek:
        out['sr_eof'] = eof if eof is None else eof != 0
        out['sr_offset'] = value(op, 'nfs.offset4')
        return out
    out['eof'] = eof if eof is None else eof != 0
    out['segments'] = [content(field) for field in op.iter('field')
                       if field.get('name') == 'nfs.content.type']
    return out


def call(op, seek):
    which = 'sa_' if seek else 'rpa_'
    out = {'error': None, which + 'offset': value(op, 'nfs.offset4')}
    if seek:
        out['sa_what'] = {0: 'data', 1: 'hole'}.get(
            value(op, 'nfs.data_content'))
    else:
        out['rpa_count'] = value(op, 'nfs.count4')
    out['seqid'] = value(op, 'nfs.stateid.seqid')
    for field in op.iter('field'):
        if field.get('name') == 'nfs.stateid.other':
            out['other'] = field.get('value')
    return out


def packet_says(packet):
    """(port, from the server, what it says), or None"""
    ports = [value(packet, p + '.srcport') for p in ('tcp', 'udp')]
    targets = [value(packet, p + '.dstport') for p in ('tcp', 'udp')]
    source = next((p for p in ports if p is not None), None)
    target = next((p for p in targets if p is not None), None)
    if source is None:
        return None
    answer = source == 2049
    said = None
    for field in packet.iter('field'):
        if field.get('name') == 'nfs.opcode' and field.get(
                'show') in OPERATIONS:
            make = reply if answer else call
            said = make(field, field.get('show') == '69')
    for proto in packet.iter('proto'):
        if proto.get('name') == '_ws.malformed':
            said = said or {}
            said['error'] = {'name': 'malformed', 'at': 0, 'segment': None}
    return (target if answer else source), answer, said


def model(offset, length):
    return bytes(1 + o % 251 for o in range(offset, offset + length)).hex()


def expected(v):
    """the same, as the catalogue says it"""
    if v['type'].endswith('args') or 'argop' in v['type'] or \
            v['type'].endswith('_call'):
        seek = v['type'].startswith('SEEK') or v['type'].endswith('_seek')
        out = {'error': None, ('sa_' if seek else 'rpa_') + 'offset':
               v['offset'], 'seqid': v['stateid']['seqid'],
               'other': v['stateid']['other']}
        out.update({'sa_what': ['data', 'hole'][v['number']]} if seek
                   else {'rpa_count': v['number']})
        return out
    out = {'error': None, 'status': v['status']}
    if v['status'] != 0:
        return out
    if v['type'].startswith('SEEK') or v['type'].endswith('_seek'):
        out.update(sr_eof=v['eof'], sr_offset=v['offset'])
        return out
    out.update(eof=v['eof'], segments=[])
    for s in v['segments']:
        for i in range(s['repeat']):
            one = {'content': s['content'], 'length': s['length'],
                   'offset': s['offset'] + i * s['length']}
            if s['content'] == 'data' and s['length']:
                one['data'] = s['data'] or model(s['offset'], s['length'])
            out['segments'].append(one)
    return out


def is_answer(v):
    return not (v['type'].endswith('args') or 'argop' in v['type'] or
                v['type'].endswith('_call'))


def judge(vectors, said):
    agreed, cut, wrong, unseen = 0, 0, [], []
    for name, v in vectors.items():
        verdict = v['expect']['strict']
        if name in BEYOND:
            print('not judged: %s, %s' % (name, BEYOND[name]))
        elif verdict['result'] == 'OK' and v['found'] in (None, 'item'):
            if name not in said or said[name] != expected(v):
                wrong.append('%s\n  tshark %.300s\n  wanted %.300s' % (
                    name, said.get(name), expected(v)))
            agreed += 1
        elif verdict['result'] == 'TRUNCATED' and v['type'] in ITEMS:
            cut += 1
            if not said.get(name) or said[name].get('error') is None:
                unseen.append(name)
    return agreed, cut, wrong, unseen


def write_answer(export, answers, v, answer):
    """under its type and the SHA-256 of its bytes"""
    with open(os.path.join(export, v['name'] + '.bin'), 'rb') as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    path = os.path.join(answers, WORDS[v['type']] + '-' + digest)
    with open(path, 'w', encoding='ascii') as f:
        json.dump(answer, f)


def main():
    with open(os.path.join(sys.argv[1], 'vectors.json'),
              encoding='ascii') as f:
        vectors = {v['name']: v for v in json.load(f)['vectors']}
    with open(sys.argv[2], encoding='ascii') as f:
        names = {int(port): name for port, name in
                 (line.split() for line in f)}
    said = {}
    for _, packet in ElementTree.iterparse(sys.stdin.buffer):
        if packet.tag != 'packet':
            continue
        got = packet_says(packet)
        if got is not None and got[2] is not None:
            name = names[got[0]]
            if got[1] == is_answer(vectors[name]):
                said[name] = got[2]
        packet.clear()
    vectors = {n: vectors[n] for n in names.values()}
    for name, answer in said.items():
        if vectors[name]['type'] in WORDS:
            write_answer(sys.argv[1], sys.argv[3], vectors[name], answer)
    agreed, cut, wrong, unseen = judge(vectors, said)
    print('%d vectors dissected, %d otherwise; %d cut short, %d of them not '
          'flagged' % (agreed, len(wrong), cut, len(unseen)))
    for text in wrong:
        print('differs: ' + text)
    for name in unseen:
        print('not flagged: ' + name)
    if wrong or unseen or agreed < 100:
        sys.exit(1)


if __name__ == '__main__':
    main()
