#!/bin/sh
# readplus encode: the inverse of decode, and as strict as the strict decoder.
. "${top_srcdir:?}/tests/lib.sh"
. "$top_srcdir/tests/program.sh"

trips=0

# trip HEX OPTION...: what decode accepts, encode makes again.
trip()
{
    { echo "$1" | tr -d ' \n'; echo; } >"$tmp/hex"
    shift
    expect 0 "$readplus" decode --json --data --hex "$@" "$tmp/hex"
    mv "$tmp/out" "$tmp/object"
    expect 0 "$readplus" encode --hex "$@" "$tmp/object"
    same 'encode is not the inverse of decode' "$tmp/hex" "$tmp/out"
    # The object names its type itself.
    expect 0 "$readplus" encode --hex "$tmp/object"
    same 'encode without --type' "$tmp/hex" "$tmp/out"
    trips=$((trips + 1))
}

for eof in 00000000 00000001; do
    ok="00000000 $eof"
    trip "$ok 00000000"
    trip "$ok 00000001 00000000 0000000000000000 00000000"
    trip "$ok 00000001 00000001 0000000000000000 0000000000000000"
    trip "$ok 00000001 00000001 0000000000000000 ffffffffffffffff"
    trip "$ok 00000001 00000001 ffffffffffffffff 0000000000000000"
    trip "$ok 00000002 00000000 0000000000000000 00000005 6162636465000000
        00000001 0000000000000005 7fffffffffffffff"
    trip "$ok 00000002 00000000 8000000000000000 00000001 ff000000
        00000000 8000000000000001 00000002 00010000"
done
trip "00000044 00000000 00000001 00000001 00000000 0000000000000000 00000001
    61000000" --type resop
trip '00000044 00002722' --type resop
trip 00002714
trip ffffffff
id='fffffffe ffffffffffffffffffffffff'
trip "$id ffffffffffffffff ffffffff" --type args
trip "$id ffffffffffffffff 00000000" --type seek-args
trip "$id 0000000000000000 00000001" --type seek-args
trip '00000000 00000001 ffffffffffffffff' --type seek-res
trip '00000000 00000000 0000000000000000' --type seek-res
trip 00000006 --type seek-res

# Bytes, not text.
echo '{"status":10004}' >"$tmp/object"
expect 0 "$readplus" encode "$tmp/object"
printf '\0\0\47\24' >"$tmp/want"
cmp "$tmp/want" "$tmp/out" || fail 'bytes differ from those of --hex'
expect 0 "$readplus" encode - <"$tmp/object"
cmp "$tmp/want" "$tmp/out" || fail 'standard input'

# Fill, and what the object need not say.
echo '{"eof":true,"at":-1,"size":"x","error":[],"segments":[
    {"content":"data","offset":2,"fill":{"length":5,"byte":255}}]}' \
    >"$tmp/object"
expect 0 "$readplus" encode --hex "$tmp/object"
echo 00000000000000010000000100000000000000000000000200000005ffffffffff000000 \
    >"$tmp/want"
same fill "$tmp/want" "$tmp/out"

# refuses STATUS OBJECT [REGEX [OPTION...]]: not one byte is written.
refused=0
refuses()
{
    status=$1
    printf '%s' "$2" >"$tmp/object"
    regex=${3:-.}
    shift 2
    [ $# -eq 0 ] || shift
    expect "$status" "$readplus" encode "$@" "$tmp/object"
    says "$tmp/err" "$regex"
    [ ! -s "$tmp/out" ] || fail 'refused, but bytes were written'
    refused=$((refused + 1))
}

# segments JSON: an object with these.
segments()
{
    echo '{"type":"READ_PLUS4res","status":0,"eof":false,"segments":['"$1"']}'
}
hole()
{
    echo '{"content":"hole","offset":'"$1"',"length":'"$2"'}'
}

# What the strict decoder refuses, by its name, with the segment.
refuses 1 "$(segments "$(hole 0 1),$(hole 2 1)")" 'ERR_GAP: segment 1'
refuses 1 "$(segments "$(hole 0 2),$(hole 1 2)")" 'ERR_OVERLAP: segment 1'
refuses 1 "$(segments "$(hole 5 2),$(hole 1 2)")" 'ERR_ORDER: segment 1'
refuses 1 "$(segments "$(hole 18446744073709551615 1)")" \
    'ERR_RANGE: segment 0'
refuses 1 "$(segments '{"content":"pattern","offset":0,"length":1}')" \
    'segments\[0\].content.*ERR_BAD_CONTENT'
refuses 1 '{"status":5,"eof":null,"segments":['"$(hole 0 1)"']}' ERR_INVAL
refuses 1 "$(segments '{"content":"data","offset":0,
    "fill":{"length":4294967296,"byte":0}}')" ERR_INVAL
refuses 1 '{"type":"SEEK4args","sa_stateid":{"seqid":0,
    "other":"000000000000000000000000"},"sa_offset":0,"sa_what":"pattern"}' \
    ERR_BAD_CONTENT

# Numbers: whole, exact and in range, or refused.
for number in 18446744073709551616 99999999999999999999999999 -1 1.5 1e3 \
    '"1"' null true '[1]' 340282366920938463463374607431768211457; do
    refuses 1 "$(segments "$(hole "$number" 1)")"
    refuses 1 "$(segments "$(hole 0 "$number")")"
done
for number in 4294967296 18446744073709551615 -1; do
    refuses 1 '{"status":'$number'}' status
done
# json-c takes apostrophes for quotation marks; behind them nothing hides.
refuses 1 "{'eof':true,'segments':[]}" 'not JSON at character 1'
refuses 1 "{'\"':1,$(segments "$(hole 0 18446744073709551999)" | tail -c +2)" \
    'not JSON at character 1'
refuses 1 "$(segments '{"content":"data","offset":0,
    "fill":{"length":1,"byte":256}}')" byte

# Data: one of the two ways, hexadecimal, as long as it says.
refuses 1 "$(segments '{"content":"data","offset":0,"length":1}')" data_hex
refuses 1 "$(segments '{"content":"data","offset":0}')" data_hex
refuses 1 "$(segments '{"content":"data","offset":0,"length":2,
    "data_hex":"61"}')" length
refuses 1 "$(segments '{"content":"data","offset":0,"data_hex":"6"}')" \
    hexadecimal
refuses 1 "$(segments '{"content":"data","offset":0,"data_hex":"61",
    "fill":{"length":1,"byte":1}}')" fill
refuses 1 "$(segments '{"content":"data","offset":0,"fill":{"length":1}}')" byte
refuses 1 '{"type":"READ_PLUS4args","rpa_stateid":{"seqid":0,"other":"00"},
    "rpa_offset":0,"rpa_count":0}' other

# What is missing, or not JSON, or not one object.
refuses 1 '{"type":"READ_PLUS4res"}' eof
refuses 1 '{"eof":true}' segments
refuses 1 '{"eof":1,"segments":[]}' eof
refuses 1 '{"eof":true,"segments":{}}' segments
refuses 1 '{"eof":true,"segments":[1]}' segments
refuses 1 '{"type":"READ4res"}' type
refuses 1 '{"type":"SEEK4res","sr_eof":true}' sr_offset
refuses 1 ''
refuses 1 'null'
refuses 1 '[]'
refuses 1 '{'
refuses 1 '{"eof":true,"segments":['
refuses 1 '{"eof":true,"segments":[]}x'
refuses 1 '{"eof":true,"segments":[]}{}'
refuses 1 "$(head -c 100000 /dev/zero | tr '\0' '[')"
head -c 100000 /dev/urandom >"$tmp/object"
expect 1 "$readplus" encode "$tmp/object"

# The type: said twice, it must be the same.
refuses 2 '{"type":"SEEK4res","status":6}' SEEK4res --type res
refuses 2 '{"type":"READ_PLUS4res","status":6}' resop --type resop

expect 2 "$readplus" encode
expect 2 "$readplus" encode --type x "$tmp/object"
expect 3 "$readplus" encode "$tmp/missing"
expect 3 "$readplus" encode "$tmp"

echo "$trips items there and back, $refused objects refused"
