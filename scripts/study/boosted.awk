# boosted.awk - the rows of RESULTS.md for Boosted LeNet-4, which is three networks and what chooses their images:
#     awk -F, -f boosted.awk answer.csv boosted_stages.csv boosted_chip_stages.csv boosted_votes.csv baselines.csv
# One chip votes as a board does: the same bits (reproduce.sh compares them).
# With -v which=speed: the board's speed over that of one core in float32.  A table is known by the words of its first row.
FNR == 1 {
    split("", column)
    for (i = 1; i <= NF; i++) column[$i] = i
    table = "speed_over_core" in column ? "answer" : "deform_seconds" in column ? (FILENAME ~ /chip/ ? "chip" : "board") : "networks_per_image" in column ? "votes" : "baselines"
    next
}
function at(name) { return $(column[name]) }
function short(x) { return x >= 100 ? sprintf("%.0f", x) : x >= 10 ? sprintf("%.1f", x) : sprintf("%.2f", x) }
# row MACHINE ACCURACY SECONDS JOULES LOADING COUNTED
function row(machine, accuracy, seconds, joules, loading, counted) {
    rows = rows sprintf("| Boosted LeNet-4 | %s | whole: %.2f %% | - | whole: %s | %s to %.2f %% | %s | %s |\n", machine, 100 * accuracy, short(seconds), joules, 100 * accuracy, loading, counted)
}
table == "answer" && at("cell") ~ /^lenet4_(chip|board)$/ { loading[substr(at("cell"), 8)] = sprintf("%.0f s, %.0f J", at("loading_seconds"), at("loading_joules")) }
table == "chip" || table == "board" {
    seconds[table] += at("deform_seconds") + at("look_seconds") + at("train_seconds")
    joules[table] += at("deform_joules") + at("look_joules") + at("train_joules")
}
table == "votes" && at("confidence") == "" { # the sum of all
    row("one chip, 16 cores", at("accuracy"), seconds["chip"], short(joules["chip"]), loading["chip"], "executed; chips, modelled")
    row("**SpiNN-5, 48 chips**", at("accuracy"), seconds["board"], short(joules["board"]), loading["board"], "executed; board, modelled")
}
table == "baselines" && at("experiment") == "boosted_lenet4_board" && at("program") == "float32" {
    one = at("threads") == 1
    row("CPU, " (one ? "1 core" : at("threads") " threads") ", float32", at("accuracy"), at("seconds_train"), short(at("joules")) " (" short(at("joules_low")) " to " short(at("joules_high")) ")", "-", \
        "measured; cores, " at("joules_kind"))
    if (one) speed = sprintf("%.2f", at("seconds_train") / seconds["board"])
}
END { printf "%s", which == "speed" ? speed : rows }
