#!/bin/sh
# Static analysis of lib/: gcc -fanalyzer, clang-tidy with the checks for bugs
# and CERT's rules, cppcheck, scan-build.  No finding is let through; where one
# is wrong, the place says so with the reason (NOLINT, __clang_analyzer__).
# Three checks are not run, since they ask for what C11 on these systems does
# not have, or for a taste:
#   ...DeprecatedOrUnsafeBufferHandling   memcpy_s and its like, of Annex K
#   bugprone-easily-swappable-parameters  no two parameters of one type
#   bugprone-reserved-identifier (and its names in CERT)  no _GNU_SOURCE, which
#       is how libc wants to be asked

. "${top_srcdir:?}/tests/lib.sh"

need gcc clang-tidy cppcheck scan-build
cd "$top_srcdir"

checks='-*,clang-analyzer-*,bugprone-*,cert-*'
checks="$checks,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling"
checks="$checks,-bugprone-easily-swappable-parameters"
checks="$checks,-bugprone-reserved-identifier,-cert-dcl37-c,-cert-dcl51-cpp"

for file in lib/*.c; do
    [ "$file" != lib/rpc.c ] || [ "${HAVE_RPC:-}" = yes ] || continue
    flags="-std=c11 -Iinclude -I$top_builddir/gen -D_FILE_OFFSET_BITS=64"
    [ "$file" != lib/rpc.c ] || flags="$flags -D_DEFAULT_SOURCE $TIRPC_CFLAGS"
    # shellcheck disable=SC2086 # lists of flags
    gcc $flags -O2 -fanalyzer -Werror -c "$file" -o "$tmp/object.o" ||
        fail "gcc -fanalyzer: $file"
    # shellcheck disable=SC2086
    clang-tidy --quiet --warnings-as-errors='*' --checks="$checks" \
        --header-filter='lib/.*|readplus/.*' "$file" -- $flags \
        2>"$tmp/tidy" || { cat "$tmp/tidy" >&2; fail "clang-tidy: $file"; }
done
cppcheck --enable=warning,performance,portability --inconclusive --std=c11 \
    --quiet --inline-suppr --error-exitcode=1 --suppress=missingIncludeSystem \
    -Iinclude -D_FILE_OFFSET_BITS=64 lib || fail cppcheck

flags="-std=c11 -I$top_srcdir/include -I$top_builddir/gen"
flags="$flags -D_FILE_OFFSET_BITS=64 -D_DEFAULT_SOURCE ${TIRPC_CFLAGS:-}"
for file in lib/*.c; do
    [ "$file" != lib/rpc.c ] || [ "${HAVE_RPC:-}" = yes ] || continue
    flags="$flags $top_srcdir/$file"
done
# shellcheck disable=SC2086 # a list
(cd "$tmp" && scan-build --status-bugs -o "$tmp/scan" gcc -c $flags) \
    >"$tmp/scan.log" 2>&1 || { cat "$tmp/scan.log" >&2; fail scan-build; }
echo "no finding in $(find lib -name '*.c' | wc -l) files"
