#!/bin/sh
# Each public header compiles alone and twice, as C11 and as C++17, with gcc
# and with clang, without a warning.
. "${top_srcdir:?}/tests/lib.sh"

flags='-Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror -fsyntax-only'
flags="$flags -I$top_srcdir/include -I$top_builddir/gen"

# try LANGUAGE COMPILER...: every header through that compiler.
try()
{
    language=$1
    shift
    for header in readplus.h $(cd "$top_srcdir/include" && ls readplus/*.h); do
        extra=
        if [ "$header" = readplus/rpc.h ]; then
            [ "$HAVE_RPC" = yes ] || continue
            # libtirpc's own headers need BSD's types.
            extra="-D_DEFAULT_SOURCE $TIRPC_CFLAGS"
        fi
        printf '#include <%s>\n#include <%s>\n' "$header" "$header" >"$tmp/in"
        # shellcheck disable=SC2086 # lists of flags
        "$@" -x "$language" $flags $extra "$tmp/in" ||
            fail "<$header> as $language with $1"
    done
    echo "$*: every header"
}

missing=
run()
{
    if command -v "$2" >"$tmp/tool"; then
        try "$@"
    else
        missing="$missing $2"
    fi
}

run c gcc -std=c11 -Wstrict-prototypes
run c clang -std=c11 -Wstrict-prototypes
run c++ g++ -std=c++17
run c++ clang++ -std=c++17

[ -z "$missing" ] || skip "no$missing"
