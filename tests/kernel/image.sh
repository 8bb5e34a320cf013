#!/bin/sh
# tests/kernel/image.sh LINUX DIR PROGRAM...: builds DIR/image, a whole guest in
# memory: busybox, the modules of the unpacked kernel in LINUX that a mount
# needs, the scripts of guest/, and the programs with their libraries.  The same
# parts make the same image, byte for byte.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
linux=$(cd "${1:?LINUX}" && pwd)
dir=${2:?DIR}
shift 2

release=$(ls "$linux/lib/modules")
root=$dir/root
rm -rf "$root"
mkdir -p "$root/bin" "$root/dev" "$root/etc" "$root/lib" "$root/lib64" "$root/mnt" \
    "$root/proc" "$root/programs" "$root/run" "$root/srv" "$root/sys" \
    "$root/tmp" "$root/modules"

# In the order in which they have to be loaded; insmod then needs no table.
wanted='virtio_pci virtio_blk crc32c_generic ext4 xfs btrfs
    sunrpc dns_resolver nfs nfsv4 nfsd'
[ -e "$linux/lib/modules/$release/modules.dep" ] ||
    depmod -b "$linux" "$release"
for module in $wanted; do
    modprobe -d "$linux" -S "$release" --show-depends "$module" |
        awk '$1 == "insmod" { print $2 }'
done | awk '!seen[$0]++' | while read -r module; do
    name=$(basename "$module" .xz)
    case $module in
    *.xz) xz -dc "$module" >"$root/modules/$name" ;;
    *) cp "$module" "$root/modules/$name" ;;
    esac
    echo "$name" >>"$root/modules/order"
done

cp "$(command -v busybox)" "$root/bin/busybox"
"$root/bin/busybox" --list | while read -r applet; do
    [ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"
done

# program FILE: in /programs, its libraries in /lib, the loader where it says.
program()
{
    cp "$1" "$root/programs/"
    # A static one has none, of which ldd complains.
    ldd "$1" 2>/dev/null | grep -oE '/[^ ]+' | while read -r library; do
        case $library in
        */ld-linux*) cp -L "$library" "$root$library" ;;
        *) cp -L "$library" "$root/lib/" ;;
        esac
    done || true
}
for file in "$@"; do
    program "$file"
done

printf 'root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n' \
    >"$root/etc/passwd"
printf 'root:x:0:\nnogroup:x:65534:\n' >"$root/etc/group"
cp "$here"/guest/*.sh "$root/programs/"
cp "$here/guest/init" "$root/init"
chmod 755 "$root/init"

find "$root" -exec touch -h -d @0 {} +
(cd "$root" && find . -print0 | LC_ALL=C sort -z |
    cpio --null -o -H newc --quiet --reproducible -R 0:0 |
    gzip -1) >"$dir/image.new"
mv "$dir/image.new" "$dir/image"
rm -rf "$root"
