# Sourced by the guest's jobs: a server on 127.0.0.1:2049, and a mount of it.
# Result lines begin with `good` or `BAD` behind the name of the case; the host
# judges them (tests/kernel/kernel.sh).
# shellcheck shell=sh

server=

# serve FILESYSTEM OPTION...: start it; a mount waits until it is up.
serve()
{
    export_dir=/srv/$1
    shift
    nfs42d --export "$export_dir" --listen 127.0.0.1 --port 2049 "$@" \
        >>/tmp/server.log 2>&1 &
    server=$!
}

stop()
{
    [ -z "$server" ] || kill "$server" 2>/dev/null
    [ -z "$server" ] || wait "$server" 2>/dev/null
    server=
}

# mounted OPTIONS: a mount whose page cache is empty.
mounted()
{
    timeout -s KILL 60 probe mount /mnt/nfs "$1"
}

unmounted()
{
    timeout -s KILL 30 umount /mnt/nfs && return 0
    stop
    umount -f -l /mnt/nfs
    return 1
}

# bounded SECONDS COMMAND...: no command hangs the guest.
bounded()
{
    seconds=$1
    shift
    timeout -s KILL "$seconds" "$@" 2>&1
}

# report NAME: passes stdin on, its last line named and what precedes indented.
report()
{
    awk -v name="$1" '
        { if (NR > 1 && shown++ < 12) print last; last = $0 }
        END {
            if (last !~ /^(good|BAD) /) last = "BAD " last
            print "RESULT " name ": " last
        }'
}

# made: the files of the seed on each file system, and what they hold told by
# another program than the one that made them.
made()
{
    probe sums "$SEED" >/tmp/sums
    for filesystem in ext4 xfs btrfs tmpfs; do
        probe make "/srv/$filesystem" "$SEED"
        (cd "/srv/$filesystem" && sha256sum -c /tmp/sums) >/tmp/sums.log 2>&1 ||
            echo "RESULT made $filesystem: BAD $(grep -v ': OK' /tmp/sums.log)"
    done
    echo "guest: files made after $(cut -d' ' -f1 /proc/uptime) s"
}

# died: tells what the server said if it is not there any more.
died()
{
    kill -0 "$server" 2>/dev/null && return 1
    echo "  the server died:"
    tail -n 15 /tmp/server.log | sed 's/^/    /'
}
