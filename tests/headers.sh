#!/bin/sh
# Each public header compiles alone and twice, and all of them together, as C11
# and as C++17, with gcc and with clang, without a warning.
. "${top_srcdir:?}/tests/lib.sh"

flags='-Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror -fsyntax-only'
flags="$flags -I$top_srcdir/include -I$top_builddir/gen"

# The core gets nothing but C11; libtirpc's own headers need BSD's types.
rpc_flags=
if [ "$HAVE_RPC" = yes ]; then
    rpc_flags="-D_DEFAULT_SOURCE $TIRPC_CFLAGS"
fi

# compile WHAT FILE COMPILER FLAG...
compile()
{
    what=$1 file=$2
    shift 2
    # shellcheck disable=SC2086 # a list of flags
    "$@" $flags "$file" || fail "$what with $*"
}

# try COMPILER FLAG...: every header through that compiler.
missing=
try()
{
    if ! command -v "$1" >"$tmp/tool"; then
        missing="$missing $1"
        return
    fi
    : >"$tmp/all.h"
    for header in readplus.h "$top_srcdir"/include/readplus/*.h; do
        header=${header#"$top_srcdir"/include/}
        extra=
        if [ "$header" = readplus/rpc.h ]; then
            [ "$HAVE_RPC" = yes ] || continue
            extra=$rpc_flags
        fi
        echo "#include <$header>" >>"$tmp/all.h"
        printf '#include <%s>\n#include <%s>\n' "$header" "$header" \
            >"$tmp/twice.h"
        # shellcheck disable=SC2086 # a list of flags
        compile "<$header>" "$tmp/twice.h" "$@" $extra
    done
    # shellcheck disable=SC2086 # a list of flags
    compile 'all headers' "$tmp/all.h" "$@" $rpc_flags
    echo "$*: $(wc -l <"$tmp/all.h") headers"
}

try gcc -x c -std=c11 -Wstrict-prototypes
try clang -x c -std=c11 -Wstrict-prototypes
try g++ -x c++ -std=c++17
try clang++ -x c++ -std=c++17

[ -z "$missing" ] || skip "no$missing"
