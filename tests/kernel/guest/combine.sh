# Job: every combination of the plan (plan.sh), of which a line says
#     FILESYSTEM buffered|direct RSIZE ordered|random POLICY PRESET
# and each result the same, by which the host knows what has been tried.
# shellcheck shell=sh
# shellcheck source=tests/kernel/guest/server.sh
. /programs/server.sh

# combination FILESYSTEM CACHE RSIZE ORDER POLICY PRESET
combination()
{
    source=scan
    case $5 in *exact*) source=exact ;; esac
    serve "$1" --preset "$6" --policy "$5"
    if ! mounted "rsize=$3"; then
        echo 'BAD no mount'
        died
        stop
        return
    fi
    bounded 180 probe check /mnt/nfs "/srv/$1" "$SEED" "$3" "$4" "$2" "$6" \
        "$source" || died
    unmounted || echo 'BAD no umount'
    stop
}

made
while read -r filesystem cache rsize order policy preset; do
    combination "$filesystem" "$cache" "$rsize" "$order" "$policy" "$preset" |
        report "$filesystem $cache $rsize $order $policy $preset"
done </programs/plan
