# What the tests of the readplus program share.  Sourced after lib.sh.
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # lib.sh and the tests share variables

readplus=$top_builddir/examples/readplus/readplus

# expect STATUS COMMAND...: run it, keep what it says in $tmp/out and
# $tmp/err, fail on any other exit status, or where it fails without a word.
expect()
{
    want=$1
    shift
    got=0
    "$@" >"$tmp/out" 2>"$tmp/err" || got=$?
    if [ "$got" -ne "$want" ]; then
        cat "$tmp/out" "$tmp/err"
        fail "exits $got, not $want: $*"
    fi
    if [ "$want" -gt 1 ] && [ ! -s "$tmp/err" ]; then
        fail "exits $want without a reason: $*"
    fi
}

# says FILE REGEX: it has such a line.
says()
{
    grep -q -e "$2" "$1" || { cat "$1"; fail "no '$2' in ${1##*/}"; }
}
