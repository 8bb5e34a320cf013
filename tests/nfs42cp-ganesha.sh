#!/bin/sh
# nfs42cp against nfs-ganesha, a server whose READ_PLUS of version 4.3 makes
# every file look empty: each copy must be right all the same.
. "${top_srcdir:?}/tests/lib.sh"
. "$top_srcdir/tests/program.sh"
. "$top_srcdir/tests/nfs42cp-lib.sh"

need ganesha.nfsd mkfs.ext4 mount umount losetup
[ "$(id -u)" -eq 0 ] || skip 'not root: nfs-ganesha opens files by handle'

mounted=
done_here()
{
    end_all
    [ -z "$mounted" ] || umount "$mounted" || true
    rm -rf "$tmp"
}
trap done_here EXIT

# A file system of its own, since not each has handles.
export=$tmp/export
mkdir "$export" "$tmp/run"
truncate -s 256M "$tmp/image"
mkfs.ext4 -q "$tmp/image" >"$tmp/mkfs" 2>&1 || fail 'mkfs.ext4'
mount -o loop "$tmp/image" "$export" 2>"$tmp/why" ||
    skip "no loop mount: $(cat "$tmp/why")"
mounted=$export
layouts "$export"
truncate -s 1G "$export/far"
printf x >>"$export/far"

# serve: the server, on $port, where the last one was if there was one.
port=
serve()
{
    for try in 1 2 3 4 5; do
        [ -n "$port" ] || port=$((20000 + ($$ * 5 + try) % 12000))
        cat >"$tmp/ganesha.conf" <<END
NFS_CORE_PARAM { Protocols = 4; NFS_Port = $port; Bind_addr = 127.0.0.1;
    Enable_NLM = false; Enable_RQUOTA = false; mount_path_pseudo = true; }
NFSv4 { Graceless = true; RecoveryBackend = fs; Minor_Versions = 1, 2;
    RecoveryRoot = $tmp/run; Only_Numeric_Owners = true; }
EXPORT { Export_Id = 7; Path = $export; Pseudo = /x; Access_Type = RO;
    Squash = None; SecType = sys; Protocols = 4; FSAL { Name = VFS; } }
END
        ganesha.nfsd -F -f "$tmp/ganesha.conf" -L "$tmp/ganesha.log" \
            -N EVENT -p "$tmp/ganesha.pid" >"$tmp/ganesha.out" 2>&1 &
        server=$!
        started="$started $server"
        tries=0
        while kill -0 $server 2>"$tmp/kill" && [ $tries -lt 400 ]; do
            ! grep -q 'NFS SERVER INITIALIZED' "$tmp/ganesha.log" || return 0
            tries=$((tries + 1))
            sleep 0.05
        done 2>"$tmp/grep"
        port=
    done
    cat "$tmp/ganesha.log" "$tmp/ganesha.out"
    fail 'nfs-ganesha does not start'
}
serve

copy()
{
    expect 0 timeout 120 "$nfs42cp" --port "$port" --timeout 30 --json "$@"
}

cd "$tmp"
for file in $all_layouts; do
    for how in --auto --read '--size 5000 --jobs 3' --verify; do
        rm -f dst
        # shellcheck disable=SC2086 # an option and its argument
        copy $how "127.0.0.1:/x/$file" dst
        same_file "$export/$file" dst
        alone dst
    done
done
rm -f dst
copy --auto 127.0.0.1:/x/odd dst
[ "$(field read_plus_requests out)" -gt 0 ] || fail 'READ_PLUS was not tried'
[ "$(field read_requests out)" -gt 0 ] || fail 'READ was not used'
says out '"fallback":"a reply was no good"\|"fallback":"its replies'

# Where nothing but READ_PLUS may be used there is no copy.
rm -f dst
expect 1 timeout 60 "$nfs42cp" --port "$port" --read-plus 127.0.0.1:/x/odd dst
[ ! -e dst ] || fail 'an empty file was made'
expect 1 timeout 60 "$nfs42cp" --port "$port" --extents 127.0.0.1:/x/odd
says err 'no extents: '

# The server is killed in the middle, and comes again.
copy --size 1M 127.0.0.1:/x/far dst &
copier=$!
wait_for 'a copy under way' test -e .dst.nfs42cp
kill -9 "$server"
wait "$server" || true
: >ganesha.log
serve
wait $copier || fail 'the copy did not survive a new server'
same_file "$export/far" dst
[ "$(field sessions out)" -gt 1 ] || fail 'the server was killed too late'
echo 'every copy is right'
