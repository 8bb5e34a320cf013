#!/bin/sh
# nfs42cp against nfs42d: the copy is right, with its holes, whatever happens
# to the server, the network, the source and the client on the way; and where
# it cannot be, DST is what it was.
. "${top_srcdir:?}/tests/lib.sh"
. "$top_srcdir/tests/program.sh"
. "$top_srcdir/tests/nfs42cp-lib.sh"
trap 'end_all; rm -rf "$tmp"' EXIT

nfs42d=$top_builddir/examples/nfs42/nfs42d
export=$tmp/export
work=$tmp/work
mkdir "$export" "$work"
chmod 755 "$tmp" "$export"
layouts "$export"
# Long enough to be stopped in the middle.
data "$export/long" 0 16777216
chmod a+r "$export/long"
cd "$work"

# serve OPTION...: the server, on $port; the log of the one before is gone.
serve()
{
    "$nfs42d" --export "$export" --listen 127.0.0.1 --port "$port" "$@" \
        >"$tmp/server.out" 2>&1 &
    server=$!
    started="$started $server"
    wait_for 'the server' "$nfs42cp" --quiet --timeout 4 --port "$port" \
        127.0.0.1:/empty "$tmp/probe"
}

stop()
{
    kill "${1:--TERM}" $server
    wait $server || true
}

# copy STATUS OPTION...: from $at, by $port, to dst.
copy()
{
    status=$1
    at=$2
    shift 2
    expect "$status" timeout 120 "$nfs42cp" --port "$port" --timeout 20 \
        --json "$@" "127.0.0.1:/$at" dst
}

# untouched: DST is what it was.
untouched()
{
    equal 'what DST holds' "$(cat dst)" old
}

port=$(free_port)
serve

# --- every layout, every way -------------------------------------------------
for file in $all_layouts; do
    for how in --auto --read --read-plus '--size 4096 --jobs 1' \
        '--size 5000 --jobs 64' --verify; do
        rm -f dst
        # shellcheck disable=SC2086 # an option and its argument
        copy 0 "$file" $how
        same_file "$export/$file" dst
        [ "$file" = zeros ] || same_holes "$export/$file" dst
        case $how in
        --read) equal READ_PLUSes "$(field read_plus_requests "$tmp/out")" 0 ;;
        --verify) ;;
        *) equal READs "$(field read_requests "$tmp/out")" 0 ;;
        esac
        alone dst
    done
done
for policy in clip whole linux-client single maxsegs=1; do
    stop
    serve --policy $policy
    for file in alt4k mixed hole; do
        rm -f dst
        copy 0 $file --read-plus
        same_file "$export/$file" dst
        same_holes "$export/$file" dst
    done
done
stop
serve --read-plus off
rm -f dst
copy 0 mixed
same_file "$export/mixed" dst
same_holes "$export/mixed" dst
says "$tmp/out" '"fallback":"the server has no READ_PLUS"'
copy 1 mixed --read-plus
rm -f .dst.nfs42cp
stop
serve

# Huge and sparse costs nothing, neither on the wire nor on the disk.
truncate -s 5368709120 "$export/far"
data "$export/far" 3221225472 4096
chmod a+r "$export/far"
for policy in clip whole; do
    stop
    serve --policy $policy
    rm -f dst
    copy 0 far
    equal 'size of far' "$(stat -c %s dst)" 5368709120
    same_holes "$export/far" dst
    [ "$(stat -c %b dst)" -le 32 ] || fail 'the holes of 5 GiB were lost'
    equal 'the block in far' \
        "$(dd if=dst bs=4096 skip=786432 count=1 status=none | cksum)" \
        "$(dd if="$export/far" bs=4096 skip=786432 count=1 status=none |
            cksum)"
    # Clipped holes take a request for each MiB.
    most=20000
    [ $policy = whole ] || most=2000000
    [ "$(field wire_bytes "$tmp/out")" -lt $most ] ||
        fail "far took $(field wire_bytes "$tmp/out") bytes on the wire"
done

# --- what the server reports -------------------------------------------------
expect 0 "$nfs42cp" --port "$port" --extents 127.0.0.1:/far
says "$tmp/out" '^hole  *0  *3221225472$'
says "$tmp/out" '^data  *3221225472  *4096$'
says "$tmp/out" '^hole  *3221229568  *2147479552$'
says "$tmp/out" '^3 extents: 4096 bytes of data, 5368705024 of holes;'
expect 0 "$nfs42cp" --port "$port" --extents --json 127.0.0.1:/alt4k
equal 'extents of alt4k' "$(grep -o '"content"' "$tmp/out" | wc -l)" 256
says "$tmp/out" '"data_bytes":524288,"hole_bytes":524288,'
expect 0 "$nfs42cp" --port "$port" --extents --json 127.0.0.1:/empty
says "$tmp/out" '"extents":\[\],'

# --- wrong use, and what is not there ----------------------------------------
echo old >dst
for wrong in '--size 0' '--size 17M' '--jobs 0' '--jobs 65' '--port 0' \
    '--port 65536' '--timeout 0' --nonsense; do
    # shellcheck disable=SC2086 # an option and its argument
    expect 2 "$nfs42cp" $wrong 127.0.0.1:/byte dst
    untouched
done
expect 2 "$nfs42cp" 127.0.0.1:/byte
expect 2 "$nfs42cp" 127.0.0.1 dst
expect 2 "$nfs42cp" :/byte dst
expect 2 "$nfs42cp" --extents 127.0.0.1:/byte dst
expect 2 "$nfs42cp" --extents --read 127.0.0.1:/byte
ln -s odd "$export/link"
mkfifo "$export/fifo"
for missing in nothing odd/odd one one/two link fifo one/nothing/deep; do
    copy 3 $missing
    untouched
    alone dst
done
: >"$export/secret"
chmod 0 "$export/secret"
copy 3 secret
expect 3 "$nfs42cp" --port "$(free_port)" 127.0.0.1:/byte dst
untouched

# --- DST ---------------------------------------------------------------------
mkdir directory
mkfifo fifo
ln -s nowhere dangling
for dst in directory fifo dangling /dev/null; do
    expect 2 "$nfs42cp" --port "$port" 127.0.0.1:/byte $dst
done
expect 1 "$nfs42cp" --port "$port" 127.0.0.1:/byte nowhere/dst
ln -s dst pointer
chmod 604 dst
expect 0 "$nfs42cp" --port "$port" 127.0.0.1:/odd pointer
[ -L pointer ] || fail 'the link was replaced'
cmp "$export/odd" dst || fail 'through a link: bytes differ'
equal 'mode of an old file' "$(stat -c %a dst)" 604
rm dst
chmod 754 "$export/byte"
(umask 027 && copy 0 byte)
equal 'mode of a new file' "$(stat -c %a dst)" 750
chmod 644 "$export/byte"

# A name that is taken by something else is not used.
echo old >dst
echo precious >other
ln -s other .dst.nfs42cp
copy 1 odd
rm .dst.nfs42cp
ln other .dst.nfs42cp
copy 1 odd
equal other "$(cat other)" precious
rm .dst.nfs42cp
untouched

# --- interrupted -------------------------------------------------------------
# slowly: a copy of long to dst begins, and is stopped in the middle;
# $copier is to be continued or killed.
slowly()
{
    rm -f .dst.nfs42cp
    through 1 stall 6000000
    "$nfs42cp" --port "$by" --jobs 2 --size 256K --timeout 40 --json \
        127.0.0.1:/long dst >"$tmp/slow" 2>&1 &
    copier=$!
    started="$started $copier"
    wait_for 'a note' has_note
}
has_note()
{
    [ "$(stat -c %s .dst.nfs42cp)" -gt 16777216 ]
}

# again RESUMED: the same command goes on, straight to the server.
again()
{
    copy 0 long
    cmp "$export/long" dst || fail 'after going on: bytes differ'
    alone dst
    got=$(field resumed "$tmp/out")
    if [ "$1" = yes ]; then
        [ "$got" -gt 1000000 ] || fail "only $got bytes were resumed"
    else
        equal resumed "$got" 0
    fi
    echo old >dst
}

# stopped SIGNAL: the copy is ended by it.
stopped()
{
    kill -"$1" $copier
    got=0
    wait $copier || got=$?
    [ $got -gt 128 ] || fail "exit status after SIG$1 is $got"
    untouched
    through_end
}

slowly
# Nobody else may be at it meanwhile.
copy 1 odd
says "$tmp/err" 'another copy is being made'
stopped TERM
again yes
slowly
stopped KILL
again yes
# A note that is damaged is none; the other one is still there.
slowly
stopped KILL
printf X | dd of=.dst.nfs42cp bs=1 seek=$((16777216 + 100)) conv=notrunc \
    status=none
printf X | dd of=.dst.nfs42cp bs=1 seek=$((16777216 + 4196)) conv=notrunc \
    status=none
again no
# Nor is one about another file, or about this one as it was.
slowly
stopped TERM
copy 0 odd
cmp "$export/odd" dst || fail 'on the remains of another copy: bytes differ'
equal resumed "$(field resumed "$tmp/out")" 0
echo old >dst
slowly
stopped TERM
data "$export/long" 5000 1
again no

# The source changes under way.
for change in grow shrink touch; do
    slowly
    case $change in
    grow) echo more >>"$export/long" ;;
    shrink) truncate -s 16777215 "$export/long" ;;
    touch) data "$export/long" 16000000 1 ;;
    esac
    kill -USR1 $proxy_pid
    got=0
    wait $copier || got=$?
    equal "exit status when the source changes ($change)" $got 1
    says "$tmp/slow" 'changed while it was copied'
    untouched
    alone dst
    through_end
    truncate -s 16777216 "$export/long"
done

# The server is killed, and another one comes.
slowly
stop -KILL
serve
kill -USR1 $proxy_pid
wait $copier || { cat "$tmp/slow"; fail 'a new server was no help'; }
cmp "$export/long" dst || fail 'from two servers: bytes differ'
equal 'READs after a new server' "$(field read_requests "$tmp/slow")" 0
[ "$(field sessions "$tmp/slow")" -gt 1 ] || fail 'there was one session only'
through_end
echo old >dst

# --- a bad network -----------------------------------------------------------
# through the proxy to $1, OPTION...: exit status in $got.
network()
{
    rm -f dst .dst.nfs42cp
    from=$1
    shift
    got=0
    timeout 120 "$nfs42cp" --port "$by" --json "$@" "127.0.0.1:/$from" dst \
        >"$tmp/out" 2>"$tmp/err" || got=$?
    through_end
}

# Connections end anywhere.
cuts=0
for seed in 1 2 3 4; do
    for how in --auto --read; do
        through "$seed" cut 500 400000
        network mixed $how --size 64K --timeout 20
        equal "exit status of $how with seed $seed" $got 0
        same_file "$export/mixed" dst
        cuts=$((cuts + $(sed -n 's/.*, \([0-9]*\) cuts.*/\1/p' "$tmp/did")))
    done
done
[ $cuts -gt 50 ] || fail "only $cuts cuts"

# Bits turn in the heads of what the server says, in front of the file's bytes.
copies=0
for seed in 1 2 3 4 5 6 7 8; do
    for how in --auto --read '--auto --jobs 1'; do
        through "$seed" flip 8 108
        # shellcheck disable=SC2086 # an option and its argument
        network mixed $how --size 256K --timeout 4
        if [ $got -eq 0 ]; then
            copies=$((copies + 1))
            cmp "$export/mixed" dst || fail "$how, flips of seed $seed: bytes"
        else
            [ ! -e dst ] || fail "exit status $got, but a copy ($seed, $how)"
        fi
    done
done
[ $copies -gt 3 ] || fail "only $copies copies survived"
echo "$copies of 24 copies survived turned bits"
# And anywhere, where only a second look can tell.
for seed in 1 2 3 4; do
    through "$seed" flip 60 0
    network mixed --verify --size 256K --timeout 4
    if [ $got -eq 0 ]; then
        cmp "$export/mixed" dst || fail "verified, flips of seed $seed: bytes"
    else
        [ ! -e dst ] || fail "exit status $got, but a copy ($seed, --verify)"
    fi
done

# --- no room -----------------------------------------------------------------
echo old >dst
rm -f .dst.nfs42cp
for how in --auto --read; do
    expect 1 sh -c 'ulimit -f 500 && exec "$@"' sh "$nfs42cp" \
        --port "$port" $how 127.0.0.1:/dense dst
    says "$tmp/err" 'dst: cannot be written: File too large'
    untouched
    alone dst
done
if [ "$(id -u)" -eq 0 ] && mkdir "$tmp/small" &&
    mount -t tmpfs -o size=1m readplus-test "$tmp/small" 2>"$tmp/err"; then
    trap 'end_all; umount "$tmp/small"; rm -rf "$tmp"' EXIT
    echo old >"$tmp/small/dst"
    for how in --auto --read; do
        expect 1 "$nfs42cp" --port "$port" $how 127.0.0.1:/dense \
            "$tmp/small/dst"
        says "$tmp/err" 'No space left'
        equal 'DST on a full disk' "$(cat "$tmp/small/dst")" old
        equal 'files on a full disk' "$(ls -A "$tmp/small")" dst
    done
    expect 0 "$nfs42cp" --port "$port" 127.0.0.1:/far "$tmp/small/dst"
    equal 'size of far on a small disk' "$(stat -c %s "$tmp/small/dst")" \
        5368709120
else
    echo 'no full disk: no mount allowed here'
fi
if [ -c /dev/full ]; then
    got=0
    "$nfs42cp" --port "$port" 127.0.0.1:/odd dst >/dev/full 2>"$tmp/err" ||
        got=$?
    equal 'exit status when output is lost' $got 1
fi

# --- the progress bar: on a terminal only, and gone at the end ---------------
copy 0 odd
[ ! -s "$tmp/err" ] || fail 'it speaks on standard error'
if has_terminal; then
    through 1 stall 6000000
    (sleep 1.5 && kill -USR1 $proxy_pid) &
    script -qec "$nfs42cp --port $by --jobs 2 --size 256K 127.0.0.1:/long dst" \
        /dev/null </dev/null >"$tmp/out" 2>&1
    through_end
    says "$tmp/out" '\[#* *\]  *[0-9]* % [0-9.]* MiB/16.0 MiB, wire [0-9.]* MiB,'
    says "$tmp/out" ', [0-9.]* [A-Z]i*B/s, '
    says "$tmp/out" ' left'
    says "$tmp/out" '16777216 bytes, '
fi
echo 'every copy is right, or none was made'
