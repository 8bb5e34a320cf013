#!/bin/sh
# README.md shows the two first examples as they are, and they do what it says:
# a sparse file goes from one to the other and arrives whole.
. "${top_srcdir:?}/tests/lib.sh"

# shown NAME FILE: the part of an example that the README shows.
shown() { sed -n "/^\/\* README: $1 \*\/\$/,/^\/\* README: end \*\/\$/p" "$2" | sed '1d;$d'; }

# quoted N: the Nth C block of the README.
quoted()
{
    awk -v want="$1" '/^```/ { on = ($0 == "```c" && ++n == want); next } on' \
        "$top_srcdir/README.md"
}

shown server "$top_srcdir/examples/01-server.c" >"$tmp/server"
shown client "$top_srcdir/examples/02-client.c" >"$tmp/client"
[ -s "$tmp/server" ] || fail 'no server is marked to be shown'
[ -s "$tmp/client" ] || fail 'no client is marked to be shown'
quoted 1 >"$tmp/server.quoted"
quoted 2 >"$tmp/client.quoted"
same 'the server in README.md' "$tmp/server" "$tmp/server.quoted"
same 'the client in README.md' "$tmp/client" "$tmp/client.quoted"

printf 'begin' >"$tmp/src"
truncate -s 3000001 "$tmp/src"
printf 'the end' >>"$tmp/src"
mkfifo "$tmp/calls" "$tmp/replies"
"$top_builddir/examples/01-server" "$tmp/src" <"$tmp/calls" >"$tmp/replies" &
server=$!
"$top_builddir/examples/02-client" "$tmp/dst" >"$tmp/calls" <"$tmp/replies" ||
    fail 'the client failed'
wait $server || fail 'the server failed'
same 'the file' "$tmp/src" "$tmp/dst"
echo 'the examples of README.md are compiled, run, and quoted as they are'
