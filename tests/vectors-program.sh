#!/bin/sh
# readplus vectors: list, show, check, new, corpus, and its exit statuses.
. "${top_srcdir:?}/tests/lib.sh"
. "$top_srcdir/tests/program.sh"

READPLUS_VECTORS=$top_srcdir/tests/vectors
export READPLUS_VECTORS
all=$(cat "$READPLUS_VECTORS"/*.txt | grep -c '^vector ')

expect 0 "$readplus" vectors list
[ "$(wc -l <"$tmp/out")" -eq "$all" ] || fail 'list: not all of them'
[ "$all" -ge 200 ] || fail "only $all vectors"
expect 0 "$readplus" vectors list --class policy --type SEEK4res
says "$tmp/out" '^seek_res_NFS4ERR_NXIO '
[ "$(wc -l <"$tmp/out")" -eq 1 ] || fail 'list: filters'

# show: every field with its offset, the fault where it stands, no colour but
# on a terminal.
expect 0 "$readplus" vectors show pad_9_byte_0 size_hole_5
says "$tmp/out" '^ *28  010203040506070809 .* d_data = 9 bytes'
says "$tmp/out" '^ *37  800000 .*<-- BAD_PAD at byte 37'
says "$tmp/out" '^any-pad .*OK; delivers 17 bytes'
says "$tmp/out" '^ *16  0000000000000000 .* di_offset = 0'
! grep -q "$(printf '\033')" "$tmp/out" || fail 'show: colour in a file'
if has_terminal; then
    script -qec "'$readplus' vectors show pad_9_byte_0" /dev/null \
        >"$tmp/terminal" </dev/null
    grep -q "$(printf '\033')" "$tmp/terminal" ||
        fail 'show: no colour on a terminal'
fi
expect 2 "$readplus" vectors show no_such_vector

# check: all agree; a catalogue that says otherwise is told apart.
expect 0 "$readplus" vectors check
says "$tmp/out" "^all *$all agree, 0 differ"
expect 0 "$readplus" vectors check "$READPLUS_VECTORS"
mkdir "$tmp/damaged"
for change in 's/^eof yes$/eof no/' 's/^hole 0 5$/hole 0 6/' \
    's/ OK bytes 5 / OK bytes 4 /' 's/ crc [0-9a-f]*$/ crc 00000000/' \
    's/^size 32 /size 33 /' 's/^status 0 /status 1 /' \
    's/^expect strict[^ ]* OK /expect strict TRUNCATED at 3 /' \
    's/^    0000000000000005 /    0000000000000004 /'; do
    sed -n '/^vector size_hole_5$/,/^end$/p' "$READPLUS_VECTORS/sizes.txt" |
        sed "$change" >"$tmp/damaged/one.txt"
    expect 1 "$readplus" vectors check "$tmp/damaged"
    says "$tmp/out" '^size_hole_5: '
done
for change in 's/^type .*/type nonsense/' 's/^wire$/wires/' '/^end$/d' \
    's/^    0/    x/'; do
    sed -n '/^vector size_hole_5$/,/^end$/p' "$READPLUS_VECTORS/sizes.txt" |
        sed "$change" >"$tmp/damaged/one.txt"
    expect 3 "$readplus" vectors check "$tmp/damaged"
done

# new: what it writes is in the format, and checks.
mkdir "$tmp/new"
"$readplus" vectors new mine ask=0:64 eof=yes data=0:5 hole=5:20 \
    >"$tmp/new/mine.txt"
"$readplus" vectors new spoilt ask=0:64 data=0:5 hole=5:20 set=34:01 \
    >"$tmp/new/spoilt.txt"
"$readplus" vectors new cut ask=0:64 data=0:5 hole=5:20 cut=50 add=ff \
    >"$tmp/new/cut.txt"
"$readplus" vectors new refused ask=0:64 status=10004 >"$tmp/new/refused.txt"
expect 0 "$readplus" vectors check "$tmp/new"
says "$tmp/out" '^all *4 agree'
says "$tmp/new/mine.txt" '^expect strict OK bytes 25 zeros 20 eof yes crc '
says "$tmp/new/spoilt.txt" '^expect strict BAD_PAD at 34 segment 0'
says "$tmp/new/cut.txt" '^expect strict TRUNCATED at 48 segment 1'
says "$tmp/new/refused.txt" '^status 10004 NFS4ERR_NOTSUPP'
expect 2 "$readplus" vectors new bad 'hole=5'
expect 2 "$readplus" vectors new 'no name'
expect 2 "$readplus" vectors new gap hole=0:5 hole=6:1

# corpus: seeds in a folder a type, none of them long.
expect 0 "$readplus" vectors corpus "$tmp/corpus"
for folder in args res resop argop seek-args seek-res compound rpc record; do
    [ "$(find "$tmp/corpus/$folder" -type f | wc -l)" -gt 4 ] ||
        fail "corpus: hardly anything in $folder"
done
[ -z "$(find "$tmp/corpus" -type f -size +4k)" ] || fail 'corpus: long seeds'
printf '\0\0\047\024' >"$tmp/notsupp"
cmp "$tmp/notsupp" "$tmp/corpus/res/status_NFS4ERR_NOTSUPP" || fail corpus

# Wrong use, and what cannot be read or written.
expect 2 "$readplus" vectors
expect 2 "$readplus" vectors nonsense
expect 2 "$readplus" vectors show
expect 2 "$readplus" vectors list --class nonsense
expect 2 "$readplus" vectors export --format nonsense "$tmp/x"
expect 2 "$readplus" vectors test-decoder
expect 3 "$readplus" vectors check "$tmp/nowhere"
expect 1 "$readplus" vectors export "$tmp/nowhere/x"
