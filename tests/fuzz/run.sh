#!/bin/sh
# `make fuzz` and `make fuzz-long DURATION=seconds`: builds the targets with
# clang, libFuzzer, ASan and UBSan in build/fuzz and runs each for its share of
# DURATION seconds (those named in TARGETS only, if set).  What it learnt stays
# in build/fuzz/corpus for the next run.  The lines it prints at the end are
# those of tests/fuzz/LOG; the first finding ends it, minimised, as a line for
# tests/fuzz/finds.txt.
#
#     FUZZ_CC FUZZ_CXX    clang, clang++
#     SANITIZERS          address,undefined; memory, for the targets that need
#                         no library but this; none, for speed

set -eu

top_srcdir=${top_srcdir:?}
top_builddir=${top_builddir:?}
DURATION=${DURATION:-60}
SANITIZERS=${SANITIZERS:-address,undefined}
here=$top_srcdir/tests/fuzz
fuzz=$top_builddir/fuzz

CC=${FUZZ_CC:-clang}
CXX=${FUZZ_CXX:-clang++}
command -v "$CXX" >/dev/null || {
    echo "run.sh: no $CXX (Debian: clang libclang-rt-14-dev); or FUZZ_CXX=" >&2
    exit 1
}
CFLAGS="-g -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link"
if [ "$SANITIZERS" = none ]; then
    CFLAGS="$CFLAGS -O2"
else
    CFLAGS="$CFLAGS,$SANITIZERS -fno-sanitize-recover=all"
fi
CXXFLAGS=$CFLAGS
LIB_FUZZING_ENGINE=-fsanitize=fuzzer
OUT=$fuzz/out-$SANITIZERS
WORK=$fuzz/work-$SANITIZERS
SANITIZER=$SANITIZERS # build.sh knows it by ClusterFuzzLite's name
export CC CXX CFLAGS CXXFLAGS LIB_FUZZING_ENGINE OUT WORK SANITIZER

# The golden vectors are seeds too, once there is a program that writes them.
mkdir -p "$fuzz"
readplus=$top_builddir/examples/readplus/readplus
if [ -x "$readplus" ]; then
    VECTORS=$fuzz/vectors
    export VECTORS
    rm -rf "$VECTORS"
    "$readplus" vectors corpus -d "$top_srcdir/tests/vectors" "$VECTORS" \
        >/dev/null
fi
sh "$here/build.sh"

# chosen: lines of `targets` that were built and are asked for.
chosen()
{
    grep -v '^#' "$here/targets" | while read -r name kind longest _; do
        case " ${TARGETS:-$name} " in
        *" $name "*) ;;
        *) continue ;;
        esac
        [ ! -x "$OUT/fuzz_$name" ] || echo "$name $kind $longest"
    done
}

# found NAME FILE: the input as small as it gets, as a line of finds.txt.
found()
{
    small=$fuzz/minimised-$1
    cp "$2" "$small"
    "$OUT/fuzz_$1" -minimize_crash=1 -max_total_time=30 \
        -exact_artifact_path="$small" "$2" >"$fuzz/minimise.log" 2>&1 || :
    echo "run.sh: fuzz_$1 found something; for tests/fuzz/finds.txt:" >&2
    echo "KIND ID $(od -An -v -tx1 "$small" | tr -d ' \n')" >&2
}

count=$(chosen | wc -l)
share=$((DURATION / count))
[ "$share" -gt 0 ] || share=1
commit=$(git -C "$top_srcdir" describe --always --dirty 2>/dev/null || echo -)
report=$fuzz/report
: >"$report"

chosen >"$fuzz/chosen"
while read -r name kind longest; do
    corpus=$fuzz/corpus/$name
    mkdir -p "$corpus"
    rm -f "$fuzz"/crash-* "$fuzz"/oom-* "$fuzz"/timeout-* "$fuzz"/leak-*
    status=0
    "$OUT/fuzz_$name" -dict="$here/readplus.dict" -max_len="$longest" \
        -max_total_time="$share" -timeout=20 -print_final_stats=1 \
        -verbosity=0 -artifact_prefix="$fuzz/" "$corpus" \
        "$WORK/corpus/$kind" </dev/null >"$fuzz/$name.log" 2>&1 || status=$?
    if [ "$status" -ne 0 ]; then
        grep -v '^stat' "$fuzz/$name.log" | tail -n 60 >&2
        for file in "$fuzz"/crash-* "$fuzz"/oom-* "$fuzz"/timeout-* \
            "$fuzz"/leak-*; do
            [ ! -f "$file" ] || found "$name" "$file"
        done
        exit 1
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$fuzz/$name.log")
    hash=$(cat "$corpus"/* 2>/dev/null | sha256sum | cut -c1-12)
    printf '%s  %-8s %12s  %-18s  %s  %s\n' "$(date -u +%F)" "$name" "$runs" \
        "$SANITIZERS" "$commit" "$hash" | tee -a "$report"
done <"$fuzz/chosen"
awk '{ n += $3 } END { print n, "executions, nothing found" }' "$report"
