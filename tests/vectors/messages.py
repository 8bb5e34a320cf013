# SPDX-License-Identifier: CC0-1.0
"""Entries that are whole messages: COMPOUND, RPC, record-marked TCP."""

import wire as w
from mkvectors import Vector, family
from wire import data, hole, res

ASK = (0, 4096)
ITEM = res(0, data(0, 5), hole(5, 4091))
FULL = res(1, hole(0, 4096), data(4096, 5))     # spec 3: 148 bytes as RPC
ARGS = w.args(0, 4096, 1)
SYS = w.be(0, 4) + w.be(4, 4) + b'host' + w.be(0, 4) + w.be(0, 4) + w.be(0, 4)


def compound(item, tag=b'', behind=()):
    """COMPOUND4res around an item, and the item's place in it"""
    before = [w.sequence_res(), w.putfh_res()]
    fields = w.compound_res(before + [w.read_plus_res(item)] + list(behind),
                            tag=tag)
    at = w.size_of(w.compound_res(before, tag=tag)) + 4
    return fields, at


def call(item, tag=b'', behind=(), minor=2, handle=w.HANDLE):
    before = [w.sequence_args(), w.putfh_args(handle)]
    fields = w.compound_args(before + [w.read_plus_args(item)] +
                             list(behind), tag=tag, minor=minor)
    at = w.size_of(w.compound_args(before, tag=tag)) + 4
    return fields, at


def found(name, kind, fields, at, about, cls='valid', rule='RFC 8881 16.2',
          behind=0, message=None, marks=0, ask=ASK):
    """An item is there.  message: the fields without marks, where some of
    the item's bytes may lie behind a second one."""
    base = at + 4 * marks
    v = Vector(name, fields, cls, rule, about, kind=kind,
               ask=ask if w_is_reply(kind) else None, found='item',
               base=at if message else base, more=behind > 0,
               raw=w.flat(message) if message else None)
    v.found = 'item'
    v.extra = ['item %d %d' % (base, behind)]


def w_is_reply(kind):
    return kind.endswith('_reply') or kind == 'COMPOUND4res'


def instead(name, kind, fields, what, about, rule='RFC 5531 9', cls='valid'):
    Vector(name, fields, cls, rule, about, kind=kind, found=what,
           expect=('OK', None))


def bad(name, kind, fields, error, at, about, rule='RFC 5531 9'):
    Vector(name, fields, 'invalid', rule, about, kind=kind, found=None,
           expect=(error, at))


def at_of(fields, name, nth=0):
    """where the nth field of that name begins"""
    at = 0
    for f in fields:
        if f.name == name:
            if nth == 0:
                return at
            nth -= 1
        at += f.size()
    raise KeyError(name)


def change(fields, name, value, nth=0):
    """a copy with another number in one field"""
    out = list(fields)
    for i, f in enumerate(out):
        if f.name == name:
            if nth == 0:
                out[i] = w.Field(name, '%d, changed' % value,
                                 w.be(value, f.size()))
                return out
            nth -= 1
    raise KeyError(name)


def upto(fields, n):
    """the first n bytes"""
    out, at = [], 0
    for f in fields:
        if at < n:
            part = f.piece(0, min(f.size(), n - at))
            out.append(f if len(part) == f.size() else
                       w.Field(f.name, 'cut', part))
        at += f.size()
    return out


def compounds():
    kind = 'COMPOUND4res'
    for n in range(5):
        f, at = compound(ITEM, b'tags'[:n])
        found('compound_tag_%d' % n, kind, f, at,
              '{SEQUENCE, PUTFH, READ_PLUS} with a tag of %d bytes' % n)
    f, at = compound(ITEM, behind=[w.op('resop', 9) + [
        w.status(0, 'status'), w.u32('attrmask.count', 0),
        w.u32('attr_vals.length', 0)]])
    found('compound_getattr_behind', kind, f, at, 'GETATTR behind it: bytes '
          'that follow the item', behind=1)
    f, at = compound(ITEM + [w.opaque('behind', bytes(4))])
    found('compound_trailing', kind, f, at, 'Bytes behind the last operation',
          cls='invalid', rule='D35')
    f, at = compound([w.status(10004)])
    found('compound_notsupp', kind, change(f, 'status', 10004), at,
          'READ_PLUS failed: NFS4ERR_NOTSUPP', rule='R1')
    f, at = compound(res(0, data(0, 5, b'\0\1\0')))
    found('compound_bad_pad', kind, f, at, 'A fault inside the item',
          cls='invalid', rule='R30')
    for code, name in ((10021, 'minor_version'), (10070, 'too_many_ops')):
        instead('compound_' + name, kind,
                w.compound_res([], code=code), 'compound',
                'No operation was tried', rule='RFC 8881 16.2')
    instead('compound_sequence_failed', kind,
            w.compound_res([w.sequence_res(10052)], code=10052), 'earlier',
            'SEQUENCE failed: READ_PLUS was not tried', rule='RFC 8881 16.2')
    instead('compound_rep_too_big', kind,
            w.compound_res([w.sequence_res(10066)], code=10066), 'earlier',
            'NFS4ERR_REP_TOO_BIG on SEQUENCE', rule='R27')
    instead('compound_putfh_failed', kind,
            w.compound_res([w.sequence_res(), w.putfh_res(70)], code=70),
            'earlier', 'PUTFH failed', rule='RFC 8881 16.2')
    instead('compound_op_illegal', kind,
            w.compound_res([w.sequence_res(), w.putfh_res(),
                            w.op('resop', 10044) + [w.status(10044)]],
                           code=10044), 'earlier',
            'A server that does not know the operation',
            rule='RFC 8881 18.51')
    instead('compound_read', kind,
            w.compound_res([w.sequence_res(), w.putfh_res(),
                            w.op('resop', 25) + [w.status(0)]]), 'other',
            'READ in its place')
    bad('compound_tag_pad', kind,
        [w.status(0, 'status'), w.u32('tag.length', 1), w.opaque('tag', b'x'),
         w.Field('fill', '3 bytes', b'\0\0\1')], 'BAD_PAD', 11,
        'The tag\'s fill is not zero', rule='R30')
    f, at = compound(ITEM)
    bad('compound_tag_length_lies', kind, change(f, 'tag.length', 0xffffffff),
        'TRUNCATED', 8, 'A tag that nothing covers', rule='C11')
    bad('compound_count_2', kind,
        change(upto(f, at - 4), 'resarray.count', 2), 'BAD_MESSAGE', 8,
        'Two results that went well, and no third', rule='RFC 8881 16.2')
    for n in (0, 3, 4, 8, 11, 12, 14, 16, at - 4, at - 1, at):
        first = [s for s in (0, 4, 8, 12, 16, at - 4, at) if s <= n][-1]
        bad('compound_cut_%02d' % n, kind, upto(f, n), 'TRUNCATED', first,
            'The first %d bytes: no READ_PLUS4res yet' % n, rule='D41')
    kind = 'COMPOUND4args'
    f, at = call(ARGS)
    found('compound_call', kind, f, at, '{SEQUENCE, PUTFH, READ_PLUS}')
    f, at = call(ARGS, tag=b'abc', behind=[w.op('argop', 9) + [
        w.u32('attr_request.count', 0)]])
    found('compound_call_getattr', kind, f, at, 'The same with a tag and '
          'GETATTR behind', behind=1)
    f, at = call(ARGS, minor=1)
    found('compound_call_minor_1', kind, f, at, 'Minor version 1, which has '
          'no READ_PLUS: carried for the server to refuse', cls='policy',
          rule='RFC 7862 15.10; spec 1.1')
    f, at = call(ARGS, handle=bytes(128))
    found('compound_call_handle_128', kind, f, at, 'The longest file handle',
          rule='RFC 7863 NFS4_FHSIZE')
    f, at = call(ARGS, handle=bytes(129))
    bad('compound_call_handle_129', kind, f, 'BAD_MESSAGE',
        at_of(f, 'object.length'), 'A file handle above 128 bytes',
        rule='RFC 7863 NFS4_FHSIZE')
    f, at = call(ARGS[:-1])
    found('compound_call_cut', kind, f, at, 'Without rpa_count',
          cls='invalid', rule='R31')
    instead('compound_call_read', kind, w.compound_args(
        [w.sequence_args(), w.putfh_args(), w.op('argop', 25)]), 'other',
        'READ in its place')
    instead('compound_call_empty', kind, w.compound_args([]), 'other',
            'No operation at all')


def rpcs():
    kind = 'rpc_reply'
    body, at = compound(ITEM)
    fields = w.rpc_reply(body)
    found('rpc_reply', kind, fields, at + 24, 'An accepted reply',
          rule='RFC 5531 9')
    full, full_at = compound(res(1, hole(0, 4096), data(4096, 5)))
    full = w.rpc_reply(full)
    assert w.size_of(full) == 148
    found('rpc_reply_full_148', kind, full, full_at + 24,
          'One hole and five bytes: 148 bytes, as spec 3 computes',
          rule='spec 3', ask=(0, 8192))
    for n in (1, 8, 400):
        f = w.rpc_reply(body, verf=(2, bytes(n)))
        found('rpc_reply_verf_%d' % n, kind, f,
              at + 24 + n + -n % 4, 'A verifier of %d bytes' % n,
              rule='RFC 5531 8.2')
    f = w.rpc_reply(body, verf=(2, bytes(401)))
    bad('rpc_reply_verf_401', kind, f, 'BAD_MESSAGE',
        at_of(f, 'verf.body.length'), 'A verifier above 400 bytes',
        rule='RFC 5531 8.2')
    for accept, more in ((1, []), (2, [w.u32('low', 3), w.u32('high', 4)]),
                         (3, []), (4, []), (5, [])):
        instead('rpc_accept_%d' % accept, kind,
                w.rpc_reply(more, accept=accept), 'failed',
                'accept_stat %d: the call was not carried out' % accept)
    denied = [w.u32('xid', 1), w.u32('msg_type', 1, 'REPLY'),
              w.u32('reply_stat', 1, 'MSG_DENIED')]
    instead('rpc_denied_version', kind, denied + [
        w.u32('reject_stat', 0, 'RPC_MISMATCH'), w.u32('low', 2),
        w.u32('high', 2)], 'denied', 'RPC version 2 only')
    for auth in (1, 5, 13):
        instead('rpc_denied_auth_%d' % auth, kind, denied + [
            w.u32('reject_stat', 1, 'AUTH_ERROR'), w.u32('auth_stat', auth)],
            'denied', 'The credential was refused')
    bad('rpc_reject_2', kind, denied + [w.u32('reject_stat', 2)],
        'BAD_MESSAGE', 12, 'A reject_stat that does not exist')
    for name, field, value, where in (
            ('is_call', 'msg_type', 0, 4), ('type_2', 'msg_type', 2, 4),
            ('reply_stat_2', 'reply_stat', 2, 8),
            ('accept_6', 'accept_stat', 6, 20)):
        bad('rpc_reply_' + name, kind, change(fields, field, value),
            'BAD_MESSAGE', where, '%s is %d' % (field, value))
    for n in (0, 3, 4, 8, 12, 16, 20, 24, 30):
        bad('rpc_reply_cut_%02d' % n, kind, upto(fields, n), 'TRUNCATED',
            n - n % 4, 'The first %d bytes' % n, rule='D41')
    kind = 'rpc_call'
    body, at = call(ARGS)
    f = w.rpc_call(body)
    found('rpc_call', kind, f, at + 40, 'A call without credential',
          rule='RFC 5531 9')
    f = w.rpc_call(body, cred=(1, SYS))
    found('rpc_call_sys', kind, f, at + 40 + len(SYS), 'A call with AUTH_SYS',
          rule='RFC 5531 A')
    f = w.rpc_call(body, cred=(2, bytes(400)), verf=(2, bytes(37)))
    found('rpc_call_short_400', kind, f, at + 40 + 400 + 40,
          'The longest credential (AUTH_SHORT), a verifier with fill',
          rule='RFC 5531 8.2')
    for what in (dict(program=100005), dict(version=3), dict(procedure=0)):
        (name, value), = what.items()
        instead('rpc_call_%s_%d' % (name, value), kind,
                w.rpc_call([], **what), 'other',
                'Not an NFSv4 COMPOUND: %s %d' % (name, value))
    bad('rpc_call_rpcvers_3', kind, w.rpc_call(body, rpcvers=3),
        'BAD_MESSAGE', 8, 'An RPC version that is not 2')
    f = w.rpc_call(body, cred=(2, bytes(404)))
    bad('rpc_call_cred_404', kind, f, 'BAD_MESSAGE',
        at_of(f, 'cred.body.length'), 'A credential above 400 bytes',
        rule='RFC 5531 8.2')


def records():
    kind = 'record_reply'
    body, at = compound(ITEM)
    message = w.rpc_reply(body)
    at += 24
    size = w.size_of(message)
    found('record_reply', kind, w.record(message), at, 'One fragment',
          rule='RFC 5531 11', marks=1)
    for name, cuts in (('two', (at + 6,)), ('at_item', (at,)),
                       ('in_header', (10,)), ('in_data', (at + 30,)),
                       ('three', (at + 14, at + 21)),
                       ('words', tuple(range(4, size, 4)))):
        first = sum(1 for c in cuts if c <= at) + 1
        found('record_reply_' + name, kind, w.record(message, cuts), at,
              'Fragments, marks at %s' % (
                  'every word' if name == 'words' else
                  ' and '.join(str(c) for c in cuts)),
              rule='RFC 5531 11, D46', message=message, marks=first)
    found('record_reply_empty_fragment', kind,
          w.record(message, (at + 20, at + 20)), at, 'A fragment of no bytes',
          rule='RFC 5531 11, D46', message=message, marks=1)
    full = w.record(message)
    for n in (0, 3, 4, 7, 8):
        bad('record_reply_cut_%d' % n, kind, upto(full, n), 'TRUNCATED',
            n - n % 4, 'The first %d bytes of a record' % n, rule='D41')
    kind = 'record_call'
    body, at = call(ARGS)
    message = w.rpc_call(body, cred=(1, SYS))
    at += 40 + len(SYS)
    found('record_call', kind, w.record(message), at, 'One fragment',
          rule='RFC 5531 11', marks=1)
    found('record_call_two', kind, w.record(message, (at + 3,)), at,
          'Two fragments, the mark inside rpa_stateid', rule='RFC 5531 11',
          message=message, marks=1)


def make():
    family('compound', 'READ_PLUS inside COMPOUND')
    compounds()
    family('rpc', 'READ_PLUS inside RPC messages')
    rpcs()
    family('record', 'READ_PLUS inside record-marked TCP')
    records()
