#!/bin/sh
# The generated names: all prefixed, no macro left over, usable beside another
# nfs4 .x with the same names in either include order, and given back under the
# RFC's names by names.h.
. "${top_srcdir:?}/tests/lib.sh"

LC_ALL=C # sort and comm must agree
export LC_ALL

names=$top_srcdir/xdr/names.h
header=$top_builddir/gen/readplus/read_plus.h
flags="$CFLAGS -std=c11 -D_DEFAULT_SOURCE $TIRPC_CFLAGS"
flags="$flags -I$top_srcdir/include -I$top_builddir/gen -I$tmp"

# Every tag, typedef, enumerator and constant of the header has the prefix ...
sed -n -e 's/^\(struct\|enum\|union\) \([A-Za-z0-9_]*\) .*/\2/p' \
    -e 's/^typedef .* \([A-Za-z0-9_]*\);/\1/p' \
    -e 's/^	\([A-Za-z0-9_]*\) = .*/\1/p' \
    -e 's/^#define \([A-Za-z0-9_]*\) .*/\1/p' "$header" | sort -u >"$tmp/all"
if grep -Ev '^(readplus|READPLUS)_' "$tmp/all"; then
    fail 'these names of read_plus.x have no line in names.h'
fi
# ... and names.h has no line for a name that is not there.
awk '$1 == "#define" && NF == 3 { print $3 }' "$names" | sort >"$tmp/want"
grep -o '[A-Za-z0-9_]*' "$header" | sort -u | comm -23 "$tmp/want" - \
    >"$tmp/dead"
[ ! -s "$tmp/dead" ] || { cat "$tmp/dead"; fail 'names.h has names too many'; }
echo "$(wc -l <"$tmp/all") names, all prefixed"

# macros HEADER: the names of the macros defined after including it.
macros()
{
    # shellcheck disable=SC2086 # a list of flags
    echo "#include <$1>" | $CC $flags -E -dM -x c - |
        sed 's/^#define \([A-Za-z0-9_]*\).*/\1/' | sort -u
}
macros rpc/rpc.h >"$tmp/before"
{ macros readplus.h; cat "$tmp/before"; } | sort -u >"$tmp/known"
macros readplus/rpc.h | comm -13 "$tmp/known" - |
    grep -Ev '^_?READPLUS_' >"$tmp/left" || true
[ ! -s "$tmp/left" ] || { cat "$tmp/left"; fail 'macros left by rpc.h'; }
echo 'no macro left over'

# build PROGRAM FLAG... FILE...: through libtool, so that it finds the libraries
# that are not installed yet, and run it.
build()
{
    program=$tmp/$1
    shift
    # shellcheck disable=SC2086 # lists of flags
    "$top_builddir/libtool" --silent --tag=CC --mode=link $CC $flags "$@" \
        -o "$program" $LDFLAGS "$top_builddir/lib/libreadplus-rpc.la" \
        "$top_builddir/lib/libreadplus.la" $TIRPC_LIBS || fail "${program##*/}: $* does not build"
    "$program" || fail "${program##*/}: $* exits $?"
}

cp "$top_srcdir/tests/names/read_plus.x" "$tmp"
(cd "$tmp" && $RPCGEN -h -o read_plus.h read_plus.x &&
    $RPCGEN -c -o read_plus_xdr.c read_plus.x)
build ours-first -DOURS_FIRST "$top_srcdir/tests/names/both.c" \
    "$tmp/read_plus_xdr.c"
build theirs-first "$top_srcdir/tests/names/both.c" "$tmp/read_plus_xdr.c"
echo 'beside another nfs4 .x: both orders'

build optin "$top_srcdir/tests/names/optin.c"
echo "the RFC's names on request"

sed -n '/^enum readplus_nfsstat4 /,/^}/s/^	READPLUS_\(.*\) = .*/STATUS(\1)/p' \
    "$header" >"$tmp/statuses.h"
build statuses "$top_srcdir/tests/names/statuses.c"
echo "$(wc -l <"$tmp/statuses.h") statuses, named alike by the core"
