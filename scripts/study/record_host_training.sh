#!/bin/sh
# Trains on MNIST with the host's integers, and writes three tables of docs/results/recorded:
#   host_training.csv   FC-128, with and without dropout, and LeNet-1, by batch, length and seed
#   host_seeds.csv      the trainings of the board: mean, lowest and highest accuracy of several seeds
#   host_curves.csv     the trainings of the board: the loss as they learn, seed 11
# Ten minutes on one core, so it is run when the arithmetic of training or an experiment changes, not by every test.
# Arguments: tables to write, and experiments whose rows of the last two are written again (default: all); the rows of others are kept.
set -eu
. "$(dirname -- "$0")/common.sh"
all="fc128_train fc128_train_to95 fc128_dropout_adam lenet1_train lenet1_train_to95 lenet1_train_five lenet4_train lenet5_train fc300_100_train"
tables=
wanted=
for word in "$@"; do
    case " $all " in
    *" $word "*)
        wanted="$wanted $word"
        continue
        ;;
    esac
    case $word in
    host_training | host_seeds | host_curves) tables="$tables $word" ;;
    *)
        echo "usage: scripts/study/record_host_training.sh [host_training] [host_seeds] [host_curves] [EXPERIMENT...]" >&2
        echo "       (the program is \${BUILD:-build}/spinnsim, MNIST in \$SPINNSIM_DATA; \$RECORDED: a folder to write to instead; experiments: $all)" >&2
        exit 2
        ;;
    esac
done
tables=${tables:-host_training host_seeds host_curves}
wanted=${wanted:-$all}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

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
        hash=$(text "$summary" stats_hash)
        echo "$1,$2,$3,$4,$5,$6,$seed,$(of "$summary" accuracy),$(of "$summary" head_room),$(cuts "$summary"),$hash"
        rm -rf "$out/run"
    done
}

host_training() {
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
}

# seeds EXPERIMENT LAST: writes the row of an experiment of the board, with the seeds 11 to LAST. `first` is seed 11's: the board's; `at_95` and
# `validated` count the seeds with 95 % of the test images, and with 95.5 % of the validation images.
seeds() {
    for seed in $(seq 11 "$2"); do
        "$program" run "$(experiment "$1")" --set backend=host --set accept=null --set "seed=$seed" --threads 1 --progress none --force \
            --out "$out/run" >/dev/null
        summary=$out/run/summary.json
        network=$(text "$summary" network)
        echo "$network,$(of "$summary" images_trained),$(of "$summary" images_validated),$(of "$summary" accuracy),$(of "$summary" validation_accuracy)"
        rm -rf "$out/run"
    done | awk -F, -v experiment="$1" '
        function note(column, value) {
            sum[column] += value
            if (NR == 1 || value < least[column]) least[column] = value
            if (NR == 1 || value > most[column]) most[column] = value
        }
        function said(column) { return sprintf("%.6g,%.4f,%.4f", sum[column] / NR, least[column], most[column]) }
        { note("test", $4); note("validation", $5); good += $4 >= 0.95; validated += $5 >= 0.955 }
        NR == 1 { head = experiment "," $1 "," $2; first = $4; images = $3 + 0 }
        END { print head "," images "," NR "," first "," said("test") "," good "," said("validation") "," validated }'
}

seeds_of() {
    case $1 in
    *_to95) seeds "$1" 20 ;;
    *) seeds "$1" 15 ;;
    esac
}

host_seeds() {
    echo "experiment,network,images,validation_images,seeds,first,mean,lowest,highest,at_95,validation_mean,validation_lowest,validation_highest,validated"
    of_each host_seeds seeds_of
}

# curve EXPERIMENT: how its loss falls, by images trained.
curve() {
    "$program" run "$(experiment "$1")" --set backend=host --set accept=null --set record.learning_every=8 --set data.test_images=100 --threads 1 \
        --progress none --force --out "$out/run" >/dev/null
    awk -F, -v experiment="$1" 'NR > 1 && $7 == "" { printf "%s,%s,%.4g\n", experiment, $3, $6 }' "$out/run/learning.csv"
    rm -rf "$out/run"
}

host_curves() {
    echo "experiment,images,loss"
    of_each host_curves curve
}

for made in $tables; do
    "$made" >"$out/$made.csv"
    keep "$made"
done
