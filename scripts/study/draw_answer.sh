#!/bin/sh
# Draws the five figures of RESULTS.md into a folder, from DIR/answer.csv and DIR/terms.csv (make.sh) and recorded tables.
set -eu
if [ $# -ne 2 ] || [ "${1:-}" = --help ]; then
    echo "usage: scripts/study/draw_answer.sh DIR FOLDER"
    [ "${1:-}" = --help ] || exit 2
    exit
fi
out=$(cd -- "$1" && pwd)
folder=$(cd -- "$2" && pwd)
cd -- "$(dirname -- "$0")/../.."
recorded=docs/results/recorded
plot=$(mktemp)
trap 'rm -f "$plot"' EXIT

names="fc128 fc300_100 lenet1 lenet4 lenet5"
shown="FC-128 FC-300-100 LeNet-1 LeNet-4 LeNet-5"
machines="chip board three_boards cpu_core"
terms="core_cycle chip board_snab sdram_background sdram_byte sdram_activation router_bit"
term_components="core chip board sdram sdram_byte sdram_activation router"
term_titles="cores_at_work chips,_idle_power board SDRAM,_idle_power SDRAM_bytes SDRAM_rows routers_and_links"

# The beginning of each awk program: at(NAME) is a field of the row.
fields='function at(name) { return $(column[name]) } FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }'

# block NAME: standard input becomes a data block.
block() {
    echo "\$$1 << EOD"
    cat
    echo EOD
}

# called NETWORK: its name in figures.
called() {
    echo "$shown" | cut -d ' ' -f "$(echo "$names" | tr ' ' '\n' | grep -n "^$1\$" | cut -d : -f 1)"
}

{
    echo "folder = '$folder'; names = '$names'; shown = '$shown'; machines = '$machines'"
    echo "machine_titles = 'chip,_alone SpiNN-5 3_SpiNN-5 CPU_core'"
    points="5 7 9 13"
    echo "points = '$points'"
    pairs= networks= marks=
    for name in $names; do
        for machine in $machines; do
            awk -F, -v cell="${name}_$machine" "$fields"'
                at("cell") == cell { printf "%.6g,%.6g,%.6g,%.6g\n", 60000 / at("images_per_second"), 60000 * at("joules_image"), 60000 * at("joules_image_low"), 60000 * at("joules_image_high") }
                ' "$out/answer.csv" >"$plot.pair"
            if [ -s "$plot.pair" ]; then
                block "${name}_$machine" <"$plot.pair"
                pairs="$pairs ${name}_$machine"
                networks="$networks $name"
                marks="$marks $(echo "$points" | cut -d ' ' -f "$(echo "$machines" | tr ' ' '\n' | grep -n "^$machine\$" | cut -d : -f 1)")"
            fi
        done
    done
    rm -f "$plot.pair"
    echo "pairs = '${pairs# }'; pair_networks = '${networks# }'; pair_points = '${marks# }'"

    colds=
    for cell in lenet1_board lenet1_cpu_core lenet5_board lenet5_cpu_core; do
        colds="$colds $cell"
        awk -F, -v cell=$cell "$fields"'
            at("cell") == cell {
                for (epochs = 1; epochs <= 1000; epochs *= 1.2589254) printf "%.4g,%.6g\n", epochs, at("loading_seconds") + epochs * 60000 / at("images_per_second")
            }' "$out/answer.csv" | block "cold_$cell"
    done
    echo "cold_networks = 'lenet1 lenet1 lenet5 lenet5'"
    echo "colds = '${colds# }'; cold_titles = 'LeNet-1,_SpiNN-5 LeNet-1,_CPU_core LeNet-5,_SpiNN-5 LeNet-5,_CPU_core'"

    echo "terms = '$terms'"
    echo "term_components = '$term_components'"
    echo "term_titles = '$term_titles'"
    for name in $names; do
        awk -F, -v cell="${name}_board" -v shown="$(called "$name")" -v terms="$terms" "$fields"'
            at("cell") == cell { joules[at("term")] = at("default"); sum += at("default") }
            END {
                printf "%s", shown
                count = split(terms, term, " ")
                for (t = 1; t <= count; t++) printf ",%.6g", joules[term[t]] / sum
                print ""
            }' "$out/terms.csv"
    done | block split

    awk -F, "$fields"'{ printf "%s,%s\n", at("cores_used"), at("train_images_per_second") }' $recorded/questions/scaling_strong.csv | block strong
    for name in $names; do
        awk -F, -v network="$name" "$fields"'at("network") == network { printf "%d,%.6g\n", at("cores_used"), 60000 / at("seconds") }' $recorded/cells.csv | sort -n | block "scaling_$name"
    done

    # Joules of LeNet-1 on a board over those of a core, with one coefficient, or all of them, at the low or high end.
    awk -F, -v terms="$terms" -v titles="$term_titles" "$fields"'
        BEGIN { count = split(terms, term, " "); split(titles, title, " "); for (t = 1; t <= count; t++) { gsub("_", " ", title[t]); sub(",", "", title[t]); called[term[t]] = title[t] } }
        FILENAME ~ /terms/ && at("cell") == "lenet1_train" { low[at("term")] = at("low"); middle[at("term")] = at("default"); high[at("term")] = at("high"); sum += at("default"); least += at("low"); most += at("high") }
        FILENAME ~ /answer/ && at("cell") == "lenet1_cpu_core" { core = at("joules_image") * 60000; core_low = at("joules_image_low") * 60000; core_high = at("joules_image_high") * 60000 }
        function bar(name, from, to) { printf "%.6g,%s,%.6g,%.6g\n", log(to / from), name, from, to }
        END {
            printf "#ratio %.6g\n", sum / core
            bar("watts of a CPU core", sum / core_high, sum / core_low)
            bar("all of SpiNNaker", least / core, most / core)
            for (t in middle) if (high[t] > low[t]) bar(called[t], (sum + low[t] - middle[t]) / core, (sum + high[t] - middle[t]) / core)
        }' "$out/terms.csv" "$out/answer.csv" >"$plot.tornado"
    echo "ratio = $(sed -n 's/#ratio //p' "$plot.tornado"); tornado_rows = $(($(wc -l <"$plot.tornado") - 1))"
    grep -v '^#' "$plot.tornado" | sort -t, -k1,1gr | cut -d, -f 2- | block tornado
    rm -f "$plot.tornado"
    echo "width = 185; height = 90"
    cat scripts/plot/style.gp
    echo "set datafile separator ','"
    cat docs/results/answer.gp
} >"$plot"
gnuplot "$plot"
