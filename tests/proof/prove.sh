#!/bin/sh
# Proves the functions that tests/proof/functions names, in the sources as they
# are, on three machines (64 and 32 bits, and big-endian): no run-time error,
# and each does what its ACSL contract says.  A goal that no prover proves, an
# admitted one, a contract that contradicts itself (smoke tests) and a run-time
# error that Frama-C calls certain fail it.
#     FILES='lib/size.c' MACHINES='gcc_x86_64' ... make prove
# narrows it; SMOKE=no or yes says for all whether there are smoke tests, CACHE
# names a folder that
# keeps what the provers found.
. "${top_srcdir:?}/tests/lib.sh"
need frama-c why3 cvc4 z3

functions=$top_srcdir/tests/proof/functions
FILES=${FILES:-$(sed -n 's/^\(lib[^ ]*\) .*/\1/p' "$functions" | uniq)}
MACHINES=${MACHINES:-gcc_x86_64 gcc_x86_32 ppc_32}
CACHE=${CACHE:-$tmp/cache}
mkdir -p "$CACHE"
HOME=$tmp why3 config detect >"$tmp/why3" 2>&1 || fail "$(cat "$tmp/why3")"

# prove FILE MACHINE: "N / N" goals were proved, and nothing else is wrong.
prove()
{
    names=$(sed -n "s|^$1 ||p" "$functions" | tr '\n ' ',,' | sed 's/,$//')
    smoke=
    # They take too long where there are hundreds of goals.
    case ${SMOKE:-}:$2:$1 in
    :gcc_x86_64:lib/size.c | :gcc_x86_64:lib/segment.c | \
        :gcc_x86_64:lib/encode.c | yes:*)
        smoke=-wp-smoke-tests ;;
    esac
    (cd "$top_srcdir" && HOME=$tmp frama-c -c11 \
        -cpp-extra-args='-Iinclude -Ilib' -machdep "$2" "$1" \
        -wp -wp-rte -wp-model typed+cast -wp-split -wp-fct "$names" $smoke \
        -wp-smoke-timeout 1 -wp-prover cvc4,z3-ce,z3 \
        -wp-timeout "${TIMEOUT:-30}" -wp-par 2 -wp-cache update -wp-cache-dir "$CACHE") \
        >"$tmp/log" 2>&1 || { tail -n 20 "$tmp/log" >&2; fail "$1 on $2"; }
    goals=$(sed -n 's/^\[wp\] Proved goals: *//p' "$tmp/log")
    total=${goals#* / }
    # shellcheck disable=SC2015
    [ -n "$goals" ] && [ "${goals% / *}" = "$total" ] &&
        ! grep -qiE 'guaranteed RTE|Doomed|\] Failed|admit|annot-error' \
            "$tmp/log" || {
        grep -vE 'annotating|Valid|Passed|__builtin|from the proto' \
            "$tmp/log" >&2
        fail "$1 on $2: not proved"
    }
    printf '%-16s %-12s %s goals%s\n' "$1" "$2" "$goals" \
        "${smoke:+, smoke tests among them}"
}

for file in $FILES; do
    for machine in $MACHINES; do
        prove "$file" "$machine"
    done
done
