#!/bin/sh
# The seeds of every fuzz target, past finds among them, replayed; and some
# inputs made of them by the targets' own mutator.  It needs no fuzzer, so it
# runs wherever the library does.

. "${top_srcdir:?}/tests/lib.sh"

here=$top_srcdir/tests/fuzz
programs=$top_builddir/tests/fuzz

"$programs/seeds" "$top_srcdir/tests/hostile.txt" "$here/finds.txt" \
    "$here/json.txt" "$tmp/corpus"

grep -v '^#' "$here/targets" >"$tmp/targets"
run=0
while read -r name kind _; do
    [ -x "$programs/fuzz_$name" ] || continue
    "$programs/fuzz_$name" -runs=2000 "$tmp/corpus/$kind" </dev/null
    run=$((run + 1))
done <"$tmp/targets"
[ "$run" -gt 0 ] || fail "no target was built"
