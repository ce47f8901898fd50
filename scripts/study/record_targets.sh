#!/bin/sh
# How many training images does each network need to 95, 97 and 98 %?  Trains on the host in the machine's integers (the same bits as a board) with the recipe of
# configs/experiments/NETWORK_train.yaml and its schedule as short as the training, and writes docs/results/recorded/targets.csv.  The rule: the least number of
# images of a list with which nine of ten seeds (11 to 20) classify the target and a margin of the validation images, the last 10,000 of the training set, which
# are not trained.  The margin is 1.6 standard deviations of the difference of two sets of 10,000 images; the test images decide nothing.
# Arguments: networks to record again (default: all); the rows of the others are kept.  Half an hour on one core for all; with KEPT, a folder that keeps what
# each training has given, it goes on where it stood.
set -eu
. "$(dirname -- "$0")/common.sh"
all="fc128 fc300_100 lenet1 lenet4 lenet5"
if [ "${1:-}" = --help ]; then
    echo "usage: scripts/study/record_targets.sh [NETWORK...]   (of $all; the program is \${BUILD:-build}/spinnsim, MNIST in \$SPINNSIM_DATA;"
    echo "       \$RECORDED: a folder to write to instead of docs/results/recorded)"
    exit 0
fi
only "$all" "$@"
wanted=${*:-$all}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
kept_in=${KEPT:-$out}
mkdir -p "$kept_in"

# The trainings that are tried, by number: images of one epoch, then epochs of 50,000 images.
lengths="10000 15000 20000 25000 30000 35000 40000 45000 50000 100000 150000 200000 250000"
length() {
    echo "$lengths" | cut -d ' ' -f "$1"
}
count=$(echo "$lengths" | wc -w)

# accuracies NETWORK IMAGES SEED: validation accuracy and test accuracy, in ten-thousandths; each training runs once.
accuracies() {
    kept=$kept_in/$1-$2-$3
    if [ ! -e "$kept" ]; then
        epochs=$((($2 + 49999) / 50000))
        "$program" run "configs/experiments/$1_train.yaml" --set backend=host --set accept=null --set "seed=$3" --set data.validation_images=10000 \
            --set "data.train_images=$(($2 / epochs))" --set "train.epochs=$epochs" --threads 1 --progress none --force --out "$out/run" >/dev/null || exit 1
        echo "$(of "$out/run/summary.json" validation_accuracy) $(of "$out/run/summary.json" accuracy)" |
            awk '{ printf "%.0f %.0f\n", 10000 * $1, 10000 * $2 }' >"$kept.new"
        mv "$kept.new" "$kept"
        rm -rf "$out/run"
    fi
    cat "$kept"
}

# enough NETWORK IMAGES NEEDED LAST MISSES: whether at most MISSES of the seeds 11 to LAST have less than NEEDED ten-thousandths of the validation images.
enough() {
    misses=0
    for seed in $(seq 11 "$4"); do
        accuracies "$1" "$2" "$seed" >"$out/pair" || exit 1
        read -r validation _ <"$out/pair"
        if [ "$validation" -lt "$3" ]; then
            misses=$((misses + 1))
            [ "$misses" -le "$5" ] || return 1
        fi
    done
}

# target NETWORK TARGET NEEDED, both in ten-thousandths: prints a row.
target() {
    # Two seeds find where to begin, ten decide.
    low=1
    high=$((count + 1))
    while [ "$low" -lt "$high" ]; do
        middle=$(((low + high) / 2))
        if enough "$1" "$(length $middle)" "$3" 12 0; then
            high=$middle
        else
            low=$((middle + 1))
        fi
    done
    while [ "$low" -le "$count" ] && ! enough "$1" "$(length $low)" "$3" 20 1; do
        low=$((low + 1))
    done
    if [ "$low" -gt "$count" ]; then
        echo "$1,$2,$3,,$(length "$count"),,,,,,,,"
        return
    fi
    images=$(length $low)
    for seed in $(seq 11 20); do
        accuracies "$1" "$images" "$seed"
    done | awk -v head="$1,$2,$3,$images,$images" -v target="$2" -v needed="$3" '
        { validated += $1 >= needed; reached += $2 >= target; v += $1; t += $2
          if (NR == 1 || $1 < v0) v0 = $1
          if (NR == 1 || $1 > v1) v1 = $1
          if (NR == 1 || $2 < t0) t0 = $2
          if (NR == 1 || $2 > t1) t1 = $2 }
        END { printf "%s,%d,%d,%.1f,%d,%d,%.1f,%d,%d\n", head, validated, reached, v / NR, v0, v1, t / NR, t0, t1 }'
}

# network NAME: its rows.
network() {
    target "$1" 9500 9550
    target "$1" 9700 9740
    target "$1" 9800 9830
}

{
    echo "network,target,validation_needed,images,images_tried,seeds_validated,seeds_with_target,validation_mean,validation_lowest,validation_highest,test_mean,test_lowest,test_highest"
    of_each targets network
} >"$out/targets.csv"
keep targets
