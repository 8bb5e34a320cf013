#!/bin/sh
# nfs42d's command line: what is wrong is said, and nothing is served; what is
# right is; and what the log says of it.
. "${top_srcdir:?}/tests/lib.sh"

nfs42d=$top_builddir/examples/nfs42/nfs42d
nfs42cp=$top_builddir/examples/nfs42/nfs42cp
mkdir "$tmp/export"
chmod 755 "$tmp" "$tmp/export"
head -c 5000 /dev/zero | tr '\0' x >"$tmp/export/file"
truncate -s 100000 "$tmp/export/file"

# refused STATUS WORD ARGUMENT...
refused()
{
    want=$1 word=$2
    shift 2
    got=0
    timeout 10 "$nfs42d" "$@" >"$tmp/out" 2>"$tmp/said" || got=$?
    [ "$got" -eq "$want" ] || fail "status $got, not $want: nfs42d $*"
    grep -q -e "$word" "$tmp/said" || fail "nfs42d $*: $(cat "$tmp/said")"
}

set -- --export "$tmp/export" --port 0
refused 2 '--export'
refused 2 '--port' "$@" --port 65536
refused 2 '--max-read' "$@" --max-read 100
refused 2 '--read-plus' "$@" --read-plus maybe
refused 2 'no word' "$@" --preset none
refused 2 'two presets' "$@" --preset rdma --policy single
refused 2 'minhole' "$@" --minhole -1
refused 1 'No such file' --export "$tmp/none" --port 0
refused 1 'Not a directory' --export "$tmp/export/file" --port 0
refused 1 'would be exported' "$@" --key "$tmp/export/key"
refused 1 '--listen' "$@" --key "$tmp/key" --listen nowhere.invalid
printf 'short' >"$tmp/short"
refused 1 'short' "$@" --key "$tmp/short"
[ ! -e "$tmp/export/key" ] || fail 'a key was written into the export'
[ "$(stat -c '%a %s' "$tmp/key")" = '600 16' ] || fail 'the key is not secret'
"$nfs42d" --help | grep -q -e '--json-log' || fail 'no help'

"$nfs42d" "$@" --key "$tmp/key" --preset linux-client --minhole 8192 \
    --json-log "$tmp/log" >"$tmp/out" 2>"$tmp/said" &
server=$!
trap 'kill "$server" 2>/dev/null || :; rm -rf "$tmp"' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ ! -s "$tmp/out" ] || break
    sleep 0.2
done
grep -q '^nfs42d: 127\.0\.0\.1:[0-9]*$' "$tmp/out" || fail "said: $(cat "$tmp/out")"
"$nfs42cp" --read-plus --port "$(sed 's/.*://' "$tmp/out")" \
    127.0.0.1:/file "$tmp/copy" >"$tmp/copied" 2>&1 || fail "$(cat "$tmp/copied")"
cmp "$tmp/export/file" "$tmp/copy"
grep '"READ_PLUS","status":0' "$tmp/log" >"$tmp/lines" || fail 'nothing logged'
grep -q '"data":1,"holes":1' "$tmp/lines" || fail "$(cat "$tmp/lines")"
kill "$server"
wait "$server" || fail "it ended with status $?"
[ ! -s "$tmp/said" ] || fail "it complained: $(cat "$tmp/said")"
