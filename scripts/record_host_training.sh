#!/bin/sh
# Trains FC-128, with and without dropout, and LeNet-1 on MNIST with the host's integers, by batch, length and seed, and writes tests/golden/recorded/host_training.csv:
# ten minutes on one core, so it is run when the arithmetic of training changes, not by every test. A test runs two of the rows again.
set -eu
. "$(dirname -- "$0")/checkout.sh"
if [ $# -ne 0 ]; then
    echo "usage: scripts/record_host_training.sh   (the program is \${BUILD:-build}/spinnsim, MNIST in \$SPINNSIM_DATA)" >&2
    exit 2
fi
program=${BUILD:-build}/spinnsim
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# of SUMMARY KEY: a number that stands alone on its line.
of() {
    awk -F'[:,]' -v key="\"$2\"" 'index($1, key) { print $2 + 0; exit }' "$1"
}

# cuts SUMMARY: prints the number of values that were saturated to 16 bits, in training and test.
cuts() {
    awk -F'[:,]' '/saturations"/ { sum += $2 } END { print sum + 0 }' "$1"
}

# train OPTIMIZER NETWORK BATCH EPOCHS RATE WARM_UP: writes a row for each seed; RATE applies to the sum over the batch, with Adam to a step.
train() {
    momentum=null
    if [ "$1" = momentum ]; then
        momentum=0.9
    fi
    for seed in 11 12 13; do
        "$program" run "configs/experiments/${2%_dropout}_host_train.yaml" --set "network.name=$2" --set accept=null --set "seed=$seed" --set "train.optimizer=$1" \
            --set "train.momentum=$momentum" --set "train.global_batch=$3" --set "train.epochs=$4" --set "train.learning_rate=$5" \
            --set "train.warm_up=$6" --threads 1 --progress none --force --out "$out/run" >/dev/null
        summary=$out/run/summary.json
        hash=$(sed -n 's/.*"stats_hash": "\(.*\)".*/\1/p' "$summary")
        echo "$1,$2,$3,$4,$5,$6,$seed,$(of "$summary" accuracy),$(of "$summary" head_room),$(cuts "$summary"),$hash"
        rm -rf "$out/run"
    done
}

{
    echo "optimizer,network,batch,epochs,learning_rate,warm_up,seed,accuracy,head_room,cuts,stats_hash"
    for batch in 96 192 256; do
        train momentum fc128 $batch 1 0.001953125 0.3
    done
    train momentum fc128 384 1 0.0009765625 0.5
    for batch in 96 192 256; do
        train momentum fc128_dropout $batch 1 0.001953125 0.3
    done
    train momentum lenet1 96 1 0.0009765625 0.3
    train momentum lenet1 192 1 0.00048828125 0.3
    train momentum lenet1 256 1 0.00048828125 0.3
    train momentum lenet1 384 1 0.000244140625 0.5
    train momentum fc128 192 5 0.001953125 0.3
    train momentum fc128_dropout 192 5 0.001953125 0.3
    train momentum lenet1 192 5 0.00048828125 0.3
    train sgd fc128 192 1 0.0078125 0.3
    train sgd lenet1 192 1 0.001953125 0.3
    train adam fc128 192 1 0.015625 0.3
    train adam lenet1 192 1 0.015625 0.3
} >"$out/host_training.csv"
mkdir -p tests/golden/recorded
mv "$out/host_training.csv" tests/golden/recorded/host_training.csv
