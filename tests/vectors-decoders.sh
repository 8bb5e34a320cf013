#!/bin/sh
# readplus vectors test-decoder: our own decoder conforms, rpcgen's does not,
# and one that crashes, hangs or says nothing is told so.
. "${top_srcdir:?}/tests/lib.sh"
. "$top_srcdir/tests/program.sh"

READPLUS_VECTORS=$top_srcdir/tests/vectors
export READPLUS_VECTORS

cat >"$tmp/own" <<END
#!/bin/sh
exec '$readplus' decode --json --type "\$READPLUS_TYPE" \
    \${READPLUS_OFFSET:+--offset "\$READPLUS_OFFSET"} \
    \${READPLUS_COUNT:+--count "\$READPLUS_COUNT"} -
END
chmod +x "$tmp/own"
expect 0 "$readplus" vectors test-decoder "$tmp/own"
cat "$tmp/out"
says "$tmp/out" '^valid *[0-9]\{3\} *0 *0 *0 *0 *0$'
says "$tmp/out" '^invalid *[0-9]\{3\} *0 *0 *0 *0 *0$'

# Said nothing: no vector is agreed upon.
expect 1 "$readplus" vectors test-decoder true
says "$tmp/out" '^valid *0 *0 *0 *0 *0 *[0-9]\{3\}$'
expect 1 "$readplus" vectors test-decoder "$tmp/not there"
# Accepts all, refuses all.
echo 'echo "{\"error\":null}"' >"$tmp/accepts"
expect 1 "$readplus" vectors test-decoder sh "$tmp/accepts"
says "$tmp/out" '^invalid *0 *0 *0 *0 *[0-9]\{3\} *0$'
echo 'echo "{\"error\":{\"name\":\"no\",\"at\":0}}"' >"$tmp/refuses"
expect 1 "$readplus" vectors test-decoder -v sh "$tmp/refuses"
says "$tmp/out" '^invalid *0 *[0-9]\{3\} *0 *0 *0 *0$'
says "$tmp/out" '^size_hole_5 *valid *refuses'

# rpcgen's: reads all that is good, and accepts much that is not.
[ "${HAVE_RPC:-no}" = yes ] || {
    echo 'built without rpc: not asked'
    exit 0
}
# shellcheck disable=SC2086 # lists of flags
$CC -D_DEFAULT_SOURCE -I"$top_srcdir/include" -I"$top_builddir/gen" \
    $TIRPC_CFLAGS -w -o "$tmp/rpcgen" "$READPLUS_VECTORS/rpcgen_decoder.c" \
    "$top_builddir/gen/readplus/read_plus_xdr.c" $TIRPC_LIBS ||
    fail 'the rpcgen decoder does not build'
expect 1 "$readplus" vectors test-decoder "$tmp/rpcgen"
cat "$tmp/out"
says "$tmp/out" '^valid *[0-9]\{3\} *0 *0 *0 *0 *0$'
says "$tmp/out" '^invalid *0 *[0-9]\{3\} *0 *0 *[0-9]\{2,3\} *0$'
