#!/bin/sh
# readplus decode --pcap: every exchange with the catalogue's own verdict; over
# TCP in and out of order, cut, and doubled; captures above 2 GiB in little
# memory.
. "${top_srcdir:?}/tests/lib.sh"
. "$top_srcdir/tests/program.sh"

READPLUS_VECTORS=$top_srcdir/tests/vectors
PYTHONDONTWRITEBYTECODE=1
export READPLUS_VECTORS PYTHONDONTWRITEBYTECODE

expect 0 "$readplus" pcap --out "$tmp/one.pcap" size_data_5_then_hole
expect 0 "$readplus" decode --pcap "$tmp/one.pcap"
says "$tmp/out" '^4 -> 6 .*offset 3 count 64: OK, 1 data, 1 holes, 25 bytes$'
says "$tmp/out" ' 1 exchanges of READ_PLUS, 0 faulty; 0 calls without reply'
expect 0 "$readplus" pcap --out "$tmp/bad.pcap" gap_1_last status_NFS4ERR_IO \
    compound_rep_too_big args_count_1
expect 1 "$readplus" decode --pcap "$tmp/bad.pcap"
says "$tmp/out" 'READPLUS_ERR_GAP at byte 60, segment 2: .*RFC 7862 15.10.3'
says "$tmp/out" ': 5 NFS4ERR_IO$'
says "$tmp/out" ': 10066 NFS4ERR_REP_TOO_BIG$'
says "$tmp/out" ' 1 faulty; 1 calls without reply'
expect 0 "$readplus" decode --pcap - <"$tmp/one.pcap"
expect 2 "$readplus" pcap --out "$tmp/none.pcap" no_such_vector
if [ -c /dev/full ]; then
    expect 1 "$readplus" pcap --out /dev/full size_hole_5
    [ -c /dev/full ] || fail '/dev/full is gone'
fi
[ ! -e "$tmp/none.pcap" ] || fail 'half a capture is left'
expect 0 "$readplus" decode --pcap "$tmp/bad.pcap" --port 20490
says "$tmp/out" ' 0 exchanges'
expect 3 "$readplus" decode --pcap "$tmp/nowhere"
expect 3 "$readplus" decode --pcap "$top_srcdir/COPYING"
expect 2 "$readplus" decode --pcap "$tmp/one.pcap" "$tmp/one.pcap"
head -c 400 "$tmp/one.pcap" >"$tmp/cut.pcap"
expect 1 "$readplus" decode --pcap "$tmp/cut.pcap"

need python3
expect 0 "$readplus" vectors export --format json "$tmp"
for how in '' --udp; do
    expect 0 "$readplus" pcap $how --out "$tmp/all.pcap"
    cp "$tmp/out" "$tmp/ports"
    expect 1 "$readplus" decode --json --pcap "$tmp/all.pcap"
    cp "$tmp/out" "$tmp/listed"
    python3 "$READPLUS_VECTORS/judge_listing.py" "$tmp/vectors.json" \
        "$tmp/ports" "$tmp/listed" || fail "the verdicts $how"
done

# Packets in another order, twice, and some of them lost.
expect 0 "$readplus" pcap --out "$tmp/all.pcap"
expect 1 "$readplus" decode --json --pcap "$tmp/all.pcap"
sed 's/"call":[0-9]*,"reply":[0-9]*,//' "$tmp/out" | sort >"$tmp/want"
for how in swap twice; do
    python3 "$READPLUS_VECTORS/shuffle_pcap.py" "$how" "$tmp/all.pcap" \
        >"$tmp/$how.pcap"
    expect 1 "$readplus" decode --json --pcap "$tmp/$how.pcap"
    sed 's/"call":[0-9]*,"reply":[0-9]*,//' "$tmp/out" | sort >"$tmp/got"
    same "packets: $how" "$tmp/want" "$tmp/got"
done
python3 "$READPLUS_VECTORS/shuffle_pcap.py" lose "$tmp/all.pcap" \
    >"$tmp/lose.pcap"
expect 1 "$readplus" decode --pcap "$tmp/lose.pcap"

# Damaged ones: whatever it says, it says it.
for seed in 1 2 3 4 5 6 7 8; do
    python3 "$READPLUS_VECTORS/shuffle_pcap.py" $seed "$tmp/all.pcap" \
        >"$tmp/changed.pcap"
    expect 1 "$readplus" decode --pcap "$tmp/changed.pcap"
    says "$tmp/out" ' exchanges of READ_PLUS, '
done

# More than 2 GiB, through a pipe: the last exchange is seen, and memory does
# not grow.  A checker's own memory is none of ours.
case $CFLAGS in
*sanitize*) limit=unlimited ;;
*) limit=300000 ;;
esac
(
    # shellcheck disable=SC3045 # where the shell knows it
    ulimit -v "$limit" 2>/dev/null || :
    python3 "$READPLUS_VECTORS/shuffle_pcap.py" pad "$tmp/one.pcap" |
        "$readplus" decode --pcap -
) >"$tmp/out" || fail 'a capture of more than 2 GiB'
cat "$tmp/out"
[ "$(grep -c ': OK, 1 data, 1 holes, 25 bytes$' "$tmp/out")" -eq 2 ] ||
    fail 'an exchange behind 2 GiB is not seen'
