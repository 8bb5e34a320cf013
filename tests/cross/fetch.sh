#!/bin/sh
# tests/cross/fetch.sh DIR: puts Debian's static libraries for the machines of
# tests/cross.sh under DIR/ARCH.  It uses apt with a state of its own there, so
# that this system learns of no foreign architecture and needs no root.
set -eu

dir=${1:?DIR}
# Where this system takes its release from, without updates: what those hold for
# other machines is at times not there yet.
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:?}")
# shellcheck disable=SC2016 # for apt-get to expand
sources=$(apt-get indextargets --format \
    'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v suite="$suite" '$3 == suite && !seen[$0]++')

for arch in s390x i386; do
    root=$dir/$arch
    [ ! -f "$root/complete" ] || continue
    rm -rf "$root"
    mkdir -p "$root/apt/lists/partial" "$root/apt/cache/archives/partial" \
        "$root/debs"
    root=$(cd "$root" && pwd)
    : >"$root/apt/status"
    echo "$sources" >"$root/apt/sources"
    apt="apt-get -qq -o Acquire::Retries=3 -o APT::Sandbox::User="
    apt="$apt -o Dir::Etc::sourcelist=$root/apt/sources"
    apt="$apt -o Dir::Etc::sourceparts=- -o Dir::State=$root/apt"
    apt="$apt -o Dir::State::status=$root/apt/status"
    apt="$apt -o Dir::Cache=$root/apt/cache"
    apt="$apt -o APT::Architecture=$arch -o APT::Architectures=$arch"
    $apt update
    (cd "$root/debs" &&
        $apt download check libjson-c-dev libsubunit-dev libtirpc-dev)
    for deb in "$root"/debs/*.deb; do
        dpkg -x "$deb" "$root"
    done
    rm -rf "$root/apt" "$root/debs"
    touch "$root/complete"
done
