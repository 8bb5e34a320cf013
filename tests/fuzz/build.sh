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
# VECTORS is a folder that `readplus vectors corpus` wrote: more seeds.
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

# carry PROGRAM: the shared libraries of Debian's or Ubuntu's that a target
# needs, beside it: the machine that fuzzes may not have them.  (Archives would
# not do: ASan wraps XDR functions, and finds what it wraps in shared ones only.)
carry()
{
    ldd "$1" 2>/dev/null | while read -r _ _ path _; do
        case $path in
        "$OUT"/lib/*) ;;
        */libtirpc.* | */libjson-c.* | */libgssapi* | */libkrb5* | \
            */libk5crypto* | */libcom_err* | */libkeyutils*)
            mkdir -p "$OUT/lib"
            cp -u "$path" "$OUT/lib"
            ;;
        esac
    done
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
features='mutator hex'
tirpc=$("$PKG_CONFIG" --cflags libtirpc 2>/dev/null || :)
if [ "${SANITIZER:-}" != memory ]; then
    if command -v "$RPCGEN" >/dev/null && [ -n "$tirpc" ]; then
        features="$features rpc decoder"
    fi
    if "$PKG_CONFIG" --exists json-c 2>/dev/null; then
        features="$features json"
        case $features in *' rpc '*) features="$features nfs42" ;; esac
    fi
fi
[ -z "$DECODER" ] || features="$features decoder"

# The seeds are made by a program of the machine that builds.
seeds()
{
    # shellcheck disable=SC2086
    ${CC_FOR_BUILD:-$CC} -std=gnu11 -I"$top/include" -o "$WORK/seeds" \
        "$here/seeds.c" "$top/lib/base.c" &&
        "$WORK/seeds" "$top/tests/hostile.txt" "$here/finds.txt" \
            "$here/json.txt" "$WORK/corpus" ${VECTORS:+"$VECTORS"}
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

# program_room NAME FLAG...: a source of the readplus program.
program_room()
{
    room=$1
    shift
    compile "$top/examples/readplus/$room.c" "$WORK/$room.o" -D_GNU_SOURCE \
        -DFILL_MAX=65536 "$@"
    objects="$objects $WORK/$room.o"
}

bridge_objects()
{
    objects="$objects $WORK/rpc.o $WORK/read_plus_xdr.o"
    libs="$libs -ltirpc"
    flags="$flags $tirpc"
}

# The user's, C sources compiled as ours are, or the example.
own_decoder()
{
    if [ -z "$DECODER" ]; then
        bridge_objects
        # shellcheck disable=SC2086
        compile "$here/decoder_rpcgen.c" "$WORK/decoder_rpcgen.o" \
            -D_GNU_SOURCE $tirpc
        objects="$objects $WORK/decoder_rpcgen.o"
        return
    fi
    for part in $DECODER; do
        case $part in
        *.c)
            # shellcheck disable=SC2086
            $CC $CFLAGS -I"$here" ${DECODER_CFLAGS-} -c "$part" \
                -o "$WORK/user_$(basename "$part" .c).o"
            objects="$objects $WORK/user_$(basename "$part" .c).o"
            ;;
        *)
            libs="$libs $part"
            ;;
        esac
    done
}

# nfs42d without its sockets, and the types it speaks.
server()
{
    gen=$WORK/gen/nfs42
    flags="$flags $tirpc $("$PKG_CONFIG" --cflags json-c)"
    flags="$flags -I$top/examples/nfs42"
    libs="$libs -ltirpc -ljson-c"
    rm -rf "$gen"
    mkdir -p "$gen" "$WORK/nfs42"
    cp "$top/xdr/nfs42.x" "$gen"
    (cd "$gen" && "$RPCGEN" -h -o nfs42_types.h nfs42.x &&
        mv nfs42_types.h nfs42.h && "$RPCGEN" -c -o nfs42_xdr.c nfs42.x)
    # shellcheck disable=SC2086
    compile "$gen/nfs42_xdr.c" "$WORK/nfs42/xdr.o" -D_GNU_SOURCE -w $flags
    objects="$objects $WORK/nfs42/xdr.o"
    # shellcheck disable=SC2013 # names without spaces
    for path in $(sed -n 's/^nfs42d_core += \(.*\.c\)$/\1/p' \
        "$top/examples/nfs42/local.mk"); do
        room=$(basename "$path" .c)
        # shellcheck disable=SC2086
        compile "$top/$path" "$WORK/nfs42/$room.o" -D_GNU_SOURCE $flags
        objects="$objects $WORK/nfs42/$room.o"
    done
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
            bridge_objects
            ;;
        hex)
            program_room hex
            ;;
        nfs42)
            server
            ;;
        json)
            for room in hex item json_item json_spec; do
                # shellcheck disable=SC2046
                program_room "$room" $("$PKG_CONFIG" --cflags json-c)
            done
            libs="$libs -ljson-c"
            ;;
        decoder)
            own_decoder
            ;;
        esac
    done
    # shellcheck disable=SC2086
    compile "$here/fuzz_$name.c" "$WORK/fuzz_$name.o" -D_GNU_SOURCE $flags
    # shellcheck disable=SC2086
    $CXX $CXXFLAGS -o "$OUT/fuzz_$name" $objects "$WORK"/lib/*.o $libs \
        $LIB_FUZZING_ENGINE -Wl,--disable-new-dtags,-rpath,"\$ORIGIN/lib"
    carry "$OUT/fuzz_$name"
}

# can EXTRA...: whether all of it is there.
can()
{
    for extra; do
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
