# What the tests of nfs42cp share.  Sourced after lib.sh and program.sh.
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # lib.sh and the tests share variables

nfs42cp=$top_builddir/examples/nfs42/nfs42cp
proxy=$top_builddir/tests/nfs42_proxy
LC_ALL=C
export LC_ALL

# What was started here, and is ended here.
started=
end_all()
{
    for pid in $started; do
        kill "$pid" 2>"$tmp/kill" || true
    done
    for pid in $started; do
        wait "$pid" 2>"$tmp/kill" || true
    done
}

# wait_for WHAT COMMAND...: until it succeeds, half a minute at most.
wait_for()
{
    what=$1
    shift
    tries=0
    until "$@" >"$tmp/tried" 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || fail "$what: not within half a minute"
        sleep 0.05
    done
}

# through SEED ARGUMENT...: puts a proxy before $port; $by is its port.
through()
{
    sown=$1
    shift
    : >"$tmp/by"
    "$proxy" "$sown" "$port" "$@" >"$tmp/by" &
    proxy_pid=$!
    started="$started $proxy_pid"
    wait_for 'the proxy' grep -q . "$tmp/by"
    by=$(head -n 1 "$tmp/by")
}

# through_end: what the proxy did is in $tmp/did.
through_end()
{
    kill "$proxy_pid"
    wait "$proxy_pid" || fail 'the proxy failed'
    sed -n 2p "$tmp/by" >"$tmp/did"
}

# field NAME FILE: a field of the one-line object there.
field()
{
    sed -n 's/.*"'"$1"'":\([^,}]*\)[,}].*/\1/p' "$2"
}

# equal WHAT VALUE WANT
equal()
{
    [ "$2" = "$3" ] || fail "$1 is $2, not $3"
}

# data FILE OFFSET LENGTH: that no compressor would like, nothing is cut.
data()
{
    head -c "$3" /dev/urandom |
        dd of="$1" bs=65536 seek="$2" oflag=seek_bytes conv=notrunc \
            iflag=fullblock status=none
}

# alternating FILE SIZE BLOCK: every second block of it is data.
alternating()
{
    truncate -s "$2" "$1"
    at=0
    while [ $at -lt "$2" ]; do
        data "$1" $at "$3"
        at=$((at + 2 * $3))
    done
}

# layouts DIR: a set of files.
layouts()
{
    : >"$1/empty"
    data "$1/byte" 0 1
    data "$1/odd" 0 1234567
    truncate -s 3000000 "$1/hole"
    data "$1/dense" 0 4194304
    alternating "$1/alt4k" 1048576 4096
    alternating "$1/alt8k" 2097152 8192
    truncate -s 9M "$1/mixed"
    data "$1/mixed" 5000 70000
    data "$1/mixed" 3145728 1500000
    data "$1/mixed" 9437183 1
    truncate -s 3M "$1/zeros" # stored zeros
    dd if=/dev/zero of="$1/zeros" bs=65536 count=10 seek=7 conv=notrunc \
        status=none
    mkdir -p "$1/one/two/three"
    cp "$1/odd" "$1/one/two/three/deep"
    chmod -R a+rX "$1"
}

all_layouts='empty byte odd hole dense alt4k alt8k mixed zeros
    one/two/three/deep'

# holes FILE: how many, how large, and where, as SEEK_HOLE finds them.
holes()
{
    "$readplus" map --json "$1" | sed 's/^.*"exact":\({[^}]*}\).*$/\1/'
}

# same_holes SRC DST: and the same places, where the files are on one file
# system and SRC has no stored zeros.
same_holes()
{
    equal "holes of $2" "$(holes "$2")" "$(holes "$1")"
}

# free_port: one that nobody has; it may be given to a server of ours.
free_port()
{
    : >"$tmp/free"
    "$proxy" 1 1 >"$tmp/free" &
    freed=$!
    wait_for 'a port' grep -q . "$tmp/free"
    kill $freed
    wait $freed || fail 'the proxy failed'
    head -n 1 "$tmp/free"
}

# same_file SRC DST: bytes, size, and no more room taken.
same_file()
{
    cmp "$1" "$2" || fail "$1: bytes differ"
    equal "size of $2" "$(stat -c %s "$2")" "$(stat -c %s "$1")"
    [ "$(stat -c %b "$2")" -le $(($(stat -c %b "$1") + 16)) ] ||
        fail "$1: holes were lost: $(stat -c %b "$1") blocks became" \
            "$(stat -c %b "$2")"
}

# alone FILE: no temporary file is left beside it.
alone()
{
    [ ! -e "$(dirname "$1")/.$(basename "$1").nfs42cp" ] ||
        fail "something was left beside $1"
}
