# Job: the table of 2015: dd bs=128K of a file of each layout, as often as
# ROUNDS says, of the local file system, by READ and by READ_PLUS; the median
# of each.  The server's page cache is warm, the client's empty.
# shellcheck shell=sh
# shellcheck source=tests/kernel/guest/server.sh
. /programs/server.sh

rounds=7
size=32 # MiB

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

# over_nfs FILE on|off
over_nfs()
{
    for _ in $(seq $rounds); do
        mounted rsize=1048576
        timed "/mnt/nfs/$1"
        unmounted
    done | median
}

locally()
{
    for _ in $(seq $rounds); do
        timed "/srv/ext4/$1"
    done | median
}

layouts
for layout in data hole 4k 8k; do
    dd "if=/srv/ext4/layout-$layout" of=/dev/null bs=1M 2>/dev/null
    locally "layout-$layout" >/tmp/local
    serve ext4 --preset linux-client --read-plus off
    over_nfs "layout-$layout" >/tmp/read
    stop
    serve ext4 --preset linux-client --read-plus on
    over_nfs "layout-$layout" >/tmp/read-plus
    stop
    awk -v layout="$layout" -v own="$(cat /tmp/local)" \
        -v read="$(cat /tmp/read)" -v plus="$(cat /tmp/read-plus)" '
        BEGIN {
            printf "TABLE %s local %s read %s read_plus %s ratio %.2f\n",
                layout, own, read, plus, read / plus
        }'
done
