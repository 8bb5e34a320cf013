#!/bin/sh
# bench_file on freshly made file systems, for `make bench-file`: the promised
# figures on files of BENCH_MIB (64), then the files on which look-ups are
# quadratic, of BENCH_QUADRATIC_MIB (256; 1024 makes 262144 extents).
. "${top_srcdir:?}/tests/lib.sh"

[ "$(id -u)" -eq 0 ] || skip 'not root: no file system can be mounted'
need mkfs.ext4 mkfs.xfs mkfs.btrfs mount umount losetup

mounted=
done_here()
{
    [ -z "$mounted" ] || umount "$mounted" || true
    rm -rf "$tmp"
}
trap done_here EXIT

bench=$top_builddir/tests/bench/bench_file
mib=${BENCH_MIB:-64}
quadratic=${BENCH_QUADRATIC_MIB:-256}

for filesystem in tmpfs ext4 xfs btrfs; do
    mounted=$tmp/$filesystem
    mkdir "$mounted"
    if [ "$filesystem" = tmpfs ]; then
        mount -t tmpfs -o size=4G none "$mounted"
    else
        truncate -s 4G "$tmp/image"
        "mkfs.$filesystem" "$tmp/image" >"$tmp/mkfs" 2>&1
        mount -o loop "$tmp/image" "$mounted"
    fi
    "$bench" -m "$mib" -r "${BENCH_ROUNDS:-15}" "$mounted"
    "$bench" -q -m "$quadratic" -r 3 "$mounted"
    umount "$mounted"
    mounted=
    rm -f "$tmp/image"
done
