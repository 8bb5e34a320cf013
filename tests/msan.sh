#!/bin/sh
# The core's tests under MemorySanitizer: nothing that is written, judged or
# delivered depends on memory nobody wrote.  Everything is compiled for it, the
# stand-in for Check too; libtirpc cannot be, so the bridge is not here.

. "${top_srcdir:?}/tests/lib.sh"

need clang
cd "$tmp"
flags='-std=c11 -g -O1 -fsanitize=memory -fno-sanitize-recover=all'
echo 'int main(void) { return 0; }' >try.c
# shellcheck disable=SC2086 # a list of flags
clang $flags try.c -o try 2>try.log || skip 'no MemorySanitizer'

version=$(sed -n 's/^AC_INIT(\[libreadplus\], \[\(.*\)\], \[\], .*/\1/p' \
    "$top_srcdir/configure.ac")
echo "#define PACKAGE_VERSION \"$version\"" >config.h
flags="$flags -D_GNU_SOURCE -I. -I$top_srcdir/tests/plain -I$top_srcdir/include"

objects=
for name in base nfsstat segment size args encode encoder decode decode_res \
    scatter seek
do
    # shellcheck disable=SC2086
    clang $flags -c "$top_srcdir/lib/$name.c" -o "$name.o"
    objects="$objects $name.o"
done

for name in base size segment wire encode encoder encoder_random decode \
    hostile scatter seek laws fetch
do
    used=$objects
    # It has these three in it, compiled in its own way.
    [ $name != fetch ] || used=$(echo "$objects" |
        sed 's/ decode.o//; s/ decode_res.o//; s/ scatter.o//')
    # shellcheck disable=SC2086
    clang $flags -DTOP_SRCDIR="\"$top_srcdir\"" \
        "$top_srcdir/tests/check_$name.c" $used -o "check_$name"
    "./check_$name" || fail "check_$name"
done
