#!/bin/sh
# tests/README says which test keeps which promise: what it names is there and
# is run, each Law has a row, and no Law is missing.

. "${top_srcdir:?}/tests/lib.sh"

readme=$top_srcdir/tests/README

grep -oE 'tests/[A-Za-z0-9_/.-]+\.(c|sh|md)|tests/[a-z]+/README' "$readme" |
    sort -u >"$tmp/named"
[ "$(wc -l <"$tmp/named")" -gt 30 ] || fail 'tests/README names hardly a test'
while read -r name; do
    [ -f "$top_srcdir/$name" ] || fail "tests/README: there is no $name"
    case $name in
    tests/check_*.c) line=${name%.c} ;;
    tests/*/*) continue ;; # a make target of its own
    *) line=$name ;;
    esac
    grep -qE "(checks|tests) \+= $line\$" "$top_srcdir/tests/local.mk" \
        "$top_srcdir/tests/vectors/local.mk" \
        "$top_srcdir/tests/nfs42d.mk" || fail "$name is not run"
done <"$tmp/named"

# The Laws are numbered; each has a row here, with a test below it.
grep -oE '^[0-9]+\.' "$top_srcdir/HACKING.md" >"$tmp/laws"
sed -n '/^The Laws/,$p' "$readme" | grep -oE '^[0-9]+\.' >"$tmp/rows"
same 'the Laws of HACKING.md have rows in tests/README' "$tmp/laws" "$tmp/rows"
sed -n '/^The Laws/,$p' "$readme" | awk '
    /^[0-9]+\./ { if (law && !tests) print law; law = $1; tests = 0 }
    /tests\// { tests++ }
    END { if (!tests) print law }' >"$tmp/bare"
[ ! -s "$tmp/bare" ] || fail "Law $(cat "$tmp/bare") has no test"
