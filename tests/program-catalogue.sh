#!/bin/sh
# The hostile replies of the catalogue and the replies of real peers, through
# readplus decode and encode: the program says what the library says, and what
# it accepts goes there and back.
. "${top_srcdir:?}/tests/lib.sh"
. "$top_srcdir/tests/program.sh"

cd "$tmp"

# One line a reply: file of its hex, offset, count, flags, error, at, segment,
# good, stuck; what the program cannot be asked is left out.
awk '
    function hex(word, n, out) {
        if (!index(word, "*"))
            return word
        n = substr(word, 1, index(word, "*") - 1)
        word = substr(word, index(word, "*") + 1)
        for (out = ""; n > 0; n = int(n / 2)) {
            if (n % 2)
                out = out word
            word = word word
        }
        return out
    }
    function flush(    file) {
        if (id != "" && known && flags !~ /any-pad|trailing/) {
            file = id ".hex"
            print item >file
            close(file)
            print file, offset, count, flags, error, at, segment, good, stuck
        }
        id = ""
    }
    $1 == "" { flush(); next }
    $1 == "id" {
        id = $2; known = good = 0; stuck = "false"; item = ""
        offset = count = flags = "-"
    }
    $1 == "item" {
        known = 1
        for (i = 2; i <= NF; i++)
            item = item hex($i)
    }
    $1 == "args" { offset = $2; count = $3 }
    $1 == "flags" { flags = $0; sub("flags ", "", flags) }
    $1 == "good" { good = $2 }
    $1 == "stuck" { stuck = $2 }
    $1 == "error" { error = $2; at = $3 == "" ? "-" : $3
                    segment = $4 == "" ? "-" : $4 }
    END { flush() }' "$top_srcdir/tests/hostile.txt" >catalogue

trips=0

# there_and_back FILE: encode makes the bytes that decode has accepted.
there_and_back()
{
    expect 0 "$readplus" decode --json --data --hex "$1"
    mv out object
    expect 0 "$readplus" encode --hex object
    tr -d ' \n' <"$1" >want
    echo >>want
    same "$1 there and back" want out
    trips=$((trips + 1))
}

seen=0
while read -r file offset count flags error at segment good stuck; do
    set --
    [ "$offset" = - ] || set -- --offset "$offset" --count "$count"
    [ "$flags" = - ] || set -- "$@" --profile "$flags"
    want=1
    [ "$error" != OK ] || want=0
    expect "$want" "$readplus" decode --json --hex "$@" "$file"
    mv out told
    if [ "$error" = OK ]; then
        says told '"error":null'
        [ "$flags" != - ] || there_and_back "$file"
    else
        [ "$segment" != - ] || segment=null
        says told "\"name\":\"READPLUS_ERR_$error\",\"at\":$at,\"segment\":$segment,"
    fi
    got=$(grep -o '"content"' told | wc -l)
    [ "$got" -eq "$good" ] || fail "$file: $got segments, not $good"
    got=false
    grep -q '"progress":false}' told && got=true
    [ "$got" = "$stuck" ] || fail "$file: stuck is $got, not $stuck"
    seen=$((seen + 1))
done <catalogue
[ $seen -gt 80 ] || fail "only $seen replies of the catalogue were found"

# Every reply of a real peer; which bytes the files had does not matter here.
awk '
    function times(n, hex, out) {
        for (out = ""; n > 0; n = int(n / 2)) {
            if (n % 2)
                out = out hex
            hex = hex hex
        }
        return out
    }
    function flush() {
        if (name != "")
            print item >(name ".peer")
        close(name ".peer")
        name = ""
    }
    $1 == "name" { name = $2; item = "" }
    $1 == "item" { item = item $2 }
    $1 == "zero" { item = item times($2, "00") }
    $1 == "rnd" { item = item times($3, "5a") }
    $1 == "" { flush() }
    END { flush() }' "$top_srcdir/tests/captures/replies.txt"
for file in *.peer; do
    there_and_back "$file"
done

echo "$seen replies of the catalogue, $trips replies there and back"
