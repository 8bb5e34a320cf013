# SPDX-License-Identifier: CC0-1.0
"""The entries themselves, a function a file of the catalogue."""

import itertools

import wire as w
from mkvectors import EDGES32, EDGES64, Vector, family, power
from wire import data, head, hole, res


def sizes():
    family('sizes', 'Every element size from 0 to 9, with its fill')
    for n in range(10):
        cls = 'valid' if n else 'policy'
        rule = 'RFC 4506 4.10; R30' if n else 'A11'
        Vector('size_data_%d' % n, res(1, data(0, n)), cls, rule,
               'One data element of %d bytes' % n, ask=(0, 64))
        Vector('size_hole_%d' % n, res(1, hole(0, n)), cls,
               'RFC 7862 15.10.2' if n else 'A11',
               'One hole of %d bytes' % n, ask=(0, 64))
        Vector('size_data_%d_then_hole' % n, res(0, data(3, n),
                                                 hole(3 + n, 20)),
               cls, rule, 'The fill of %d bytes before another element' % n,
               ask=(3, 64))
    for n, at in ((1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (3, 0), (9, 0)):
        bad = bytearray(-n % 4)
        bad[at] = 0x80 >> at
        Vector('pad_%d_byte_%d' % (n, at), res(1, data(0, n, bytes(bad)),
                                               hole(n, 8)),
               'invalid', 'RFC 4506 4.10; R30, C10, D21, D22',
               'Byte %d of the fill behind %d bytes is not zero' % (at, n),
               ask=(0, 64))
    Vector('pad_later_bytes_unjudged', res(0, data(0, 1, b'\0\xff\xff')),
           'invalid', 'RFC 4506 4.10; R30',
           'The fault is where the first byte is that is not zero',
           ask=(0, 64))


def statuses():
    family('status', 'Every status a READ_PLUS may carry, and some others')
    listed = [s for s in w.STATUSES if s not in (0, 1, 6, 10018, 10021, 10044,
                                                 10052, 10090)]
    assert len(listed) == 32
    for s in listed:
        Vector('status_' + w.STATUSES[s], [w.status(s)], 'valid',
               'RFC 7862 11.2', 'Nothing follows the status', ask=(0, 4096))
    Vector('status_NFS4_OK', res(1), 'valid', 'R14',
           'At or behind the end of the file: no element, eof',
           ask=(4096, 4096))
    for s, why in ((6, 'SEEK only'), (10018, 'not from NFSv4.1 on'),
                   (10090, 'taken out of READ_PLUS in 2013')):
        Vector('status_' + w.STATUSES[s], [w.status(s)], 'policy',
               'RFC 7862 11.2', 'Not in the table: %s' % why, ask=(0, 4096))
    for s in (1, 99, 2**31 - 1, 2**31, 2**32 - 1):
        Vector('status_number_' + power(s), [w.status(s)], 'policy',
               'RFC 7862 11.2', 'A decoder carries any status through',
               ask=(0, 4096))
    Vector('status_error_then_bytes', [w.status(5)] + head(0, 0)[1:],
           'invalid', 'RFC 4506 4.15; R30, D47',
           'Something follows an error, whose arm is void', ask=(0, 4096))


def boundaries():
    family('boundary', 'Boundary values of each field')
    for e in EDGES64:
        room = 2**64 - 1 - e
        at = (max(e - 3, 0), 16)
        Vector('d_offset_' + power(e), res(0, data(e, min(room, 5))),
               'valid' if room else 'policy',
               'RFC 7863 offset4; D40' if room else 'A11',
               'Data at the boundary', ask=(e, 16))
        Vector('di_offset_' + power(e), res(0, hole(e, min(room, 5))),
               'valid' if room else 'policy',
               'RFC 7863 offset4; D28, D29' if room else 'A11',
               'A hole at the boundary, the request within it', ask=(e, 16))
        Vector('di_offset_early_' + power(e),
               res(0, hole(at[0], min(room + 3, 16))), 'valid', 'C2',
               'A hole from before the boundary on', ask=(e, 8))
        Vector('di_length_' + power(e), res(0, hole(0, e)),
               'valid' if e else 'policy', 'R5, C2, D30' if e else 'A11',
               'Only the part that was asked for is delivered', ask=(0, 64))
        Vector('di_length_to_' + power(e), res(0, hole(e, 2**64 - 1 - e)),
               'valid' if room else 'policy', 'C10' if room else 'A11',
               'A hole up to 2^64 - 1, the largest that fits', ask=(e, 64))
        Vector('di_end_past_' + power(e), res(0, hole(e, 2**64 - e)
                                              if e else hole(1, 2**64 - 1)),
               'invalid', 'C10, D25', 'A hole whose end is 2^64', ask=(e, 64))
        Vector('args_offset_' + power(e), w.args(e, 4096), 'valid',
               'RFC 7863 offset4; A10', 'rpa_offset at the boundary',
               kind='READ_PLUS4args')
        Vector('seek_args_offset_' + power(e), w.seek_args(e, 1), 'valid',
               'RFC 7863 offset4', 'sa_offset at the boundary',
               kind='SEEK4args')
        Vector('seek_res_offset_' + power(e), w.seek_res(0, e), 'valid',
               'RFC 7863 offset4', 'sr_offset at the boundary',
               kind='SEEK4res')
    Vector('d_end_past_2p64', res(0, data(2**64 - 4, 5)), 'invalid',
           'C10, D27', 'Data whose end is above 2^64 - 1',
           ask=(2**64 - 4, 16))
    Vector('di_end_past_both', res(0, hole(2**64 - 1, 2**64 - 1)), 'invalid',
           'C10, D26', 'Offset and length both at their largest',
           ask=(2**64 - 1, 16))
    for e in EDGES32:
        Vector('args_count_' + power(e), w.args(7, e), 'valid',
               'RFC 7863 count4; R13', 'rpa_count at the boundary',
               kind='READ_PLUS4args')
        Vector('args_seqid_' + power(e), w.args(7, 1, e, b'twelve bytes'),
               'valid', 'RFC 8881 3.3.12; R21',
               'The stateid is carried, not judged', kind='READ_PLUS4args')
        if e > 1:
            Vector('rpr_eof_' + power(e), res(e), 'invalid',
                   'RFC 4506 4.4; R30, D04, D05', 'A bool that is neither',
                   ask=(0, 64))
            Vector('rpc_content_' + power(e), res(0, hole(0, 8, e)),
                   'invalid', 'R3, C10, A9, D13',
                   'An arm that NFSv4.2 does not have', ask=(0, 64))
            Vector('sr_eof_' + power(e), w.seek_res(e, 0), 'invalid',
                   'RFC 4506 4.4; R30', 'A bool that is neither',
                   kind='SEEK4res')
            Vector('sa_what_' + power(e), w.seek_args(0, e), 'invalid',
                   'A17', 'A content that NFSv4.2 does not have',
                   kind='SEEK4args')
            Vector('count_' + power(e), res(0, hole(0, 8), count=e),
                   'invalid', 'C10, C11, D07 to D10',
                   'More elements are announced than there are', ask=(0, 64))
            Vector('d_length_%s_absent' % power(e),
                   res(0, data(0, b'', length=e)), 'invalid',
                   'C10, C11, D16 to D18',
                   'More bytes are announced than there are', ask=(0, 64))
    Vector('d_length_wraps_with_fill', res(0, data(0, b'', length=2**32 - 3)),
           'invalid', 'C10, D17', 'Length and fill wrap 32 bits',
           ask=(0, 64))
    Vector('count_0_with_element', res(0, hole(0, 8), count=0), 'invalid',
           'RFC 4506 4.13', 'An element that is not counted', ask=(0, 64))
    Vector('count_1_with_none', res(0, count=1), 'invalid', 'C10, D07',
           'No element where one is announced', ask=(0, 64))
    Vector('args_other_ones', w.args(0, 4096, 2**32 - 1, b'\xff' * 12),
           'valid', 'R20', 'The stateid of all ones: bypass',
           kind='READ_PLUS4args')
    Vector('args_current_stateid', w.args(0, 4096, 1), 'valid', 'R21',
           'The current stateid', kind='READ_PLUS4args')


def sequences():
    family('sequence', 'All sequences of up to three elements')
    letters = {'D': (5, data), 'H': (9, hole), 'd': (0, data), 'h': (0, hole)}
    for n in range(4):
        for word in itertools.product('DHdh', repeat=n):
            at, parts = 100, []
            for letter in word:
                length, make = letters[letter]
                parts.append(make(at, length))
                at += length
            empty = any(x in 'dh' for x in word)
            name = ''.join(x if x in 'DH' else x + '0' for x in word)
            nothing = at == 100
            cls = 'policy' if empty else 'valid'
            rule = ('A1, R14' if nothing else 'A11, D23, D24' if empty
                    else 'R4, R10, R11, C4')
            Vector('seq_' + (name or 'none'),
                   res(1 if nothing or n == 3 else 0, *parts), cls, rule,
                   'Elements: %s (0: of no length)' % (name or 'none'),
                   ask=(100, 64))
    Vector('seq_none_no_eof', res(0), 'policy', 'A13, C9, D57',
           'Nothing, and not the end: asking again may loop for ever',
           ask=(100, 64))
    Vector('seq_none_count_0', res(0), 'valid', 'R13, A12',
           'Nothing was asked for', ask=(100, 0))


def rfc_example():
    family('rfc_example', 'The example of RFC 7862 section 15.10.5')
    k = 1000
    for i, (ask, eof, parts) in enumerate((
            ((0, 64 * k), 0, [('data', 0, 32 * k), ('hole', 32 * k, 224 * k)]),
            ((64 * k, 64 * k), 0, [('hole', 32 * k, 224 * k)]),
            ((256 * k, 64 * k), 0, [('data', 256 * k, 32 * k),
                                    ('hole', 288 * k, 66 * k)]),
            ((354 * k, 64 * k), 1, [('data', 354 * k, 64 * k)])), 1):
        Vector('rfc_example_%d_call' % i, w.args(*ask), 'valid',
               'RFC 7862 15.10.5; A15', 'Request %d of the example' % i,
               kind='READ_PLUS4args')
        elements = [w.data_rule(o, n) if kind == 'data' else hole(o, n)
                    for kind, o, n in parts]
        Vector('rfc_example_%d' % i, res(eof, *elements), 'valid',
               'RFC 7862 15.10.5; A15',
               'Answer %d of the example; its K is 1000' % i, ask=ask)


def peers():
    family('peers', 'What real peers send')
    p = w.pattern
    Vector('linux62_single_data', res(1, data(0, 13)), 'valid', 'A8',
           'Linux servers from 6.2 on: one data element, never a hole',
           ask=(0, 4096))
    Vector('linux62_hole_as_zeros', res(0, data(0, bytes(64))), 'valid',
           'R9, A8', 'The same server on a hole: zeros as data', ask=(0, 64))
    Vector('linux62_empty', res(1), 'valid', 'R14, A1',
           'The same server at the end of the file', ask=(64, 64))
    Vector('linux510_hole_unclipped', res(1, data(0, p(0, 16)),
                                          hole(16, 1048560)),
           'valid', 'C2, A3', 'Linux 5.10 servers: the hole is not cut to the '
           'request, eof is that of the hole', ask=(0, 64))
    Vector('linux510_alternating', res(0, data(0, 16), hole(16, 16),
                                       data(32, 16), hole(48, 4048)),
           'valid', 'C2, C4', 'Linux 5.10 servers: alternating elements',
           ask=(0, 64))
    Vector('linux510_truncated_file', res(1, hole(4096, 2**64 - 1 - 4096)),
           'valid', 'C2, C7', 'Linux 5.10 servers: a file cut between two '
           'look-ups gave a hole of almost 2^64 bytes', ask=(4096, 64))
    Vector('ganesha_empty_data', res(1, data(0, 0)), 'policy', 'A1, A11',
           'nfs-ganesha to Linux clients from 6.6 on: one data element of no '
           'length; the file looks empty', ask=(0, 4096))
    Vector('ganesha_hole_0', res(1, hole(0, 0)), 'policy', 'A1, A11',
           'GPFS under nfs-ganesha once: a hole of no length', ask=(0, 4096))
    Vector('reffs_nothing', res(1, data(8192, 0)), 'policy', 'A1, R14',
           'reffs at the end of the file: data of no length at rpa_offset',
           ask=(8192, 4096))
    Vector('literal_nothing', res(1, hole(8192, 0)), 'policy', 'A1, R14',
           'The letter of the RFC: di_length is zero', ask=(8192, 4096))
    Vector('commercial_long_hole', res(0, hole(0, 2**40)), 'valid', 'C2',
           'A commercial server: a hole far longer than the request',
           ask=(65536, 4096))
    Vector('chimera_one_hole', res(0, hole(4096, 4096)), 'valid', 'R6',
           'chimera: always one element', ask=(4096, 4096))
    Vector('old_di_allocated',
           head(0, 1) + hole(0, 64) + [w.boolean('di_allocated', 0)],
           'invalid', 'spec 1.7', 'Drafts of 2011 to 2014: a hole had one '
           'more word', ask=(0, 64))
    Vector('old_hole_is_2', res(0, hole(0, 64, 2)), 'invalid',
           'spec 1.7, R3', 'Drafts up to 2014-04-23: a hole was arm 2',
           ask=(0, 64))
    Vector('old_d_allocated', head(0, 1) + [
        w.u32('rpc_content', 0, 'NFS4_CONTENT_DATA'), w.u64('d_offset', 0),
        w.boolean('d_allocated', 1), w.u32('d_data.length', 4),
        w.opaque('d_data', b'text')], 'invalid', 'spec 1.7',
        'Drafts of 2012 to 2014: data had a flag, here read as its length',
        ask=(0, 64))
    for way, first, length in (('data_early', 96, 16), ('data_late', 108, 16),
                               ('data_both', 96, 32)):
        Vector('outside_' + way, res(0, data(first, length)) if
               way != 'data_late' else res(0, data(100, 24)),
               'policy', 'A5, D52, D53',
               'Data outside the request is cut off', ask=(100, 8))
    Vector('outside_hole_both', res(1, hole(0, 4096)), 'valid',
           'C2, C7, D53', 'A hole over the request at both ends; eof is not '
           'the reader\'s', ask=(100, 8))
    Vector('outside_wholly_before', res(0, data(0, 16)), 'policy',
           'A5, A13, D52', 'An element wholly before the request brings '
           'nothing', ask=(100, 8))
    Vector('outside_before_then_data', res(1, hole(0, 100), data(100, 8)),
           'policy', 'A5, D52', 'A hole before the request, then what was '
           'asked for', ask=(100, 8))
    Vector('outside_wholly_behind', res(1, data(100, 8), data(108, 8)),
           'policy', 'A5, D54', 'An element wholly behind the request; eof is '
           'then not the reader\'s', ask=(100, 8))
    Vector('hole_2p63_into_64k', res(0, hole(0, 2**63)), 'valid', 'C7, D55',
           'A hole of 2^63 bytes for a small buffer', ask=(0, 65536))
    Vector('eof_nothing_early', res(1), 'policy', 'C9, D57',
           'eof and nothing else, whatever the file holds', ask=(0, 64))
    Vector('short_reply', res(0, data(0, 5)), 'valid', 'R12, C1, C3, D56',
           'Fewer bytes than asked for: ask again for the rest',
           ask=(0, 4096))
    Vector('short_at_eof', res(0, data(0, 5), hole(5, 3)), 'valid',
           'R16, A2', 'A short reply that stops before the end: no eof',
           ask=(0, 9))
    Vector('adjacent_same', res(0, data(0, 8), data(8, 8), hole(16, 8),
                                hole(24, 8)), 'valid', 'R10, C4',
           'Neighbours of the same kind', ask=(0, 32))
    Vector('wire_ahead_of_file', res(0, data(0, 100), data(100, 7),
                                     hole(107, 400)), 'valid', 'spec 6',
           'Two data elements, then a hole: a client that expands in place '
           'overruns itself', ask=(0, 507))
    Vector('linux_limit_interior', res(0, data(0, 1), hole(1, 37),
                                       data(38, 2)), 'valid', 'spec 3',
           'The shortest interior hole that can pay: 37 bytes', ask=(0, 40))


def faults():
    family('fault', 'Each kind of fault in the first, a middle and the last '
           'element')
    where = ('first', 'middle', 'last')
    good = [lambda: data(64, 5), lambda: hole(69, 11), lambda: data(80, 6)]
    size = (5, 11, 6)
    start = (64, 69, 80)

    def put(kind, i, element, rule, about, count=3):
        parts = [good[n]() if n != i else element for n in range(3)]
        Vector('%s_%s' % (kind, where[i]), res(1, *parts, count=count),
               'invalid', rule, '%s: %s element' % (about, where[i]),
               ask=(64, 64))

    for i in range(3):
        s, n = start[i], size[i]
        put('content_2', i, hole(s, n, 2), 'R3, C10, D12', 'Arm 2')
        put('content_void', i, [w.u32('rpc_content', 7)], 'A9, D15',
            'An arm taken as void')
        put('content_low_byte_0', i, hole(s, n, 0x100), 'R3, D14',
            'An arm whose low byte is that of data')
        put('content_high_byte_1', i, hole(s, n, 0x01000001), 'R3',
            'An arm whose low byte is that of a hole')
        put('pad', i, data(s, n, b'\0' * (-n % 4 - 1) + b'\x01'), 'R30, D21',
            'Fill that is not zero')
        put('range_hole', i, hole(s if i == 0 else 2**64 - 4,
                                  2**64 - 1 if i == 0 else 5),
            'C10, D25', 'A hole past 2^64 - 1')
        put('range_data', i, data(2**64 - 2, 3), 'C10, D27',
            'Data past 2^64 - 1')
        put('little_endian_kind', i, hole(s, n, 0x01000000), 'RFC 4506 3, D39',
            'The kind from a little-endian sender')
        put('length_lies', i, data(s, n, length=0xffffff00), 'C11, D16',
            'A length that nothing covers')
        if i == 0:
            put('late', i, data(s + 1, n - 1), 'A6, D54',
                'It starts one byte after the request does')
            put('late_far', i, hole(2**63, 4), 'A6',
                'It starts far after the request does')
            continue
        put('gap_1', i, hole(s + 1, n), 'R4, C10, D33', 'One byte is missing')
        put('gap_far', i, hole(2**62, n), 'R4, C10', 'Much is missing')
        put('overlap_1', i, hole(s - 1, n), 'R4, C10, D32',
            'One byte twice')
        put('overlap_all', i, hole(start[i - 1], size[i - 1]),
            'R4, C10, D34', 'The same range twice')
        put('order', i, hole(start[i - 1] - 1, n), 'R4, C10, D31',
            'It starts before the one before')
        put('order_0', i, hole(0, n), 'R4, C10, D31', 'It starts at 0')
    for n, tail in ((1, b'\0'), (4, b'\xde\xad\xbe\xef'), (20, None)):
        extra = [w.opaque('behind', tail)] if tail else hole(86, 8)
        Vector('trailing_%d' % n, res(1, *[g() for g in good]) + extra,
               'invalid', 'D35, D36', '%d bytes behind the item' % n,
               ask=(64, 64))
    Vector('trailing_no_element', res(1) + [w.opaque('behind', bytes(4))],
           'invalid', 'D35', 'Bytes behind an item without elements',
           ask=(64, 64))
    Vector('little_endian_eof', [w.status(0), w.boolean('rpr_eof', 0x01000000),
                                 w.u32('rpr_contents.count', 0)], 'invalid',
           'RFC 4506 3, D39', 'TRUE from a little-endian sender',
           ask=(0, 64))
    Vector('void_arms', head(0, 4) + [w.u32('rpc_content', 7)] * 4, 'invalid',
           'A9, D15', 'Four arms taken as void: 4 bytes each', ask=(0, 64))
    Vector('empty_elements_64', head(0, 64) + w.flat_fields(
        data(0, 0) for _ in range(64)), 'policy', 'A11, D45',
        'Sixty-four elements of no length', ask=(0, 64))
    Vector('late_no_eof', res(0, hole(16, 1)), 'invalid', 'A6',
           'A single element that starts late', ask=(8, 4))


def truncations():
    family('truncation', 'Every place where three replies can be cut')
    replies = (
        ('hole', res(1, hole(0, 4096)), (0, 4096)),
        ('data_hole', res(0, data(8, 5), hole(13, 19)), (8, 64)),
        ('hole_data_data', res(1, hole(0, 8), data(8, 3), data(11, 0)),
         (0, 64)))
    for name, fields, ask in replies:
        raw = w.flat(fields)
        for n in range(len(raw)):
            cut, at = [], 0
            for f in fields:
                if at < n:
                    part = f.piece(0, min(f.size(), n - at))
                    cut.append(w.Field(f.name, f.value if
                                       len(part) == f.size() else
                                       'cut after %d bytes' % len(part), part))
                at += f.size()
            Vector('cut_%s_%02d' % (name, n), cut, 'invalid',
                   'C10, D41', 'The first %d of %d bytes' % (n, len(raw)),
                   ask=ask)


LAYOUT = (('data', 0, 9), ('hole', 9, 4096), ('data', 4105, 30),
          ('hole', 4135, 8192), ('data', 12327, 50))
LAYOUT_SIZE = 12377


def fit(room, want):
    return max(min(want, (room - 16) // 4 * 4), 0)


def plan(room):
    """The longest answer that fits: elements in order, data cut where it
    must be; what a hole has no room for is sent as zeros, if that fits."""
    out = []
    for kind, offset, length in LAYOUT:
        if kind == 'hole' and room >= 20:
            out.append([kind, offset, length])
            room -= 20
            continue
        if kind == 'hole':
            if out and out[-1][0] == 'data':
                had = out[-1][2]
                room += 16 + had + -had % 4
                out[-1][2] = fit(room, had + length)
            return out
        got = fit(room, length)
        if got:
            out.append([kind, offset, got])
        if got < length:
            return out
        room -= 16 + got + -got % 4
    return out


def file_bytes(offset, length):
    """the layout's bytes: the pattern in data, zeros in holes"""
    out = bytearray(length)
    for kind, at, n in LAYOUT:
        lo, hi = max(at, offset), min(at + n, offset + length)
        if kind == 'data' and lo < hi:
            out[lo - offset:hi - offset] = w.pattern(lo, hi - lo)
    return bytes(out)


def budgets():
    family('budget', 'One file, every maxcount from 0 to 200.  The file has %d'
           ' bytes:\n# %s.\n# maxcount counts rpr_eof, the count word and the '
           'elements; no hole is too short to be sent' % (
               LAYOUT_SIZE, ', '.join('%s at %d for %d' % x for x in LAYOUT)))
    for maxcount in range(201):
        name, ask = 'budget_%03d' % maxcount, (0, 16384)
        if maxcount < 28:
            Vector(name, [w.status(10066)], 'valid', 'R27, R29, E03',
                   'maxcount %d: no room for even one byte' % maxcount,
                   ask=ask)
            continue
        parts, end = [], 0
        for kind, offset, length in plan(maxcount - 8):
            end = offset + length
            parts.append(hole(offset, length) if kind == 'hole' else
                         data(offset, file_bytes(offset, length)))
        fields = res(end >= LAYOUT_SIZE, *parts)
        assert w.size_of(fields) <= maxcount + 4
        Vector(name, fields, 'valid', 'R12, R29, A2, E02',
               'maxcount %d: up to byte %d' % (maxcount, end), ask=ask)


def by_rule(name, fields, segments, eof, rule, about, ask):
    v = w.Verdict()
    v.status, v.eof, v.segments, v.size = 0, eof, segments, w.size_of(fields)
    Vector(name, fields, 'valid', rule, about, ask=ask, verdict=v)


def large():
    family('large', 'Large replies, given by rule')
    for name, length, about in (
            ('1MiB', 2**20, 'What a Linux client asks for'),
            ('1MiB_plus_3', 2**20 + 3, 'The same with fill'),
            ('2p31', 2**31, 'A length that is negative as an int'),
            ('session', (2**32 - 1 - 120) // 4 * 4,
             'The largest reply that a session can allow: with the largest '
             'ca_maxresponsesize, behind {SEQUENCE, PUTFH} and no tag'),
            ('2p32m1', 2**32 - 1, 'The longest data element there is; no '
             'session allows it')):
        by_rule('large_data_' + name, head(1, 1) + w.data_rule(4096, length),
                [('data', 4096, length, None)], True, 'spec 3; R29', about,
                (4096, length))
    for count in (1000, 52428, 65536):
        by_rule('large_holes_%d' % count,
                head(0, count) + w.holes_rule(0, 4096, count),
                [('hole', i * 4096, 4096, None) for i in range(count)],
                False, 'C4, D45', '%d elements' % count, (0, count * 4096))
    by_rule('large_data_hole_data', head(1, 3) + w.data_rule(0, 65537) +
            hole(65537, 2**32) + w.data_rule(65537 + 2**32, 70000),
            [('data', 0, 65537, None), ('hole', 65537, 2**32, None),
             ('data', 65537 + 2**32, 70000, None)], True, 'R11, C7',
            'A hole of 4 GiB between data; only its beginning was asked for',
            (0, 131072))


def seeks():
    family('seek', 'SEEK, READ_PLUS\'s sister, and arguments')
    for what in (0, 1):
        Vector('seek_args_%d' % what, w.seek_args(4096, what, 3,
                                                  b'twelve bytes'),
               'valid', 'RFC 7862 15.11', 'Look for ' +
               w.CONTENTS[what], kind='SEEK4args')
    for eof in (0, 1):
        Vector('seek_res_eof_%d' % eof, w.seek_res(eof, 8192), 'valid',
               'RFC 7862 15.11', 'Found' if not eof else 'Nothing but the end',
               kind='SEEK4res')
    for s in (5, 6, 13, 70, 10004, 10036, 10090):
        Vector('seek_res_' + w.STATUSES[s], [w.status(s, 'sa_status')],
               'valid' if s != 6 else 'policy',
               'RFC 7862 15.11, A16, A17', 'Nothing follows the status',
               kind='SEEK4res')
    for kind, name, fields in (
            ('SEEK4args', 'seek_args', w.seek_args(4096, 1)),
            ('SEEK4res', 'seek_res', w.seek_res(1, 8192)),
            ('READ_PLUS4args', 'args', w.args(4096, 512))):
        raw, at = w.flat(fields), 0
        for f in fields:
            Vector('%s_cut_%02d' % (name, at + f.size() - 1), [
                w.Field('cut', None, raw[:at + f.size() - 1])], 'invalid',
                'RFC 4506 3, D41', 'Cut inside ' + f.name, kind=kind)
            at += f.size()
        Vector(name + '_cut_00', [], 'invalid', 'D01, D41', 'No bytes',
               kind=kind)
        Vector(name + '_trailing', fields + [w.opaque('behind', b'\0')],
               'invalid', 'D36', 'One byte behind it', kind=kind)
    Vector('seek_res_error_then_bytes', [w.status(6, 'sa_status'),
                                         w.boolean('sr_eof', 1)], 'invalid',
           'RFC 4506 4.15', 'Something follows an error', kind='SEEK4res')


def operations():
    family('operation', 'Items with their opcode in front')
    item = res(0, data(0, 5), hole(5, 100))
    Vector('resop', w.read_plus_res(item), 'valid', 'RFC 7863 nfs_resop4',
           'READ_PLUS, its result', kind='nfs_resop4', ask=(0, 4096), base=4)
    Vector('resop_error', w.read_plus_res([w.status(10004)]), 'valid', 'R1',
           'NFS4ERR_NOTSUPP: 8 bytes', kind='nfs_resop4', ask=(0, 4096),
           base=4)
    Vector('resop_bad', w.read_plus_res(res(2)), 'invalid', 'R30',
           'Offsets count from the opcode', kind='nfs_resop4',
           ask=(0, 4096), base=4)
    Vector('argop', w.read_plus_args(w.args(4096, 512)), 'valid',
           'RFC 7863 nfs_argop4', 'READ_PLUS, its arguments',
           kind='nfs_argop4', base=4)
    Vector('argop_without_count', w.read_plus_args(w.args(4096, 512)[:-1]), 'invalid',
           'R31', 'Without rpa_count', kind='nfs_argop4', base=4)
    Vector('resop_seek', w.op('resop', 69) + w.seek_res(0, 4096), 'valid',
           'RFC 7863 nfs_resop4', 'SEEK, its result', kind='nfs_resop4_seek',
           base=4)
    Vector('argop_seek', w.op('argop', 69) + w.seek_args(4096, 1), 'valid',
           'RFC 7863 nfs_argop4', 'SEEK, its arguments',
           kind='nfs_argop4_seek', base=4)
    for kind, name in (('nfs_resop4', 'resop'), ('nfs_argop4', 'argop')):
        for code in (25, 10044, 67, 65):
            Vector('%s_other_%d' % (name, code), w.op(name, code) +
                   [w.status(0)], 'invalid', 'spec 1.1, 1.7',
                   'Another operation, or READ_PLUS\'s number in drafts',
                   kind=kind, expect=('BAD_MESSAGE', 0))
        Vector('%s_cut' % name, [w.Field('cut', None, bytes(3))], 'invalid',
               'D41', 'Not even an opcode', kind=kind,
               expect=('TRUNCATED', 0))


def make_all():
    import messages
    for make in (sizes, statuses, boundaries, sequences, rfc_example, peers,
                 faults, truncations, budgets, large, seeks, operations,
                 messages.make):
        make()
