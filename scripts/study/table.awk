# table.awk - the answer's table: each network on each machine, from recorded tables:
#     awk -F, -f table.awk coefficients.csv terms.csv targets.csv board_training.csv baselines.csv cells.csv
# coefficients.csv, terms.csv: of joules.awk; of sampled cells and of the board's trainings in full.  A table is known by the words of its first row.
# Ratios are to one core of this computer in float32: speed, and joules as the coefficients and the watts of a core stand, at their least and at their most.
# The seconds to an accuracy are the images that nine of ten seeds need (targets.csv) times the seconds of an image; joules alike.
FNR == 1 {
    split("", column)
    for (i = 1; i <= NF; i++) column[$i] = i
    table = "loading" in column ? "loading" : "term" in column ? "joules" : "validation_needed" in column ? "targets" : "loading_sdram_bytes" in column ? "cells" \
        : "joules_kind" in column ? "baselines" : "coefficient" in column ? "coefficients" : "board"
    next
}
function at(name) { return $(column[name]) }

table == "coefficients" { factor[at("coefficient"), "low"] = at("low"); factor[at("coefficient"), "default"] = at("default"); factor[at("coefficient"), "high"] = at("high") }
table == "joules" {
    ends = split("low default high", end, " ")
    for (e = 1; e <= ends; e++) {
        joules[at("cell"), end[e]] += at(end[e])
        if (at("term") ~ /^(chip|sdram_background|board_)/) waiting[at("cell"), end[e]] += at(end[e])
    }
}
table == "targets" && at("images") != "" { needs[at("network"), at("target") / 100] = at("images") }
table == "board" && at("epochs") == 1 && at("images") == 60000 { full[at("network")] = at("seconds_per_epoch"); full_mapping[at("network")] = at("mapping"); board_cell[at("network")] = at("experiment") }

# row NETWORK MACHINE TIME_KIND JOULES_KIND SCOPE SECONDS_PER_IMAGE LOW JOULES HIGH (per image) LOADING
function row(network, machine, time_kind, joules_kind, scope, seconds, low, middle, high, loading,   t, target, line) {
    line = sprintf("%s_%s,%s,%s,%s,%s,%s,%.6g,%.6g,%.6g,%.6g", network, machine, network, machine, time_kind, joules_kind, scope, 1 / seconds, low, middle, high)
    for (t = 1; t <= 3; t++) {
        target = t == 1 ? 95 : t == 2 ? 97 : 98
        if ((network, target) in needs) {
            line = line sprintf(",%.6g,%.6g,%.6g,%.6g", needs[network, target] * seconds, needs[network, target] * low, needs[network, target] * middle, needs[network, target] * high)
        } else line = line ",,,,"
    }
    made[++rows] = line "," loading
    cell_of[rows] = network "_" machine
    network_of[rows] = network
    each[rows, "seconds"] = seconds; each[rows, "low"] = low; each[rows, "middle"] = middle; each[rows, "high"] = high
    if (machine == "cpu_core") core[network] = rows
}
table == "cells" {
    network = at("network")
    cell = at("cell")
    seconds = at("seconds")
    for (e = 1; e <= 3; e++) {
        which = e == 1 ? "low" : e == 2 ? "default" : "high"
        load[e] = waiting[cell, which] / seconds * at("loading_seconds") + at("loading_sdram_bytes") * factor["sdram_byte", which] + at("loading_router_bits") * factor["router_bit", which]
    }
    loading = sprintf("%.6g,%.6g,%.6g,%.6g", at("loading_seconds"), load[1], load[2], load[3])
    how = "sampled"
    if (at("platform") == "board" && full_mapping[network] == at("mapping")) { # executed in full
        how = "executed"
        seconds = full[network]
        cell = board_cell[network]
    }
    row(network, at("platform"), how, "modelled", at("platform") ~ /board/ ? "board" : "chips", seconds / 60000, joules[cell, "low"] / 60000, joules[cell, "default"] / 60000, joules[cell, "high"] / 60000, loading)
}
table == "baselines" && at("experiment") == at("network") "_train" && at("program") ~ /^(float32|torch.*)$/ {
    machine = at("processes") > 1 ? at("processes") "_processes" : at("threads") > 1 ? at("threads") "_threads" : "cpu_core"
    if (at("program") ~ /^torch.* cuda$/) machine = "gpu"
    else if (at("program") ~ /^torch/) machine = machine "_torch"
    row(at("network"), machine, "measured", at("joules_kind") == "" ? "none" : at("joules_kind"), machine == "gpu" ? "card" : "cores", at("seconds_train") / at("images"), at("joules_low") / at("images"), at("joules") / at("images"), at("joules_high") / at("images"), ",,,")
}
BEGIN {
    head = "cell,network,machine,time,joules_kind,scope,images_per_second,joules_image_low,joules_image,joules_image_high"
    for (t = 95; t <= 98; t += t == 95 ? 2 : 1) head = head ",seconds_" t ",joules_" t "_low,joules_" t ",joules_" t "_high"
    print head ",loading_seconds,loading_joules_low,loading_joules,loading_joules_high,speed_over_core,joules_over_core_least,joules_over_core,joules_over_core_most"
}
END {
    for (r = 1; r <= rows; r++) {
        c = core[network_of[r]]
        if (c == "") print made[r] ",,,,"
        else {
            printf "%s,%.6g", made[r], each[c, "seconds"] / each[r, "seconds"]
            if (r == c) print ",1,1,1"
            else printf ",%.6g,%.6g,%.6g\n", each[r, "low"] / each[c, "high"], each[r, "middle"] / each[c, "middle"], each[r, "high"] / each[c, "low"]
        }
    }
}
