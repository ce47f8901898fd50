#!/bin/sh
# Which recipe learns fastest?  Trains on this computer with every recipe of the grid configs/study/search_grid.csv, each in the machine's integers (the same bits as a
# board) and in float32 (spinnsim baseline), two seeds each, with as few images as come to some 97 %, and writes docs/results/recorded/search.csv: a row for each
# recipe with the validation accuracy of both seeds, in ten-thousandths.  The test images decide nothing.  The recipes of configs/study/recipes.csv were chosen from it.
# Arguments: networks to record again (default: all); the rows of the others are kept.  Fifteen minutes on one core for all.
set -eu
. "$(dirname -- "$0")/common.sh"
all="fc128 fc300_100 lenet1 lenet4 lenet5"
if [ "${1:-}" = --help ]; then
    echo "usage: scripts/study/record_search.sh [NETWORK...]   (of $all; the program is \${BUILD:-build}/spinnsim, MNIST in \$SPINNSIM_DATA;"
    echo "       \$RECORDED: a folder to write to instead of docs/results/recorded)"
    exit 0
fi
only "$all" "$@"
wanted=${*:-$all}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
kept_in=${KEPT:-$out}
mkdir -p "$kept_in"

# network NAME: its rows: of each recipe of its grid one.
network() {
    grep "^$1," configs/study/search_grid.csv >"$out/grid"
    while IFS=, read -r network images optimizer batches rates momentum warm_up; do
        for program_of in int16 float32; do
            for batch in $batches; do
                for rate in $rates; do
                    printf '%s' "$network,$program_of,$images,$optimizer,$batch,$rate,$momentum,$warm_up"
                    for seed in 11 12; do
                        accuracies "$images" "$seed" >"$out/pair" || exit 1
                        read -r validation _ <"$out/pair"
                        printf ',%s' "$validation"
                    done
                    echo
                done
            done
        done
    done <"$out/grid"
}

{
    echo "network,program,images,optimizer,batch,learning_rate,momentum,warm_up,validation_11,validation_12"
    of_each search network
} >"$out/search.csv"
keep search
