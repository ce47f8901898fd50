#!/bin/sh
# Runs the sweeps of configs/study/questions and records what they give: docs/results/recorded/questions/NAME.csv, a row for each point.
# docs/results/questions.md and its figures are made from these tables (scripts/update_results.sh --columns), and a test runs some of their rows again.
# Half an hour on one core for all; points that have run are not run again.
set -eu
. "$(dirname -- "$0")/common.sh"
usage() {
    echo "usage: scripts/study/record_questions.sh [QUESTION...]   (default: all of configs/study/questions)"
    echo "       The program is \${BUILD:-build}/spinnsim, the points' result folders lie in \${OUT:-out/questions}, JOBS of them run at a time."
    echo "       \$RECORDED: a folder to write to instead of docs/results/recorded"
}
case ${1:-} in
-h | --help)
    usage
    exit 0
    ;;
-*)
    usage >&2
    exit 2
    ;;
esac
if [ $# -eq 0 ]; then
    set -- configs/study/questions/*.yaml
fi
out=$(absolute "${OUT:-$PWD/out/questions}")
tables=$recorded/questions
mkdir -p "$tables"

# chosen FILE COMPILER: the columns of a sweep's table that answers are made from, without units, and the compiler of the programs.
chosen() {
    awk -v compiler="$2" '
        function split_row(line,   i, c, quoted) { # fields of a line, some of them in quotes
            delete field
            fields = 1
            for (i = 1; i <= length(line); i++) {
                c = substr(line, i, 1)
                if (c == "\"") quoted = !quoted
                else if (c == "," && !quoted) fields++
                else field[fields] = field[fields] c
            }
        }
        BEGIN {
            count = split("accuracy cores_used seconds seconds_per_update train_images_per_second joules_per_epoch.low joules_per_epoch.default " \
                "joules_per_epoch.high energy.joules.default train_time.compute train_time.exchange train_time.sdram train_time.imbalance " \
                "core_time.compute core_time.idle core_time.dma_wait core_time.packet_wait core_cycles instructions packets_sent deliveries " \
                "dropped_packets", name, " ")
            for (i = 1; i <= count; i++) wanted[name[i]] = 1
        }
        NR == 1 {
            split_row($0)
            axes = 1
            for (i = 1; i <= fields; i++) {
                sub(/ \[.*/, "", field[i])
                keep[i] = field[i] != "app" && (axes || field[i] in wanted)
                if (field[i] == "status") axes = 0
            }
            columns = fields
        }
        NR > 1 { split_row($0) }
        {
            row = ""
            for (i = 1; i <= columns; i++) if (keep[i]) row = row field[i] ","
            print row (NR == 1 ? "compiler" : compiler)
        }' "$1"
}

for question in "$@"; do
    name=$(basename "$question" .yaml)
    status=0 # 3: points whose programs fail, which is what some questions ask for
    "$program" sweep "configs/study/questions/$name.yaml" --out "$out/$name" -j "${JOBS:-1}" || status=$?
    [ "$status" = 0 ] || [ "$status" = 3 ] || exit "$status"
    compiler=$(sed -n 's/.*"guest_compiler": "\(.*\)",*/\1/p' "$out/$name"/*/summary.json | head -n 1)
    chosen "$out/$name/$name-sweep.csv" "$compiler" >"$tables/$name.csv"
done
