#!/bin/sh
# How many instructions fixed encode and decode runs take (instructions.c),
# against those kept in instructions.txt: a run that takes over 2 % (and two
# instructions) more fails.  The counts are one compiler's on one machine;
# with another this is skipped.  They do not depend on the machine's load.
#
#     make check-instructions           compare
#     make update-instructions          keep what is counted now
. "${top_srcdir:?}/tests/lib.sh"

kept=$top_srcdir/tests/bench/instructions.txt
need gcc valgrind
compiler="gcc $(gcc -dumpfullversion) $(gcc -dumpmachine)"
if [ "${1:-}" != update-instructions ] && ! grep -qxF "# $compiler" "$kept"; then
    skip "the counts are not $compiler's"
fi

# The codec's own sources, compiled here, whatever configure was told.
update=${1:-}
set --
for room in base segment args encode decode decode_res scatter stream size; do
    set -- "$@" "$top_srcdir/lib/$room.c"
done
gcc -std=c11 -O2 -g -I"$top_srcdir/include" -I"$top_srcdir/lib" \
    "$top_srcdir/tests/bench/instructions.c" "$@" -o "$tmp/instructions"

"$tmp/instructions" >"$tmp/runs"
while read -r run; do
    valgrind --tool=callgrind --callgrind-out-file="$tmp/out" \
        --toggle-collect=measured "$tmp/instructions" "$run" \
        >"$tmp/valgrind" 2>&1 || fail "$run: $(tail -n 5 "$tmp/valgrind")"
    echo "$run $(sed -n 's/^\(summary\|totals\): //p' "$tmp/out" | sed 1q)"
done <"$tmp/runs" >"$tmp/counts"

if [ "$update" = update-instructions ]; then
    { echo "# $compiler" && cat "$tmp/counts"; } >"$kept"
    cat "$kept"
    exit
fi

# Kept: name, count.  Now: the same.
awk '
FNR == NR { if ($1 != "#") kept[$1] = $2; next }
{
    limit = kept[$1] * 1.02 + 2
    verdict = !($1 in kept) ? "NOT KEPT" : $2 > limit ? "MORE" : \
        $2 < kept[$1] * 0.98 - 2 ? "less: make update-instructions" : "ok"
    printf "%-22s %8d  kept %8d  %s\n", $1, $2, kept[$1], verdict
    bad += verdict == "NOT KEPT" || verdict == "MORE"
    seen[$1] = 1
}
END {
    for (name in kept)
        if (!(name in seen)) { print name " was not run"; bad++ }
    exit bad > 0
}' "$kept" "$tmp/counts" || fail 'more instructions than before'
