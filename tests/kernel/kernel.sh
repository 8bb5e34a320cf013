#!/bin/sh
# tests/kernel/kernel.sh pairwise|full|nfsd|table|shell: what `make
# check-kernel` and its like run: builds the guest, boots it, and judges what it
# says.  README tells what is looked at.  The unpacked kernel is in kernel/linux
# of the build folder, or in $KERNEL_LINUX, where tests/kernel/fetch.sh puts it.
. "${top_srcdir:?}/tests/lib.sh"

what=${1:?pairwise, full, nfsd, table or shell}
here=$top_srcdir/tests/kernel
linux=${KERNEL_LINUX:-$top_builddir/kernel/linux}
part=${KERNEL_PART:-1/1}
dir=$top_builddir/kernel/$what
[ "$part" = 1/1 ] || dir=$dir-${part%/*}-of-${part#*/}
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

# guest JOB SECONDS CPUS LOG: one boot; its console is LOG.
guest()
{
    (cd "$dir/plan" && echo programs/plan |
        cpio -o -H newc --quiet -R 0:0 | gzip -1) | cat "$dir/image" - \
        >"$dir/initramfs"
    sh "$here/boot.sh" "$linux" "$dir" "$2" "$3" "job=$1" "seed=$seed" \
        "share=${share:-some}" </dev/null >"$4" 2>&1 ||
        { tail -n 40 "$4"; fail "$1: the guest did not end well"; }
    grep -aq '^guest: off' "$4" ||
        { tail -n 40 "$4"; fail "$1: the guest broke off"; }
    tr -d '\r' <"$4" | grep -aE '^(RESULT|TABLE|guest|  )' || true
}

# results LOG...: the results there; not a line that was broken off.
results()
{
    grep -ah '^RESULT .*[[:cntrl:]]$' "$@" | tr -d '\r'
}

# judge NAME COUNT: as many results on stdin as there were cases, and all are
# good but those that are only to be found out (README).
judge()
{
    cat >"$dir/$1.results"
    [ "$(wc -l <"$dir/$1.results")" -ge "$2" ] ||
        fail "$1: $(wc -l <"$dir/$1.results") results, not $2"
    ! grep -v '^RESULT found: ' "$dir/$1.results" | grep -v ': good ' ||
        fail "$1: see above (seed $seed)"
    echo "$1: $(grep -c ': good ' "$dir/$1.results") good results"
}

# job NAME SECONDS COUNT
job()
{
    guest "$1" "$2" 2 "$dir/$1.log"
    results "$dir/$1.log" | judge "$1" "$3"
}

# combinations: those of the plan that no run of the same guest has tried yet,
# and then what all runs say of the plan.  Each go at it has a log of its own.
# One reads after the other here, and an emulated machine with one processor has
# none to wake when a message comes: that is five times as quick.
combinations()
{
    logs=$top_builddir/kernel/$what-$seed-$(sha256sum <"$dir/image" |
        cut -c 1-12)
    [ "$what" = full ] || rm -rf "$logs"
    mkdir -p "$logs"
    log=$logs/$(echo "$part" | tr / -)-$(date +%s).log
    : >"$log"
    results "$logs"/*.log >"$dir/tried"
    sh "$here/plan.sh" "$what" "$part" >"$dir/wanted"
    awk 'FILENAME == ARGV[1] {
            sub(/^RESULT /, ""); sub(/: .*/, ""); tried[$0]; next
        }
        !($0 in tried)' "$dir/tried" "$dir/wanted" >"$plan"
    cases=$(wc -l <"$plan")
    [ "$cases" -eq 0 ] ||
        guest combine $((120 + cases * 12)) 1 "$log"
    results "$logs"/*.log | awk '
        FILENAME == ARGV[1] { wanted[$0]; next }
        { name = $0; sub(/^RESULT /, "", name); sub(/: .*/, "", name) }
        name ~ /^made / || name in wanted' "$dir/wanted" - |
        judge combine "$(wc -l <"$dir/wanted")"
}

plan=$dir/plan/programs/plan
mkdir -p "$dir/plan/programs"
: >"$plan"
sh "$here/image.sh" "$linux" "$dir" "$top_builddir/tests/kernel/probe" \
    "$server" "$client" "$(command -v cp)" "$(command -v dd)"

case $what in
pairwise)
    combinations
    job others 420 17
    ;;
full)
    combinations
    share=all
    [ "$part" != 1/1 ] || job others 3600 27
    ;;
nfsd) job nfsd 420 5 ;;
table) guest table 900 2 "$dir/table.log" ;;
shell)
    mv "$dir/image" "$dir/initramfs"
    exec sh "$here/boot.sh" "$linux" "$dir" 3600 2 job=shell "seed=$seed"
    ;;
*) fail "$what: neither pairwise, full, nfsd, table nor shell" ;;
esac
