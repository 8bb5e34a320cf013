#!/bin/sh
# readplus copy: the copy is right whatever the sizes and the policy, and when
# it cannot be, DST is what it was.
. "${top_srcdir:?}/tests/lib.sh"
. "$top_srcdir/tests/program.sh"

LC_ALL=C
export LC_ALL
work=$tmp/work
mkdir "$work"
cd "$work"

# data FILE OFFSET LENGTH [BYTE]: data there, 'x' unless said; nothing is cut.
data()
{
    head -c "$3" /dev/zero | tr '\0' "${4:-x}" |
        dd of="$1" bs=65536 seek="$2" oflag=seek_bytes conv=notrunc \
            status=none
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

# alone: no temporary file was left beside DST.
alone()
{
    for left in dst.*; do
        [ ! -e "$left" ] || fail "$left was left behind"
    done
}

# copies SRC OPTION...: proven by the program, and held against it here.
copied=0
copies()
{
    src=$1
    shift
    rm -f dst
    expect 0 "$readplus" copy --json "$@" "$src" dst
    cmp "$src" dst || fail "copy $* of $src: bytes differ"
    equal size "$(stat -c %s dst)" "$(stat -c %s "$src")"
    case "$*" in
    *single-data*) ;;
    *)
        [ "$(stat -c %b dst)" -le "$(stat -c %b "$src")" ] ||
            fail "copy $* of $src: holes were lost"
        ;;
    esac
    alone
    [ ! -s "$tmp/err" ] || fail 'it speaks on standard error'
    equal 'data and holes' "$(($(field data_bytes "$tmp/out") + \
        $(field hole_bytes "$tmp/out")))" "$(stat -c %s "$src")"
    copied=$((copied + 1))
}

truncate -s 100000 mixed
data mixed 0 5000
data mixed 40960 4096
data mixed 61440 1
data mixed 99990 10
truncate -s 65536 hole
data dense 0 65537
: >empty
data tiny 0 3
truncate -s 40000 zeros # stored zeros are data to the file system
data zeros 4096 8192 '\0'

for policy in default clip whole scan exact clip,exact whole,scan \
    linux-client rdma single-data single whole,rdma single-data,exact \
    maxsegs=1 minhole=0,exact minhole=65536; do
    for src in mixed hole dense zeros; do
        copies "$src" --policy $policy --count 8192 --maxcount 5000
    done
    copies mixed --policy $policy
    copies mixed --policy $policy --count 1000 --maxcount 28
    copies mixed --policy $policy --count 4097 --maxcount 61
done
for count in 1 3 4 7 4095 4096 65536 4294967295; do
    for maxcount in 28 29 32 48 4096 4294967295; do
        [ $count -gt 1 ] || [ $maxcount -eq 28 ] || continue
        copies mixed --count $count --maxcount $maxcount
    done
done
for src in empty tiny hole dense zeros; do
    copies "$src"
done
echo "$copied copies"

# Stored zeros stay stored where the policy says they are data.
copies zeros --policy exact
equal 'blocks of stored zeros' "$(stat -c %b dst)" "$(stat -c %b zeros)"

# What went over the wire: replies with their opcode, as decode sees them.
copies dense --policy single-data --count 65536
equal wire_bytes "$(field wire_bytes "$tmp/out")" \
    $((4 + 12 + 16 + 65536 + 4 + 12 + 16 + 4))
equal read_wire_bytes "$(field read_wire_bytes "$tmp/out")" \
    $((16 + 65536 + 16 + 4))
equal read_requests "$(field read_requests "$tmp/out")" 2
equal same_holes "$(field same_holes "$tmp/out")" null
copies hole
equal same_holes "$(field same_holes "$tmp/out")" true
equal data_bytes "$(field data_bytes "$tmp/out")" 0
equal map "$(field map "$tmp/out")" \
    '"................................................................"'
copies empty
equal read_wire_bytes "$(field read_wire_bytes "$tmp/out")" 16
equal map "$(field map "$tmp/out")" '""'
copies dense --maxcount 28
equal read_requests "$(field read_requests "$tmp/out")" $(((65537 + 19) / 20))

# For a person: both sums and the map; nothing of a progress bar.
expect 0 "$readplus" copy mixed dst
says "$tmp/out" '^READ_PLUS  *1 '
says "$tmp/out" '^READ  *1 .* 100000  *100016$'
says "$tmp/out" '^\[[.#+]\{64\}\]$'
[ ! -s "$tmp/err" ] || fail 'a progress bar, but not on a terminal'

# Huge and sparse takes no time.
truncate -s 5368709121 far
data far 5368709120 1
expect 0 timeout 60 "$readplus" copy far dst
equal 'size of far' "$(stat -c %s dst)" 5368709121
equal 'last byte of far' "$(tail -c 1 dst)" x
[ "$(stat -c %b dst)" -le 64 ] || fail 'the hole of 5 GiB was lost'
rm far dst
if truncate -s 8T vast 2>"$tmp/err"; then
    expect 0 timeout 60 "$readplus" copy vast dst
    equal 'size of vast' "$(stat -c %s dst)" 8796093022208
    rm vast dst
fi

# Wrong use.  DST is not touched.
echo old >dst
untouched()
{
    equal 'what DST holds' "$(cat dst)" old
    alone
}
for wrong in '--count 0' '--maxcount 27' '--maxcount 0' '--count 4294967296' \
    '--maxcount 4294967296' '--count x' '--count -1' '--policy nonsense' \
    '--policy clip,whole' '--policy scan,exact' '--policy rdma,single' \
    '--policy maxsegs=x' '--policy clip,' '--nonsense'; do
    # shellcheck disable=SC2086 # an option and its argument
    expect 2 "$readplus" copy $wrong mixed dst
    untouched
done
expect 2 "$readplus" copy
expect 2 "$readplus" copy mixed
expect 2 "$readplus" copy mixed dst dst
untouched

# A source that is none.
mkdir directory
mkfifo fifo
for src in missing directory fifo /dev/zero /dev/null; do
    expect 3 timeout 10 "$readplus" copy $src dst
    untouched
done

# A target that may not be replaced.
ln mixed same
ln -s mixed link
ln -s nowhere dangling
cp mixed kept
for dst in mixed same link directory fifo dangling /dev/null; do
    expect 2 timeout 10 "$readplus" copy mixed $dst
done
cmp mixed kept || fail 'SRC was copied onto itself'
expect 1 "$readplus" copy mixed nowhere/dst
[ -c /dev/null ] || fail '/dev/null was replaced'

# A link to the target is followed; permissions are kept, or taken from SRC.
ln -s dst pointer
chmod 604 dst
expect 0 "$readplus" copy mixed pointer
[ -L pointer ] || fail 'the link was replaced'
cmp mixed dst || fail 'through a link: bytes differ'
equal 'mode of an old file' "$(stat -c %a dst)" 604
chmod 6755 dst
expect 0 "$readplus" copy mixed dst
equal 'mode of an old set-user-ID file' "$(stat -c %a dst)" 755
rm dst
chmod 640 mixed
(umask 027 && expect 0 "$readplus" copy mixed dst)
equal 'mode of a new file' "$(stat -c %a dst)" 640

# SRC changes under way.  Each of these runs while a copy is being made.
truncate -s 64M busy
data busy 0 50331648
grow() { printf y >>busy; }
shrink() { truncate -s 67000000 busy; truncate -s 67108864 busy; }
change() { data busy 1000 1 y; }
for meddle in grow shrink change; do
    echo old >dst
    : >"$tmp/go"
    while [ -e "$tmp/go" ]; do
        $meddle
    done &
    meddler=$!
    expect 1 timeout 60 "$readplus" copy busy dst
    rm "$tmp/go"
    wait $meddler
    says "$tmp/err" 'busy: changed while it was copied'
    untouched
    truncate -s 64M busy
done
rm busy

# A signal under way leaves nothing.
truncate -s 1T slow
"$readplus" copy --policy clip --count 4096 slow dst &
pid=$!
tries=0
while ! ls dst.* >"$tmp/ls" 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 500 ] || fail 'no temporary file appears'
    sleep 0.02
done
kill $pid
got=0
wait $pid || got=$?
equal 'exit status after SIGTERM' $got 143
untouched
rm slow

# No room: the limit of a file's size, and a full disk.
expect 1 sh -c 'ulimit -f 1 && exec "$@"' sh "$readplus" copy dense dst
untouched
if [ "$(id -u)" -eq 0 ] && mkdir "$tmp/small" &&
    mount -t tmpfs -o size=32k readplus-test "$tmp/small" 2>"$tmp/err"; then
    trap 'umount "$tmp/small"; rm -rf "$tmp"' EXIT
    echo old >"$tmp/small/dst"
    expect 1 "$readplus" copy dense "$tmp/small/dst"
    says "$tmp/err" 'No space left'
    equal 'DST on a full disk' "$(cat "$tmp/small/dst")" old
    equal 'files on a full disk' "$(ls "$tmp/small")" dst
    cd "$work"
    expect 0 "$readplus" copy hole "$tmp/small/dst"
else
    echo 'no full disk: no mount allowed here'
fi
if [ -c /dev/full ]; then
    got=0
    "$readplus" copy mixed dst >/dev/full 2>"$tmp/err" || got=$?
    equal 'exit status when output is lost' $got 1
fi

# The progress bar: on a terminal only, and gone at the end.
if has_terminal; then
    truncate -s 300G slow
    script -qec "$readplus copy --policy clip slow dst >/dev/null" /dev/null \
        </dev/null >"$tmp/out" 2>&1
    says "$tmp/out" '\[#* *\] .*%'
    rm slow
fi

# The demo: every layout proven, nothing left.
mkdir demo
TMPDIR=$PWD/demo expect 0 "$readplus" demo
equal 'proven rows' "$(grep -c '\] proven$' "$tmp/out")" 7
says "$tmp/out" '^a byte at 5 GiB  *5368709121 '
says "$tmp/out" '^odd size  *1000003 '
says "$tmp/out" '^empty  *0 '
equal 'files the demo left' "$(ls demo)" ''
TMPDIR=$PWD/demo "$readplus" demo >"$tmp/out" 2>&1 &
pid=$!
sleep 0.1
kill $pid
got=0
wait $pid || got=$?
equal 'exit status of the demo after SIGTERM' $got 143
equal 'files the demo left' "$(ls demo)" ''
TMPDIR=$PWD/missing expect 1 "$readplus" demo
