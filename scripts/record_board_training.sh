#!/bin/sh
# Trains networks on the modelled SpiNN-5 with all of MNIST and writes tests/golden/recorded/board_training.csv, a row for each experiment:
# four hours on one core (LeNet-4, LeNet-5 and FC-300-100 three of them), so it is run when the programs of training or the models change, not by every test.
# Arguments: experiments to run again; the rows of the others are kept. Existing results in FROM/EXPERIMENT are used instead of a run.
set -eu
. "$(dirname -- "$0")/checkout.sh"
program=${BUILD:-build}/spinnsim
recorded=tests/golden/recorded/board_training.csv
all="fc128_train fc128_train_to95 lenet1_train lenet1_train_to95 lenet1_train_five lenet4_train lenet5_train fc300_100_train"
if [ "${1:-}" = --help ]; then
    echo "usage: scripts/record_board_training.sh [EXPERIMENT...]   (the program is \${BUILD:-build}/spinnsim, MNIST in \$SPINNSIM_DATA;"
    echo "       result folders in \$FROM are taken as they are)"
    exit 0
fi
for name in "$@"; do
    case " $all " in
    *" $name "*) ;;
    *)
        echo "$name is none of $all" >&2
        exit 2
        ;;
    esac
done
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# of SUMMARY KEY: prints the first number of that key that stands alone on its line.
of() {
    awk -F'[:,]' -v key="\"$2\"" 'index($1, key) { print $2 + 0; exit }' "$1"
}

# text SUMMARY KEY
text() {
    sed -n "s/.*\"$2\": \"\(.*\)\".*/\1/p" "$1" | head -n 1
}

# epoch_joules SUMMARY: low,default,high.
epoch_joules() {
    tr -d ' \n' <"$1" | sed 's/.*"joules_per_epoch":{"low":\([^,]*\),"default":\([^,]*\),"high":\([^}]*\)}.*/\1,\2,\3/'
}

record() {
    summary=${FROM:-$out}/$1/summary.json
    if [ ! -f "$summary" ]; then
        summary=$out/$1/summary.json
        "$program" run "configs/experiments/$1.yaml" --threads "$(nproc)" --progress none --force --out "$out/$1" >"$out/$1.txt"
    fi
    printf '%s,%s,%s,' "$1" "$(text "$summary" network)" "$(text "$summary" mapping)"
    printf '%s,%s,%s,%s,' "$(of "$summary" global_batch)" "$(of "$summary" epochs)" "$(of "$summary" updates)" "$(of "$summary" accuracy)"
    printf '%s,' "$(of "$summary" images_trained)"
    printf '%s,%s,%s,' "$(of "$summary" seconds_load)" "$(of "$summary" seconds_per_epoch)" "$(of "$summary" seconds_test)"
    printf '%s,%s,%s,' "$(of "$summary" compute)" "$(of "$summary" exchange)" "$(of "$summary" sdram)"
    printf '%s,%s,%s,' "$(of "$summary" imbalance)" "$(epoch_joules "$summary")" "$(of "$summary" train_images_per_second)"
    printf '%s,%s,%s,' "$(of "$summary" packets_sent)" "$(of "$summary" dropped_packets)" "$(of "$summary" instructions)"
    printf '%s,%s,%s,' "$(of "$summary" wall_seconds)" "$(of "$summary" threads)" "$(text "$summary" guest_compiler | sed 's/,/;/g')"
    printf '%s,%s\n' "$(text "$summary" sha256)" "$(text "$summary" stats_hash)"
}

head="experiment,network,mapping,batch,epochs,updates,accuracy,images,seconds_load,seconds_per_epoch,seconds_test,compute,exchange,sdram,imbalance"
head="$head,joules_low,joules,joules_high,images_per_second,packets,dropped,instructions,wall_seconds,threads,compiler,elf,stats_hash"
{
    echo "$head"
    for name in $all; do
        case " ${*:-$all} " in
        *" $name "*) record "$name" ;;
        *) grep "^$name," "$recorded" 2>/dev/null || true ;; # never run
        esac
    done
} >"$out/board_training.csv"
mkdir -p tests/golden/recorded
mv "$out/board_training.csv" "$recorded"
