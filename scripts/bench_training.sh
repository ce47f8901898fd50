#!/bin/sh
# Host cost of a training: host instructions and seconds per guest instruction and per delivered packet, compared with other boards.
set -eu
. "$(dirname -- "$0")/checkout.sh"

all='lenet1 fc128 fc128_96 ring packets listening flood'
usage() {
    cat <<USAGE
usage: scripts/bench_training.sh [--rounds N] [--data DIR] [--tier TIER] [--valgrind] [ROW...]

Runs each ROW (default: all) N times (default 3) on one thread, in turn, after one that fills the translator's cache, and prints medians:
  lenet1     LeNet-1 on a board, batch 192         fc128, fc128_96   784-128-10 on a board, batch 192 and 96
  ring       sums around rings of three boards     packets           random packets on 12 x 12 chips
  listening  816 busy cores that a packet could interrupt            flood   more packets than routers take
Each is the difference of two lengths of the run (384 and 192 images, 6 and 2 rounds, two limits of machine time), so set-up, test and
hashing are not in it.  Trainings want MNIST: --data, or \$SPINNSIM_DATA.  BUILD names the build folder.

Host instructions and cache misses are those of user code by perf, where it can count; otherwise --valgrind counts instructions with
cachegrind, once a run and some twenty times as slow, on a CPU without the newest instructions; otherwise the column says -.
With cachegrind, a second table has the shares of host instructions by part of the simulator (scripts/parts.awk); what the compiler has put
into a function of another part counts there.
Host seconds are this host's and want an idle computer; instructions carry over.
USAGE
}

bad() {
    echo "bench_training.sh: $1" >&2
    exit 2
}
rounds=3
tier=auto
valgrind=no
data=
rows=
while [ $# -gt 0 ]; do
    case "$1" in
    -h | --help)
        usage
        exit 0
        ;;
    --valgrind) valgrind=yes ;;
    --rounds | --data | --tier)
        [ $# -gt 1 ] || bad "$1 wants a value"
        case "$1" in
        --rounds) rounds=$2 ;;
        --data) data=$(absolute "$2") ;;
        --tier) tier=$2 ;;
        esac
        shift
        ;;
    -*) bad "unknown option $1; see --help" ;;
    *)
        case " $all " in
        *" $1 "*) rows="$rows $1" ;;
        *) bad "unknown row $1: $all" ;;
        esac
        ;;
    esac
    shift
done
case "$rounds" in
'' | 0* | *[!0-9]*) bad "--rounds wants a number from 1" ;;
esac
rows=${rows:-$all}
program=${BUILD:-build}/spinnsim
[ -x "$program" ] || bad "$program is missing: build first"
. scripts/measure.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
XDG_CACHE_HOME=$folder/.cache
export XDG_CACHE_HOME

counter=none
events=
if can_count instructions:u; then
    counter=perf
    events=instructions:u
    can_count cache-misses:u && events=$events,cache-misses:u
elif [ "$valgrind" = yes ]; then
    command -v valgrind >/dev/null 2>&1 || bad "valgrind is not installed"
    counter=cachegrind
fi

# number FILE KEY: prints a number of a summary.json.
number() {
    sed -n "s/^ *\"$2\": *\([0-9.e+-]*\).*/\1/p" "$1" | head -n 1
}

# experiment ROW LENGTH: prints the experiment's file, and the overrides that set its length.
experiment() {
    case $1 in
    lenet1) echo lenet1_train "data.train_images=$2" data.test_images=1 ;;
    fc128) echo fc128_train "data.train_images=$2" data.test_images=1 ;;
    fc128_96) echo fc128_train "data.train_images=$2" data.test_images=1 train.global_batch=96 ;;
    ring) echo micro/ring_exchange_torus "exchange.rounds=$2" ;;
    packets) echo bench/packet_random "run.simulated_time_limit=$2" ;;
    listening) echo bench/busy_board_listening "run.simulated_time_limit=$2" ;;
    flood) echo micro/packet_flood "run.simulated_time_limit=$2" ;;
    esac
}

# lengths ROW: prints the longer length, then the shorter.
lengths() {
    case $1 in
    lenet1 | fc128 | fc128_96) echo 384 192 ;;
    ring) echo 6 2 ;;
    packets) echo 1600us 400us ;;
    listening) echo 9ms 3ms ;;
    flood) echo 500us 100us ;;
    esac
}

# run ROW LENGTH [WRAPPER...]: one run, under the command given.
run() {
    result=$folder/$1.$2
    # Words without blanks in them.
    words=$(experiment "$1" "$2")
    shift 2
    set -- "$@" "$program" run "configs/experiments/${words%% *}.yaml" --force --out "$result" --threads 1 --tier "$tier" --progress none --set accept=null
    for word in $words; do
        case $word in
        *=*) set -- "$@" --set "$word" ;;
        esac
    done
    [ -z "$data" ] || set -- "$@" --data "$data"
    status=0
    "$@" >"$folder/said" 2>&1 || status=$?
    case $status,$words in
    0,* | 4,*simulated_time_limit*) ;;
    *)
        cat "$folder/said" >&2
        exit 1
        ;;
    esac
}

# measure ROW LENGTH: one run; records its user seconds and, with perf, its counts.
measure() {
    (
        if [ $counter = perf ]; then
            run "$1" "$2" perf stat -x, -e "$events" -o "$folder/counts"
        else
            run "$1" "$2"
        fi
        children_seconds >>"$folder/$1.$2.seconds"
    )
    if [ $counter = perf ]; then
        counted instructions:u >>"$folder/$1.$2.instructions"
        counted cache-misses:u >>"$folder/$1.$2.misses"
    fi
}

# count ROW LENGTH: the instructions of one run and of its functions, by cachegrind.
count() {
    run "$1" "$2" under_cachegrind
    counted_by_cachegrind >>"$folder/$1.$2.instructions"
    mv "$folder/profile" "$folder/$1.$2.profile"
}

# difference summary KEY, difference SUFFIX: the value of the longer run of $row minus that of the shorter.
difference() {
    for at in $(lengths "$row"); do
        if [ "$1" = summary ]; then
            number "$folder/$row.$at/summary.json" "$2"
        else
            median "$folder/$row.$at.$1"
        fi
    done | awk 'NR == 1 { value = $1 } NR == 2 { printf "%.6f\n", value - $1 }'
}

# per FORMAT SCALE VALUE COUNT: prints a quotient, or - if one of the numbers is unknown.
per() {
    awk -v format="$1" -v scale="$2" -v value="$3" -v count="$4" \
        'BEGIN { if (value == "" || count + 0 == 0) print "-"; else printf format, scale * value / count }'
}

# Fills the translator's cache: with this tier, cores wait for the compiler, so later runs find all that they want.
asked=$tier
[ "$tier" != auto ] || tier=translator
for row in $rows; do
    for at in $(lengths "$row"); do
        run "$row" "$at"
    done
done
tier=$asked
round=0
while [ "$round" -lt "$rounds" ]; do
    for row in $rows; do
        for at in $(lengths "$row"); do
            measure "$row" "$at"
        done
    done
    round=$((round + 1))
done
if [ $counter = cachegrind ]; then
    for row in $rows; do
        for at in $(lengths "$row"); do
            count "$row" "$at"
        done
    done
fi

printf '%-10s %12s %12s %28s %24s %10s %12s\n' '' 'million' 'thousand' 'host instructions for each' 'host ns (user) for each' 'host' 'cache misses'
printf '%-10s %12s %12s %18s %9s %14s %9s %10s %12s\n' 'row' 'instructions' 'deliveries' 'guest instruction' 'delivery' \
    'instruction' 'delivery' 'seconds' 'in 1000'
for row in $rows; do
    guest=$(difference summary instructions)
    delivered=$(difference summary deliveries)
    seconds=$(difference seconds)
    host=$(difference instructions)
    printf '%-10s %12s %12s %18s %9s %14s %9s %10s %12s\n' "$row" "$(per %.2f 1 "$guest" 1e6)" "$(per %.1f 1 "$delivered" 1e3)" \
        "$(per %.1f 1 "$host" "$guest")" "$(per %.0f 1 "$host" "$delivered")" "$(per %.2f 1e9 "$seconds" "$guest")" \
        "$(per %.0f 1e9 "$seconds" "$delivered")" "$(per %.2f 1 "$seconds" 1)" "$(per %.3f 1e3 "$(difference misses)" "$guest")"
done
case $counter in
none) echo "host instructions: perf cannot count them here; --valgrind does, slowly" ;;
*) echo "host instructions: by $counter" ;;
esac
[ $counter = cachegrind ] || exit 0

find "${BUILD:-build}/models" -name '*.o' -exec readelf -sW {} + >"$folder/symbols" 2>/dev/null
printf '\n%-10s %12s %12s %12s %12s %12s %12s   %% of host instructions\n' row 'interpreter' 'cores, plans' 'native code' 'VIC, timers,' 'router,' 'rest'
printf '%-10s %12s %12s %12s %12s %12s\n' '' 'and accesses' 'and time' '' 'comms, DMA' 'links'
for row in $rows; do
    # The longer run's file, then the shorter's.
    set --
    for at in $(lengths "$row"); do
        set -- "$@" "$folder/$row.$at.profile"
    done
    # shellcheck disable=SC2046 # six numbers
    printf '%-10s %12s %12s %12s %12s %12s %12s\n' "$row" $(awk -f scripts/parts.awk "$folder/symbols" "$@")
done
