#!/bin/sh
# Trains on this computer what the experiments of the board train, and writes docs/results/recorded/baselines.csv: a row for each experiment,
# program (int16, float32; torch, where PyTorch is installed) and way: one thread, all threads, two processes. Its columns are those of
# `spinnsim baseline`; times and joules are this computer's, and the column load says how busy it was: record on an idle one.
# Arguments: experiments and programs (default: all); the rows of others are kept.
set -eu
. "$(dirname -- "$0")/common.sh"
experiments="fc128_train fc300_100_train lenet1_train lenet4_train lenet5_train boosted_lenet4_board"
programs="int16 float32 torch"
wanted_experiments=
wanted_programs=
for word in "$@"; do
    case " $experiments : $programs " in
    *" $word "*:*) wanted_experiments="$wanted_experiments $word" ;;
    *:*" $word "*) wanted_programs="$wanted_programs $word" ;;
    *)
        echo "usage: scripts/study/record_baselines.sh [EXPERIMENT...] [PROGRAM...]" >&2
        echo "       (the program is \${BUILD:-build}/spinnsim, MNIST in \$SPINNSIM_DATA, \$REPEATS trainings of float32, default 5, and one of int16;" >&2
        echo "       experiments: $experiments; programs: $programs; \$PYTHON has PyTorch, default python3, \$DEVICE: cpu or cuda)" >&2
        exit 2
        ;;
    esac
done
wanted_experiments=${wanted_experiments:-$experiments}
wanted_programs=${wanted_programs:-$programs}
threads=$(getconf _NPROCESSORS_ONLN)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# row EXPERIMENT PROGRAM OPTION...
row() {
    experiment=$1
    trains=$2
    shift 2
    repeats=1
    if [ "$trains" = float32 ]; then
        repeats=${REPEATS:-5}
    fi
    "$program" baseline "$(experiment "$experiment")" --program "$trains" --repeat "$repeats" --format csv "$@" >"$out/row.csv"
    cat "$out/row.csv" >>"$out/rows.csv"
}

# torch_row EXPERIMENT THREADS: nothing where PyTorch is not.
torch_row() {
    status=0
    "${PYTHON:-python3}" scripts/study/baseline_torch.py "$(experiment "$1")" --program "$program" --device "${DEVICE:-cpu}" --threads "$2" \
        --repeat "${REPEATS:-5}" >"$out/row.csv" || status=$?
    [ "$status" -eq 0 ] || [ "$status" -eq 77 ] || exit "$status"
    [ "$status" -ne 0 ] || cat "$out/row.csv" >>"$out/rows.csv"
}

# rows EXPERIMENT PROGRAM: each way of it.
rows() {
    case $1:$2 in
    boosted_*:torch) return ;; # has no stages
    *:torch)
        torch_row "$1" 1
        [ "$threads" -eq 1 ] || [ "${DEVICE:-cpu}" != cpu ] || torch_row "$1" "$threads"
        return
        ;;
    esac
    row "$1" "$2" --threads 1
    [ "$threads" -eq 1 ] || row "$1" "$2" --threads "$threads"
    case $1 in
    boosted_*) ;; # several trainings, which are not divided among processes
    *) row "$1" "$2" --processes 2 ;;
    esac
}

: >"$out/rows.csv"
for experiment in $wanted_experiments; do
    for trains in $wanted_programs; do
        rows "$experiment" "$trains"
    done
done
# Recorded rows of other experiments and programs stay; the table is sorted by experiment and program.
{
    cat "$out/rows.csv"
    if [ -e "$recorded/baselines.csv" ]; then
        awk -F, -v experiments=" $wanted_experiments " -v programs=" $wanted_programs " '
            { split($3, name, " ") }
            !(index(experiments, " " $1 " ") && index(programs, " " name[1] " "))' "$recorded/baselines.csv"
    fi
} >"$out/all.csv"
{
    grep -m 1 '^experiment,' "$out/all.csv"
    grep -v '^experiment,' "$out/all.csv" | LC_ALL=C sort -t, -k1,1 -k3,3 -k6,6n -k5,5n
} >"$out/baselines.csv"
keep baselines
