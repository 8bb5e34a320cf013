#!/bin/sh
# Replies from real file systems, freshly made: what is read there, and what
# others do to the file meanwhile.  READPLUS_RACE_SECONDS makes the races
# longer.
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

# try FILESYSTEM: the programs on a file system of that kind.
try()
{
    mkdir -p "$tmp/mnt"
    if [ "$1" = tmpfs ]; then
        mount -t tmpfs none "$tmp/mnt" 2>"$tmp/why" ||
            skip "no mount: $(cat "$tmp/why")"
    else
        truncate -s 512M "$tmp/image"
        "mkfs.$1" "$tmp/image" >"$tmp/mkfs" 2>&1 || fail "mkfs.$1"
        mount -o loop "$tmp/image" "$tmp/mnt" 2>"$tmp/why" ||
            skip "no loop mount of $1: $(cat "$tmp/why")"
    fi
    mounted=$tmp/mnt
    for program in check_reply check_reply_faults check_splice \
        check_splice_faults check_race; do
        echo "$1: $program"
        READPLUS_TEST_DIR=$mounted "$top_builddir/tests/$program" ||
            fail "$program on $1"
    done
    umount "$mounted"
    mounted=
    rm -f "$tmp/image"
}

for filesystem in tmpfs ext4 xfs btrfs; do
    try "$filesystem"
done
