#!/bin/sh
# The table of 2015 again, its half on the host: files of four layouts, copied
# with nfs42cp from nfs42d in requests of 128 KiB, by READ and by READ_PLUS, and
# with dd bs=128K on the file system itself.  tests/kernel makes the half with
# the kernel's client.  Written are lines
#
#     LAYOUT READ_SECONDS READ_PLUS_SECONDS RATIO LOCAL_SECONDS
#
# each the median of the rounds; a ratio above 1 is in favour of READ_PLUS.
#
#     MIB=256 ROUNDS=7 FROM=DIR TO=DIR
#
# FROM is where the files are (page cache warm), TO, best a tmpfs, where the
# copies go.
. "${top_srcdir:?}/tests/lib.sh"
. "$top_srcdir/tests/program.sh"
. "$top_srcdir/tests/nfs42cp-lib.sh"

mib=${MIB:-256}
rounds=${ROUNDS:-7}
from=$(mktemp -d "${FROM:-$tmp}/table.XXXXXX")
to=$(mktemp -d "${TO:-/dev/shm}/table.XXXXXX")
trap 'end_all; rm -rf "$tmp" "$from" "$to"' EXIT
chmod 755 "$tmp" "$from"

# lay FILE BLOCK: every second block a hole, from one such MiB many times.
lay()
{
    rm -f "$tmp/mib"
    alternating "$tmp/mib" 1048576 "$2"
    i=0
    while [ $i -lt "$mib" ]; do
        cat "$tmp/mib"
        i=$((i + 1))
    done | dd of="$1" bs="$2" conv=sparse iflag=fullblock status=none
    truncate -s "${mib}M" "$1"
}

head -c "${mib}M" /dev/urandom >"$from/data"
truncate -s "${mib}M" "$from/hole"
lay "$from/alternating-4k" 4096
lay "$from/alternating-8k" 8192
chmod 644 "$from"/*
sync "$from"/*

port=$(free_port)
"$top_builddir/examples/nfs42/nfs42d" --export "$from" --port "$port" \
    >"$tmp/server.out" 2>&1 &
started=$!
wait_for 'the server' "$nfs42cp" -q --timeout 4 --port "$port" \
    127.0.0.1:/hole "$to/probe"

# by METHOD LAYOUT: seconds of a copy.
by()
{
    rm -f "$to/dst"
    "$nfs42cp" --port "$port" --size 128K "--$1" --json "127.0.0.1:/$2" \
        "$to/dst" >"$tmp/out" || fail "$2 by $1"
    field seconds "$tmp/out"
}

locally()
{
    rm -f "$to/dst"
    begin=$(date +%s%N)
    dd if="$from/$1" of="$to/dst" bs=128K status=none
    end=$(date +%s%N)
    echo $((end - begin)) | awk '{ printf "%.6f\n", $1 / 1e9 }'
}

median()
{
    sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

layouts='data hole alternating-4k alternating-8k'
round=0
while [ $round -lt "$rounds" ]; do
    for layout in $layouts; do
        # Neither is always the first.
        if [ $((round % 2)) -eq 0 ]; then
            by read "$layout" >>"$tmp/read.$layout"
            by read-plus "$layout" >>"$tmp/read-plus.$layout"
        else
            by read-plus "$layout" >>"$tmp/read-plus.$layout"
            by read "$layout" >>"$tmp/read.$layout"
        fi
        cmp "$from/$layout" "$to/dst" || fail "$layout: bytes differ"
        locally "$layout" >>"$tmp/local.$layout"
    done
    round=$((round + 1))
done
for layout in $layouts; do
    echo "$layout $(median "$tmp/read.$layout")" \
        "$(median "$tmp/read-plus.$layout")" "$(median "$tmp/local.$layout")"
done | awk '{ printf "%s %.4f %.4f %.2f %.4f\n", $1, $2, $3, $2 / $3, $4 }'
