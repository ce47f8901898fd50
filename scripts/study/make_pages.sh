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

# of_plot FILE KEY: the key's value in the line `plot: {KEY: value, ...}`.
of_plot() {
    sed -n "s/^plot: {\\(.* \\)*$2: \\([^,}]*\\).*/\\2/p" "$1"
}

# sign FOLDER: writes its manifest (docs/result_files.md), without which it is no complete folder.
sign() {
    {
        echo file,bytes,sha256
        for file in config.yaml summary.json; do
            echo "$file,$(($(wc -c <"$1/$file"))),$(sha256sum <"$1/$file" | cut -d ' ' -f 1)"
        done
    } >"$1/manifest.csv"
}

# folders TABLE FOLDER KEY...: a result folder for each row that has numbers; keys of the figure that are axes go into its config.yaml.
folders() {
    table=$1 folder=$2
    shift 2
    awk -F, -v out="$folder" -v keys="$*" '
        # a.b.c -> "a": {"b": {"c": VALUE}}
        function nested(key, value,    part, parts, i, text) {
            parts = split(key, part, ".")
            for (i = 1; i < parts; i++) text = text "\"" part[i] "\": {"
            text = text "\"" part[parts] "\": " value
            for (i = 1; i < parts; i++) text = text "}"
            return text
        }
        BEGIN { count = split(keys, key, " "); for (i = 1; i <= count; i++) wanted[key[i]] = 1 }
        NR == 1 {
            for (i = 1; i <= NF; i++) {
                head[i] = $i
                column[$i] = i
                if ($i == "status") status = i
            }
            next
        }
        {
            for (k in wanted) if (!(k in column) || $column[k] == "") next
            run = sprintf("%s/%03d", out, NR - 1)
            system("mkdir -p \"" run "\"")
            config = summary = ""
            for (k in wanted) {
                if (column[k] < status) config = config nested(k, $column[k]) "\n"
                else summary = summary ", " nested(k, $column[k])
            }
            printf "%s", config >(run "/config.yaml")
            print "{\"schema\": 1" summary "}" >(run "/summary.json")
            close(run "/config.yaml")
            close(run "/summary.json")
        }' "$table"
    for run in "$folder"/*/; do
        sign "$run"
    done
}

# draw_questions: figures by the `plot` of configs/study/questions/NAME.yaml.  A row of a table becomes a result folder with no more than its numbers and the keys
# of the figure, which `spinnsim plot` draws as it draws runs.
draw_questions() {
    for file in configs/study/questions/*.yaml; do
        name=$(basename "$file" .yaml)
        [ ! -e "docs/results/tornado_$name.gp" ] || continue # it has a figure of its own
        x=$(of_plot "$file" x) y=$(of_plot "$file" y) by=$(of_plot "$file" by) label=$(of_plot "$file" label) log=$(of_plot "$file" log)
        # shellcheck disable=SC2086  # none, if there is none
        folders "$out/$name.csv" "$out/points/$name" $x $y $by $label
        "$program" plot "$out/points/$name" --x "$x" --y "$y" ${by:+--by "$by"} ${label:+--label "$label"} ${log:+--log "$log"} --out "$out/points/$name.svg" >/dev/null
        cp "$out/points/$name.svg" "$pages/docs/results/questions/"
    done
}

made_of_recorded() {
    cp "$recorded"/*.csv "$recorded"/questions/*.csv configs/study/*.csv scripts/plot/style.gp "$out/"
    coefficients=configs/energy/spinnaker1.yaml
    awk -F, -v coefficients=1 -f scripts/study/joules.awk $coefficients >"$out/coefficients.csv"
    awk -F, -f scripts/study/joules.awk $coefficients "$out/counts.csv" "$out/board_counts.csv" >"$out/terms.csv"
    (cd -- "$out" && awk -F, -v out=. -f "$OLDPWD/scripts/study/tables.awk" coefficients.csv terms.csv scopes.csv loading_rates.csv needed.csv batches.csv board_training.csv baselines.csv cells.csv \
        boosted_stages.csv boosted_chip_stages.csv boosted_votes.csv host_curves.csv host_training.csv exchange.csv scaling_strong.csv seconds.csv)
    for name in answer best energy_split scaling tornado tornado_seconds training; do
        cp "$out/$name.csv" "$pages/docs/results/"
    done
    draw joules_seconds cold_start energy_split scaling tornado tornado_seconds
    draw training
    draw_questions
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
