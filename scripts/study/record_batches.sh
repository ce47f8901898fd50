#!/bin/sh
# How much longer does a core of this computer take for an image in another batch?  Trains each network in float32 on one thread by the recipes that are compared
# (those of configs/study/recipes.csv) and by those of docs/results/recorded/baselines.csv, and writes docs/results/recorded/batches.csv: rows of `spinnsim baseline`.
# Only ratios of one network's rows are used, of CPU seconds: they differ less from one computer to another than the seconds do.
# Arguments: experiments to record again (default: all); the rows of the others are kept.  Three minutes on an idle core for all.
set -eu
. "$(dirname -- "$0")/common.sh"
all="fc128_train fc300_100_train lenet1_train lenet4_train lenet5_train"
if [ "${1:-}" = --help ]; then
    echo "usage: scripts/study/record_batches.sh [EXPERIMENT...]   (of $all; the program is \${BUILD:-build}/spinnsim, MNIST in \$SPINNSIM_DATA,"
    echo "       \$REPEATS trainings of each recipe, default 5; \$RECORDED: a folder to write to instead of docs/results/recorded)"
    exit 0
fi
only "$all" "$@"
wanted=${*:-$all}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# recipes NETWORK: optimizer, batch and rate of each, once.  A rate does not change what an image takes.
recipes() {
    {
        awk -F, -v network="$1" '$1 == network && ($2 == "float32" || !first++) { print $3, $4, $5 }' configs/study/recipes.csv
        awk -F, -v network="$1" '
            NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
            $column["experiment"] == network "_train" && $column["program"] == "float32" { print $column["optimizer"], $column["batch"], 0.0003 }' docs/results/recorded/baselines.csv
    } | awk '!seen[$1, $2]++'
}

trainings() {
    recipes "${1%_train}" >"$out/recipes"
    while read -r optimizer batch rate; do
        momentum=null
        [ "$optimizer" != momentum ] || momentum=0.9
        "$program" baseline "configs/experiments/$1.yaml" --program float32 --threads 1 --repeat "${REPEATS:-5}" --format csv --set "train.optimizer=$optimizer" \
            --set "train.global_batch=$batch" --set "train.learning_rate=$rate" --set "train.momentum=$momentum" >"$out/rows.csv"
        head -n 1 "$out/rows.csv" >"$out/head.csv"
        tail -n 1 "$out/rows.csv"
    done <"$out/recipes"
}

of_each batches trainings >"$out/rows_of_all.csv"
{
    if [ -e "$out/head.csv" ]; then cat "$out/head.csv"; else head -n 1 "$recorded/batches.csv"; fi
    cat "$out/rows_of_all.csv"
} >"$out/batches.csv"
keep batches
