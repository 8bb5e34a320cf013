# Job: the table of 2015: dd bs=128K of a file of each layout, as often as
# ROUNDS says, of the local file system, by READ and by READ_PLUS; the median
# of each.  The server's page cache is warm, the client's empty.
# shellcheck shell=sh
# shellcheck source=tests/kernel/guest/server.sh
. /programs/server.sh

rounds=9
size=48 # MiB

layouts()
{
    probe layouts /srv/ext4 "$SEED" $((size * 1024))
}

# timed FILE
timed()
{
    probe time dd "if=$1" of=/dev/null bs=128K 2>/tmp/dd.log ||
        { cat /tmp/dd.log; echo 0; }
}

median()
{
    sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# once FILE on|off: by a server and a mount of its own.
once()
{
    serve ext4 --preset linux-client --read-plus "$2"
    mounted rsize=1048576
    timed "/mnt/nfs/$1" >>"/tmp/read-plus-$2"
    unmounted
    stop
}

layouts
for layout in data hole 4k 8k; do
    file=layout-$layout
    dd "if=/srv/ext4/$file" of=/dev/null bs=1M 2>/dev/null
    : >/tmp/local
    : >/tmp/read-plus-on
    : >/tmp/read-plus-off
    # By turns, so that what changes meanwhile changes all of them.
    for _ in $(seq $rounds); do
        timed "/srv/ext4/$file" >>/tmp/local
        once "$file" off
        once "$file" on
    done
    awk -v layout="$layout" -v own="$(median </tmp/local)" \
        -v read="$(median </tmp/read-plus-off)" \
        -v plus="$(median </tmp/read-plus-on)" '
        BEGIN {
            printf "TABLE %s local %s read %s read_plus %s ratio %.2f\n",
                layout, own, read, plus, read / plus
        }'
done
