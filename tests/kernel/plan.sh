#!/bin/sh
# tests/kernel/plan.sh pairwise|full [K/N]: the combinations, a line each, on
# stdout:
#     FILESYSTEM buffered|direct RSIZE ordered|random POLICY PRESET
# pairwise: so few that every two values of different columns still meet.  K/N:
# only every Nth of them, from the Kth on; the N shares together are all.
set -eu

how=${1:?pairwise|full}
share=${2:-1/1}
first=${share%/*}
step=${share#*/}
case $first$step in
'' | *[!0-9]*) first=0 ;;
esac
if [ "$first" -lt 1 ] || [ "$first" -gt "$step" ]; then
    echo "plan.sh: $share: no share K/N" >&2
    exit 1
fi

awk -v how="$how" -v first="$first" -v step="$step" '
# The uncovered pairs a row would cover.
function gain(row,    i, j, n)
{
    for (i = 1; i < columns; i++)
        for (j = i + 1; j <= columns; j++)
            n += !((i, row[i], j, row[j]) in met)
    return n
}

function row_of(number, row,    i)
{
    for (i = columns; i > 0; i--) {
        row[i] = values[i, number % size[i] + 1]
        number = int(number / size[i])
    }
}

function take(row,    i, j, line)
{
    for (i = 1; i <= columns; i++) {
        line = line (i > 1 ? " " : "") row[i]
        for (j = i + 1; j <= columns; j++)
            met[i, row[i], j, row[j]] = 1
    }
    if (taken++ % step == first - 1)
        print line
}

function column(text,    i, parts)
{
    size[++columns] = split(text, parts)
    for (i = 1; i <= size[columns]; i++)
        values[columns, i] = parts[i]
    all = (all ? all : 1) * size[columns]
}

BEGIN {
    column("ext4 xfs btrfs tmpfs")
    column("buffered direct")
    column("4096 65536 1048576")
    column("ordered random")
    column("clip,scan whole,scan clip,exact whole,exact")
    column("linux-client default rdma single-data single")
    do {
        best = 0
        for (n = 0; n < all; n++) {
            row_of(n, row)
            if (how == "full")
                take(row)
            else if ((g = gain(row)) > best) {
                best = g
                chosen = n
            }
        }
        if (best > 0) {
            row_of(chosen, row)
            take(row)
        }
    } while (best > 0)
}'
