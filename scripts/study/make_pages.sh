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

# draw FIGURE...: by docs/results/FIGURE.gp, in the folder of the tables, by one gnuplot: an SVG begins in the colour in which the one before ended.
draw() {
    for name in "$@"; do
        set -- "$@" "$PWD/docs/results/$name.gp"
        shift
    done
    (cd -- "$out" && gnuplot -e "style='style.gp'" "$@")
    for file in "$@"; do
        name=${file#"$PWD/docs/results/"}
        cp "$out/${name%.gp}.svg" "$pages/docs/results/"
    done
}

made_of_recorded() {
    cp "$recorded"/*.csv "$recorded"/questions/*.csv configs/study/cited.csv scripts/plot/style.gp "$out/"
    coefficients=configs/energy/spinnaker1.yaml
    awk -F, -v coefficients=1 -f scripts/study/joules.awk $coefficients >"$out/coefficients.csv"
    awk -F, -f scripts/study/joules.awk $coefficients "$out/counts.csv" "$out/board_counts.csv" >"$out/terms.csv"
    (cd -- "$out" && awk -F, -v out=. -f "$OLDPWD/scripts/study/tables.awk" coefficients.csv terms.csv targets.csv board_training.csv baselines.csv cells.csv \
        boosted_stages.csv boosted_chip_stages.csv boosted_votes.csv host_curves.csv host_training.csv exchange.csv scaling_strong.csv)
    for name in answer energy_split scaling tornado training; do
        cp "$out/$name.csv" "$pages/docs/results/"
    done
    draw joules_seconds cold_start energy_split scaling tornado
    draw training
    scripts/study/draw_questions.sh "$pages/docs/results/questions"
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
