#!/bin/sh
# Every measurement, for `make bench`: tables on standard output, all numbers
# in bench.json, pictures in bench-*.svg, both in the folder it is called in.
#
#     bench.sh               some minutes; what takes over 20 times READ's time
#                            is stopped
#     bench.sh bench-full    more rounds, larger files, and nothing is stopped
#
# As root, files are measured on file systems made for it in loop devices.
. "${top_srcdir:?}/tests/lib.sh"

out=$PWD
bench=$top_builddir/tests/bench
BENCH_JSON=$tmp/lines
export BENCH_JSON
: >"$BENCH_JSON"
if [ "${1:-}" = bench-full ]; then
    flag=-f rounds=51 mib=64 whole=1024
else
    flag='' rounds=15 mib=16 whole=256
fi

say() { printf '\n== %s\n' "$*"; }

# run NAME ARGUMENT...: a benchmark, which may not be built.
run()
{
    program=$1
    shift
    [ -x "$bench/$program" ] || {
        echo "skipped: no $program (configured --without-rpc)"
        return 0
    }
    "$bench/$program" "$@"
}

ntirpc()
{
    pkg-config --exists libntirpc || {
        echo 'skipped: ntirpc (Debian: libntirpc-dev)'
        return 0
    }
    # shellcheck disable=SC2046
    ${CC:-cc} -shared -fPIC -O2 -w $(pkg-config --cflags libntirpc) \
        -I"$top_builddir/gen/readplus" -I"$top_srcdir/include" \
        "$top_srcdir/tests/bench/ntirpc_peer.c" -o "$tmp/peer.so" \
        $(pkg-config --libs libntirpc)
    NTIRPC_PEER=$tmp/peer.so
    export NTIRPC_PEER
}

mounted=
done_here()
{
    [ -z "$mounted" ] || umount "$mounted" || true
    rm -rf "$tmp"
}
trap done_here EXIT

# files NAME DIR: bench_file there.
files()
{
    # shellcheck disable=SC2086
    for kind in warm whole cold direct sparse; do
        if [ "$1/$kind" = tmpfs/cold ] || [ "$1/$kind" = tmpfs/direct ]; then
            continue # it has neither
        fi
        size=$mib
        [ $kind != whole ] || size=$whole
        run bench_file $flag -k $kind -m "$size" -r $((rounds / 3 + 1)) \
            -n "$1" "$2"
    done
}

# on_filesystem NAME: made, measured, removed.
on_filesystem()
{
    mkdir "$tmp/$1"
    if [ "$1" = tmpfs ]; then
        mount -t tmpfs -o size=4G none "$tmp/$1" || return 0
    else
        command -v "mkfs.$1" >"$tmp/tool" || {
            echo "skipped: no mkfs.$1"
            return 0
        }
        truncate -s 4G "$tmp/image"
        if ! "mkfs.$1" "$tmp/image" >"$tmp/mkfs" 2>&1 ||
            ! mount -o loop "$tmp/image" "$tmp/$1" 2>"$tmp/mkfs"; then
            echo "skipped: no $1 here: $(tail -n 1 "$tmp/mkfs")"
            return 0
        fi
    fi
    mounted=$tmp/$1
    files "$1" "$mounted"
    umount "$mounted"
    mounted=
    rm -f "$tmp/image"
}

say 'codec'
ntirpc
run bench_codec -r $((rounds * 4))
say 'delivery'
run bench_deliver $((rounds * 30))
say 'end to end'
# shellcheck disable=SC2086
run bench_ends $flag -r "$rounds" "$tmp"
say 'files: time over READ'"'"'s'
if [ "$(id -u)" -eq 0 ]; then
    for filesystem in ext4 xfs btrfs tmpfs; do
        on_filesystem $filesystem
    done
else
    echo 'skipped: other file systems than here, for want of root'
    files here "$tmp"
fi
say 'telling the kernel of what comes next'
run bench_cold -m "$mib" -r 3 "$tmp"

{
    printf '{"machine":"%s","records":[\n' "$(uname -srm)"
    sed '$!s/$/,/' "$BENCH_JSON"
    printf ']}\n'
} >"$out/bench.json"
for picture in layouts segments sizes; do
    awk -v picture=$picture -f "$top_srcdir/tests/bench/draw.awk" \
        "$BENCH_JSON" >"$out/bench-$picture.svg"
done
say "bench.json, bench-layouts.svg, bench-segments.svg, bench-sizes.svg: in $out"
