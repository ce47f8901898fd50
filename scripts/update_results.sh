#!/bin/sh
# Writes the pages whose numbers are generated: each template of scripts/pages becomes the page of the same path, filled by `spinnsim report` from recorded
# tables (tests/golden/recorded) and from result folders of experiments that are run here; the generated parts of README.md; docs/result_files.md from
# `spinnsim columns`.  Machine time, counts, joules and hashes are the same on every host with the same guest compiler; host-dependent are only the
# recorded baselines and what recorded trainings cost the host.
set -eu
. "$(dirname -- "$0")/checkout.sh"

usage() {
    cat <<EOF
usage: scripts/update_results.sh [--check] [--columns] [--data DIR]

  --columns    only what needs no run: docs/result_files.md, what goes with what in README.md, and the pages made from recorded tables alone
  --check      write nothing: say whether all are what runs now (exit status 1 when they are not; 77 when that cannot be known here:
               no MNIST, no ARM programs, or programs of another compiler)
  --data DIR   where MNIST lies (else \$SPINNSIM_DATA and the other places)
The program is taken from \${BUILD:-build}; THREADS are the threads of a run (default: the cores of this computer).
EOF
}

check=no
columns=no
while [ $# -gt 0 ]; do
    case $1 in
    --check) check=yes ;;
    --columns) columns=yes ;;
    --data)
        if [ $# -lt 2 ]; then
            usage >&2
            exit 2
        fi
        SPINNSIM_DATA=$2
        export SPINNSIM_DATA
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
    shift
done

program=${BUILD:-build}/spinnsim
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# put FILE PAGE: makes FILE the page, or compares them.
put() {
    if [ "$check" = yes ]; then
        diff -u "$2" "$1"
    else
        cp "$1" "$2"
    fi
}

# version FIGURE: the gnuplot that has drawn it.
version() {
    grep -m 1 'Produced by' "$1" || true
}

# page PAGE: fills its template from the result folders and tables in $out.
page() {
    mkdir -p "$out/pages"
    "$program" report --template "scripts/pages/$1" "$out" >"$out/pages/${1##*/}"
    put "$out/pages/${1##*/}" "$1"
}

# Pages of recorded tables alone, and those that need runs.
recorded_pages="RESULTS.md docs/results/answer.md docs/questions.md docs/results/exchange.md docs/results/host_training.md docs/reliability.md"
run_pages="docs/results/inference.md docs/results/kernels.md docs/results/training.md docs/results/neuron_per_core.md docs/results/validation.md"

"$program" columns >"$out/columns.md"
put "$out/columns.md" docs/result_files.md
"$program" config --matrix >"$out/matrix.md"
awk -v table="$out/matrix.md" '
    /^<!-- end of matrix/ { skip = 0 }
    !skip
    /^<!-- matrix/ { print ""; while ((getline row < table) > 0) print row; print ""; skip = 1 }' README.md >"$out/readme.md"
put "$out/readme.md" README.md

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
        END { flush() }' tests/golden/recorded/host_training.csv
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
        }' tests/golden/recorded/exchange.csv
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
        }' tests/golden/recorded/exchange.csv
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
        }' tests/golden/recorded/exchange.csv
}

trainings >"$out/trainings"
exchanges >"$out/exchanges"
other_exchanges >"$out/other_exchanges"
paces >"$out/paces"
cp tests/golden/recorded/questions/*.csv "$out/"
scripts/answer/make.sh "$out"
put "$out/answer.csv" docs/results/answer.csv
mkdir "$out/figures"
scripts/answer/draw.sh "$out" "$out/figures"
mkdir "$out/questions"
scripts/draw_questions.sh "$out/questions"
for figure in results/figures questions/questions; do
    for file in "$out/${figure#*/}"/*.svg; do
        page=docs/${figure%/*}/${file##*/}
        # Another gnuplot writes another file of the same figure.
        if [ "$check" = no ] || [ "$(version "$page")" = "$(version "$file")" ]; then
            put "$file" "$page"
        fi
    done
done
for page in $recorded_pages; do
    page "$page"
done
if [ "$columns" = yes ]; then
    exit
fi

if [ "$check" = yes ]; then
    if [ ! -e "${BUILD:-build}/workloads/lenet1_infer.elf" ]; then
        echo "skipped: no ARM programs were built"
        exit 77
    fi
    if ! "$program" run configs/experiments/lenet1_inference.yaml --set data.test_images=1 --set accept=null --force --out "$out/try" \
        >/dev/null 2>"$out/why"; then
        if grep -q 'data set mnist is not on this machine' "$out/why"; then
            echo "skipped: $(head -n 1 "$out/why")"
            exit 77
        fi
        cat "$out/why" >&2
        exit 1
    fi
    compiler=$(sed -n 's/.*"guest_compiler": "\(.*\)",*/\1/p' "$out/try/summary.json")
    if ! grep -qF "$compiler" docs/results/inference.md; then
        echo "skipped: the ARM programs were built with $compiler, those of docs/results with another compiler"
        exit 77
    fi
fi

run() {
    name=${1##*/}
    "$program" run "configs/experiments/$1.yaml" --out "$out/$name" --threads "${THREADS:-$(nproc)}" --progress none >"$out/$name.txt"
}

for experiment in lenet1_inference lenet1_synthetic idle_chip busy_chip lenet1_board lenet1_packets lenet5_latency; do
    run "$experiment"
done

run published/neuron_per_core_forward
status=0
run published/neuron_per_core_errors 2>/dev/null || status=$?
if [ "$status" -ne 3 ]; then
    echo "update_results.sh: published/neuron_per_core_errors does not hang any more (exit status $status)" >&2
    exit 1
fi
run published/neuron_per_core_reinjected

scripts/kernel_table.sh >"$out/kernels"
"$program" validate --out "$out/validation_runs" >"$out/validation"
sed -n 's/^lost packets  *[0-9]*: drops.csv; the first at //p' "$out/neuron_per_core_errors.txt" >"$out/first_lost"
echo $(($(wc -l <"$out/neuron_per_core_errors/waits.csv") - 1)) >"$out/waits"
for page in $run_pages; do
    page "$page"
done

# The quick start's table: what lenet1_inference prints, less the place of its results.
awk -v table="$out/lenet1_inference.txt" '
    /<!-- quickstart/ {
        print; print ""
        while ((getline line < table) > 0) if (line !~ /^results /) print "    " line
        print ""; skipping = 1; next
    }
    /<!-- end of quickstart/ { skipping = 0 }
    !skipping { print }
' README.md >"$out/README.md"

scripts/draw_training.sh "$out/training.svg"

if [ "$check" = yes ]; then
    if [ "$(version docs/training.svg)" = "$(version "$out/training.svg")" ]; then
        cmp docs/training.svg "$out/training.svg"
    fi
    diff -u README.md "$out/README.md"
    exit
fi
cp "$out/training.svg" docs/training.svg
cp "$out/README.md" README.md
echo "README.md, docs/result_files.md, $recorded_pages $run_pages written"
