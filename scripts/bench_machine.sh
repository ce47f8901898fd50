#!/bin/sh
# Host speed of machines with many cores: rates compared with one core in the same rounds, packets between chips, idle boards, threads.
set -eu
. "$(dirname -- "$0")/checkout.sh"

usage() {
    cat <<USAGE
usage: scripts/bench_machine.sh [ROUNDS]

ROUNDS (default 5) of the experiments in configs/experiments/bench, in turn, on an otherwise idle computer; medians of the seconds that the
machine itself ran (host.run_seconds of summary.json: no set-up, no files).  BUILD names the build folder, THREADS the threads of the last row (2).
Absolute rates are this host's, ratios carry over.
USAGE
}

case "${1:-}" in
-h | --help)
    usage
    exit 0
    ;;
esac
rounds=${1:-5}
threads=${THREADS:-2}
program=${BUILD:-build}/spinnsim
if [ ! -x "$program" ]; then
    echo "bench_machine.sh: $program is missing: build first" >&2
    exit 2
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# number FILE KEY: prints a number of a summary.json.
number() {
    sed -n "s/^ *\"$2\": *\([0-9.e+-]*\).*/\1/p" "$1" | head -n 1
}

# run NAME EXPERIMENT [OPTION...]: one run; records its seconds (its counts are the same every time).
run() {
    run_name=$1
    run_experiment=$2
    shift 2
    "$program" run "configs/experiments/bench/$run_experiment.yaml" --force --out "$folder/$run_name" --progress none "$@" >"$folder/said" 2>&1 || {
        cat "$folder/said" >&2
        exit 1
    }
    number "$folder/$run_name/summary.json" run_seconds >>"$folder/$run_name.seconds"
}
median() {
    sort -g "$folder/$1.seconds" | awk '{ value[NR] = $1 } END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'
}
instructions() {
    number "$folder/$1/summary.json" instructions
}
calculate() {
    awk "BEGIN { printf \"$1\", $2 }"
}

round=0
while [ "$round" -lt "$rounds" ]; do
    run core busy_core
    run board busy_board
    run listening busy_board_listening
    run tick tick_board
    run packets packet_random
    run one_thread busy_board --threads 1
    run threads busy_board --threads "$threads"
    round=$((round + 1))
done

# Number of router passes of all packets, including dropped ones.
hops=$(awk -F, '$1 == "run" && $2 == "router" && $6 ~ /^packets_(mc|p2p|nn|fr)$/ { sum += $8 } END { print sum }' "$folder/packets/counters.csv")
dropped=$(number "$folder/packets/summary.json" dropped_packets)
core=$(calculate "%.1f" "$(instructions core) / $(median core) / 1e6")
board=$(calculate "%.1f" "$(instructions board) / $(median board) / 1e6")
listening=$(calculate "%.1f" "$(instructions listening) / $(median listening) / 1e6")
packets=$(calculate "%.2f" "$hops / $(median packets) / 1e6")
tick=$(calculate "%.3f" "$(median tick) / $(number "$folder/tick/summary.json" seconds)")
speedup=$(calculate "%.2f" "$(median one_thread) / $(median threads)")
cat <<TABLE
one core in TCM                        $core million instructions/s
816 cores, no outside source           $board million instructions/s, $(calculate "%.0f" "100 * $board / $core") % of one core's (bar 85)
816 cores, packet interrupts let in    $listening million instructions/s, $(calculate "%.0f" "100 * $listening / $core") % of one core's (bar 25)
packets, 12 x 12 chips, random         $packets million router passages/s (bar 4), $hops passages, $dropped packets dropped
48 idle chips, 816 ticks of 1 ms       $tick host seconds a simulated second (bar 0.5)
$threads threads, 816 busy cores              $speedup times as fast as one (bar 1.5 with two)
TABLE
