# Job: nfs42cp against the kernel's own server, which answers READ_PLUS with
# data alone: every copy is right, by both operations, with and without holes,
# and across a restart of the server.
# shellcheck shell=sh
# shellcheck source=tests/kernel/guest/server.sh
. /programs/server.sh

later=2147483647 # when what the server is told expires

# tell CACHE LINE: what the server would else ask a daemon for.
tell()
{
    echo "$2" >"/proc/net/rpc/$1/channel"
}

started()
{
    echo 2 >/proc/fs/nfsd/threads
}

stopped()
{
    echo 0 >/proc/fs/nfsd/threads
}

# export_of FILESYSTEM: that one, read-only, as the root of all that there is.
# The flags: read-only, any port, no subtree check, a number for its handles.
export_of()
{
    tell auth.unix.ip "nfsd 127.0.0.1 $later guest"
    tell nfsd.export \
        "guest /srv/$1 $later $((0x1 + 0x2 + 0x400 + 0x2000)) 65534 65534 0"
    tell nfsd.fh "guest 1 \\x00000000 $later /srv/$1"
    echo "tcp 2049" >/proc/fs/nfsd/portlist
    started
}

# one FILESYSTEM FILE OPTION...: a copy that is right.
one()
{
    from=/srv/$1/$2
    file=$2
    shift 2
    rm -f /tmp/dst
    bounded 120 nfs42cp --quiet "$@" "127.0.0.1:/$file" /tmp/dst &&
        cmp "$from" /tmp/dst || echo "$file $*"
}

copied()
{
    export_of "$1"
    echo Y >/proc/fs/nfsd/v4_end_grace
    files=0
    for file in /srv/"$1"/*; do
        # Five GiB are read by READ_PLUS as the data that they are said to be.
        [ -f "$file" ] || continue
        [ "$(stat -c %s "$file")" -lt 100000000 ] || continue
        files=$((files + 1))
        for how in --auto --read --read-plus; do
            one "$1" "$(basename "$file")" $how
        done
    done >/tmp/copied 2>&1
    stopped
    if [ -s /tmp/copied ]; then
        cat /tmp/copied
        echo 'BAD some copies'
    else
        echo "good files=$files"
    fi
}

# A file that takes a while, and a server that is away for a second of it and
# then has its grace period.
restarted()
{
    head -c 60000000 /dev/urandom >/srv/ext4/long
    export_of ext4
    echo Y >/proc/fs/nfsd/v4_end_grace
    nfs42cp --json --jobs 1 --size 64K 127.0.0.1:/long /tmp/dst >/tmp/told 2>/tmp/why &
    copier=$!
    until [ -e /tmp/.dst.nfs42cp ]; do
        sleep 0.1
    done
    stopped
    sleep 1
    export_of ext4 # it has forgotten what it was told
    wait $copier || cat /tmp/why
    stopped
    cmp /srv/ext4/long /tmp/dst && echo "good $(cat /tmp/told)" ||
        echo 'BAD not the same'
    rm -f /srv/ext4/long /tmp/dst
}

mount -t nfsd nfsd /proc/fs/nfsd
mkdir -p /var/lib/nfs/v4recovery
echo 10 >/proc/fs/nfsd/nfsv4leasetime
echo 10 >/proc/fs/nfsd/nfsv4gracetime
echo "+4 +4.1 +4.2 -3" >/proc/fs/nfsd/versions
made
for filesystem in ext4 xfs btrfs tmpfs; do
    copied $filesystem | report "nfsd $filesystem"
done
restarted | report 'nfsd restart'
