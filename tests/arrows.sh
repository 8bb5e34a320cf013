#!/bin/sh
# The house of HACKING.md: a room may use the rooms below it and no others.
# Each room is a header and its .c; one that is not in the table fails, so that
# its author places it.
. "${top_srcdir:?}/tests/lib.sh"

# ROOM KIND directly below it (the arrows).  Kinds: core: plain C, no system
# call; edge: system calls; bridge: libtirpc and generated code.
cat >"$tmp/table" <<'END'
base     core
nfsstat  core    base
segment  core    base
size     core    segment
private  core    size
received core    scatter
plain    core    scatter
plan     core    size
encode   core    size
encoder  core    encode
decode   core    segment
args     core    encode decode
decode_res core  decode
scatter  core    decode
expand   core    scatter size
stream   core    scatter
extents  core    decode
judge    core    decode
seek     core    segment
message  core    decode
source   edge    plan
image    edge    source
hint     edge    source
answer   edge    source
splice   edge    source
reply    edge    source encode seek
restore  edge    scatter stream
rpc      bridge  size encode decode seek
END

# What a file of each kind may include besides rooms.
core_may='stdint.h|stddef.h|stdbool.h|string.h|limits.h|assert.h|sys/uio.h'
edge_may='[a-z0-9_]+\.h|sys/[a-z0-9_]+\.h|linux/[a-z0-9_]+\.h'
bridge_may="$edge_may|rpc/[a-z0-9_]+\.h|readplus/read_plus\.h"

# Private headers, for every .c: they stand on size at most, if they have no
# line of their own above.
private='wire|checked|rules|budget|items|image|hint|zeros|answer'

# Private headers of the rooms that take a reply apart.
received='element|grammar|plain|delivery'

kind() { awk -v room="$1" '$1 == room { print $2 }' "$tmp/table"; }

# below ROOM: every room that can be reached from it, itself included.
below()
{
    echo "$1"
    awk -v room="$1" '$1 == room { for (i = 3; i <= NF; i++) print $i }' \
        "$tmp/table" | while read -r next; do
        below "$next"
    done | sort -u
}

# includes FILE: what it includes, <> and "" stripped.
includes() { sed -n 's/^ *# *include *[<"]\([^>"]*\)[>"].*/\1/p' "$1"; }

bad=0
# check FILE ROOM KIND
check()
{
    case $3 in
    core) may=$core_may ;;
    edge) may=$edge_may ;;
    bridge) may=$bridge_may ;;
    *)
        echo "$1: no room '$2' in tests/arrows.sh: place it there"
        bad=1
        return
        ;;
    esac
    rooms=$(below "$2" | tr '\n' '|')
    may="$may|readplus/(${rooms%|})\.h"
    case $1 in
    *.c | lib/*.h) may="$may|($private)\.h" ;;
    esac
    case $2 in
    decode | decode_res | scatter | expand | stream | plain | received) may="$may|($received)\.h" ;;
    esac
    if includes "$1" | grep -vxE "$may" >"$tmp/wrong"; then
        echo "$1 ($2, $3) may not include: $(paste -sd ' ' "$tmp/wrong")"
        bad=1
    fi
}

cd "$top_srcdir"
for header in include/readplus/*.h; do
    room=${header##*/}
    room=${room%.h}
    check "$header" "$room" "$(kind "$room")"
done

for source in lib/*.c; do
    room=${source##*/}
    room=${room%.c}
    case $room in
    source_*) room=source ;;
    esac
    check "$source" "$room" "$(kind "$room")"
done

for header in lib/*.h; do
    [ -f "$header" ] || continue
    name=${header##*/}
    if [ -n "$(kind "${name%.h}")" ]; then
        check "$header" "${name%.h}" "$(kind "${name%.h}")"
    elif echo "${name%.h}" | grep -qxE "$private"; then
        check "$header" private core
    elif echo "${name%.h}" | grep -qxE "$received"; then
        check "$header" received core
    else
        echo "$header: no private header of that name in tests/arrows.sh"
        bad=1
    fi
done

# The umbrella has every room of the core and nothing else.
awk '$2 == "core" { print $1 }' "$tmp/table" | sort | while read -r room; do
    [ ! -f "include/readplus/$room.h" ] || echo "readplus/$room.h"
done >"$tmp/core"
includes include/readplus.h | sort >"$tmp/umbrella"
diff -u "$tmp/core" "$tmp/umbrella" || {
    echo 'the headers of the core (-) and those in readplus.h (+) differ'
    bad=1
}

[ $bad -eq 0 ] || fail 'an arrow points up'
echo 'every arrow points down'
