#!/bin/sh
# Exchanges as many words as networks have parameters over the rings of a SpiNN-5 (micro/ring_exchange), and writes
# docs/results/recorded/exchange.csv: some minutes on one core, so it is run when the exchange or the network of links changes, not
# by every test. A test runs some of the rows again.
set -eu
. "$(dirname -- "$0")/common.sh"
if [ $# -ne 0 ]; then
    echo "usage: scripts/study/record_exchange.sh   (the program is \${BUILD:-build}/spinnsim; \$RECORDED: a folder to write to instead)" >&2
    exit 2
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# longest WHAT: prints the largest number of cycles that any core has printed for WHAT.
longest() {
    awk -v what="$1 " '
        match($0, what "[0-9]+") { cycles = substr($0, RSTART + length(what), RLENGTH - length(what)) + 0 }
        cycles > most { most = cycles }
        END { print most + 0 }' "$out/run/console.txt"
}

# Packets on the link that carries the most, and of all links.
on_links() {
    awk -F, '
        NR > 1 && $3 != "cores" { sent[$1 "," $2 "," $3] += $6 }
        END { for (link in sent) if (sent[link] > most) most = sent[link]; print most + 0 }' "$out/run/traffic.csv"
}

# exchange NAME PARAMETERS CORES ROUNDS SPREAD PACE SEED OVER RINGS: a row.
exchange() {
    words=$((($2 + $3 - 1) / $3))
    status=0
    "$program" run configs/experiments/micro/ring_exchange.yaml --set "app=[{file: ring_exchange.elf, cores: 1-$3}]" --set accept=null \
        --set "exchange.words=$words" --set "exchange.rounds=$4" --set "exchange.start_spread=$5" --set "exchange.pace=$6" --set "seed=$7" \
        --set "exchange.over=$8" --set "exchange.rings=$9" --set "run.quiescent_limit=2 ms" --workloads "${BUILD:-build}/workloads" \
        --threads 1 --progress none --force --out "$out/run" >/dev/null 2>&1 || status=$?
    echo "$1,$2,$3,$words,$4,$5,$6,$7,$8,$9,$status,$(longest reduce-scatter),$(longest both),$(of "$out/run/summary.json" packets_sent),$(on_links),$(of "$out/run/summary.json" dropped_packets)"
    rm -rf "$out/run"
}

{
    echo "name,parameters,cores,words,rounds,spread,pace,seed,over,rings,status,reduce_cycles,both_cycles,packets_sent,worst_link,dropped"
    for cores in 12 16; do
        exchange lenet1 3246 $cores 1 "5 us" 0.85 1 rings 3
    done
    for cores in 12 15 16; do
        exchange lenet5 61706 $cores 1 "5 us" 0.85 1 rings 3
    done
    for cores in 12 15 16; do
        exchange fc128 101770 $cores 1 "5 us" 0.85 1 rings 3
    done
    exchange lenet1 3246 3 1 "5 us" 0.85 1 rings 3
    exchange lenet1 3246 12 1 "5 us" 0.85 1 rings 2
    exchange lenet1 3246 12 1 "5 us" 0.85 1 rings 1
    exchange lenet1 3246 12 1 "100 us" 0.85 1 rings 3
    exchange lenet1 3246 12 1 "5 us" 1000 1 rings 3
    for pace in 0.3 0.6 0.85; do
        exchange lenet1 3246 12 1 "5 us" $pace 1 tree 3
    done
    for pace in 0.8 0.85 0.88 0.9; do
        for cores in 3 12 16; do
            for seed in 1 2 3; do
                exchange scan 3246 $cores 4 "100 us" $pace $seed rings 3
            done
        done
    done
} >"$out/exchange.csv"
keep exchange
