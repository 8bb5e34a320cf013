#!/bin/sh
# The test programs, and those of the readplus program, on two other machines:
# s390x, which is big-endian (run by qemu), and i386, where size_t and long
# have 32 bits.  The same golden bytes on both.  Run by `make check-cross`; the
# libraries of those machines are in cross/ of the build folder, or in
# $CROSS_ROOTS, where tests/cross/fetch.sh puts them.  CROSS_ARCHS names one of
# the two.
. "${top_srcdir:?}/tests/lib.sh"

# What the Makefile says of this machine.
unset CC CFLAGS LDFLAGS NM PKG_CONFIG TIRPC_CFLAGS TIRPC_LIBS

roots=${CROSS_ROOTS:-$top_builddir/cross}

[ ! -f "$top_srcdir/config.status" ] || skip 'the source folder is configured'

# configured ARCH HOST TRIPLET LOADER: in cross/build-ARCH.  All libraries are
# static, libc apart, which tests interpose on; its loader is asked for by the
# place where Debian's cross compilers have it, so that nothing is installed.
configured()
{
    libc=/usr/$2/lib
    root=$roots/$1
    libs=$root/usr/lib/$3
    [ -f "$root/complete" ] ||
        skip "no $1 libraries: tests/cross/fetch.sh $roots"
    build=$top_builddir/cross/build-$1
    mkdir -p "$build"
    cd "$build"
    [ -f Makefile ] || "$top_srcdir/configure" -q --host="$2" --build=x86_64 \
        --disable-shared --without-pcap --without-nfs42 \
        CFLAGS='-g -O2' \
        LDFLAGS="-Wl,--dynamic-linker=$libc/$4 -Wl,-rpath,$libc" \
        CHECK_CFLAGS="-isystem $root/usr/include \
                      -isystem $root/usr/include/$3" \
        CHECK_LIBS="$libs/libcheck.a $libs/libsubunit.a -lm" \
        TIRPC_CFLAGS="-isystem $root/usr/include/tirpc" \
        TIRPC_LIBS="$libs/libtirpc.a" \
        JSON_C_CFLAGS="-isystem $root/usr/include/json-c" \
        JSON_C_LIBS="$libs/libjson-c.a"
}

# emulated RUNNER: the shell tests find a readplus that runs.
emulated()
{
    program=$build/examples/readplus/readplus
    [ "$(head -c 2 "$program")" = '#!' ] || mv "$program" "$program.real"
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$1" "$program.real" >"$program"
    chmod +x "$program"
}

# check ARCH HOST TRIPLET LOADER [RUNNER]
check()
{
    need "$2-gcc" ${5:+"$5"}
    configured "$1" "$2" "$3" "$4"
    # No warning in what is installed; tests may be less tidy about size_t.
    "${MAKE:-make}" -s CFLAGS='-g -O2 -Werror' >make.log 2>&1 ||
        { cat make.log; fail "$1 does not build"; }
    [ -z "${5:-}" ] || emulated "$5"
    [ -z "${5:-}" ] || export READPLUS_SLOW=1
    # shellcheck disable=SC2016 # for make to expand
    FUZZ_RUNNER=${5:-} "${MAKE:-make}" -s check LOG_COMPILER="${5:-}" \
        TESTS='$(checks) $(rpc_checks) $(program_shell_tests) $(fuzz_tests)' \
        VERBOSE=1 >check.log 2>&1 || { cat check.log; fail "$1"; }
    cat tests/*.log | awk -v arch="$1" '/^[0-9]+%: Checks:/ {
        programs++; checks += $3 } END {
        print arch ": " checks " checks in " programs " programs" }'
}

for arch in ${CROSS_ARCHS:-i386 s390x}; do
    case $arch in
    i386) check i386 i686-linux-gnu i386-linux-gnu ld-linux.so.2 ;;
    s390x) check s390x s390x-linux-gnu s390x-linux-gnu ld64.so.1 \
        qemu-s390x-static ;;
    *) fail "CROSS_ARCHS: $arch is neither i386 nor s390x" ;;
    esac
done
