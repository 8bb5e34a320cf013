#!/bin/sh
# README.md shows the two first examples as they are, and they do what it says:
# a sparse file goes from one to the other and arrives whole.  Its table is what
# `./bootstrap run` prints.  readplus(1) leaves out no command.
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
# The table is what the program prints, all but the odd file, whose shape the
# file system's block size decides.
if [ -x "$top_builddir/examples/readplus/readplus" ]; then
    "$top_builddir/examples/readplus/readplus" demo >"$tmp/demo" ||
        fail 'demo failed'
    sed -n '/^layout  /,/^+ both/p' "$top_srcdir/README.md" >"$tmp/table"
    for table in demo table; do
        sed '/^odd size/,/ proven$/d' "$tmp/$table" >"$tmp/$table.even"
    done
    same 'the table in README.md' "$tmp/table.even" "$tmp/demo.even"

    # The manual has a section for each command there is.
    "$top_builddir/examples/readplus/readplus" --help |
        sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' >"$tmp/commands"
    [ "$(wc -l <"$tmp/commands")" -ge 7 ] || fail 'readplus --help lists too few'
    while read -r command; do
        grep -qx ".SS $command" "$top_srcdir/examples/readplus/readplus.1" ||
            fail "readplus.1 does not describe $command"
    done <"$tmp/commands"
fi
echo 'what README.md shows is compiled, run, and quoted as it is'
