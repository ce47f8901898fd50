#!/bin/sh
# Do all joules of a result folder follow from its counters and coefficients?  Computes them again in awk, with no code of the
# simulator, from counters.csv, sampled.csv and config.yaml, and compares energy.csv, phases.csv and summary.json.
# Usage: scripts/check_energy.sh DIR [RELATIVE_ERROR]     exit status 1: one differs
set -eu
if [ $# -lt 1 ] || [ ! -r "$1/summary.json" ]; then
    echo "usage: $0 DIR [RELATIVE_ERROR]: DIR is a result folder" >&2
    exit 2
fi
sampled=$1/sampled.csv
[ -r "$sampled" ] || sampled=/dev/null
exec awk -v error="${2:-1e-12}" -v sampled="$sampled" '
function amount(text, part) { # W or pJ or a ratio
    split(text, part, " ")
    return part[1] * scale[part[2]]
}
function near(got, want, what, part) {
    compared++
    if (got == "null" || got - want > error * size(want) || want - got > error * size(want)) {
        printf "%s: %s, expected %.17g\n", what, got, want
        wrong++
    }
}
function size(x) { return x < 0 ? -x : x }
function of_chips(term) { return per[term] != "board" }
function applies(term) { return of_chips(term) || term == "board_" profile }
# What a term is charged for: time and counts are those of `of`, an index of time[] and count[].
function charged(term, of, name, n, i, sum) {
    if (per[term] == "chip") return time[of] * machine["chips"]
    if (per[term] == "board") return time[of] * machine["boards"]
    n = split(per[term], name, " ")
    sum = 0
    for (i = 1; i <= n; i++) sum += count[of, name[i]]
    return sum
}
# The sum of all terms; what: "" all, "dynamic", "static" or "chips".
function joules(of, end, what, t, sum) {
    sum = 0
    for (t = 1; t <= terms; t++) {
        if (!applies(term[t]) || (what == "chips" && !of_chips(term[t]))) continue
        if (what == "dynamic" && per[term[t]] ~ /^(chip|board)$/) continue
        if (what == "static" && per[term[t]] !~ /^(chip|board)$/) continue
        sum += coefficient[term[t], end] * charged(term[t], of) / 1e12
    }
    return sum
}
function scope(of, name, end, inner) {
    if (name == "chips") return joules(of, end, "chips")
    inner = joules(of, end, "")
    if (name == "board") return inner
    inner /= outside["wall", end == "low" ? "high" : end == "high" ? "low" : end]
    if (name == "wall") return inner
    inner += outside["rack", end] * machine["boards"] * time[of] / 1e12
    return name == "rack" ? inner : inner + outside["host", end] * time[of] / 1e12
}
BEGIN {
    scale[""] = scale["W"] = scale["pJ"] = 1
    scale["mW"] = scale["fJ"] = 1e-3; scale["uW"] = 1e-6; scale["kW"] = scale["nJ"] = 1e3; scale["uJ"] = 1e6
    stages = split("load train test run", stage, " ")
}
FNR == 1 { file = FILENAME; sub(/.*\//, "", file) }

file == "config.yaml" && /^[a-z]/ { energy = $1 == "energy:" }
file == "config.yaml" && energy && /^  [a-z]/ {
    group = $1; sub(/:/, "", group)
    if (group == "board_profile") profile = $2
}
file == "config.yaml" && energy && group == "scopes" && /^    [a-z]/ { outer = $1; sub(/:/, "", outer) }
file == "config.yaml" && energy && /^ +(value|low|high|per): / {
    key = $1; sub(/:/, "", key)
    text = $0; sub(/^[^:]*: /, "", text)
    if (group == "scopes") outside[outer, key == "value" ? "default" : key] = amount(text)
    else if (key == "per") { gsub(/[][,]/, " ", text); sub(/^ +/, "", text); sub(/ +$/, "", text); per[group] = text; term[++terms] = group }
    else if (group != "clocks") coefficient[group, key == "value" ? "default" : key] = amount(text)
}

file == "counters.csv" && FNR > 1 {
    split($0, field, ",")
    phase = field[1]; name = field[2] "." field[6]; value = field[8]
    if (field[2] != "machine") {
        count[phase == "run" ? "whole" : phase, name] += value
        if (phase == "run") counter[name] = 1
        if (phase ~ /\//) phases[phase] = 1
    } else if (field[6] == "stage_ps") time[phase] = value
    else if (field[6] == "time_ps") time["whole"] = value
    else machine[field[6]] = value
}

file == "sampled.csv" && FNR == 1 { n = split($0, field, ","); for (i = 1; i <= n; i++) at[field[i]] = i }
file == "sampled.csv" && FNR > 1 {
    split($0, field, ",")
    estimate[field[at["quantity"]]] = field[at["epoch"]]
}

# All is read: the rest of the run, and an epoch.
file == "energy.csv" && FNR == 1 {
    if (machine["chips"] == "" || terms == 0) { print "no counters, or no coefficients"; wrong++ }
    for (name in counter) {
        left = count["whole", name]
        for (s = 1; s < stages; s++) left -= count[stage[s], name]
        count["run", name] = left
        count["epoch", name] = machine["epochs"] > 0 ? count["epochs", name] / machine["epochs"] : estimate[name] + 0
        left = count["whole", name]
        for (phase in phases) left -= count[phase, name]
        count["rest", name] = left
    }
    has_epoch = machine["epochs"] > 0 || "seconds" in estimate
    time["epoch"] = machine["epochs"] > 0 ? time["epochs"] / machine["epochs"] : estimate["seconds"] * 1e12
    for (s = 1; s <= stages + has_epoch; s++) {
        of = s > stages ? "epoch" : stage[s]
        any = 0
        for (t = 1; t <= terms; t++) if (applies(term[t])) any += charged(term[t], of)
        for (t = 1; t <= terms; t++) if (applies(term[t]) && (any > 0 || s > stages)) missing[of, term[t]] = 1
    }
}
file == "energy.csv" && FNR > 1 {
    split($0, field, ",")
    what = file ": " field[1] ", " field[3] " "
    if (!((field[1], field[3]) in missing)) { print what "has a row too many"; wrong++ }
    delete missing[field[1], field[3]]
    charge = charged(field[3], field[1])
    near(field[4], charge, what "count")
    near(field[6], coefficient[field[3], "low"] * charge / 1e12, what "low")
    near(field[7], coefficient[field[3], "default"] * charge / 1e12, what "default")
    near(field[8], coefficient[field[3], "high"] * charge / 1e12, what "high")
}

file == "phases.csv" && FNR > 1 {
    split($0, field, ",")
    of = field[2] == "static" ? field[1] : field[1] == "run" && field[2] == "other" ? "rest" : field[1] "/" field[3] "/" field[2]
    kind = field[2] == "static" ? "static" : "dynamic"
    near(field[7], joules(of, "low", kind), file ": " of " low")
    near(field[8], joules(of, "default", kind), file ": " of " default")
    near(field[9], joules(of, "high", kind), file ": " of " high")
}

# Two blanks more for each depth.
file == "summary.json" && /^ *"/ {
    match($0, /^ */)
    depth = RLENGTH / 2
    word[depth] = $1; gsub(/[":]/, "", word[depth])
    path = ""
    for (i = 1; i <= depth; i++) path = path (i > 1 ? "." : "") word[i]
    value = $2; sub(/,$/, "", value)
    summary[path] = value
}
END {
    for (row in missing) { sub(SUBSEP, ", ", row); print "energy.csv: no row for " row; wrong++ }
    split("low default high", ends, " ")
    split("chips board wall rack host", scopes, " ")
    for (e = 1; e <= 3; e++) {
        end = ends[e]
        near(summary["energy.joules." end], joules("whole", end, ""), "energy.joules." end)
        near(summary["energy.dynamic_joules." end], joules("whole", end, "dynamic"), "energy.dynamic_joules." end)
        near(summary["energy.mean_watts." end], joules("whole", end, "") / (time["whole"] / 1e12), "energy.mean_watts." end)
        if (has_epoch) near(summary["joules_per_epoch." end], joules("epoch", end, ""), "joules_per_epoch." end)
        for (s = 1; s <= 5; s++) {
            known = s == 1 || (profile != "none" && (s == 2 || outside["wall", "default"] > 0) && (s < 4 || outside[scopes[s], "high"] > 0))
            names[1] = "energy.scopes." scopes[s] "." end; of_name[1] = "whole"
            names[2] = "energy.epoch_scopes." scopes[s] "." end; of_name[2] = "epoch"
            for (i = 1; i <= 1 + has_epoch; i++) {
                if (known) near(summary[names[i]], scope(of_name[i], scopes[s], end), names[i])
                else if (summary[names[i]] != "null") { print names[i] ": " summary[names[i]] ", expected null"; wrong++ }
            }
        }
        if (("energy.joules_per_image." end) in summary) {
            sum = joules("test", end, "static")
            for (phase in phases) if (phase ~ /^test\//) sum += joules(phase, end, "dynamic")
            images = summary["images_per_second"] * summary["seconds_test"]
            near(summary["energy.joules_per_image." end], sum / images, "energy.joules_per_image." end)
        }
        if (("loading.joules." end) in summary) {
            time["loading"] = summary["loading.seconds"] * 1e12
            count["loading", "router.bits"] = summary["loading.router_bits"]
            count["loading", "sdram.bytes_written"] = summary["loading.sdram_bytes"]
            near(summary["loading.joules." end], joules("loading", end, ""), "loading.joules." end)
        }
    }
    if (compared < 20) { print "nothing to compare"; wrong++ }
    if (!wrong) printf "%d joules and counts follow from the counters, within %s\n", compared, error
    exit wrong > 0
}' "$1/config.yaml" "$1/counters.csv" "$sampled" "$1/energy.csv" "$1/phases.csv" "$1/summary.json"
