#!/bin/sh
# Makes the answer's tables from what was recorded, with the energy coefficients as they stand: DIR/answer.csv (table.awk says what stands in it) and
# DIR/terms.csv, an epoch's joules by term (joules.awk); and the texts that the templates of RESULTS.md and docs/results/answer.md take from DIR.
set -eu
if [ $# -ne 1 ] || [ "${1:-}" = --help ]; then
    echo "usage: scripts/study/make_answer.sh DIR"
    [ "${1:-}" = --help ] || exit 2
    exit
fi
out=$(cd -- "$1" && pwd)
cd -- "$(dirname -- "$0")/../.."
recorded=docs/results/recorded
coefficients=configs/energy/spinnaker1.yaml
awk -F, -v coefficients=1 -f scripts/study/joules.awk $coefficients >"$out/coefficients.csv"
awk -F, -f scripts/study/joules.awk $coefficients $recorded/counts.csv $recorded/board_counts.csv >"$out/terms.csv"
awk -F, -f scripts/study/table.awk "$out/coefficients.csv" "$out/terms.csv" $recorded/targets.csv $recorded/board_training.csv $recorded/baselines.csv \
    $recorded/cells.csv >"$out/answer.csv"

awk -F, -v which=main -f scripts/study/rows.awk "$out/answer.csv" >"$out/answer_main"
awk -F, -v which=all -f scripts/study/rows.awk "$out/answer.csv" >"$out/answer_all"
boosted="$out/answer.csv $recorded/boosted_stages.csv $recorded/boosted_chip_stages.csv $recorded/boosted_votes.csv $recorded/baselines.csv"
awk -F, -f scripts/study/boosted.awk $boosted >>"$out/answer_main"
awk -F, -v which=speed -f scripts/study/boosted.awk $boosted >"$out/boosted_speed"

fields='function at(name) { return $(column[name]) } FNR == 1 { split("", column); for (i = 1; i <= NF; i++) column[$i] = i; next }'
awk -F, "$fields"'{
        line = "| " at("network") " | " at("target") / 100 " | " at("validation_needed") / 100
        if (at("images") == "") print line " | - | - | - | - | - |"
        else printf "%s | %d | %d | %.2f (%.2f to %.2f) | %.2f (%.2f to %.2f) | %d |\n", line, at("images"), at("seeds_validated"), at("validation_mean") / 100, \
            at("validation_lowest") / 100, at("validation_highest") / 100, at("test_mean") / 100, at("test_lowest") / 100, at("test_highest") / 100, at("seeds_with_target")
    }' $recorded/targets.csv >"$out/targets"
awk -F, "$fields"'
    at("cell") ~ /_board$/ { if (!(at("cell") in seen)) { seen[at("cell")] = 1; cell[++cells] = at("cell") } joules[at("cell"), at("term")] = at("default") }
    END {
        count = split("core_cycle chip board_snab sdram_background sdram_byte sdram_activation router_bit", term, " ")
        for (c = 1; c <= cells; c++) {
            line = cell[c]
            sub(/_board$/, "", line)
            line = "| " line
            for (t = 1; t <= count; t++) line = line sprintf(" | %.3f", joules[cell[c], term[t]])
            print line " |"
        }
    }' "$out/terms.csv" >"$out/terms"
# Of the cores that were measured: billions of operations a second, and of products, a multiply and an add each.
awk -F, -v out="$out" "$fields"'at("program") == "float32" && at("threads") == 1 && at("processes") == 1 {
        if (least == 0 || at("gflops") < least) least = at("gflops")
        if (at("gflops") > most) most = at("gflops")
    } END { printf "%.0f to %.0f", least, most >(out "/gflops"); printf "%.0f to %.0f", least / 2, most / 2 >(out "/products") }' $recorded/baselines.csv
# How many times the seconds of our float32 PyTorch takes on one core.
awk -F, "$fields"'at("threads") == 1 && at("processes") == 1 { seconds[at("experiment"), substr(at("program"), 1, 5)] = at("seconds_train"); if (at("program") ~ /^torch.* cpu$/) { all[at("experiment")]; name = at("program") } }
    END {
        for (e in all) {
            ratio = seconds[e, "torch"] / seconds[e, "float"]
            if (least == 0 || ratio < least) least = ratio
            if (ratio > most) most = ratio
        }
        split(name, word, " ")
        if (least > 0) printf "PyTorch %s takes %.1f to %.1f times its seconds on the same core", word[2], least, most
        else printf "PyTorch was not measured"
    }' $recorded/baselines.csv >"$out/torch"
awk -F, "$fields"'at("program") == "float32" { print at("cpu") " with " (at("instructions") == "avx512" ? "512-bit vectors" : at("instructions")); exit }' $recorded/baselines.csv |
    tr -d '\n' >"$out/cpu"
awk -F, '$1 == "core_cycle" { printf "%.0f", $3 * 1e12 }' "$out/coefficients.csv" >"$out/core_cycle_pj"
awk -F, '$1 == "lenet1_train" { sum += $4; cores += $2 == "core_cycle" ? $4 : 0 } END { printf "%.1f %.1f", sum, cores }' "$out/terms.csv" >"$out/lenet1"
awk -v pj="$(cat "$out/core_cycle_pj")" '{ printf "%.1f", $1 - $2 * (1 - 5.19 / pj) }' "$out/lenet1" >"$out/lenet1_22nm"
awk '{ printf "%.1f", $1 }' "$out/lenet1" >"$out/lenet1_now"
rm "$out/lenet1"
