#!/bin/sh
# The core neither allocates nor makes system calls: beside each other its
# objects call the four memory functions and what the compiler puts in, nothing
# else.  The edges (source_*, reply, splice, restore) are not the core, and the core
# does not call them.
. "${top_srcdir:?}/tests/lib.sh"

allowed='memcpy|memmove|memset|memcmp'
# The compiler's own: stack protector, fortified copies, assert, 64-bit division
# on 32-bit machines.
allowed="$allowed|__stack_chk_fail(_local)?|__mem(cpy|move|set)_chk"
allowed="$allowed|__assert_fail|__u?(div|mod|divmod)di[34]"
allowed="$allowed|_GLOBAL_OFFSET_TABLE_|__x86\.get_pc_thunk\..*"
# Builds with sanitizers, coverage or profiles.
allowed="$allowed|__(asan|ubsan|msan|tsan|sanitizer|sancov|gcov|llvm)_.*"
allowed="$allowed|__(start|stop)___sancov_.*"

core=
for object in "$top_builddir"/lib/.libs/libreadplus_la-*.o \
    "$top_builddir"/lib/libreadplus_la-*.o; do
    case ${object##*/libreadplus_la-} in
    source_*.o | reply.o | splice.o | restore.o | '*.o') ;;
    *) core="$core $object" ;;
    esac
done
[ -n "$core" ] || fail 'no object of the core found'

# shellcheck disable=SC2086 # a list
$NM -g --defined-only $core | awk 'NF == 3 { print $3 }' | sort -u >"$tmp/own"

bad=0
for object in $core; do
    $NM -u "$object" | awk '{ print $NF }' | grep -vxE "$allowed" |
        grep -vxFf "$tmp/own" >"$tmp/foreign" || true
    if [ -s "$tmp/foreign" ]; then
        echo "${object##*/} calls: $(paste -sd ' ' "$tmp/foreign")"
        bad=1
    fi
done
[ $bad -eq 0 ] || fail 'the core calls what it may not'
echo "core: $(echo "$core" | wc -w) objects, no allocation, no system call"
