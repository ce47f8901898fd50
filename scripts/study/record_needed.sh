#!/bin/sh
# How many training images does each recipe need to 95, 97 and 98 %?  Trains on this computer with the recipes of configs/study/recipes.csv, in the machine's integers
# (the same bits as a board) or in float32 (spinnsim baseline), with the recipe's schedule as short as the training, and writes docs/results/recorded/needed.csv.
# The rule: the least number of images of a list, in steps of at most a tenth, with which nine of ten seeds (11 to 20) classify the target and a margin of the
# validation images, the last 10,000 of the training set, which are not trained.  The margin is 1.6 standard deviations of the difference of two sets of 10,000
# images; the test images decide nothing.  Two seeds find where to begin; from there ten decide, down while they allow it, and up until they do.
# Arguments: networks to record again (default: all); the rows of the others are kept.  Hours on one core for all; with KEPT, a folder that keeps what each
# training has given, it goes on where it stood.
set -eu
. "$(dirname -- "$0")/common.sh"
all="fc128 fc300_100 lenet1 lenet4 lenet5"
if [ "${1:-}" = --help ]; then
    echo "usage: scripts/study/record_needed.sh [NETWORK...]   (of $all; the program is \${BUILD:-build}/spinnsim, MNIST in \$SPINNSIM_DATA;"
    echo "       \$RECORDED: a folder to write to instead of docs/results/recorded)"
    exit 0
fi
only "$all" "$@"
wanted=${*:-$all}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
kept_in=${KEPT:-$out}
mkdir -p "$kept_in"

# The trainings that are tried, by number: images of all epochs.  An epoch has up to 50,000 images, all of them as many.
lengths=$(awk 'BEGIN { for (n = 10000; n < 500000; n = int(1.1 * n / 500) * 500) printf "%d ", n; print 500000 }')
count=$(echo "$lengths" | wc -w)
length() {
    echo "$lengths" | cut -d ' ' -f "$1"
}

# enough IMAGES NEEDED LAST MISSES: whether at most MISSES of the seeds 11 to LAST have less than NEEDED ten-thousandths of the validation images.
enough() {
    misses=0
    for seed in $(seq 11 "$3"); do
        accuracies "$1" "$seed" >"$out/pair" || exit 1
        read -r validation _ <"$out/pair"
        if [ "$validation" -lt "$2" ]; then
            misses=$((misses + 1))
            [ "$misses" -le "$4" ] || return 1
        fi
    done
}

# target TARGET NEEDED, both in ten-thousandths: prints a row; $first, the number of the least length that is tried, becomes that of the row.
target() {
    low=$first
    high=$((count + 1))
    while [ "$low" -lt "$high" ]; do
        middle=$(((low + high) / 2))
        if enough "$(length $middle)" "$2" 12 0; then
            high=$middle
        else
            low=$((middle + 1))
        fi
    done
    if [ "$low" -le "$count" ] && enough "$(length $low)" "$2" 20 1; then
        while [ "$low" -gt "$first" ] && enough "$(length $((low - 1)))" "$2" 20 1; do
            low=$((low - 1))
        done
    else
        while [ "$low" -le "$count" ] && ! enough "$(length $low)" "$2" 20 1; do
            low=$((low + 1))
        done
    fi
    first=$low
    head="$network,$program_of,${optimizer}_$batch,$optimizer,$batch,$rate,$momentum,$warm_up,$1,$2"
    if [ "$low" -gt "$count" ]; then
        echo "$head,,$(length "$count"),,,,,,,,"
        return
    fi
    images=$(length "$low")
    for seed in $(seq 11 20); do
        accuracies "$images" "$seed"
    done | awk -v head="$head,$images,$images" -v target="$1" -v needed="$2" '
        { validated += $1 >= needed; reached += $2 >= target; v += $1; t += $2
          if (NR == 1 || $1 < v0) v0 = $1
          if (NR == 1 || $1 > v1) v1 = $1
          if (NR == 1 || $2 < t0) t0 = $2
          if (NR == 1 || $2 > t1) t1 = $2 }
        END { printf "%s,%d,%d,%.1f,%d,%d,%.1f,%d,%d\n", head, validated, reached, v / NR, v0, v1, t / NR, t0, t1 }'
}

# network NAME: its rows: of each recipe three targets.
network() {
    grep "^$1," configs/study/recipes.csv >"$out/recipes"
    while IFS=, read -r network program_of optimizer batch rate momentum warm_up; do
        first=1
        target 9500 9550
        target 9700 9740
        target 9800 9830
    done <"$out/recipes"
}

{
    echo "network,program,recipe,optimizer,batch,learning_rate,momentum,warm_up,target,validation_needed,images,images_tried,seeds_validated,seeds_with_target,validation_mean,validation_lowest,validation_highest,test_mean,test_lowest,test_highest"
    of_each needed network
} >"$out/needed.csv"
keep needed
