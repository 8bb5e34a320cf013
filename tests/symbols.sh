#!/bin/sh
# What a library exports, what its symbol map lists and what the headers
# declare with READPLUS_API are the same names, all with our prefix.
. "${top_srcdir:?}/tests/lib.sh"

LC_ALL=C
export LC_ALL

# declared <HEADERS: the functions declared READPLUS_API, one a line: the last
# name before the first parenthesis, comments and directives taken out.
declared()
{
    grep -v '^ *#' | tr '\n' ' ' |
        sed 's,/\*\([^*]\|\*\+[^*/]\)*\*\+/,,g' |
        { grep -o 'READPLUS_API[^(;]*(' || true; } |
        sed 's/ *($//; s/.*[ *]//' | sort
}

# mapped MAP: the names between "global:" and "local:".
mapped()
{
    sed '1,/global:/d; /local:/,$d; s/[[:space:];]//g; /^$/d' "$1" | sort
}

# exported NM-FLAGS FILE: versions, absolute symbols and what a sanitizer or
# profiler adds (two underscores) left out.
exported()
{
    $NM -g --defined-only "$@" | awk 'NF == 3 && $2 != "A" { print $3 }' |
        sed 's/@.*//' | grep -v '^__' | sort -u
}

# compare LIBRARY DECLARED PREFIX
compare()
{
    mapped "$top_srcdir/lib/$1.map" >"$tmp/map"
    same "$1: declared READPLUS_API (-) and lib/$1.map (+) differ" \
        "$2" "$tmp/map"

    so=$top_builddir/lib/.libs/$1.so
    if [ -f "$so" ]; then
        exported -D "$so" >"$tmp/exported"
        same "$1: lib/$1.map (-) and exported symbols (+) differ" \
            "$tmp/map" "$tmp/exported"
    fi

    # A static library has no map to hide behind.
    archive=$top_builddir/lib/.libs/$1.a
    if [ -f "$archive" ]; then
        if exported "$archive" | grep -Ev "^($3)"; then
            fail "$1.a defines these global names without our prefix"
        fi
    fi
    echo "$1: $(wc -l <"$tmp/map") symbols"
}

cd "$top_srcdir/include/readplus"
find . -name '*.h' ! -name rpc.h -exec cat {} + | declared >"$tmp/core"
compare libreadplus "$tmp/core" 'readplus_'

if [ "$HAVE_RPC" = yes ]; then
    {
        declared <rpc.h
        grep -o 'xdr_readplus_[A-Za-z0-9_]*' \
            "$top_builddir/gen/readplus/read_plus.h" | sort -u
    } | sort >"$tmp/rpc"
    compare libreadplus-rpc "$tmp/rpc" 'readplus_|xdr_readplus_'
fi
