#!/bin/sh
# Every input up to a small bound, in seconds; `make exhaustive` goes further.
. "${top_srcdir:?}/tests/lib.sh"

# With sanitizers, under valgrind or in emulation, a step less of each.
less=0
case ${CFLAGS:-}${READPLUS_SLOW:-} in
*sanitize* | *coverage* | *1) less=1 ;;
esac
for what in 'words 6' 'paths 5' 'lists 4' 'plans 3'; do
    # shellcheck disable=SC2086 # two arguments
    set -- $what
    "$top_builddir/tests/exhaustive/exhaustive" "$1" $(($2 - less)) ||
        fail "$1: a case that ends otherwise"
done
