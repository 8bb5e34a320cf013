#!/bin/sh
# readplus map: its figures are those of the file system's own tools, and its
# prices are what copying really costs.
. "${top_srcdir:?}/tests/lib.sh"
. "$top_srcdir/tests/program.sh"

LC_ALL=C
export LC_ALL
cd "$tmp"

# data FILE OFFSET LENGTH [BYTE]
data()
{
    head -c "$3" /dev/zero | tr '\0' "${4:-x}" |
        dd of="$1" bs=65536 seek="$2" oflag=seek_bytes conv=notrunc,fsync \
            status=none
}

# member PATH FILE: a member of the one-line object there, such as exact.holes.
member()
{
    sed -n 's/.*"'"${1%.*}"'":{[^}]*"'"${1#*.}"'":\([^,}]*\)[,}].*/\1/p' "$2"
}

# price WORD NAME FILE: of the one request size there.
price()
{
    member "$1.$2" "$3"
}

equal()
{
    [ "$2" = "$3" ] || fail "$1 is $2, not $3"
}

truncate -s 1M layout # data, hole, data, hole; some data is zeros
data layout 0 65536
data layout 262144 131072
data layout 327680 65536 '\0'
truncate -s 300000 hole
data dense 0 200001
: >empty
truncate -s 700001 odd
data odd 4096 1
data odd 100000 200000
data odd 700000 1

expect 0 "$readplus" map --json --block 128K layout
equal exact.holes "$(member exact.holes out)" 2
equal exact.hole_bytes "$(member exact.hole_bytes out)" 851968
equal exact.share "$(member exact.share out)" 0.8125
equal exact.largest_hole "$(member exact.largest_hole out)" 655360
equal exact.aligned_hole_bytes "$(member exact.aligned_hole_bytes out)" 786432
equal exact.aligned_share "$(member exact.aligned_share out)" 0.75
equal exact.map "$(member exact.map out)" \
    '"####............########........................................"'
equal scan.holes "$(member scan.holes out)" 2
equal scan.hole_bytes "$(member scan.hole_bytes out)" 917504
equal scan.largest_hole "$(member scan.largest_hole out)" 720896
equal scan.map "$(member scan.map out)" \
    '"####............####............................................"'
expect 0 "$readplus" map --json layout
equal 'the default block' "$(member exact.aligned_hole_bytes out)" 0
expect 0 "$readplus" map --json --block 1M hole
equal exact.holes "$(member exact.holes out)" 1
equal exact.largest_hole "$(member exact.largest_hole out)" 300000
expect 0 "$readplus" map --json empty
equal exact.holes "$(member exact.holes out)" 0

# For a person.
expect 0 "$readplus" map layout hole
says out '^layout: 1048576 bytes'
says out '^exact  *2  *851968  *81.250%  *0.000%  *655360$'
says out '^exact  *\[####\.\{12\}########\.\{40\}\]'
says out '^READ  *1048832 '
says out '^hole: 300000 bytes'

sleep 0.1 # a file that has just changed is read more warily
# What each policy costs is what a copy then costs.
compared=0
for file in layout hole dense empty odd; do
    for count in 4096 65536 1048576; do
        expect 0 "$readplus" map --json --count $count $file
        mv out map
        for policy in default whole exact whole,exact linux-client rdma \
            single-data single; do
            expect 0 "$readplus" copy --json --policy $policy --count $count \
                $file dst
            for name in requests wire_bytes; do
                equal "$name of $policy, $count bytes of $file" \
                    "$(price $policy $name map)" \
                    "$(sed 's/.*"'$name'":\([0-9]*\).*/\1/' out)"
            done
            compared=$((compared + 1))
        done
        equal "READ's bytes" "$(price READ wire_bytes map)" \
            "$(sed 's/.*"read_wire_bytes":\([0-9]*\).*/\1/' out)"
    done
done
echo "$compared prices are what copying costs"

# Of a huge file it takes no time.
truncate -s 5368709121 far
data far 5368709120 1
expect 0 timeout 60 "$readplus" map --json far
if truncate -s 8T vast 2>err; then
    expect 0 timeout 60 "$readplus" map --json vast
    equal exact.hole_bytes "$(member exact.hole_bytes out)" 8796093022208
    rm vast
fi

# The file system's own tools see the same.
if command -v xfs_io >which; then
    for file in layout hole dense odd far; do
        xfs_io -r -c 'seek -ar 0' $file >seek
        awk -v size="$(stat -c %s $file)" '
            function close_hole(end) {
                if (open && end > from) { holes++; bytes += end - from }
                open = 0
            }
            $1 == "HOLE" { open = 1; from = $2 }
            $1 == "DATA" { close_hole($2) }
            END { close_hole(size); printf "%d %.0f\n", holes, bytes }' \
            seek >want
        expect 0 "$readplus" map --json $file
        echo "$(member exact.holes out) $(member exact.hole_bytes out)" >got
        same "xfs_io of $file" want got
    done
    echo 'as xfs_io sees it'
fi
if command -v filefrag >which && filefrag -v -b1 dense >frag 2>&1; then
    fallocate -o 131072 -l 65536 layout 2>err || true
    for file in layout hole dense odd far; do
        filefrag -s -v -b1 $file | tr -d ':' | sed 's/\.\./ /g' |
            awk -v size="$(stat -c %s $file)" '
            $1 ~ /^[0-9]+$/ && NF >= 6 {
                if ($2 > end) { holes++; bytes += $2 - end }
                end = $3 + 1
            }
            END {
                if (size > end) { holes++; bytes += size - end }
                printf "%d %.0f\n", holes, bytes
            }' >want
        expect 0 "$readplus" map --json $file
        echo "$(member allocated.holes out)" \
            "$(member allocated.hole_bytes out)" >got
        same "filefrag of $file" want got
    done
    echo 'as filefrag sees it'
fi

# A file that cannot be read does not keep the others from being shown.
mkfifo fifo
mkdir directory
for file in missing fifo directory /dev/zero; do
    expect 3 timeout 10 "$readplus" map $file hole
    says out '^hole: 300000 bytes'
done
expect 2 "$readplus" map
expect 2 "$readplus" map --block 0 hole
expect 2 "$readplus" map --count 0 hole
expect 2 "$readplus" map --count 4294967296 hole
