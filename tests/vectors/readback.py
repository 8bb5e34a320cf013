#!/usr/bin/env python3
# SPDX-License-Identifier: CC0-1.0
"""Proves the JSON export usable: reads it as another project would.

    readback.py vectors.json schema.json

Holds it against its schema, checks that large numbers are there as strings,
and encodes every well-formed vector again from what it says it means: items
from status, eof and segments, messages from the values of their fields.  It
shares nothing with mkvectors.py or the library.
"""

import json
import re
import struct
import sys

TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool,
         'null': type(None)}


# --- the schema, as far as ours goes -----------------------------------------

def is_type(value, name):
    if name == 'integer':
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def validate(value, schema, root, where):
    if '$ref' in schema:
        schema = root['$defs'][schema['$ref'].split('/')[-1]]
    if 'const' in schema and value != schema['const']:
        sys.exit('%s: %r is not %r' % (where, value, schema['const']))
    if 'enum' in schema and value not in schema['enum']:
        sys.exit('%s: %r is not allowed' % (where, value))
    names = schema.get('type', [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_type(value, n) for n in names):
        sys.exit('%s: %r is no %s' % (where, value, names))
    if isinstance(value, str) and 'pattern' in schema:
        if not re.search(schema['pattern'], value):
            sys.exit('%s: %r does not match' % (where, value))
    if isinstance(value, dict):
        for key in schema.get('required', []):
            if key not in value:
                sys.exit('%s: %s is missing' % (where, key))
        known = schema.get('properties', {})
        for key, inner in value.items():
            if key not in known:
                sys.exit('%s: %s is unknown' % (where, key))
            validate(inner, known[key], root, where + '.' + key)
    if isinstance(value, list):
        for i, inner in enumerate(value):
            validate(inner, schema.get('items', {}), root,
                     '%s[%d]' % (where, i))


def texts(value):
    """how many numbers are there as strings; they must be all the large"""
    n = 0
    if isinstance(value, list):
        return sum(texts(v) for v in value)
    if not isinstance(value, dict):
        return 0
    for key, inner in value.items():
        n += texts(inner)
        large = is_type(inner, 'integer') and inner > 2**53
        if large != (key + '_text' in value):
            sys.exit('%s: %r, and its text' % (key, inner))
        if large:
            n += 1
            if int(value[key + '_text']) != inner:
                sys.exit('%s: text and number differ' % key)
    return n


# --- encoding ----------------------------------------------------------------

def model(offset, length):
    return bytes(1 + o % 251 for o in range(offset, offset + length))


def segment(s):
    out = b''
    for i in range(s['repeat']):
        offset = s['offset'] + i * s['length']
        if s['content'] == 'hole':
            out += struct.pack('>IQQ', 1, offset, s['length'])
            continue
        data = (bytes.fromhex(s['data']) if s['data'] is not None
                else model(offset, s['length']))
        assert len(data) == s['length']
        out += struct.pack('>IQI', 0, offset, len(data)) + data
        out += bytes(-len(data) % 4)
    return out


def item(v, kind):
    if kind.endswith('args'):
        return struct.pack('>I12sQI', v['stateid']['seqid'],
                           bytes.fromhex(v['stateid']['other']), v['offset'],
                           v['number'])
    if v['status'] != 0:
        return struct.pack('>I', v['status'])
    if kind == 'SEEK4res':
        return struct.pack('>IIQ', 0, v['eof'], v['offset'])
    count = sum(s['repeat'] for s in v['segments'])
    return struct.pack('>III', 0, v['eof'], count) + b''.join(
        segment(s) for s in v['segments'])


LONG = {'d_offset', 'di_offset', 'di_length', 'rpa_offset', 'sa_offset',
        'sr_offset'}


def field(f):
    """a field of a message, from its value"""
    words = f['value'].split()
    if f['name'].endswith('...') or words[1:] == ['bytes']:
        return bytes.fromhex(f['bytes'])    # opaque
    return struct.pack('>Q' if f['name'] in LONG else '>I',
                       int(words[0].rstrip(',')))


OPERATIONS = {'nfs_argop4': (68, 'READ_PLUS4args'),
              'nfs_resop4': (68, 'READ_PLUS4res'),
              'nfs_argop4_seek': (69, 'SEEK4args'),
              'nfs_resop4_seek': (69, 'SEEK4res')}


def encode(v):
    kind = v['type']
    if kind in OPERATIONS:
        code, inner = OPERATIONS[kind]
        return struct.pack('>I', code) + item(v, inner)
    if '4' in kind and not kind.startswith('COMPOUND'):
        return item(v, kind)
    return b''.join(field(f) for f in v['fields'])


def main():
    with open(sys.argv[1], encoding='ascii') as f:
        export = json.load(f)
    with open(sys.argv[2], encoding='ascii') as f:
        schema = json.load(f)
    validate(export, schema, schema, 'export')
    large, again, ruled = texts(export), 0, 0
    for v in export['vectors']:
        if v['expect']['strict']['result'] != 'OK':
            continue
        if v['bytes'] is None:
            size = sum(f['size'] for f in v['fields'])
            if size != v['size']:
                sys.exit(v['name'] + ': fields are not its size')
            ruled += 1
            continue
        if encode(v).hex() != v['bytes']:
            sys.exit('%s: encoded again it is another\n%s\n%s' % (
                v['name'], encode(v).hex(), v['bytes']))
        again += 1
    print('%d vectors, %d encoded again, %d by rule, %d numbers as text' % (
        len(export['vectors']), again, ruled, large))
    if again < 400 or large < 50:
        sys.exit('too few')


if __name__ == '__main__':
    main()
