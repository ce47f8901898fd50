#!/bin/sh
# Trains networks on the modelled SpiNN-5 with all of MNIST and writes two tables of docs/results/recorded: board_training.csv, a row for each experiment, and
# board_counts.csv, what an epoch's joules of a training of one epoch are charged for, of which scripts/study makes joules with any coefficients:
# an hour on two cores (LeNet-4, LeNet-5, FC-300-100 and five epochs of LeNet-1 most of it), so it is run when the programs of training or the models change, not by every test.
# Arguments: experiments to run again; the rows of the others are kept. Existing results in FROM/EXPERIMENT are used instead of a run.
set -eu
. "$(dirname -- "$0")/common.sh"
all="fc128_train fc128_train_to95 fc128_dropout_adam lenet1_train lenet1_train_to95 lenet1_train_five lenet4_train lenet5_train fc300_100_train"
if [ "${1:-}" = --help ]; then
    echo "usage: scripts/study/record_board_training.sh [EXPERIMENT...]   (the program is \${BUILD:-build}/spinnsim, MNIST in \$SPINNSIM_DATA;"
    echo "       result folders in \$FROM are taken as they are;"
    echo "       \$RECORDED: a folder to write to instead of docs/results/recorded)"
    exit 0
fi
only "$all" "$@"
wanted=${*:-$all}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# epoch_joules SUMMARY: low,default,high.
epoch_joules() {
    tr -d ' \n' <"$1" | sed 's/.*"joules_per_epoch":{"low":\([^,]*\),"default":\([^,]*\),"high":\([^}]*\)}.*/\1,\2,\3/'
}

record() {
    summary=${FROM:-$out}/$1/summary.json
    if [ ! -f "$summary" ]; then
        summary=$out/$1/summary.json
        "$program" run "$(experiment "$1")" --threads "$(nproc)" --progress none --force --out "$out/$1" >"$out/$1.txt"
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

# counts EXPERIMENT: of a training of one epoch, its rows of energy.csv as counters; a term that is charged for several has their sum with its first.
counts() {
    [ "$(awk -F, -v name="$1" '$1 == name { print $5 }' "$out/board_training.csv")" = 1 ] || return 0
    folder=${FROM:-$out}/$1
    [ -f "$folder/energy.csv" ] || folder=$out/$1
    awk -F, -v run="board_training,$1," '
        BEGIN {
            counter["core_cycle"] = "core.active_cycles"; counter["sdram_byte"] = "sdram.bytes_read"; counter["router_bit"] = "router.bits"
            counter["sdram_activation"] = "sdram.activations"
        }
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $(column["stage"]) != "epoch" { next }
        $(column["term"]) in counter { print run counter[$(column["term"])] "," $(column["count"]) }
        $(column["term"]) == "sdram_byte" { print run "sdram.bytes_written,0" }
        $(column["term"]) == "board_snab" { printf "%stime_ps,%.0f\n%sboards,1\n", run, $(column["count"]), run; time = $(column["count"]) }
        $(column["term"]) == "chip" { all = $(column["count"]) }
        END { if (time > 0) printf "%schips,%.0f\n", run, all / time }' "$folder/energy.csv"
}

head="experiment,network,mapping,batch,epochs,updates,accuracy,images,seconds_load,seconds_per_epoch,seconds_test,compute,exchange,sdram,imbalance"
head="$head,joules_low,joules,joules_high,images_per_second,packets,dropped,instructions,wall_seconds,threads,compiler,elf,stats_hash"
{
    echo "$head"
    of_each board_training record
} >"$out/board_training.csv"
{
    echo "sweep,cell,counter,count"
    of_each board_counts counts board_training,
} >"$out/board_counts.csv"
keep board_training board_counts
