# SPDX-License-Identifier: CC0-1.0
"""The wire format by hand, for mkvectors.py: fields, envelopes, and a judge.

Written from RFC 4506, RFC 5531, RFC 7862 and RFC 7863 with Python's standard
library only.  It never imports, calls or reads libreadplus: that the two agree
is what the catalogue proves.
"""

import zlib

PERIOD = 251
BLOCK = bytes(1 + i % PERIOD for i in range(PERIOD))
LARGE = 16 << 20            # longer ones are never held in memory
PROFILES = ('strict', 'tolerant', 'any-pad', 'trailing')

STATUSES = {
    0: 'NFS4_OK', 1: 'NFS4ERR_PERM', 5: 'NFS4ERR_IO', 6: 'NFS4ERR_NXIO',
    13: 'NFS4ERR_ACCESS', 21: 'NFS4ERR_ISDIR', 22: 'NFS4ERR_INVAL',
    70: 'NFS4ERR_STALE', 10004: 'NFS4ERR_NOTSUPP',
    10006: 'NFS4ERR_SERVERFAULT', 10008: 'NFS4ERR_DELAY',
    10011: 'NFS4ERR_EXPIRED', 10012: 'NFS4ERR_LOCKED',
    10013: 'NFS4ERR_GRACE', 10014: 'NFS4ERR_FHEXPIRED',
    10018: 'NFS4ERR_RESOURCE', 10019: 'NFS4ERR_MOVED',
    10020: 'NFS4ERR_NOFILEHANDLE', 10021: 'NFS4ERR_MINOR_VERS_MISMATCH',
    10024: 'NFS4ERR_OLD_STATEID', 10025: 'NFS4ERR_BAD_STATEID',
    10029: 'NFS4ERR_SYMLINK', 10036: 'NFS4ERR_BADXDR',
    10038: 'NFS4ERR_OPENMODE', 10044: 'NFS4ERR_OP_ILLEGAL',
    10047: 'NFS4ERR_ADMIN_REVOKED',
    10052: 'NFS4ERR_BADSESSION', 10065: 'NFS4ERR_REQ_TOO_BIG',
    10066: 'NFS4ERR_REP_TOO_BIG', 10067: 'NFS4ERR_REP_TOO_BIG_TO_CACHE',
    10068: 'NFS4ERR_RETRY_UNCACHED_REP', 10070: 'NFS4ERR_TOO_MANY_OPS',
    10071: 'NFS4ERR_OP_NOT_IN_SESSION', 10075: 'NFS4ERR_PNFS_IO_HOLE',
    10078: 'NFS4ERR_DEADSESSION', 10080: 'NFS4ERR_PNFS_NO_LAYOUT',
    10083: 'NFS4ERR_WRONG_TYPE', 10087: 'NFS4ERR_DELEG_REVOKED',
    10089: 'NFS4ERR_PARTNER_NO_AUTH', 10090: 'NFS4ERR_UNION_NOTSUPP',
}
OPCODES = {22: 'OP_PUTFH', 25: 'OP_READ', 53: 'OP_SEQUENCE', 9: 'OP_GETATTR',
           68: 'OP_READ_PLUS', 69: 'OP_SEEK', 10044: 'OP_ILLEGAL'}
CONTENTS = {0: 'NFS4_CONTENT_DATA', 1: 'NFS4_CONTENT_HOLE'}


# --- bytes ------------------------------------------------------------------

def be(value, width):
    return (value % (1 << (8 * width))).to_bytes(width, 'big')


def pattern(start, length):
    """The model file's bytes: 1 + offset % 251, never 0."""
    skip = start % PERIOD
    blocks = (skip + length) // PERIOD + 1
    return (BLOCK * blocks)[skip:skip + length]


def _times(matrix, vector):
    total = 0
    for row in matrix:
        if vector & 1:
            total ^= row
        vector >>= 1
    return total


POWERS = [[0xedb88320] + [1 << n for n in range(31)]]   # 2^n zero bits


def crc_join(a, b, length):
    """The CRC-32 of two strings behind each other, the second this long."""
    length, n = length * 8, 0
    while length:
        if n == len(POWERS):
            last = POWERS[-1]
            POWERS.append([_times(last, row) for row in last])
        if length & 1:
            a = _times(POWERS[n], a)
        length, n = length >> 1, n + 1
    return a ^ b


def crc_repeat(crc, length, times):
    """The CRC-32 of a string, given its own, `times` times."""
    total, done = 0, 0
    while times:
        if times & 1:
            total, done = crc_join(total, crc, length), done + length
        crc, length, times = crc_join(crc, crc, length), 2 * length, times >> 1
    return total


def crc_pattern(start, length):
    if length < 4 * PERIOD:
        return zlib.crc32(pattern(start, length))
    head = -start % PERIOD
    times, tail = divmod(length - head, PERIOD)
    crc = zlib.crc32(pattern(start, head))
    crc = crc_join(crc, crc_repeat(zlib.crc32(BLOCK), PERIOD, times),
                   times * PERIOD)
    return crc_join(crc, zlib.crc32(pattern(start + length - tail, tail)),
                    tail)


def crc_zeros(length):
    return crc_repeat(zlib.crc32(b'\0'), 1, length)


# --- fields -----------------------------------------------------------------

class Field:
    """Bytes with a name and a value in words; or a rule in their place."""

    def __init__(self, name, value, data=None, rule=None):
        self.name, self.value, self.data, self.rule = name, value, data, rule

    def size(self):
        if self.rule is None:
            return len(self.data)
        kind, start, length, count = self.rule
        return 20 * count if kind == 'holes' else length

    def piece(self, at, length):
        """bytes [at, at + length) of it"""
        if self.rule is None:
            return self.data[at:at + length]
        kind, start, each, count = self.rule
        length = min(length, self.size() - at)
        if kind == 'pattern':
            return pattern(start + at, length)
        out = bytearray()
        for i in range(at // 20, (at + length + 19) // 20):
            out += be(1, 4) + be(start + i * each, 8) + be(each, 8)
        return bytes(out[at % 20:at % 20 + length])

    def crc(self):
        if self.rule is not None and self.rule[0] == 'pattern':
            return crc_pattern(self.rule[1], self.rule[2])
        return zlib.crc32(self.piece(0, self.size()))


def u32(name, value, word=None):
    text = str(value % (1 << 32))
    return Field(name, text + (' ' + word if word else ''), be(value, 4))


def u64(name, value):
    return Field(name, str(value), be(value, 8))


def boolean(name, value):
    return u32(name, value, {0: 'FALSE', 1: 'TRUE'}.get(value))


def opaque(name, data):
    return Field(name, '%d bytes' % len(data), bytes(data))


def fill(data):
    return [Field('fill', '%d bytes' % len(data), bytes(data))] if data else []


def counted(name, data):
    """opaque name<>"""
    out = [u32(name + '.length', len(data))]
    if data:
        out.append(opaque(name, data))
    return out + fill(bytes(-len(data) % 4))


def stateid(name, seqid=0, other=bytes(12)):
    return [u32(name + '.seqid', seqid), opaque(name + '.other', other)]


def size_of(fields):
    return sum(f.size() for f in fields)


def flat(fields):
    return b''.join(f.piece(0, f.size()) for f in fields)


def crc_of(fields):
    crc = 0
    for f in fields:
        crc = crc_join(crc, f.crc(), f.size())
    return crc


def ends_of(fields, n):
    """the first and the last n bytes"""
    head, tail = b'', b''
    for f in fields:
        if len(head) < n:
            head += f.piece(0, n - len(head))
    for f in reversed(fields):
        if len(tail) < n:
            want = min(n - len(tail), f.size())
            tail = f.piece(f.size() - want, want) + tail
    return head, tail


# --- READ_PLUS and SEEK -----------------------------------------------------

def status(value, name='rp_status'):
    return u32(name, value, STATUSES.get(value))


def head(eof, count, code=0):
    return [status(code), boolean('rpr_eof', eof),
            u32('rpr_contents.count', count)]


def hole(offset, length, content=1):
    return [u32('rpc_content', content, CONTENTS.get(content)),
            u64('di_offset', offset), u64('di_length', length)]


def data(offset, payload, padding=None, length=None, content=0):
    """length: what the length word claims; padding: other fill than zeros"""
    if isinstance(payload, int):
        payload = pattern(offset, payload)
    real = len(payload)
    out = [u32('rpc_content', content, CONTENTS.get(content)),
           u64('d_offset', offset),
           u32('d_data.length', real if length is None else length)]
    if real:
        out.append(opaque('d_data', payload))
    return out + fill(bytes(-real % 4) if padding is None else padding)


def data_rule(offset, length):
    return [u32('rpc_content', 0, CONTENTS[0]), u64('d_offset', offset),
            u32('d_data.length', length),
            Field('d_data', '%d bytes' % length,
                  rule=('pattern', offset, length, 1))
            ] + fill(bytes(-length % 4))


def holes_rule(start, each, count):
    return [Field('holes', '%d elements' % count,
                  rule=('holes', start, each, count))]


def res(eof, *elements, count=None):
    fields = head(eof, len(elements) if count is None else count)
    for element in elements:
        fields += element
    return fields


def args(offset, count, seqid=0, other=bytes(12)):
    return stateid('rpa_stateid', seqid, other) + [
        u64('rpa_offset', offset), u32('rpa_count', count)]


def seek_args(offset, what, seqid=0, other=bytes(12)):
    return stateid('sa_stateid', seqid, other) + [
        u64('sa_offset', offset), u32('sa_what', what, CONTENTS.get(what))]


def seek_res(eof, offset):
    return [status(0, 'sa_status'), boolean('sr_eof', eof),
            u64('sr_offset', offset)]


def op(name, code):
    return [u32(name, code, OPCODES.get(code))]


# --- envelopes --------------------------------------------------------------

SESSION = bytes(range(0xa0, 0xb0))
HANDLE = bytes.fromhex('0100070181000000000000000000000004000000')


def sequence_res(code=0):
    out = op('resop', 53) + [status(code, 'sr_status')]
    if code:
        return out
    return out + [opaque('sr_sessionid', SESSION), u32('sr_sequenceid', 7),
                  u32('sr_slotid', 0), u32('sr_highest_slotid', 63),
                  u32('sr_target_highest_slotid', 63),
                  u32('sr_status_flags', 0)]


def sequence_args():
    return op('argop', 53) + [
        opaque('sa_sessionid', SESSION), u32('sa_sequenceid', 7),
        u32('sa_slotid', 0), u32('sa_highest_slotid', 63),
        boolean('sa_cachethis', 0)]


def compound_res(ops, code=0, tag=b'', count=None):
    out = [status(code, 'status')] + counted('tag', tag)
    out.append(u32('resarray.count', len(ops) if count is None else count))
    for each in ops:
        out += each
    return out


def compound_args(ops, tag=b'', minor=2, count=None):
    out = counted('tag', tag) + [u32('minorversion', minor)]
    out.append(u32('argarray.count', len(ops) if count is None else count))
    for each in ops:
        out += each
    return out


def putfh_res(code=0):
    return op('resop', 22) + [status(code, 'putfh_status')]


def putfh_args(handle=HANDLE):
    return op('argop', 22) + counted('object', handle)


def read_plus_res(item):
    return op('resop', 68) + item


def read_plus_args(item):
    return op('argop', 68) + item


def auth(name, flavor=0, body=b''):
    return [u32(name + '.flavor', flavor)] + counted(name + '.body', body)


def rpc_reply(body, xid=0x1db70001, verf=(0, b''), accept=0):
    return [u32('xid', xid), u32('msg_type', 1, 'REPLY'),
            u32('reply_stat', 0, 'MSG_ACCEPTED')] + auth('verf', *verf) + [
        u32('accept_stat', accept, 'SUCCESS' if accept == 0 else None)] + body


def rpc_call(body, xid=0x1db70001, cred=(0, b''), verf=(0, b''), rpcvers=2,
             program=100003, version=4, procedure=1):
    return [u32('xid', xid), u32('msg_type', 0, 'CALL'),
            u32('rpcvers', rpcvers), u32('program', program),
            u32('version', version), u32('procedure', procedure)
            ] + auth('cred', *cred) + auth('verf', *verf) + body


def record(fields, cuts=()):
    """Record marks: before the first field, and before each of `cuts`, byte
    offsets in the message; a field is split where a mark falls into it."""
    out, ends, at = [], list(cuts) + [size_of(fields)], 0
    for i, end in enumerate(ends):
        last = 0x80000000 if i == len(ends) - 1 else 0
        out.append(u32('mark', last | (end - at),
                       '%s fragment of %d bytes' %
                       ('last' if last else 'a', end - at)))
        place = 0
        for f in fields:
            lo, hi = max(at, place), min(end, place + f.size())
            if lo < hi:
                whole = hi - lo == f.size()
                out.append(f if whole else Field(
                    f.name + '...', '%d of its bytes' % (hi - lo),
                    f.piece(lo - place, hi - lo)))
            place += f.size()
        at = end
    return out


# --- the judge --------------------------------------------------------------

class Fault(Exception):
    def __init__(self, error, at, segment=None):
        Exception.__init__(self, error)
        self.error, self.at, self.segment = error, at, segment


class Verdict:
    """What a decoder must say."""

    def __init__(self):
        self.error, self.at, self.segment = 'OK', None, None
        self.status, self.eof, self.segments, self.size = None, None, [], 0

    def blame(self, fault):
        self.error, self.at = fault.error, fault.at
        self.segment = fault.segment


def take(raw, at, width, segment=None):
    if len(raw) - at < width:
        raise Fault('TRUNCATED', at, segment)
    return int.from_bytes(raw[at:at + width], 'big')


def place(i, at, offset, length, before, ask):
    """An element's offset, against the request or the element before it."""
    if offset + length > 2**64 - 1:
        raise Fault('RANGE', at, i)
    if i == 0:
        if ask is not None and offset > ask[0]:
            raise Fault('LATE_START', at, i)
        return
    start, end = before
    if offset > end:
        raise Fault('GAP', at, i)
    if offset < start:
        raise Fault('ORDER', at, i)
    if offset < end:
        raise Fault('OVERLAP', at, i)


def element(raw, at, i, before, ask, any_pad):
    """(kind, offset, length, bytes), and where it ends"""
    kind = take(raw, at, 4, i)
    if kind not in CONTENTS:
        raise Fault('BAD_CONTENT', at, i)
    offset = take(raw, at + 4, 8, i)
    if kind == 1:
        length = take(raw, at + 12, 8, i)
        place(i, at + 4, offset, length, before, ask)
        return ('hole', offset, length, None), at + 20
    length = take(raw, at + 12, 4, i)
    place(i, at + 4, offset, length, before, ask)
    end = at + 16 + length
    stop = end + -length % 4
    if len(raw) < stop:
        raise Fault('TRUNCATED', at + 12, i)
    for p in range(end, stop):
        if raw[p] and not any_pad:
            raise Fault('BAD_PAD', p, i)
    return ('data', offset, length, raw[at + 16:end]), stop


def judge_res(raw, ask, profile, base=0, more=False):
    """READ_PLUS4res at raw[base:]"""
    v = Verdict()
    any_pad = profile == 'any-pad'
    more = more or profile in ('tolerant', 'trailing')
    try:
        v.status = take(raw, base, 4)
        at = base + 4
        if v.status == 0:
            eof = take(raw, at, 4)
            if eof > 1:
                raise Fault('BAD_BOOL', at)
            count = take(raw, at + 4, 4)
            v.eof, at, before, i = eof == 1, at + 8, None, 0
            while i < count:
                seg, at = element(raw, at, i, before, ask, any_pad)
                v.segments.append(seg)
                before, i = (seg[1], seg[1] + seg[2]), i + 1
        v.size = at - base
        if at < len(raw) and not more:
            raise Fault('TRAILING', at)
    except Fault as fault:
        v.blame(fault)
    return v


def judge_fixed(raw, kind, profile, base=0, more=False):
    """READ_PLUS4args, SEEK4args, SEEK4res"""
    v, at = Verdict(), base
    more = more or profile in ('tolerant', 'trailing')
    try:
        if kind == 'SEEK4res':
            v.status = take(raw, at, 4)
            at += 4
            if v.status == 0:
                if take(raw, at, 4) > 1:
                    raise Fault('BAD_BOOL', at)
                v.eof = take(raw, at, 4) == 1
                v.offset = take(raw, at + 4, 8)
                at += 12
        else:
            v.seqid = take(raw, at, 4)
            take(raw, at + 4, 12)
            v.other = raw[at + 4:at + 16]
            v.offset = take(raw, at + 16, 8)
            v.count = take(raw, at + 24, 4)
            if kind == 'SEEK4args' and v.count > 1:
                raise Fault('BAD_CONTENT', at + 24)
            at += 28
        v.size = at - base
        if at < len(raw) and not more:
            raise Fault('TRAILING', at)
    except Fault as fault:
        v.blame(fault)
    return v


class Delivery:
    """What of the request a reply brings into the reader's buffer."""

    def __init__(self, verdict, ask):
        self.zeros, self.crc, self.bytes, run = 0, 0, 0, 0
        self.eof = bool(verdict.eof) and verdict.error == 'OK'
        end = min(ask[0] + ask[1], 2**64 - 1)
        for kind, offset, length, payload in verdict.segments:
            lo, hi = max(offset, ask[0]), min(offset + length, end)
            inside = max(hi - lo, 0)
            if inside < length:
                self.eof = False
            if not inside:
                continue
            self.bytes += inside
            if kind == 'hole':
                self.zeros += inside
                run += inside
                continue
            if payload is None:       # by rule
                crc = crc_pattern(lo, inside)
            else:
                crc = zlib.crc32(payload[lo - offset:hi - offset])
            self.crc = crc_join(self.crc, crc_zeros(run), run)
            self.crc = crc_join(self.crc, crc, inside)
            run = 0
        self.crc = crc_join(self.crc, crc_zeros(run), run)
        self.stuck = (verdict.error == 'OK' and not self.bytes and
                      not self.eof and verdict.status == 0 and ask[1] > 0)


def flat_fields(elements):
    return [f for e in elements for f in e]
