#!/bin/sh
# readplus reply: the bytes a server answers, whatever is asked.
. "${top_srcdir:?}/tests/lib.sh"
. "$top_srcdir/tests/program.sh"

cd "$tmp"
printf 'hello world\n' >text
truncate -s 64K hole
truncate -s 64K mixed
printf x | dd of=mixed bs=1 seek=8192 conv=notrunc status=none

replies=0

# replies FILE OFFSET COUNT MAXCOUNT HEX OPTION...
replies()
{
    file=$1 offset=$2 count=$3 maxcount=$4
    echo "$5" | tr -d ' \n' >want
    echo >>want
    shift 5
    set -- --offset "$offset" --count "$count" --maxcount "$maxcount" "$@"
    expect 0 "$readplus" reply "$file" "$@" --hex
    same "reply $* about $file" want out
    # Bytes, text and JSON are the same answer.
    expect 0 "$readplus" reply "$file" "$@"
    mv out bytes
    expect 0 "$readplus" decode --offset "$offset" --count "$count" --json \
        bytes
    mv out object
    expect 0 "$readplus" reply "$file" "$@" --json
    same 'reply --json is not decode --json' object out
    replies=$((replies + 1))
}

hello=68656c6c6f20776f726c640a
# All of it, with the end of the file.
replies text 0 4096 4096 "00000000 00000001 00000001
    00000000 0000000000000000 0000000c $hello"
# To the byte, and not the end.
replies text 0 11 4096 "00000000 00000000 00000001
    00000000 0000000000000000 0000000b 68656c6c6f20776f726c6400"
# Cut where maxcount ends: 28 carries 4 bytes, and eof is false.
replies text 0 4096 28 '00000000 00000000 00000001
    00000000 0000000000000000 00000004 68656c6c'
replies text 0 4096 31 '00000000 00000000 00000001
    00000000 0000000000000000 00000004 68656c6c'
replies text 8 4096 28 '00000000 00000001 00000001
    00000000 0000000000000008 00000004 726c640a'
# No room for progress: the four bytes of NFS4ERR_REP_TOO_BIG.
for maxcount in 0 7 8 27; do
    replies text 0 4096 "$maxcount" 00002752
    replies hole 0 4096 "$maxcount" 00002752
done
# Nothing to say needs 8.
replies text 12 4096 8 '00000000 00000001 00000000'
replies text 18446744073709551615 4294967295 8 '00000000 00000001 00000000'
replies text 0 0 8 '00000000 00000000 00000000'
replies text 12 4096 7 00002752

# Holes: clipped, or whole as far as the request's end goes beyond.
replies hole 4096 4096 4096 '00000000 00000000 00000001
    00000001 0000000000001000 0000000000001000'
replies hole 4096 4096 4096 '00000000 00000000 00000001
    00000001 0000000000001000 000000000000f000' --policy whole
replies hole 0 65536 28 '00000000 00000001 00000001
    00000001 0000000000000000 0000000000010000'
replies mixed 4096 4096 4096 '00000000 00000000 00000001
    00000001 0000000000001000 0000000000001000'
# One segment only.
replies mixed 0 65536 4096 '00000000 00000000 00000001
    00000001 0000000000000000 0000000000002000' --policy maxsegs=1
# A server without holes sends zeros.
replies hole 0 8 4096 '00000000 00000000 00000001
    00000000 0000000000000000 00000008 0000000000000000' --policy single-data

expect 0 "$readplus" reply text --offset 0 --count 4 --maxcount 100 --json \
    --data
says out '"data_hex":"68656c6c"'

# What is no file: never a hang; where a server would answer, its status.
expect 3 "$readplus" reply missing --offset 0 --count 1 --maxcount 100
mkfifo fifo
mkdir directory
while read -r path status; do
    echo "$status" >want
    expect 3 timeout 10 "$readplus" reply "$path" --offset 0 --count 1 \
        --maxcount 100 --hex
    same "status for $path" want out
done <<END
directory 00000015
fifo 00002763
/dev/zero 00002763
END

# Wrong use.
for wrong in '--count 1 --maxcount 100' '--offset 0 --maxcount 100' \
    '--offset 0 --count 1' '--offset 0 --count 4294967296 --maxcount 100' \
    '--offset 18446744073709551616 --count 1 --maxcount 100' \
    '--offset 0 --count 1 --maxcount 4294967296' \
    '--offset 0 --count 1 --maxcount 100 --policy x' \
    '--offset 0 --count 1 --maxcount 100 text'; do
    # shellcheck disable=SC2086 # options and their arguments
    expect 2 "$readplus" reply text $wrong
done
expect 2 "$readplus" reply --offset 0 --count 1 --maxcount 100

echo "$replies replies"
