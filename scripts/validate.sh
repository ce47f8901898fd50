#!/bin/sh
# Runs what was measured on boards and prints the table of published and modelled figures that stands in RESULTS.md.
set -eu
. "$(dirname -- "$0")/checkout.sh"

usage() {
    cat <<USAGE
usage: scripts/validate.sh [--check]

  --check   print nothing but differences to the table in RESULTS.md (exit status 1 when there are some; 77 when that cannot be known
            here: no ARM programs, or programs of another compiler)
The program is taken from \${BUILD:-build}.
USAGE
}

check=no
case "${1:-}" in
--check) check=yes ;;
-h | --help)
    usage
    exit 0
    ;;
?*)
    usage >&2
    exit 2
    ;;
esac

build=${BUILD:-build}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

run() { # NAME EXPERIMENT [ARGUMENT...]: the results are in $out/NAME
    run_name=$1
    run_experiment=$2
    shift 2
    "$build/spinnsim" run "configs/experiments/$run_experiment.yaml" --force --out "$out/$run_name" --progress none "$@" >/dev/null
}

if [ "$check" = yes ]; then
    if [ ! -e "$build/workloads/dma_soak.elf" ]; then
        echo "skipped: no ARM programs were built"
        exit 77
    fi
fi
run soak_1 published/dma_soak
if [ "$check" = yes ]; then
    compiler=$(sed -n 's/.*"guest_compiler": "\(.*\)",*/\1/p' "$out/soak_1/summary.json")
    if ! grep -qF "$compiler" RESULTS.md; then
        echo "skipped: the ARM programs were built with $compiler, those of RESULTS.md with another compiler"
        exit 77
    fi
fi

calculate() { # EXPRESSION [FORMAT]
    awk "BEGIN { printf \"${2:-%.10g}\", $1 }"
}

summary() { # NAME KEY: a number of summary.json that stands alone on its line
    awk -F'[:,]' -v key="\"$2\"" 'index($1, key) { print $2 + 0; exit }' "$out/$1/summary.json"
}

watts() { # NAME: mean power
    tr -d ' \n' <"$out/$1/summary.json" | sed 's/.*"mean_watts":{"low":[^,]*,"default":\([^,]*\),.*/\1/'
}

rate() { # NAME X,Y,LINK: millions of packets a second on a link; programs begin to send after 20 us
    packets=$(sed -n "s/^run,link,$2,packets,packet,//p" "$out/$1/counters.csv")
    calculate "$packets / ($(summary "$1" seconds) - 20e-6) / 1e6"
}

row() { # FIGURE PUBLISHED SOURCE KIND MODEL: both numbers as they are to be shown
    difference=$(calculate "100 * ($5 / $2 - 1)" '%+.1f %%')
    printf '| %s | %s | %s | %s | %s | %s |\n' "$1" "$2" "$3" "$4" "$5" "$difference"
}

figure() { # FIGURE MODEL: nothing is published
    printf '| %s | - | - | - | %s | unvalidated |\n' "$1" "$2"
}

said() { # FIGURE PUBLISHED SOURCE KIND MODEL VERDICT: published in words or as a range
    printf '| %s | %s | %s | %s | %s | %s |\n' "$@"
}

# ---- links ----

pair() { # NAME DIRECTION FROM TO: one link loaded by 16 cores
    run "$1" micro/link_saturation --set \
        "app=[{file: link_load_$2.elf, chips: \"$3\", cores: 1-16}, {file: link_take.elf, chips: \"$4\", cores: 1-16}]"
}
pair east east 3,3 4,3
pair north_east north_east 3,3 4,4
pair north north 3,3 3,4
pair west west 3,3 2,3
pair south_west south_west 3,3 2,2
pair south south 3,3 3,2
run cable micro/board_cable
run alone micro/board_link
run payload micro/link_payload
run one_core micro/link_one_core
east=$(rate east 3,3,0)
north=$(rate north 3,3,2)
cable=$(rate cable 1,0,5)
dropped=0
packets=0
for name in east north_east north west south_west south; do
    dropped=$((dropped + $(summary $name dropped_packets)))
    packets=$((packets + $(summary $name packets_sent)))
done
# Three boards in a torus: 144 links in each direction, of which 24 lead to another board.
on_board="$east + $(rate north_east 3,3,1) + $north + $(rate west 3,3,3) + $(rate south_west 3,3,4) + $(rate south 3,3,5)"
mean=$(calculate "(120 * ($on_board) + 144 * $cable) / 864")

# ---- memory, software, power ----

bandwidth() { # CORES: MB/s of all of them
    run "soak_$1" published/dma_soak --set "app=[{file: dma_soak.elf, chips: \"0,0\", cores: 1-$1}]"
    awk '{ sum += $2 / $5 * 200 } END { printf "%.0f", sum }' "$out/soak_$1/console.txt"
}
cycles=$(awk '{ print $5 }' "$out/soak_1/console.txt")
run trip published/round_trip
trip=$(awk '{ print $6 / $2 }' "$out/trip/console.txt" | sed -n 1p)
for board in 3 5; do
    run "idle_$board" "published/idle_spin$board"
    run "unbooted_$board" "published/idle_spin${board}_unbooted"
done
run busy busy_chip

table() {
    tester="network_tester"
    snab="SNABSuite"
    echo "| figure | published | source | kind | model | difference |"
    echo "| --- | ---: | --- | --- | ---: | ---: |"
    row "link to the east, 16 cores [million packets/s]" 7.30 "$tester" C "$(calculate "$east" %.3f)"
    row "link to the north" 6.70 "$tester" C "$(calculate "$north" %.3f)"
    figure "link to the north-east" "$(calculate "$(rate north_east 3,3,1)" %.3f)"
    figure "link to the west" "$(calculate "$(rate west 3,3,3)" %.3f)"
    figure "link to the south-west" "$(calculate "$(rate south_west 3,3,4)" %.3f)"
    figure "link to the south" "$(calculate "$(rate south 3,3,5)" %.3f)"
    row "link between boards, southward, all eight of a cable" 2.81 "$tester" C "$(calculate "$cable" %.3f)"
    figure "the same, one of the eight" "$(calculate "$(rate alone 0,0,5)" %.3f)"
    ratio=$(calculate "$cable / $east" %.3f)
    said "between boards : on board" "0.37 to 0.41" "$tester" V "$ratio" \
        "$(awk "BEGIN { print ($ratio >= 0.37 && $ratio <= 0.41) ? \"within\" : \"outside\" }")"
    row "mean of all links of three boards [million packets/s]" 6.46 "$tester" V "$(calculate "$mean" %.3f)"
    said "packets dropped, one link saturated" "72 of 1.86e9" "$tester" V "$dropped of $packets" "-"
    said "share of a link that one core fills" "< 1" "$tester" C "$(calculate "$(rate one_core 0,0,0) / $east" %.2f)" "-"
    said "72-bit packets : 40-bit packets on a link" "about 0.6" "workshop" X "$(calculate "$(rate payload 0,0,0) / $east" %.3f)" "-"
    row "block of 1,000 words from SDRAM by DMA [us]" 15.61 "soak test" C "$(calculate "$cycles / 200 / 1000" %.2f)"
    row "the same, a word [ns]" 15 "workshop" V "$(calculate "$cycles / 200 / 1000" %.1f)"
    for cores in 2 3 4 8 17; do
        figure "SDRAM read by the DMA of $cores cores [MB/s]" "$(bandwidth $cores)"
    done
    row "packet to the next chip and answer back [cycles]" 665.8 "round trips" C "$(calculate "$trip" %.1f)"
    row "SpiNN-3, booted and idle [W]" 2.671 "$snab" C "$(calculate "$(watts idle_3)" %.3f)"
    row "SpiNN-3, booted less unbooted [W]" 0.236 "$snab" V "$(calculate "$(watts idle_3) - $(watts unbooted_3)" %.3f)"
    row "SpiNN-5, booted and idle [W]" 23.049 "$snab" C "$(calculate "$(watts idle_5)" %.3f)"
    row "SpiNN-5, powered, not booted [W]" 20.179 "$snab" C "$(calculate "$(watts unbooted_5)" %.3f)"
    row "a chip, 18 busy cores at 180 MHz [W]" 1.0 "Painkras" V "$(calculate "$(watts busy)" %.3f)"
}

table >"$out/table"
if [ "$check" = yes ]; then
    # The table is the one under this head of RESULTS.md.
    awk '/^\| figure \| published \|/ { inside = 1 } inside && !/^\|/ { exit } inside' RESULTS.md >"$out/stands"
    diff -u "$out/stands" "$out/table"
    exit
fi
cat "$out/table"
