#!/bin/sh
# The third judge: Wireshark's dissector on a capture of every vector, over
# TCP and as datagrams; and that dissector as a decoder of ours to be tested.
. "${top_srcdir:?}/tests/lib.sh"
. "$top_srcdir/tests/program.sh"

READPLUS_VECTORS=$top_srcdir/tests/vectors
PYTHONDONTWRITEBYTECODE=1
export READPLUS_VECTORS PYTHONDONTWRITEBYTECODE

# What needs no tshark.
expect 2 "$readplus" pcap
expect 2 "$readplus" pcap --out "$tmp/x.pcap" no_such_vector
expect 2 "$readplus" pcap --out "$tmp/x.pcap" --class nonsense
expect 1 "$readplus" pcap --out "$tmp/nowhere/x.pcap" size_hole_5
expect 3 "$readplus" pcap --out "$tmp/x.pcap" --reply "$tmp/nowhere"
expect 0 "$readplus" pcap --out "$tmp/tcp.pcap"
cp "$tmp/out" "$tmp/ports"
expect 0 "$readplus" pcap --udp --out "$tmp/udp.pcap"
cp "$tmp/out" "$tmp/udp-ports"

need tshark python3

# dissect CAPTURE OPTION...
dissect()
{
    HOME=$tmp tshark -n -r "$@" 2>"$tmp/tshark.err" || {
        cat "$tmp/tshark.err"
        fail "tshark $*"
    }
}

# Every checksum of every packet is there and right.
for capture in tcp udp; do
    dissect "$tmp/$capture.pcap" -o ip.check_checksum:TRUE \
        -o tcp.check_checksum:TRUE -o udp.check_checksum:TRUE \
        -Y "ip.checksum.status != 1 or $capture.checksum.status != 1" \
        >"$tmp/bad"
    [ ! -s "$tmp/bad" ] || { head "$tmp/bad"; fail "$capture: checksums"; }
    dissect "$tmp/$capture.pcap" -o "$capture.check_checksum:TRUE" \
        -Y "$capture.checksum.status == 1" | wc -l >"$tmp/good"
    [ "$(cat "$tmp/good")" -gt 800 ] || fail "$capture: few packets"
done
dissect "$tmp/tcp.pcap" -Y 'tcp.analysis.flags' >"$tmp/bad"
[ ! -s "$tmp/bad" ] || { head "$tmp/bad"; fail 'a stream that is not one'; }

# Every well-formed vector, field by field; what is cut short is flagged.
expect 0 "$readplus" vectors export --format json "$tmp/export"
expect 0 "$readplus" vectors export --format bin "$tmp/export"
mkdir "$tmp/answers"
judge=$READPLUS_VECTORS/judge_tshark.py
dissect "$tmp/udp.pcap" -T pdml -Y 'nfs or rpc' |
    python3 "$judge" "$tmp/export" "$tmp/udp-ports" "$tmp/answers" ||
    fail 'tshark reads the datagrams otherwise'
dissect "$tmp/tcp.pcap" -T pdml -Y 'nfs or rpc' |
    python3 "$judge" "$tmp/export" "$tmp/ports" "$tmp/answers" ||
    fail 'tshark reads the streams otherwise'

# One reply from a file.
printf '\0\0\0\0\0\0\0\1\0\0\0\0' >"$tmp/empty"
expect 0 "$readplus" pcap --out "$tmp/one.pcap" --reply "$tmp/empty" \
    --offset 4096 --count 512
dissect "$tmp/one.pcap" -Y 'nfs.opcode == 68' -T fields -e nfs.offset4 \
    -e nfs.count4 -e nfs.eof >"$tmp/one"
printf '4096\t512\t\n\t\t1\n' >"$tmp/want"
same 'a reply from a file' "$tmp/want" "$tmp/one"

# The dissector as a decoder: it reads all that is good, and flags only what
# is cut short.
cat >"$tmp/decoder" <<'END'
#!/bin/sh
set -- $(sha256sum)
cat "$answers/$READPLUS_TYPE-$1" 2>/dev/null ||
    echo '{"error":{"name":"not dissected","at":0,"segment":null}}'
END
chmod +x "$tmp/decoder"
answers=$tmp/answers
export answers
expect 1 "$readplus" vectors test-decoder "$tmp/decoder"
cat "$tmp/out"
says "$tmp/out" '^valid *[0-9]\{3\} *0 *0 *0 *0 *0$'
says "$tmp/out" '^policy *[0-9]\{2,3\} *0 *0 *0 *0 *0$'
says "$tmp/out" '^invalid *0 *[0-9]\{3\} *0 *0 *[0-9]\{2,3\} *0$'
