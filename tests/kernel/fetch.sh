#!/bin/sh
# tests/kernel/fetch.sh DIR: unpacks Debian's newest Linux 6.12 kernel for amd64
# under DIR, where `make check-kernel` looks for it.  Nothing is installed; apt
# has to know of it (bookworm has it in its security updates).
set -eu

dir=${1:?DIR}
[ ! -f "$dir/complete" ] || exit 0

package=$(apt-cache search --names-only \
    '^linux-image-6\.12\.[0-9]+\+deb[0-9]+-amd64$' |
    awk '{ print $1 }' | sort -V | tail -n 1)
[ -n "$package" ] || { echo "fetch.sh: apt knows of no Linux 6.12" >&2; exit 1; }

rm -rf "$dir"
mkdir -p "$dir/debs"
dir=$(cd "$dir" && pwd)
(cd "$dir/debs" &&
    apt-get -qq -o Acquire::Retries=3 -o APT::Sandbox::User= \
        download "$package")
dpkg -x "$dir/debs/$package"_*.deb "$dir"
rm -rf "$dir/debs"
touch "$dir/complete"
