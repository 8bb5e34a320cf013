#!/bin/sh
# Builds every fuzz target as OSS-Fuzz and ClusterFuzzLite ask for it, from
# $CC $CXX $CFLAGS $CXXFLAGS $LIB_FUZZING_ENGINE into $OUT (objects go to
# $WORK).  By hand, each has a default:
#
#     OUT=/tmp/fuzz sh tests/fuzz/build.sh
#         plain programs that replay files, with cc, for AFL++ and for anyone
#     OUT=/tmp/fuzz CC=clang CXX=clang++ LIB_FUZZING_ENGINE=-fsanitize=fuzzer \
#         CFLAGS='-g -O1 -fsanitize=fuzzer-no-link,address' sh tests/fuzz/build.sh
#
# A user's own decoder (tests/fuzz/decoder.h) is given as
#     DECODER='/path/mine.c /path/libmine.a -lother'

set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
OUT=${OUT:?where the targets go}
WORK=${WORK:-$OUT/work}
CC=${CC:-cc}
CXX=${CXX:-$CC}
CFLAGS=${CFLAGS--g -O1}
CXXFLAGS=${CXXFLAGS-$CFLAGS}
LIB_FUZZING_ENGINE=${LIB_FUZZING_ENGINE-}
DECODER=${DECODER-}
PKG_CONFIG=${PKG_CONFIG:-pkg-config}
RPCGEN=${RPCGEN:-rpcgen}

mkdir -p "$OUT" "$WORK"
OUT=$(cd "$OUT" && pwd)
WORK=$(cd "$WORK" && pwd)

# compile SOURCE OBJECT FLAG...
compile()
{
    source=$1 object=$2
    shift 2
    # shellcheck disable=SC2086
    $CC $CFLAGS -std=c11 -I"$top/include" -I"$top/examples/readplus" \
        -I"$WORK/gen" "$@" -c "$source" -o "$object"
}

# A library of Debian's or Ubuntu's as its archive, where there is one: the
# machine that fuzzes need not have it installed.
archive()
{
    # shellcheck disable=SC2086
    path=$($CC $CFLAGS -print-file-name="lib$1.a" 2>/dev/null)
    if [ -f "$path" ]; then echo "$path"; else echo "-l$1"; fi
}

# The core, without autotools: it needs nothing but a compiler.
library()
{
    mkdir -p "$WORK/lib"
    for source in "$top"/lib/*.c; do
        name=$(basename "$source" .c)
        [ "$name" = rpc ] || compile "$source" "$WORK/lib/$name.o"
    done
}

# Types and codec as rpcgen makes them, see xdr/local.mk; and the bridge.
bridge()
{
    gen=$WORK/gen/readplus
    rm -rf "$gen"
    mkdir -p "$gen"
    cp "$top/xdr/read_plus.x" "$top/xdr/names.h" "$gen"
    (cd "$gen" && "$RPCGEN" -h -o readplus_read_plus.h read_plus.x &&
        mv readplus_read_plus.h read_plus.h &&
        "$RPCGEN" -c -o read_plus_xdr.c read_plus.x)
    # shellcheck disable=SC2046,SC2086
    compile "$gen/read_plus_xdr.c" "$WORK/read_plus_xdr.o" -D_GNU_SOURCE -w \
        $tirpc
    # shellcheck disable=SC2086
    compile "$top/lib/rpc.c" "$WORK/rpc.o" -D_GNU_SOURCE $tirpc
}

# What this machine can build.  Uninstrumented libraries are of no use to
# MemorySanitizer.
features=mutator
tirpc=$("$PKG_CONFIG" --cflags libtirpc 2>/dev/null || :)
if [ "${SANITIZER:-}" != memory ]; then
    if command -v "$RPCGEN" >/dev/null && [ -n "$tirpc" ]; then
        features="$features rpc"
    fi
    if "$PKG_CONFIG" --exists json-c 2>/dev/null; then
        features="$features json"
    fi
fi

# The seeds are made by a program of the machine that builds.
seeds()
{
    # shellcheck disable=SC2086
    ${CC_FOR_BUILD:-$CC} -std=gnu11 -I"$top/include" -o "$WORK/seeds" \
        "$here/seeds.c" "$top/lib/base.c" &&
        "$WORK/seeds" "$top/tests/hostile.txt" "$here/finds.txt" \
            "$here/json.txt" "$WORK/corpus"
}

# What goes with a target: NAME KIND LONGEST.
beside()
{
    cp "$here/readplus.dict" "$OUT/fuzz_$1.dict"
    printf '[libfuzzer]\nmax_len = %s\n' "$3" >"$OUT/fuzz_$1.options"
    mkdir -p "$WORK/corpus/$2"
    if command -v zip >/dev/null; then
        zip -q -j -r "$OUT/fuzz_$1_seed_corpus.zip" "$WORK/corpus/$2"
    fi
}

target()
{
    name=$1
    objects="$WORK/fuzz_$name.o"
    [ -n "$LIB_FUZZING_ENGINE" ] || objects="$objects $WORK/standalone.o"
    libs='' flags=''
    for extra in $4; do
        case $extra in
        mutator)
            objects="$objects $WORK/mutator.o"
            ;;
        rpc)
            objects="$objects $WORK/rpc.o $WORK/read_plus_xdr.o"
            libs="$libs $(archive tirpc) -lpthread"
            flags=$tirpc
            ;;
        json)
            for room in hex item json_item json_spec; do
                # shellcheck disable=SC2046
                compile "$top/examples/readplus/$room.c" "$WORK/$room.o" \
                    -D_GNU_SOURCE -DFILL_MAX=65536 \
                    $("$PKG_CONFIG" --cflags json-c)
                objects="$objects $WORK/$room.o"
            done
            libs="$libs $(archive json-c)"
            ;;
        decoder)
            objects="$objects ${DECODER:-$WORK/decoder_rpcgen.o}"
            ;;
        esac
    done
    # shellcheck disable=SC2086
    compile "$here/fuzz_$name.c" "$WORK/fuzz_$name.o" -D_GNU_SOURCE $flags
    # shellcheck disable=SC2086
    $CXX $CXXFLAGS -o "$OUT/fuzz_$name" $objects "$WORK"/lib/*.o $libs \
        $LIB_FUZZING_ENGINE
}

# can EXTRA...: whether all of it is there.
can()
{
    for extra; do
        [ "$extra" != decoder ] || continue
        case " $features " in
        *" $extra "*) ;;
        *) return 1 ;;
        esac
    done
}

library
compile "$here/mutator.c" "$WORK/mutator.o" -D_GNU_SOURCE
compile "$here/standalone.c" "$WORK/standalone.o" -D_GNU_SOURCE
if can rpc; then
    bridge
fi
seeds
grep -v '^#' "$here/targets" | while read -r name kind longest extras; do
    # shellcheck disable=SC2086
    if ! can $extras; then
        echo "build.sh: fuzz_$name left out, it needs: $extras"
        continue
    fi
    target "$name" "$kind" "$longest" "$extras"
    beside "$name" "$kind" "$longest"
done
