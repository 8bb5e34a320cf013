#!/bin/sh
# The catalogue is what its own script writes, to the byte, and says nothing
# that the script does not: mkvectors.py knows nothing of the library.
. "${top_srcdir:?}/tests/lib.sh"

need python3
vectors=$top_srcdir/tests/vectors

mkdir "$tmp/again"
PYTHONDONTWRITEBYTECODE=1 python3 "$vectors/mkvectors.py" "$tmp/again"
for file in "$vectors"/*.txt; do
    same "${file##*/}: not what mkvectors.py writes" \
        "$file" "$tmp/again/${file##*/}"
done
[ "$(find "$vectors" -name '*.txt' | wc -l)" -eq \
    "$(find "$tmp/again" -name '*.txt' | wc -l)" ] ||
    fail 'mkvectors.py writes another number of files'

# It stands on Python's standard library and on its own files alone.
grep -hE '^ *(import|from) ' "$vectors/mkvectors.py" "$vectors/families.py" \
    "$vectors/messages.py" "$vectors/wire.py" | awk '{ print $2 }' |
    sort -u >"$tmp/imports"
cat >"$tmp/allowed" <<'END'
families
itertools
messages
mkvectors
os
sys
wire
zlib
END
comm -23 "$tmp/imports" "$tmp/allowed" >"$tmp/strange"
[ ! -s "$tmp/strange" ] || fail "imports $(cat "$tmp/strange")"

# Names are unique; nothing large stands there as a blob.
sed -n 's/^vector //p' "$vectors"/*.txt | sort | uniq -d >"$tmp/twice"
[ ! -s "$tmp/twice" ] || fail "two vectors are called $(cat "$tmp/twice")"
awk 'length($0) > 160 { print FILENAME ": line " FNR; bad = 1 }
    END { exit bad }' "$vectors"/*.txt || fail 'a blob'
