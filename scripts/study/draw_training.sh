#!/bin/sh
# Draws docs/results/training.svg from what was recorded: the losses of the host's trainings (host_curves.csv, the same bits) over the board's seconds, and accuracy
# over joules of the board (board_training.csv).  Argument: the file to write.
set -eu
. "$(dirname -- "$0")/../checkout.sh"
if [ $# -ne 1 ] || [ "$1" = --help ]; then
    echo "usage: scripts/study/draw_training.sh FILE.svg"
    exit $(($# != 1))
fi
folder=docs/results/recorded
plot=$(mktemp)
trap 'rm -f "$plot"' EXIT
names=$(awk -F, 'NR > 1 && $5 == 1 && $1 !~ /_to95$/ { sub(/_train$/, "", $1); printf "%s ", $1 }' $folder/board_training.csv)
{
    echo "names = '$names'"
    echo "out = '$1'"
    for name in $names; do
        echo "\$$name << EOD"
        awk -F, -v experiment="${name}_train" '
            NR == FNR { if ($1 == experiment) seconds = $10 / $8; next }
            $1 == experiment { printf "%.5g,%s\n", $2 * seconds, $3 }' $folder/board_training.csv $folder/host_curves.csv
        echo EOD
    done
    echo '$ends << EOD'
    for name in $names; do
        awk -F, -v experiment="${name}_train" -v name="$name" '$1 == experiment { printf "%s,%s,%s,%s,%s,%s; %.2f s\n", $10, $17, $16, $18, $7, name, $10 }' $folder/board_training.csv
    done
    echo EOD
    echo "width = 265; height = 111"
    cat scripts/plot/style.gp docs/results/training.gp
} >"$plot"
gnuplot "$plot"
