#!/bin/sh
# The seeds of every fuzz target, past finds among them, replayed; and some
# inputs made of them by the targets' own mutator.  It needs no fuzzer, so it
# runs wherever the library does.  FUZZ_RUNNER: what runs programs of another
# machine (tests/cross.sh).

. "${top_srcdir:?}/tests/lib.sh"

here=$top_srcdir/tests/fuzz
programs=$top_builddir/tests/fuzz

# run PROGRAM ARGUMENT...
run()
{
    program=$programs/$1
    shift
    ${FUZZ_RUNNER:-} "$program" "$@" </dev/null
}

readplus=$top_builddir/examples/readplus/readplus
vectors=
if [ -z "${FUZZ_RUNNER:-}" ] && [ -x "$readplus" ]; then
    vectors=$tmp/vectors
    "$readplus" vectors corpus -d "$top_srcdir/tests/vectors" "$vectors"
fi
run seeds "$top_srcdir/tests/hostile.txt" "$here/finds.txt" \
    "$here/json.txt" "$tmp/corpus" ${vectors:+"$vectors"}

grep -v '^#' "$here/targets" >"$tmp/targets"
ran=0
while read -r name kind _; do
    [ -x "$programs/fuzz_$name" ] || continue
    run "fuzz_$name" -runs=2000 "$tmp/corpus/$kind"
    ran=$((ran + 1))
done <"$tmp/targets"
[ "$ran" -gt 0 ] || fail "no target was built"
