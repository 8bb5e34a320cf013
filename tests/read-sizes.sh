#!/bin/sh
# A dense file that is read from front to back by READ_PLUS gives the device the
# requests that READ gives it: as many, as large, at the same places, whatever
# its extents are.
. "${top_srcdir:?}/tests/lib.sh"

need strace
strace -o "$tmp/can" true 2>"$tmp/why" || skip "strace may not: $(cat "$tmp/why")"

# LeakSanitizer, where the program was built with it, may not run under strace.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

# reads WAY FILE COUNT: the reads of bytes that are there, "size offset" each.
reads()
{
    strace -y -e trace=pread64,preadv,preadv2,read,readv -o "$tmp/trace" \
        "$top_builddir/tests/sequential" "$@" || fail "sequential $*"
    sed -n "s|^[a-z0-9]*([0-9]*<$2>, .*, \([0-9]*\), \([0-9]*\)) = [1-9].*|\1 \2|p" \
        "$tmp/trace"
    ! grep "<$2>" "$tmp/trace" | grep -v '^pread64' ||
        fail "$1 reads by another call"
}

compare()
{
    for count in 131072 1048576; do
        reads read "$2" $count >"$tmp/read"
        reads plus "$2" $count >"$tmp/plus"
        [ "$(wc -l <"$tmp/read")" -eq $((16777216 / count)) ] ||
            fail 'READ itself does not read as it should'
        same "$1, $count bytes: what is read" "$tmp/read" "$tmp/plus"
    done
}

file=$(realpath "$tmp")/file
tr '\0' x </dev/zero | head -c 16777216 >"$file"
compare 'one extent' "$file"

# Every second 64 KiB first: as many extents as the file system likes.
rm "$file"
for first in 0 1; do
    at=$first
    while [ "$at" -lt 256 ]; do
        tr '\0' y </dev/zero | dd of="$file" bs=64k count=1 seek="$at" \
            iflag=fullblock conv=notrunc 2>"$tmp/dd"
        at=$((at + 2))
    done
    sync "$file"
done
compare 'many extents' "$file"
echo 'READ_PLUS reads dense files as READ does'
