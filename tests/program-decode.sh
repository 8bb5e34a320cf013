#!/bin/sh
# readplus decode: the contract of its JSON, its exit statuses, its listing.
. "${top_srcdir:?}/tests/lib.sh"
. "$top_srcdir/tests/program.sh"

decoded=0

# decodes STATUS HEX JSON OPTION...: the object, to the letter, but for the
# sentence of an error, which must be there.
decodes()
{
    status=$1 hex=$2
    echo "$3" >"$tmp/want"
    shift 3
    echo "$hex" >"$tmp/hex"
    expect "$status" "$readplus" decode --json --hex "$@" "$tmp/hex"
    sed 's/"message":"[^"][^"]*"/"message":M/' "$tmp/out" >"$tmp/got"
    same "decode $* of $hex" "$tmp/want" "$tmp/got"
    [ ! -s "$tmp/err" ] || fail "--json, but it speaks on standard error"
    decoded=$((decoded + 1))
}

# fault NAME AT SEGMENT: how an object tells it.
fault()
{
    echo "{\"name\":\"READPLUS_ERR_$1\",\"at\":$2,\"segment\":$3,\"message\":M}"
}

# res STATUS NAME EOF SEGMENTS SIZE ERROR: a READ_PLUS4res in JSON.
res()
{
    printf '{"type":"READ_PLUS4res","status":%s,"status_name":%s,' "$1" "$2"
    printf '"eof":%s,"segments":[%s],"size":%s,"error":%s' "$3" "$4" "$5" "$6"
}

ok()
{
    res 0 '"NFS4_OK"' "$@"
}

good=0000000000000001
d4='00000000 0000000000000000 00000004 61626364'
h8='00000001 0000000000000004 0000000000000008'
D4='{"content":"data","offset":0,"length":4,"at":12}'
H8='{"content":"hole","offset":4,"length":8,"at":32}'

# The object of the issue.
decodes 0 "$good 00000002 $d4 $h8" "$(ok true "$D4,$H8" 52 null)}"
decodes 0 "$good 00000002 $d4 $h8" \
    "$(ok true "${D4%\}},\"data_hex\":\"61626364\"},$H8" 52 null)}" --data
decodes 0 "$good 00000001 00000000 0000000000000000 00000000" \
    "$(ok true "${D4%4,*}0,\"at\":12,\"data_hex\":\"\"}" 28 null)}" --data

# Exact to 2^64 - 1.
decodes 0 "$good 00000001 00000001 0000000000000000 ffffffffffffffff" "$(ok \
    true '{"content":"hole","offset":0,"length":18446744073709551615,"at":12}' \
    32 null)}"
decodes 0 "$good 00000001 00000001 fffffffffffffffe 0000000000000001" "$(ok \
    true '{"content":"hole","offset":18446744073709551614,"length":1,"at":12}' \
    32 null)}"

# Statuses.
decodes 0 00002714 "$(res 10004 '"NFS4ERR_NOTSUPP"' null '' 4 null)}"
decodes 0 00000001 "$(res 1 '"NFS4ERR_PERM"' null '' 4 null)}"
decodes 0 00000063 "$(res 99 null null '' 4 null)}"
decodes 0 ffffffff "$(res 4294967295 null null '' 4 null)}"
decodes 1 '00000001 00' "$(res 1 '"NFS4ERR_PERM"' null '' 4 \
    "$(fault TRAILING 4 null)")}"

# Faults in the head.
decodes 1 '' "$(res null null null '' 0 "$(fault TRUNCATED 0 null)")}"
decodes 1 000000 "$(res null null null '' 0 "$(fault TRUNCATED 0 null)")}"
decodes 1 00000000 "$(ok null '' 0 "$(fault TRUNCATED 4 null)")}"
decodes 1 0000000000000002 "$(ok null '' 0 "$(fault BAD_BOOL 4 null)")}"
decodes 1 '00000000 ffffffff 00000000' \
    "$(ok null '' 0 "$(fault BAD_BOOL 4 null)")}"
decodes 1 "$good 0000" "$(ok null '' 0 "$(fault TRUNCATED 8 null)")}"

# Faults behind good segments.
decodes 1 "$good 00000003 $d4 $h8" \
    "$(ok true "$D4,$H8" 52 "$(fault TRUNCATED 52 2)")}"
decodes 1 "$good ffffffff $d4 $h8" \
    "$(ok true "$D4,$H8" 52 "$(fault TRUNCATED 52 2)")}"
decodes 1 "$good 00000002 $d4 00000007" \
    "$(ok true "$D4" 32 "$(fault BAD_CONTENT 32 1)")}"
decodes 1 "$good 00000002 $d4 00000001 00000000000000ff 0000000000000001" \
    "$(ok true "$D4" 32 "$(fault GAP 36 1)")}"
decodes 1 "$good 00000002 $d4 00000001 0000000000000003 0000000000000001" \
    "$(ok true "$D4" 32 "$(fault OVERLAP 36 1)")}"
decodes 1 "$good 00000002 $d4 00000001 ffffffffffffffff 0000000000000001" \
    "$(ok true "$D4" 32 "$(fault RANGE 36 1)")}"
decodes 1 "$good 00000001 00000000 0000000000000000 00000001 41010203" \
    "$(ok true '' 12 "$(fault BAD_PAD 29 0)")}"
decodes 1 "$good 00000001 00000000 0000000000000000 ffffffff" \
    "$(ok true '' 12 "$(fault TRUNCATED 24 0)")}"
decodes 1 "$good 00000002 00000001 0000000000000008 0000000000000001 $d4" \
    "$(ok true '{"content":"hole","offset":8,"length":1,"at":12}' 32 \
        "$(fault ORDER 36 1)")}"

# The request's range: only where it is given.
late='00000000 00000000 00000001 00000001 0000000000000010 0000000000000001'
hole='{"content":"hole","offset":16,"length":1,"at":12}'
decodes 0 "$late" "$(ok false "$hole" 32 null)}"
decodes 1 "$late" "$(ok false '' 12 "$(fault LATE_START 16 0)")}" \
    --offset 8 --count 4
decodes 0 "$late" "$(ok false "$hole" 32 null)}" --offset 16 --count 4
decodes 0 "$late" "$(ok false "$hole" 32 null)}" --offset 0x10

# No progress is no fault.
empty='00000000 00000000 00000000'
decodes 0 "$empty" "$(ok false '' 12 null),\"progress\":false}"
decodes 0 "$empty" "$(ok false '' 12 null),\"progress\":false}" \
    --offset 0 --count 1
decodes 0 "$empty" "$(ok false '' 12 null)}" --offset 0 --count 0
decodes 0 "$good 00000000" "$(ok true '' 12 null)}"
decodes 0 "$late" "$(ok false "$hole" 32 null),\"progress\":false}" \
    --offset 17 --count 1

# Bytes behind the item; tolerant still fails on a fault, and is a short read.
decodes 1 "$good 00000000 deadbeef" \
    "$(ok true '' 12 "$(fault TRAILING 12 null)")}"
decodes 0 "$good 00000000 deadbeef" "$(ok true '' 12 null),\"trailing\":4}" \
    --profile tolerant
decodes 0 "$good 00000000" "$(ok true '' 12 null)}" --profile tolerant
decodes 0 "$empty 00" \
    "$(ok false '' 12 null),\"trailing\":1,\"progress\":false}" \
    --profile tolerant
decodes 1 "$good 00000003 $d4 $h8" \
    "$(ok false "$D4,$H8" 52 "$(fault TRUNCATED 52 2)")}" --profile tolerant

# nfs_resop4: offsets count from the opcode.
resop()
{
    ok "$@" | sed 's/READ_PLUS4res/nfs_resop4/'
}
decodes 0 "00000044 $good 00000001 $d4" \
    "$(resop true "${D4%12\}}16}" 36 null)}" --type resop
decodes 1 '00000044 00000000 00000002' \
    "$(resop null '' 0 "$(fault BAD_BOOL 8 null)")}" --type resop
decodes 1 "00000019 $good 00000000" "$(resop null '' 0 \
    "$(fault BAD_MESSAGE 0 null)" | sed 's/0,"status_name":"NFS4_OK"/null,"status_name":null/')}" \
    --type resop
decodes 1 000000 "$(resop null '' 0 "$(fault TRUNCATED 0 null)" |
    sed 's/0,"status_name":"NFS4_OK"/null,"status_name":null/')}" --type resop

# Arguments and SEEK.
id='00000001 000102030405060708090a0b'
stateid='{"seqid":1,"other":"000102030405060708090a0b"}'
decodes 0 "$id ffffffffffffffff ffffffff" \
    '{"type":"READ_PLUS4args","rpa_stateid":'"$stateid"',"rpa_offset":18446744073709551615,"rpa_count":4294967295,"size":28,"error":null}' \
    --type args
decodes 1 "$id ffffffffffffffff ffff" \
    '{"type":"READ_PLUS4args","rpa_stateid":null,"rpa_offset":null,"rpa_count":null,"size":0,"error":'"$(fault TRUNCATED 24 null)}" \
    --type args
decodes 1 "$id 0000000000000000 00000001 00" \
    '{"type":"READ_PLUS4args","rpa_stateid":'"$stateid"',"rpa_offset":0,"rpa_count":1,"size":28,"error":'"$(fault TRAILING 28 null)}" \
    --type args
decodes 0 "$id 0000000000000000 00000001 00" \
    '{"type":"READ_PLUS4args","rpa_stateid":'"$stateid"',"rpa_offset":0,"rpa_count":1,"size":28,"error":null,"trailing":1}' \
    --type args --profile tolerant
decodes 0 "$id 0000000000000007 00000001" \
    '{"type":"SEEK4args","sa_stateid":'"$stateid"',"sa_offset":7,"sa_what":"hole","size":28,"error":null}' \
    --type seek-args
decodes 1 "$id 0000000000000007 00000002" \
    '{"type":"SEEK4args","sa_stateid":null,"sa_offset":null,"sa_what":null,"size":0,"error":'"$(fault BAD_CONTENT 24 null)}" \
    --type seek-args
decodes 0 '00000000 00000001 ffffffffffffffff' \
    '{"type":"SEEK4res","status":0,"status_name":"NFS4_OK","sr_eof":true,"sr_offset":18446744073709551615,"size":16,"error":null}' \
    --type seek-res
decodes 0 00000006 \
    '{"type":"SEEK4res","status":6,"status_name":"NFS4ERR_NXIO","sr_eof":null,"sr_offset":null,"size":4,"error":null}' \
    --type seek-res
decodes 1 '00000000 00000003 ffffffffffffffff' \
    '{"type":"SEEK4res","status":0,"status_name":"NFS4_OK","sr_eof":null,"sr_offset":null,"size":0,"error":'"$(fault BAD_BOOL 4 null)}" \
    --type seek-res

# Text as people paste it.
decodes 0 "0x00,0x00, 0x27:14
" "$(res 10004 '"NFS4ERR_NOTSUPP"' null '' 4 null)}"
for text in 0000271 0000271g '0x' '00 0 02714' '{00002714}'; do
    echo "$text" >"$tmp/hex"
    expect 1 "$readplus" decode --hex "$tmp/hex"
    says "$tmp/err" hexadecimal
done

# The listing: every field's offset and name, and the fault with its place.
echo "$good 00000003 $d4 $h8" >"$tmp/hex"
expect 1 "$readplus" decode --hex --data "$tmp/hex"
for line in '  0 .*rp_status .*NFS4_OK' '  4 .*rpr_eof .*TRUE' \
    '  8 .*rpr_contents .*3' '12 .*rpc_content .*NFS4_CONTENT_DATA' \
    '16 .*d_offset .*0' '24 .*d_data .*4 bytes' '28 .*61626364' \
    '32 .*rpc_content .*NFS4_CONTENT_HOLE' '36 .*di_offset .*4' \
    '44 .*di_length .*8'; do
    says "$tmp/out" "$line"
done
says "$tmp/err" 'READPLUS_ERR_TRUNCATED: segment 2, .* byte 52'

# Standard input, and files that are none.
printf '\0\0\0\1' >"$tmp/perm"
expect 0 "$readplus" decode - <"$tmp/perm"
expect 3 "$readplus" decode "$tmp/missing"
expect 3 "$readplus" decode "$tmp"
mkfifo "$tmp/fifo"
expect 3 timeout 10 "$readplus" decode "$tmp/fifo"
expect 1 "$readplus" decode /dev/null

# Wrong use.
expect 2 "$readplus" decode
expect 2 "$readplus" decode "$tmp/perm" "$tmp/perm"
expect 2 "$readplus" decode --type result "$tmp/perm"
expect 2 "$readplus" decode --profile lax "$tmp/perm"
expect 2 "$readplus" decode --offset 18446744073709551616 "$tmp/perm"
expect 2 "$readplus" decode --offset -1 "$tmp/perm"
expect 2 "$readplus" decode --offset 1x "$tmp/perm"
expect 2 "$readplus" decode --count 4294967296 "$tmp/perm"
expect 2 "$readplus" decode --nonsense "$tmp/perm"
expect 2 "$readplus"
expect 2 "$readplus" nonsense
expect 0 "$readplus" --help
expect 0 "$readplus" --version
expect 0 "$readplus" decode --help

# A full disk under standard output is a failure.
if [ -c /dev/full ]; then
    got=0
    "$readplus" decode "$tmp/perm" >/dev/full 2>"$tmp/err" || got=$?
    [ "$got" -eq 1 ] || fail "output lost, but it exits $got"
fi

echo "$decoded objects as promised"
