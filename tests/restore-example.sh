#!/bin/sh
# The example that rebuilds a file: same bytes, same size, and no room taken
# where the source has a hole, into a new file and into one that was full.
. "${top_srcdir:?}/tests/lib.sh"

mkfifo "$tmp/calls" "$tmp/replies"

# rebuild SRC DST: through the two examples.
rebuild()
{
    "$top_builddir/examples/01-server" "$1" <"$tmp/calls" >"$tmp/replies" &
    server=$!
    "$top_builddir/examples/04-restore" "$2" >"$tmp/calls" <"$tmp/replies" ||
        fail "$1: the client failed"
    wait $server || fail "$1: the server failed"
    cmp "$1" "$2" || fail "$1: the files differ"
    # A file system may need a block or two for where the blocks are.
    [ "$(stat -c %b "$2")" -le $(($(stat -c %b "$1") + 32)) ] ||
        fail "$1: the copy takes more room"
}

: >"$tmp/empty"
rebuild "$tmp/empty" "$tmp/dst"
rm "$tmp/dst"

printf 'begin' >"$tmp/far"
truncate -s 5G "$tmp/far"
printf 'the end' >>"$tmp/far"
rebuild "$tmp/far" "$tmp/dst"
rm "$tmp/dst"

# 3 MiB, every second 64 KiB a hole; over random bytes.
truncate -s 3M "$tmp/alt"
i=0
while [ $i -lt 48 ]; do
    dd if=/dev/urandom of="$tmp/alt" bs=64k count=1 seek=$i conv=notrunc \
        status=none
    i=$((i + 2))
done
head -c 5M /dev/urandom >"$tmp/dst"
rebuild "$tmp/alt" "$tmp/dst"

head -c 1234567 /dev/urandom >"$tmp/odd"
rebuild "$tmp/odd" "$tmp/dst"

# A destination that cannot be: nothing hangs, something is said.
status=0
"$top_builddir/examples/04-restore" "$tmp" 2>"$tmp/said" </dev/null || status=$?
[ $status -eq 2 ] || fail "a directory: exit $status"
[ -s "$tmp/said" ] || fail 'a directory: nothing said'
echo 'rebuilt with its holes'
