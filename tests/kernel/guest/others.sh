# Job: what is not a combination: files that change, a server that dies, many
# readers, reads of any kind, and a copy that keeps its shape.
# shellcheck shell=sh
# shellcheck source=tests/kernel/guest/server.sh
. /programs/server.sh

# Of each part; SHARE is `some` or `all`.
seconds=8
filesystems='ext4 btrfs'
[ "$SHARE" != all ] || { seconds=60; filesystems='ext4 xfs btrfs tmpfs'; }

# case_of NAME FILESYSTEM MOUNT-OPTIONS COMMAND...: on a server and a mount of
# their own.
case_of()
{
    name=$1
    filesystem=$2
    options=$3
    shift 3
    serve "$filesystem" --preset linux-client
    if mounted "$options"; then
        { bounded $((seconds * 3 + 120)) "$@" || died; } | report "$name"
        unmounted || echo "RESULT $name: BAD no umount"
    else
        echo "RESULT $name: BAD no mount"
        died
    fi
    stop
}

changes()
{
    for filesystem in $filesystems; do
        for cache in buffered direct; do
            case_of "linux-client changing $filesystem $cache" "$filesystem" \
                rsize=65536,actimeo=0 \
                probe change /mnt/nfs "/srv/$filesystem" "$SEED" "$seconds" \
                "$cache"
        done
    done
}

# restarts: kill -9 in the middle of reads, twice, and a new server.
restarted()
{
    probe fsx /mnt/nfs "$SEED" $((seconds * 2)) &
    reader=$!
    for _ in 1 2; do
        sleep $((seconds / 2))
        kill -9 "$server"
        wait "$server" 2>/dev/null
        sleep 1
        serve ext4 --preset linux-client --key /tmp/key
    done
    wait "$reader"
}

restarts()
{
    serve ext4 --preset linux-client --key /tmp/key
    mounted rsize=65536 || echo 'RESULT linux-client restart: BAD no mount'
    # No pipe: the new servers would be of another shell.
    restarted >/tmp/restart 2>&1 || died
    report 'linux-client restart' </tmp/restart
    unmounted || echo 'RESULT linux-client restart: BAD no umount'
    stop
}

shape()
{
    rm -f /tmp/copy
    # By its path: the shell would take busybox's.
    /programs/cp --sparse=always /mnt/nfs/block /tmp/copy || return
    probe shape "$1/block" /tmp/copy
    rm -f /tmp/copy
}

# shape_of FILESYSTEM
shape_of()
{
    serve "$1" --preset linux-client
    mounted rsize=1048576 || echo "RESULT linux-client shape: BAD no mount"
    { shape "/srv/$1" || died; } 2>&1 | report "linux-client shape $1"
    unmounted || echo 'RESULT linux-client shape: BAD no umount'
    stop
}

# found NAME SERVER-OPTIONS: what nobody asks to be good, to be written down.
found()
{
    name=$1
    shift
    serve ext4 "$@"
    mounted rsize=65536 || echo "RESULT found: $name: BAD no mount"
    bounded 120 probe check /mnt/nfs /srv/ext4 "$SEED" 65536 random direct \
        "$2" scan | report "found: $name"
    unmounted || died
    stop
}

made
found 'holes of any size, default' --preset default --minhole 0
found 'holes of any size, linux-client' --preset linux-client --minhole 0
export SKEW
for SKEW in 2 4 512; do
    found "memory $SKEW bytes off a page" --preset linux-client
done
SKEW=2
found 'memory 2 bytes off a page, single-data' --preset single-data
SKEW=0
changes
restarts
for filesystem in $filesystems; do
    case_of "linux-client parallel $filesystem" "$filesystem" rsize=65536 \
        probe parallel /mnt/nfs "$SEED" 8
    case_of "linux-client fsx $filesystem" "$filesystem" rsize=65536 \
        probe fsx /mnt/nfs "$SEED" "$seconds"
    shape_of "$filesystem"
done
