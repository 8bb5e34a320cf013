# What the shell tests share.  Sourced first:  . "${top_srcdir:?}/tests/lib.sh"
# The Makefile gives top_srcdir, top_builddir (absolute), CC and the like; by
# hand:  top_srcdir=$PWD top_builddir=$PWD/build CC=gcc sh tests/NAME.sh
# shellcheck shell=sh

set -eu

top_srcdir=${top_srcdir:?is given by make check}
top_builddir=${top_builddir:?is given by make check}

tmp=$(mktemp -d "${TMPDIR:-/tmp}/readplus-test.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

fail()
{
    echo "FAIL: $*" >&2
    exit 1
}

# skip REASON: something optional is missing.  CI has everything, so that there
# a skip is a failure: a test that never runs must not look like one that does.
skip()
{
    if [ "${CI:-}" = true ]; then
        fail "skipped in CI: $*"
    fi
    echo "SKIP: $*"
    exit 77
}

# need COMMAND...: skip unless they are all there.
need()
{
    for tool; do
        command -v "$tool" >"$tmp/tool" || skip "no $tool"
    done
}

# has_terminal: whether script(1) can give a program a terminal; it cannot in a
# bare chroot, and may not fail to in CI.
has_terminal()
{
    ! script -qec true /dev/null </dev/null >"$tmp/terminal" 2>&1 || return 0
    [ "${CI:-}" != true ] || fail "no terminal in CI: $(cat "$tmp/terminal")"
    return 1
}

# same WHAT FILE1 FILE2: fail with the difference unless they are equal.
same()
{
    diff -u "$2" "$3" || fail "$1"
}
