#!/bin/sh
# The exports of the catalogue, used as another project would: JSON is read
# back and encoded again, C and Python are run, Go and Rust compiled.
. "${top_srcdir:?}/tests/lib.sh"
. "$top_srcdir/tests/program.sh"

READPLUS_VECTORS=$top_srcdir/tests/vectors
PYTHONDONTWRITEBYTECODE=1
export READPLUS_VECTORS PYTHONDONTWRITEBYTECODE

for format in json bin hex c rust go python; do
    expect 0 "$readplus" vectors export --format $format "$tmp/out.d"
done

# C: compiled without a warning, and the library agrees with the table.
# shellcheck disable=SC2086 # lists of flags
"$top_builddir/libtool" --silent --tag=CC --mode=link $CC -std=c11 -Wall \
    -Wextra -Werror -D_DEFAULT_SOURCE $CFLAGS -I"$top_srcdir/include" \
    -I"$tmp/out.d" "$READPLUS_VECTORS/use.c" -o "$tmp/use" $LDFLAGS \
    "$top_builddir/lib/libreadplus.la" || fail 'the C export does not build'
"$tmp/use" || fail 'the C export says something else than the library'

missing=
if command -v go >"$tmp/which"; then
    (cd "$tmp/out.d" && HOME=$tmp GOCACHE=$tmp/go GO111MODULE=off \
        GOTOOLCHAIN=local go vet vectors.go) || fail 'the Go export'
else
    missing="$missing go"
fi
if command -v rustc >"$tmp/which"; then
    (cd "$tmp/out.d" && rustc --edition 2021 -D warnings --crate-type lib \
        --emit metadata vectors.rs) || fail 'the Rust export'
else
    missing="$missing rustc"
fi
if command -v python3 >"$tmp/which"; then
    python3 "$READPLUS_VECTORS/use.py" "$tmp/out.d" || fail 'Python, bin, hex'
    python3 "$READPLUS_VECTORS/readback.py" "$tmp/out.d/vectors.json" \
        "$READPLUS_VECTORS/schema.json" || fail 'the JSON export'
else
    missing="$missing python3"
fi
[ -z "$missing" ] || skip "the rest is good, but no$missing"
