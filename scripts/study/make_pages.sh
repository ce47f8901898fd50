#!/bin/sh
# Makes RESULTS.md, the pages of docs/results and their figures below DIR/pages, each at its path.  A page is its template docs/results/NAME.md.in, filled by
# `spinnsim report` from recorded tables (docs/results/recorded) and from result folders of experiments, which are run into DIR.
set -eu
. "$(dirname -- "$0")/common.sh"
usage() {
    cat <<EOF
usage: scripts/study/make_pages.sh recorded|runs DIR

  recorded   the pages and figures of recorded tables alone
  runs       the pages whose runs are short; \`recorded\` has gone before
The program is \${BUILD:-build}/spinnsim; THREADS are the threads of a run (default: the cores of this computer).
EOF
}
case "${1:-} $#" in
-h\ * | --help\ *)
    usage
    exit 0
    ;;
recorded\ 2 | runs\ 2) ;;
*)
    usage >&2
    exit 2
    ;;
esac
out=$(absolute "$2")
pages=$out/pages
mkdir -p "$pages/docs/results/questions"

# page NAME...: fills docs/results/NAME.md.in.
page() {
    for name in "$@"; do
        file=docs/results/$name.md
        [ "$name" != RESULTS ] || file=RESULTS.md
        "$program" report --template "docs/results/$name.md.in" "$out" >"$pages/$file"
    done
}

# The recorded trainings on the host: a row for each network, batch and length.
trainings() {
    awk -F, '
        function flush() {
            if (seeds > 0) {
                printf "| %s | %s | %d | %d | %d | 2^%d | %.0f %% | %.2f (%.2f to %.2f) | %.1f | %d |\n", network, optimizer, batch, epochs, \
                    epochs * int((60000 + batch - 1) / batch), log(rate) / log(2) - 0.5, 100 * warm_up, 100 * sum / seeds, \
                    100 * least, 100 * most, room, cuts
            }
        }
        NR == 1 { next }
        $1 != optimizer || $2 != network || $3 != batch || $4 != epochs { flush(); seeds = sum = most = cuts = 0; least = 1; room = 1e9 }
        { optimizer = $1; network = $2; batch = $3; epochs = $4; rate = $5; warm_up = $6; seeds++; sum += $8; cuts += $10
          if ($8 < least) least = $8
          if ($8 > most) most = $8
          if ($9 < room) room = $9 }
        END { flush() }' $recorded/host_training.csv
}

# Words over the rings of a board, as recorded: a row for each number of parameters and cores.
exchanges() {
    awk -F, '
        function size(row) { return row == 3246 ? "LeNet-1" : row == 61706 ? "LeNet-5" : "FC-128" }
        function first(parameters, cores) { # a model of packets alone, at a pace of 0.9 with 12 cores
            if (cores != 12) return "-"
            return parameters == 3246 ? "0.29 / 0.44" : parameters == 61706 ? "5.32 / 8.0" : "8.76 / 13.2"
        }
        NR > 1 && $1 != "scan" && $9 == "rings" && $10 == 3 && $6 == "5 us" && $7 == 0.85 {
            printf "| %s | %d | %d | %d | %.3f | %.3f | %s | %.2f | %d | %d |\n", size($2), $2, $3, $4, $12 / 200000, $13 / 200000, \
                first($2, $3), $14 / 1e6, $15, $16
        }' $recorded/exchange.csv
}

# The same: LeNet-1 on 12 cores in other ways.
other_exchanges() {
    awk -F, '
        NR > 1 && $1 == "lenet1" && $3 == 12 && !($9 == "rings" && $10 == 3 && $6 == "5 us" && $7 == 0.85) {
            way = $9 == "tree" ? "a tree to each chip" : $10 == 1 ? "one ring" : $10 == 2 ? "two rings" : "three rings"
            way = way (($6 == "5 us") ? "" : ", chips begin up to " $6 " apart")
            pace = $7 > 1 ? "none" : $7
            if ($11 == 0) printf "| %s | %s | %.3f | %.3f | %d | 0 |\n", way, pace, $12 / 200000, $13 / 200000, $15
            else printf "| %s | %s | fails | fails | - | %d |\n", way, pace, $16
        }' $recorded/exchange.csv
}

# The same: runs without a loss, by pace and cores.
paces() {
    awk -F, '
        NR > 1 && $1 == "scan" {
            runs[$7, $3]++
            good[$7, $3] += $11 == 0 && $16 == 0
            if (!($7 in seen)) { seen[$7] = 1; order[++count] = $7 }
        }
        END {
            for (i = 1; i <= count; i++) {
                printf "| %s |", order[i]
                for (c = 1; c <= 3; c++) {
                    cores = c == 1 ? 3 : c == 2 ? 12 : 16
                    printf " %d of %d |", good[order[i], cores], runs[order[i], cores]
                }
                print ""
            }
        }' $recorded/exchange.csv
}

made_of_recorded() {
    trainings >"$out/trainings"
    exchanges >"$out/exchanges"
    other_exchanges >"$out/other_exchanges"
    paces >"$out/paces"
    cp $recorded/questions/*.csv "$out/"
    scripts/study/make_answer.sh "$out"
    cp "$out/answer.csv" "$pages/docs/results/"
    scripts/study/draw_answer.sh "$out" "$pages/docs/results"
    scripts/study/draw_questions.sh "$pages/docs/results/questions"
    scripts/study/draw_training.sh "$pages/docs/results/training.svg"
    page RESULTS answer questions exchange host_training
}

run() {
    "$program" run "$1.yaml" --out "$out/${1##*/}" --threads "${THREADS:-$(nproc)}" --progress none >"$out/${1##*/}.txt"
}

made_of_runs() {
    for experiment in lenet1_inference lenet1_synthetic idle_chip busy_chip lenet1_board lenet1_packets; do
        run configs/experiments/$experiment
    done
    run configs/study/lenet5_latency
    run configs/experiments/published/neuron_per_core_forward
    status=0
    run configs/experiments/published/neuron_per_core_errors 2>/dev/null || status=$?
    if [ "$status" -ne 3 ]; then
        echo "make_pages.sh: published/neuron_per_core_errors does not hang any more (exit status $status)" >&2
        exit 1
    fi
    run configs/experiments/published/neuron_per_core_reinjected

    scripts/study/kernel_table.sh >"$out/kernels"
    "$program" validate --out "$out/validation_runs" >"$out/validation"
    sed -n 's/^lost packets  *[0-9]*: drops.csv; the first at //p' "$out/neuron_per_core_errors.txt" >"$out/first_lost"
    echo $(($(wc -l <"$out/neuron_per_core_errors/waits.csv") - 1)) >"$out/waits"
    page inference kernels training neuron_per_core validation
}

"made_of_$1"
