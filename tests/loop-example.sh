#!/bin/sh
# The example of a server's loop: in under 80 lines, what its client gets is
# the file.
. "${top_srcdir:?}/tests/lib.sh"

lines=$(wc -l <"$top_srcdir/examples/05-loop.c")
[ "$lines" -lt 80 ] || fail "05-loop.c has $lines lines"

loop()
{
    "$top_builddir/examples/05-loop" "$1" >"$tmp/got" || fail "$1: status $?"
    cmp "$1" "$tmp/got" || fail "$1: the files differ"
}

: >"$tmp/empty"
loop "$tmp/empty"

printf 'begin' >"$tmp/sparse"
truncate -s 3000001 "$tmp/sparse"
printf 'the end' >>"$tmp/sparse"
loop "$tmp/sparse"

head -c 500000 /dev/urandom >"$tmp/data"
loop "$tmp/data"

if "$top_builddir/examples/05-loop" "$tmp" >"$tmp/got" 2>"$tmp/said"; then
    fail 'a directory was read'
fi
grep -q directory "$tmp/said" || fail "said: $(cat "$tmp/said")"
