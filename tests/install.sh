#!/bin/sh
# What a packager does: install under DESTDIR, build against it by pkg-config,
# shared and static, uninstall, and find nothing left.
. "${top_srcdir:?}/tests/lib.sh"

# The recursive make is not part of the outer one's job server.
unset MAKEFLAGS MFLAGS MAKELEVEL

dest=$tmp/dest
$MAKE -s -C "$top_builddir" install DESTDIR="$dest" >"$tmp/install.log" 2>&1 ||
    { cat "$tmp/install.log"; fail 'make install'; }

pcdir=$(dirname "$(find "$dest" -name libreadplus.pc)")
libdir=$(dirname "$(find "$dest" -name 'libreadplus.la')")

# The catalogue of vectors is there for other projects.
for file in COPYING README schema.json sizes.txt; do
    [ -n "$(find "$dest" -path "*/libreadplus/vectors/$file")" ] ||
        fail "no vectors/$file is installed"
done

# relocate ROOT: a copy of the installed .pc files that points into ROOT.
relocate()
{
    mkdir -p "$1.pc"
    for pc in "$pcdir"/*.pc; do
        sed "s,^\([a-z_]*=\)/,\1$1/," "$pc" >"$1.pc/${pc##*/}"
    done
}

# consume ROOT PACKAGE: compile $tmp/PACKAGE.c against what is in ROOT, run it.
consume()
{
    flags=$(PKG_CONFIG_PATH=$1.pc $PKG_CONFIG --cflags --libs "$2")
    # shellcheck disable=SC2086 # lists of flags
    $CC $CFLAGS -D_DEFAULT_SOURCE -o "$tmp/$2" "$tmp/$2.c" $flags $LDFLAGS ||
        fail "$2: a program against $1 does not build: $flags"
    LD_LIBRARY_PATH=$1${libdir#"$dest"} "$tmp/$2" >"$tmp/$2.out" ||
        fail "$2: a program against $1 does not run"
    PKG_CONFIG_PATH=$1.pc $PKG_CONFIG --modversion "$2" >"$tmp/version"
    same "$2: .pc version (-) and readplus_version() (+) differ" \
        "$tmp/version" "$tmp/$2.out"
}

cat >"$tmp/libreadplus.c" <<'END'
#include <readplus.h>
#include <stdio.h>

int main(void)
{
    return puts(readplus_version()) < 0;
}
END
cat >"$tmp/libreadplus-rpc.c" <<'END'
#include <readplus/rpc.h>
#include <readplus.h>
#include <stdio.h>

int main(void)
{
    readplus_SEEK4args args = {0};
    char buf[28];
    XDR xdrs;

    xdrmem_create(&xdrs, buf, sizeof(buf), XDR_ENCODE);
    if (!xdr_readplus_SEEK4args(&xdrs, &args) || xdr_getpos(&xdrs) != 28)
        return 1;
    return puts(readplus_version()) < 0;
}
END
packages=libreadplus
[ "$HAVE_RPC" != yes ] || packages="$packages libreadplus-rpc"

if [ -e "$libdir/libreadplus.so" ]; then
    relocate "$dest"
    for package in $packages; do
        consume "$dest" "$package"
    done
    echo 'shared: builds and runs'
fi

if [ -e "$libdir/libreadplus.a" ]; then
    cp -R "$dest" "$tmp/static"
    find "$tmp/static" -name '*.so*' -exec rm {} +
    relocate "$tmp/static"
    for package in $packages; do
        consume "$tmp/static" "$package"
    done
    echo 'static: builds and runs'
fi

$MAKE -s -C "$top_builddir" uninstall DESTDIR="$dest" >"$tmp/log" 2>&1 ||
    { cat "$tmp/log"; fail 'make uninstall'; }
find "$dest" ! -type d >"$tmp/left"
find "$dest" -type d -name readplus >>"$tmp/left"
[ ! -s "$tmp/left" ] || { cat "$tmp/left"; fail 'left after uninstall'; }
echo 'uninstall: nothing left'
