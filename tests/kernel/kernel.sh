#!/bin/sh
# tests/kernel/kernel.sh pairwise|full|nfsd|table|shell: what `make
# check-kernel` and its like run: builds the guest, boots it, and judges what it
# says.  README tells what is looked at.  The unpacked kernel is in kernel/linux of the build
# folder, or in $KERNEL_LINUX, where tests/kernel/fetch.sh puts it.
. "${top_srcdir:?}/tests/lib.sh"

what=${1:?pairwise, full, nfsd, table or shell}
here=$top_srcdir/tests/kernel
linux=${KERNEL_LINUX:-$top_builddir/kernel/linux}
dir=$top_builddir/kernel/$what
seed=${KERNEL_SEED:-8881}

[ "$(uname -m)" = x86_64 ] || skip 'the guest is an amd64 machine'
PATH=$PATH:/usr/sbin:/sbin
need qemu-system-x86_64 busybox cpio modprobe depmod xz gzip \
    mkfs.ext4 mkfs.xfs mkfs.btrfs
[ -f "$linux/complete" ] || skip "no kernel: tests/kernel/fetch.sh $linux"

# The program itself, where libtool put a script in its place.
server=$top_builddir/examples/nfs42/nfs42d
[ -x "$server" ] || skip 'no nfs42d: configured without it'
[ ! -x "$top_builddir/examples/nfs42/.libs/nfs42d" ] ||
    server=$top_builddir/examples/nfs42/.libs/nfs42d
client=$(dirname "$server")/nfs42cp
LD_LIBRARY_PATH=$top_builddir/lib/.libs
export LD_LIBRARY_PATH

# guest NAME SECONDS JOB: one boot; its console is $dir/NAME.log.
guest()
{
    sh "$here/boot.sh" "$linux" "$dir" "$2" "job=$3" "seed=$seed" \
        "share=${share:-some}" </dev/null >"$dir/$1.log" 2>&1 ||
        { tail -n 40 "$dir/$1.log"; fail "$1: the guest did not end well"; }
    grep -aq '^guest: off' "$dir/$1.log" ||
        { tail -n 40 "$dir/$1.log"; fail "$1: the guest broke off"; }
    tr -d '\r' <"$dir/$1.log" | grep -aE '^(RESULT|TABLE|guest|  )' || true
}

# judge NAME COUNT: as many results as there were cases, and all are good but
# those that are only to be found out (README).
judge()
{
    tr -d '\r' <"$dir/$1.log" | grep -a '^RESULT ' >"$dir/$1.results" ||
        fail "$1: no results"
    [ "$(wc -l <"$dir/$1.results")" -ge "$2" ] ||
        fail "$1: $(wc -l <"$dir/$1.results") results, not $2"
    ! grep -v '^RESULT found: ' "$dir/$1.results" | grep -v ': good ' ||
        fail "$1: see above (seed $seed)"
    echo "$1: $(grep -c ': good ' "$dir/$1.results") good results"
}

mkdir -p "$dir/plan"
: >"$dir/plan/plan"
case $what in
pairwise | full) sh "$here/plan.sh" "$what" >"$dir/plan/plan" ;;
esac
sh "$here/image.sh" "$linux" "$dir" "$top_builddir/tests/kernel/probe" \
    "$server" "$client" "$(command -v cp)" "$(command -v dd)"

cases=$(wc -l <"$dir/plan/plan")
case $what in
pairwise)
    guest combine 480 combine
    judge combine "$cases"
    guest others 420 others
    judge others 17
    ;;
full)
    share=all
    guest combine 14400 combine
    judge combine "$cases"
    guest others 3600 others
    judge others 27
    ;;
nfsd)
    guest nfsd 420 nfsd
    judge nfsd 5
    ;;
table) guest table 900 table ;;
shell) exec sh "$here/boot.sh" "$linux" "$dir" 3600 job=shell "seed=$seed" ;;
*) fail "$what: neither pairwise, full, nfsd, table nor shell" ;;
esac
