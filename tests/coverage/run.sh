#!/bin/sh
# `make coverage`: lines, branches and MC/DC that the tests reach.  Builds in
# coverage/ of the build folder with clang, runs every check_<module> program,
# and fails below 100 % of lib/ and the headers, less what `unreachable` beside
# this file argues; then the shell tests for the figure of examples/, which
# decides nothing.  COVERAGE_LLVM (19): which clang and llvm, at least 18.

set -eu

top_srcdir=${top_srcdir:?}
top_builddir=${top_builddir:?}
make=${MAKE:-make}
llvm=${COVERAGE_LLVM:-19}
here=$top_srcdir/tests/coverage
build=$top_builddir/coverage

for tool in "clang-$llvm" "llvm-profdata-$llvm" "llvm-cov-$llvm" python3; do
    command -v "$tool" >/dev/null || {
        echo "run.sh: no $tool (Debian: clang-$llvm libclang-rt-$llvm-dev" \
            "llvm-$llvm python3); or COVERAGE_LLVM=" >&2
        exit 1
    }
done
[ ! -f "$top_srcdir/config.status" ] || {
    echo 'run.sh: the source folder is configured; make distclean' >&2
    exit 1
}

# What the Makefile says of its own build.
unset CC CFLAGS LDFLAGS NM PKG_CONFIG TIRPC_CFLAGS TIRPC_LIBS
flags='-g -O1 -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc'
flags="$flags -fprofile-update=atomic"

mkdir -p "$build"
cd "$build"
[ -f Makefile ] || "$top_srcdir/configure" -q --disable-static \
    CC="clang-$llvm" CFLAGS="$flags"
"$make" -s check TESTS= >make.log 2>&1 || { cat make.log; exit 1; }
# A condition inside another's operand is not measured, so there may be none.
! grep 'lib/.*unsupported MC/DC' make.log || exit 1

# tests NAME TESTS: runs them, collects in NAME what they reached.  One process
# a program, and none of the rounds that only chance needs.
tests()
{
    rm -rf "$1" "$1.log"
    LLVM_PROFILE_FILE="$build/$1/%m.profraw" CK_FORK=no READPLUS_SLOW=1 \
        "$make" -s check TESTS="$2" VERBOSE=1 >"$1.log" 2>&1 ||
        { cat "$1.log"; exit 1; }
}

# The programs count too: private headers are tested in their own right.
objects()
{
    find lib tests examples -type f -perm -u+x \
        ! -path '*/fuzz/*' ! -name '*.sh' | while read -r file; do
        [ "$(head -c 4 "$file" | tail -c 3)" != ELF ] || echo "-object=$file"
    done
}

# exported NAME...: all.text and all.lcov from what was collected.
exported()
{
    find "$@" -name '*.profraw' >all.list
    "llvm-profdata-$llvm" merge -sparse -f all.list -o all.profdata
    objects >objects.list
    for format in text lcov; do
        # shellcheck disable=SC2046 # a list of objects
        "llvm-cov-$llvm" export -format=$format -instr-profile=all.profdata \
            lib/.libs/libreadplus.so $(cat objects.list) "$top_srcdir/lib" \
            "$top_srcdir/include" "$top_srcdir/examples" >all.$format
    done
}

# shellcheck disable=SC2016 # for make to expand
tests unit '$(checks) $(rpc_checks)'
exported unit
status=0
python3 "$here/report.py" "$top_srcdir" all.text all.lcov \
    "$here/unreachable" lib include -- || status=$?

# shellcheck disable=SC2016
tests shell '$(program_shell_tests) $(program_host_tests)
    tests/loop-example.sh tests/restore-example.sh
    examples/03-receive examples/10-rpc'
exported unit shell
python3 "$here/report.py" "$top_srcdir" all.text all.lcov \
    "$here/unreachable" -- examples
exit $status
