#!/bin/sh
# tests/kernel/boot.sh LINUX DIR SECONDS CPUS ARGUMENT...: boots the kernel in
# LINUX with DIR/initramfs and new, empty disks for ext4, xfs and btrfs,
# emulated: no right to /dev/kvm is needed, and no network.  The guest's console
# is stdout and stdin; the arguments reach its kernel command line.
set -eu

linux=${1:?LINUX}
dir=${2:?DIR}
seconds=${3:?SECONDS}
cpus=${4:?CPUS}
shift 4

# String moves byte by byte and guards around each access to what is the user's
# cost an emulator more than they give; tried with one processor only.
cpu=max,-la57
[ "$cpus" -ne 1 ] || cpu=$cpu,-erms,-smap

disks=
for filesystem in ext4 xfs btrfs; do
    disk=$dir/$filesystem.disk
    rm -f "$disk"
    truncate -s 512M "$disk"
    "mkfs.$filesystem" -q "$disk" >"$dir/mkfs.log" 2>&1 ||
        { cat "$dir/mkfs.log" >&2; exit 1; }
    disks="$disks -drive file=$disk,format=raw,if=virtio,cache=unsafe"
done

# shellcheck disable=SC2086 # a list of words
exec timeout -k 10 "$seconds" qemu-system-x86_64 \
    -accel tcg,thread=multi -cpu "$cpu" -smp "$cpus" -m 3072 -nodefaults \
    -nographic -serial stdio -nic none -no-reboot $disks \
    -kernel "$linux"/boot/vmlinuz-* -initrd "$dir/initramfs" \
    -append "console=ttyS0 quiet panic=-1 mitigations=off nokaslr $*"
