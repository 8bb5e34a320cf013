#!/bin/sh
# readplus decode: dumps as people paste them, whole messages, and faults
# marked where they stand.
. "${top_srcdir:?}/tests/lib.sh"
. "$top_srcdir/tests/program.sh"

READPLUS_VECTORS=$top_srcdir/tests/vectors
export READPLUS_VECTORS
expect 0 "$readplus" vectors export --format bin "$tmp/bin"
expect 0 "$readplus" vectors export --format hex "$tmp/hex"

# --- dumps ------------------------------------------------------------------
# The same item in every form; "deadbeef" and the like stand beside the digits.
expect 0 "$readplus" decode --json --data "$tmp/bin/size_data_9.bin"
cp "$tmp/out" "$tmp/want"
forms=0
form()
{
    expect 0 "$readplus" decode --json --data --hex "$1"
    same "$1" "$tmp/want" "$tmp/out"
    forms=$((forms + 1))
}
form "$tmp/hex/size_data_9.hex"
cat >"$tmp/xxd" <<'END'
00000000: 0000 0000 0000 0001 0000 0001 0000 0000  ................
00000010: 0000 0000 0000 0000 0000 0009 0102 0304  ...........abcd.
00000020: 0506 0708 0900 0000                      face be.
END
form "$tmp/xxd"
cat >"$tmp/xxd-g1" <<'END'
00000000: 00 00 00 00 00 00 00 01 00 00 00 01 00 00 00 00  ................
00000010: 00 00 00 00 00 00 00 00 00 00 00 09 01 02 03 04  ................
00000020: 05 06 07 08 09 00 00 00                          ........
END
form "$tmp/xxd-g1"
{
    echo '10:15:00.123456 IP 192.0.2.2.2049 > 192.0.2.1.700: Flags [P.]'
    printf '\t0x0000:  0000 0000 0000 0001 0000 0001 0000 0000\n'
    printf '\t0x0010:  0000 0000 0000 0000 0000 0009 0102 0304\n'
    printf '\t0x0020:  0506 0708 0900 0000\n'
} >"$tmp/tcpdump-x"
form "$tmp/tcpdump-x"
sed 's/^\(\t0x00[01].*\)$/\1  E..4.@.@..../; s/^\(\t0x002.*\)$/\1                      abcd/' \
    "$tmp/tcpdump-x" >"$tmp/tcpdump-X"
form "$tmp/tcpdump-X"
printf '0x00 0x00,0x00 00 0x00000001 00000001\n00000000 00:00:00:00 00000000 00000009 0102030405060708 09000000\n' \
    >"$tmp/mixed"
form "$tmp/mixed"
if command -v xxd >"$tmp/which"; then
    xxd "$tmp/bin/size_data_9.bin" >"$tmp/real-xxd"
    form "$tmp/real-xxd"
fi
printf '0000: 00000000 0000000g\n' >"$tmp/bad"
expect 1 "$readplus" decode --hex "$tmp/bad"
says "$tmp/err" 'at character 21'

# --- messages ---------------------------------------------------------------
expect 0 "$readplus" decode --type rpc "$tmp/bin/rpc_reply_full_148.bin"
says "$tmp/out" '^ *44  a0a1a2a3a4a5a6a7a8a9aaabacadaeaf  sr_sessionid'
says "$tmp/out" '^ *88  00000044 .* resop (READ_PLUS) 68'
says "$tmp/out" 'segment 1: data \[4096, 4101)'
expect 0 "$readplus" decode --type rpc "$tmp/bin/rpc_call_sys.bin"
says "$tmp/out" 'rpa_count'
expect 0 "$readplus" decode --type compound-call \
    "$tmp/bin/compound_call_getattr.bin"
says "$tmp/out" 'rpa_offset'
expect 1 "$readplus" decode --type compound "$tmp/bin/compound_bad_pad.bin"
says "$tmp/out" '<-- READPLUS_ERR_BAD_PAD'
expect 1 "$readplus" decode --type compound "$tmp/bin/compound_cut_14.bin"
says "$tmp/out" '^ *12  <-- READPLUS_ERR_TRUNCATED'
expect 0 "$readplus" decode --type rpc "$tmp/bin/rpc_denied_version.bin"
says "$tmp/out" 'no READ_PLUS in it: denied'
# Every record vector says the same, however it is cut; two in one stream.
"$readplus" decode --type record --json "$tmp/bin/record_reply.bin" |
    sed 's/"item_at":[0-9]*/"item_at":0/' >"$tmp/want"
for vector in two at_item in_header in_data three words empty_fragment; do
    "$readplus" decode --type record --json \
        "$tmp/bin/record_reply_$vector.bin" |
        sed 's/"item_at":[0-9]*/"item_at":0/' >"$tmp/got"
    same "record_reply_$vector" "$tmp/want" "$tmp/got"
done
cat "$tmp/bin/record_call.bin" "$tmp/bin/record_reply_two.bin" >"$tmp/two"
expect 0 "$readplus" decode --type record "$tmp/two"
says "$tmp/out" '^READ_PLUS4args$'
says "$tmp/out" '^READ_PLUS4res$'
expect 0 "$readplus" decode --type record --json "$tmp/two"
[ "$(wc -l <"$tmp/out")" -eq 2 ] || fail 'not an object a line'
# The catalogue's verdict on every message is the program's.
messages=0
while IFS='	' read -r name type class size offset count result at; do
    case $type in
    COMPOUND4res) word=compound ;;
    COMPOUND4args) word=compound-call ;;
    rpc_*) word=rpc ;;
    record_*) word=record ;;
    *) continue ;;
    esac
    status=0
    [ "$result" = OK ] || status=1
    : "$class $size $offset $count $at"
    expect "$status" "$readplus" decode --type "$word" "$tmp/bin/$name.bin"
    messages=$((messages + 1))
done <"$tmp/bin/index.tsv"
[ "$messages" -gt 80 ] || fail "only $messages messages"

# --- faults where they stand ------------------------------------------------
expect 1 "$readplus" decode "$tmp/bin/pad_9_byte_0.bin"
says "$tmp/out" '^ *37  8000000000000100  *<-- READPLUS_ERR_BAD_PAD: '
expect 1 "$readplus" decode "$tmp/bin/gap_1_last.bin"
says "$tmp/out" '<-- READPLUS_ERR_GAP'
expect 1 "$readplus" decode "$tmp/bin/cut_hole_12.bin"
says "$tmp/out" '^ *12  *<-- READPLUS_ERR_TRUNCATED'
expect 1 "$readplus" decode --type args "$tmp/bin/args_trailing.bin"
says "$tmp/out" '^ *28  00  *<-- READPLUS_ERR_TRAILING'
echo "$forms forms of a dump, $messages messages"
