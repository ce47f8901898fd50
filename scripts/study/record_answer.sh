#!/bin/sh
# Runs the sweeps of configs/study/answer: machines of three sizes train each network, in sampled epochs of MNIST.  Writes to docs/results/recorded
#   cells.csv    a row for each machine and network: times of an epoch, and what loading 60,000 images takes
#   counts.csv   what an epoch's joules are charged for: counters, and time, chips and boards; joules are made from these, with whatever coefficients
# Arguments: sweeps to run again (default: all); the rows of the others are kept.  Forty minutes on one core for all; points that have run are not run again.
set -eu
. "$(dirname -- "$0")/common.sh"
all="board least own three_boards"
if [ "${1:-}" = --help ]; then
    echo "usage: scripts/study/record_answer.sh [SWEEP...]   (of $all; the program is \${BUILD:-build}/spinnsim, MNIST in \$SPINNSIM_DATA;"
    echo "       points' result folders lie in \${OUT:-out/answer}, JOBS of them run at a time; \$RECORDED: a folder to write to instead of"
    echo "       docs/results/recorded)"
    exit 0
fi
only "$all" "$@"
wanted=${*:-$all}
out=$(absolute "${OUT:-$PWD/out/answer}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What any table of configs/energy charges for.
counters=$(sed -n 's/^ *per: *//p' configs/energy/*.yaml | tr -d '[],' | tr ' ' '\n' | grep -F . | sort -u | tr '\n' ' ')

# value FILE KEY: the first number or text of that key.
value() {
    awk -v key="\"$2\":" 'index($0, key) { sub(/^[^:]*: */, ""); gsub(/[",]/, ""); print; exit }' "$1"
}

# of_block BLOCK KEY CONFIG: the key's value in that block of a resolved configuration.
of_block() {
    awk -v block="$1:" -v key="  $2:" '$0 == block { inside = 1; next } inside && index($0, key) == 1 { print $2; exit } inside && /^[^ ]/ { exit }' "$3"
}

# of_object FILE OBJECT KEY: a number within an object of its own lines.
of_object() {
    awk -v object="\"$2\": {" -v key="\"$3\":" '
        index($0, object) { inside = 1 }
        inside && index($0, key) { sub(/^[^:]*: */, ""); gsub(/,/, ""); print; exit }
        inside && /^  }/ { exit }' "$1"
}

# cell SWEEP FOLDER: appends the rows of a point.
cell() {
    summary=$2/summary.json
    network=$(value "$summary" network)
    chips=$(of_block mapping chips "$2/config.yaml")
    optimizer=$(of_block train optimizer "$2/config.yaml")
    recipe=${optimizer}_$(value "$summary" global_batch)
    cores=$(value "$summary" cores_used)
    case $(value "$summary" chips) in
    48) platform=board ;;
    144) platform=three_boards ;;
    *)
        platform=${chips}_chips
        [ "$chips" -gt 1 ] || platform=chip
        [ "$cores" -gt 1 ] || platform=core
        [ "$chips" -lt 48 ] || platform=$(value "$summary" boards)_boards
        ;;
    esac
    # A recipe of the machine's own is in the name.
    named=${network}_$platform
    [ "$recipe" = "$(awk -F, -v network="$network" '$1 == network && $2 == "int16" { print $3 "_" $4; exit }' configs/study/recipes.csv)" ] || named=${named}_$recipe
    {
        printf '%s,%s,%s,%s,%s,%s,%s,' "$1" "$named" "$network" "$platform" "$(value "$summary" chips)" "$(value "$summary" boards)" "$chips"
        printf '%s,%s,%s,%s,%s,' "$cores" "$(value "$summary" mapping)" "$optimizer" "$(value "$summary" global_batch)" "$(of_object "$summary" sampled updates)"
        printf '%s,%s,%s,' "$(of_object "$summary" sampled of)" "$(value "$summary" accuracy)" "$(value "$summary" seconds_per_epoch)"
        awk -F, '$1 == "seconds" { printf "%s,%s,", $7, $8 }' "$2/sampled.csv"
        for part in compute exchange sdram imbalance; do
            printf '%s,' "$(of_object "$summary" train_time $part)"
        done
        printf '%s,%s,%s,' "$(value "$summary" dropped_packets)" "$(of_object "$summary" loading images)" "$(of_object "$summary" loading seconds)"
        printf '%s,%s,' "$(of_object "$summary" loading sdram_bytes)" "$(of_object "$summary" loading router_bits)"
        printf '%s,%s\n' "$(value "$summary" sha256)" "$(value "$summary" stats_hash)"
    } >>"$work/cells.csv"
    awk -F, -v sweep="$1" -v cell="$named" -v counters=" $counters " '
        $1 == "seconds" { printf "%s,%s,time_ps,%.0f\n", sweep, cell, $6 * 1e12 }
        index(counters, " " $1 " ") { print sweep "," cell "," $1 "," $6 }' "$2/sampled.csv" >>"$work/counts.csv"
    {
        echo "$1,$named,chips,$(value "$summary" chips)"
        # A chip alone has no board to charge.
        if [ "$(value "$summary" board_profile)" = none ]; then boards=0; else boards=$(value "$summary" boards); fi
        echo "$1,$named,boards,$boards"
    } >>"$work/counts.csv"
}

echo "sweep,cell,network,platform,chips,boards,chips_used,cores_used,mapping,optimizer,batch,updates_executed,updates,accuracy,seconds,seconds_low,seconds_high,compute,exchange,sdram,imbalance,dropped,images_loaded,loading_seconds,loading_sdram_bytes,loading_router_bits,elf,stats_hash" >"$work/cells.csv"
echo "sweep,cell,counter,count" >"$work/counts.csv"
for name in $all; do
    case " $wanted " in
    *" $name "*)
        "$program" sweep "configs/study/answer/$name.yaml" --out "$out/$name" -j "${JOBS:-1}"
        for folder in "$out/$name"/answer_"$name"-*/; do
            cell "$name" "${folder%/}"
        done
        ;;
    *)
        for table in cells counts; do
            grep "^$name," "$recorded/$table.csv" >>"$work/$table.csv" 2>/dev/null || true # never recorded
        done
        ;;
    esac
done
# In the order of sweeps and networks: that of the folders moves with every key of the configuration.
mkdir -p "$recorded"
for table in cells counts; do
    { head -n 1 "$work/$table.csv" && tail -n +2 "$work/$table.csv" | LC_ALL=C sort -s -t, -k1,2; } >"$work/sorted.csv"
    mv "$work/sorted.csv" "$recorded/$table.csv"
done
