#!/usr/bin/env python3
# SPDX-License-Identifier: CC0-1.0
"""Writes the catalogue of READ_PLUS wire-format vectors.

    mkvectors.py DIR        write the *.txt files into DIR
    mkvectors.py --check    compare them with those beside this script

The second encoder: nothing here or in wire.py uses libreadplus.  Entries that
are well formed come from the encoder in wire.py; those that are not are put
together field by field below, and judged by the rules in wire.py.
"""

import os
import sys

import wire as w
from wire import Delivery, data, head, hole, res

FILES = {}          # file name -> (title, [Vector])
NAMES = set()
CURRENT = None
EDGES32 = [0, 1, 2**31 - 1, 2**31, 2**32 - 1]
EDGES64 = [0, 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**53 + 1, 2**63 - 1, 2**63,
           2**64 - 2, 2**64 - 1]


def power(value):
    """a short name for a boundary"""
    for p in (31, 32, 53, 63, 64):
        for d, text in ((-2, 'm2'), (-1, 'm1'), (0, ''), (1, 'p1')):
            if value == 2**p + d:
                return '2p%d%s' % (p, text)
    return str(value)


def family(name, title):
    global CURRENT
    CURRENT = []
    FILES[name] = (title, CURRENT)


class Vector:
    def __init__(self, name, fields, cls, rule, about, kind='READ_PLUS4res',
                 ask=None, base=0, found=None, expect=None, verdict=None,
                 more=False, raw=None):
        assert name not in NAMES, name
        NAMES.add(name)
        CURRENT.append(self)
        self.name, self.fields, self.cls = name, fields, cls
        self.rule, self.about, self.kind, self.ask = rule, about, kind, ask
        self.found, self.extra = found, []
        self.size = w.size_of(fields)
        self.deliveries = {}
        if expect is not None:          # told by hand
            v = w.Verdict()
            v.error, v.at = expect
            self.verdicts = {p: v for p in w.PROFILES}
        elif verdict is not None:       # too large to be judged as bytes
            self.verdicts = {p: verdict for p in w.PROFILES}
        else:
            self.judge(w.flat(fields) if raw is None else raw, base, more)
        if ask is not None and found in (None, 'item') and expect is None:
            for p, v in self.verdicts.items():
                if kind_of(kind) == 'READ_PLUS4res':
                    self.deliveries[p] = Delivery(v, ask)

    def judge(self, raw, base, more):
        inner, self.verdicts = kind_of(self.kind), {}
        for p in w.PROFILES:
            if inner == 'READ_PLUS4res':
                v = w.judge_res(raw, self.ask, p, base, more)
            else:
                v = w.judge_fixed(raw, inner, p, base, more)
            self.verdicts[p] = v

    # --- text ---------------------------------------------------------------

    def wire_lines(self):
        for f in self.fields:
            name = f.name + (' = ' + f.value if f.value else '')
            if f.rule is not None:
                yield '    %-34s  %s' % (' '.join(
                    ['@' + f.rule[0]] + [str(n) for n in f.rule[1:]]), name)
                continue
            text = f.data.hex()
            yield '    %-34s  %s' % (text[:64], name)
            for i in range(64, len(text), 64):
                yield '    ' + text[i:i + 64]

    def means_lines(self):
        v = self.verdicts['strict']
        kind = kind_of(self.kind)
        if self.found is not None:
            yield 'found ' + self.found
            for line in self.extra:
                yield line
            if self.found != 'item':
                return
        if v.status is not None:
            word = w.STATUSES.get(v.status)
            yield 'status %d%s' % (v.status, ' ' + word if word else '')
        if v.eof is not None:
            yield 'eof ' + ('yes' if v.eof else 'no')
        for kind_, offset, length, payload in self.listed(v.segments):
            if kind_ == 'holes':
                yield 'holes %d %d %d' % (offset, length, payload)
                continue
            line = '%s %d %d' % (kind_, offset, length)
            if kind_ == 'data' and length:
                if payload is None or length > 64 and payload == w.pattern(
                        offset, length):
                    line += ' @pattern %d' % offset
                else:
                    line += ' ' + payload.hex()
            yield line
        if kind == 'SEEK4res' and v.eof is not None and v.size:
            yield 'offset %d' % v.offset
        if kind in ('READ_PLUS4args', 'SEEK4args') and v.size:
            yield 'stateid %d %s' % (v.seqid, v.other.hex())
            yield 'offset %d' % v.offset
            yield '%s %d' % ('count' if kind != 'SEEK4args' else 'what',
                             v.count)

    def listed(self, segments):
        """the segments; very many holes of one length become a rule"""
        for f in self.fields:
            if f.rule is not None and f.rule[0] == 'holes':
                return [f.rule]
        return segments

    def expect_lines(self):
        lines = {}
        for p in w.PROFILES:
            v = self.verdicts[p]
            text = v.error
            if v.error != 'OK':
                text += ' at %d' % v.at
                if v.segment is not None:
                    text += ' segment %d' % v.segment
            d = self.deliveries.get(p)
            if d is not None:
                text += ' bytes %d zeros %d eof %s crc %08x%s' % (
                    d.bytes, d.zeros, 'yes' if d.eof else 'no', d.crc,
                    ' stuck' if d.stuck else '')
            lines.setdefault(text, []).append(p)
        for text, profiles in lines.items():
            yield 'expect %s %s' % (','.join(profiles), text)

    def lines(self):
        yield 'vector ' + self.name
        yield 'type ' + self.kind
        yield 'class ' + self.cls
        yield 'rule ' + self.rule
        yield 'about ' + self.about
        if self.ask is not None:
            yield 'ask %d %d' % self.ask
        yield 'wire'
        for line in self.wire_lines():
            yield line
        yield 'size %d crc %08x' % (self.size, w.crc_of(self.fields))
        if self.size > 256:
            first, last = w.ends_of(self.fields, 16)
            yield 'head ' + first.hex()
            yield 'tail ' + last.hex()
        for line in self.means_lines():
            yield line
        for line in self.expect_lines():
            yield line
        yield 'end'


INNER = {'nfs_resop4': 'READ_PLUS4res', 'nfs_argop4': 'READ_PLUS4args',
         'nfs_resop4_seek': 'SEEK4res', 'nfs_argop4_seek': 'SEEK4args'}


def kind_of(kind):
    """the item a type holds"""
    if kind in INNER:
        return INNER[kind]
    if kind.endswith('_reply') or kind == 'COMPOUND4res':
        return 'READ_PLUS4res'
    if kind.endswith('_call') or kind == 'COMPOUND4args':
        return 'READ_PLUS4args'
    return kind


def make_all():
    import families
    families.make_all()


def render(title, vectors):
    out = ['# ' + title,
           '# Written by mkvectors.py; the format is described in README.',
           '# SPDX-License-Identifier: CC0-1.0', '']
    for v in vectors:
        out += list(v.lines()) + ['']
    return '\n'.join(out)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    check = sys.argv[1:] == ['--check']
    if not check and len(sys.argv) != 2:
        sys.exit(__doc__)
    make_all()
    differ = []
    for name, (title, vectors) in FILES.items():
        text = render(title, vectors).rstrip('\n') + '\n'
        path = os.path.join(here if check else sys.argv[1], name + '.txt')
        if check:
            with open(path, encoding='ascii') as f:
                if f.read() != text:
                    differ.append(name)
        else:
            with open(path, 'w', encoding='ascii') as f:
                f.write(text)
    known = {n + '.txt' for n in FILES}
    if check:
        differ += sorted({n for n in os.listdir(here)
                          if n.endswith('.txt')} - known)
    total = sum(len(v) for _, v in FILES.values())
    if differ:
        sys.exit('not what mkvectors.py writes: ' + ', '.join(differ))
    print('%d vectors in %d files' % (total, len(FILES)))


if __name__ == '__main__':
    sys.modules['mkvectors'] = sys.modules['__main__']
    main()
