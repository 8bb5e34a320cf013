#!/bin/sh
# "Put READ_PLUS into your server" shows lines of nfs42d: each must still be
# there, whatever its indentation and wherever it is broken.
. "${top_srcdir:?}/tests/lib.sh"

page=$top_srcdir/examples/nfs42/README.md

# Without white space and comments, the whole server is one line.
squeeze() { sed 's,/\*[^*]*\*/,,g' | tr -d ' \t\n'; }
cat "$top_srcdir"/examples/nfs42/*.[ch] | squeeze >"$tmp/server"

awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 }
    inside && !/^ *\.\.\.$/' "$page" >"$tmp/shown"
[ "$(wc -l <"$tmp/shown")" -ge 30 ] || fail 'the page shows next to nothing'

# Statements, since lines are broken elsewhere there.
squeeze <"$tmp/shown" | tr ';' '\n' | tr '{' '\n' >"$tmp/statements"
while read -r statement; do
    grep -qF "$statement" "$tmp/server" ||
        fail "the page shows what is not there: $statement"
done <"$tmp/statements"
echo "$(wc -l <"$tmp/statements") statements are as shown"
