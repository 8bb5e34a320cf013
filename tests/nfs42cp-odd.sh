#!/bin/sh
# nfs42cp against a server that is odd in each of many ways: READ_PLUS that
# cannot be believed ends in READ and a correct copy, or in none; what is only
# unusual is borne.
. "${top_srcdir:?}/tests/lib.sh"
. "$top_srcdir/tests/program.sh"
. "$top_srcdir/tests/nfs42cp-lib.sh"
trap 'end_all; rm -rf "$tmp"' EXIT

odd=$top_builddir/tests/nfs42_odd
cd "$tmp"

# 6 MiB in pieces of every kind.
truncate -s 6M file
data file 0 1200000
data file 1500000 4097
data file 2000000 2000000
data file 4300800 4096
data file 5242880 1000000

# serve WAY [PORT]: $port is where.
serve()
{
    : >by
    "$odd" "$1" file ${2:+"$2"} >by &
    server=$!
    started="$started $server"
    wait_for 'the server' grep -q . by
    port=$(head -n 1 by)
}

stop()
{
    kill $server
    wait $server || true
}

# run STATUS OPTION...: a copy to dst.
run()
{
    rm -f dst
    status=$1
    shift
    expect "$status" timeout 60 "$nfs42cp" --port "$port" --json --size 300K \
        "$@" 127.0.0.1:/file dst
    if [ "$status" -eq 0 ]; then
        same_file file dst
        alone dst
    else
        [ ! -e dst ] || fail "$*: there is a copy all the same"
    fi
}

# Not a fault: READ_PLUS stays in use.
for way in good clip short crumbs fragments backwards half-eof delay grace; do
    serve $way
    run 0
    equal "READs of $way" "$(field read_requests out)" 0
    run 0 --read-plus --jobs 1
    run 0 --jobs 64
    equal "sessions of $way" "$(field sessions out)" 1
    stop
done

# A new session mends it.
for way in badsession hang-up xid slot; do
    serve $way
    run 0
    equal "READs of $way" "$(field read_requests out)" 0
    [ "$(field sessions out)" -gt 1 ] || fail "$way: one session was enough"
    stop
done

# READ decides.
for way in nothing end empty early late gap overlap order arm boolean \
    pad trailing fragments-rest cut huge many wrap beyond notsupp illegal \
    toobig; do
    serve $way
    run 0
    [ "$(field read_requests out)" -gt 0 ] || fail "$way: READ was not used"
    run 0 --verify --jobs 1
    run 1 --read-plus
    says err 'READ_PLUS: '
    rm -f .dst.nfs42cp
    stop
done

# It is not to be helped.
serve io
run 1
says err 'NFS4ERR_IO'
[ -e .dst.nfs42cp ] || fail 'nothing is kept of what was there'
stop
serve good "$port"
run 0
[ "$(field resumed out)" -gt 0 ] || fail 'what was there is not used'
stop
serve mute
run 1 --timeout 2
says err 'no answer'
rm -f .dst.nfs42cp
stop

# What the server reports: the file as its file system has it.
serve good
expect 0 timeout 60 "$nfs42cp" --port "$port" --extents 127.0.0.1:/file
says out '^data  *0  *1200128$'
says out '^hole .*'
says out '^[0-9]* extents: '
expect 0 timeout 60 "$nfs42cp" --port "$port" --extents --json --size 100K \
    127.0.0.1:/file
says out '^{"source":"127.0.0.1:/file","size":6291456,"extents":\['
says out '\[{"content":"data","offset":0,"length":1200128},{"content":"hole",'
stop
for way in gap notsupp nothing; do
    serve $way
    expect 1 timeout 60 "$nfs42cp" --port "$port" --extents --size 100K \
        127.0.0.1:/file
    says err 'no extents: '
    stop
done

# Every way that there is was tried.
"$odd" --list >ways
while read -r way; do
    grep -q "\\b$way\\b" "$top_srcdir/tests/nfs42cp-odd.sh" ||
        fail "nothing is said here of $way"
done <ways
echo 'every copy is right, or none was made'
