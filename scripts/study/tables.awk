# tables.awk - the tables that pages and figures of the study are made from, by the tables that were recorded:
#     awk -F, -v out=DIR -f tables.awk coefficients.csv terms.csv scopes.csv loading_rates.csv needed.csv batches.csv board_training.csv baselines.csv cells.csv [more.csv...]
# coefficients.csv, terms.csv: of joules.awk; scopes.csv, loading_rates.csv: of configs/study; the others: docs/results/recorded.  Tables are known by their names.  Writes into DIR:
#   answer.csv        each network on each machine, in the order of the pages.  Ratios are to one core of this computer in float32: speed, and joules as the
#                     coefficients and the watts of a core stand, at their least and at their most.  The seconds to an accuracy are the images that nine of
#                     ten seeds need times the seconds of an image; joules alike.  All machines train by the recipe of the network's experiment
#   best.csv          each network on each machine by the machine's own best recipe for each accuracy: of those whose seconds were measured or modelled and
#                     whose images are known, in the machine's arithmetic, the one that takes the least seconds.  What an image takes does not depend on
#                     the rate.  On a CPU core a recipe's seconds are "derived" where baselines.csv has another recipe's only: those of that recipe times
#                     the ratio of both in batches.csv, which may be of another computer
#   boosted.csv       Boosted LeNet-4, which is three networks and what chooses their images.  One chip votes as a board does: the same bits
#   facts.csv         single numbers
#   energy_split.csv  joules of an epoch on a board by term
#   tornado_seconds.csv  by how many percent an update takes longer with one figure of the machine changed that is not known
#   tornado.csv       LeNet-1's joules on a board over those of a core, with one coefficient, or all of them, at the low or high end
#   scaling.csv       images a second by cores
#   training.csv      the board's trainings: losses as they learn (the host's, the same bits) over the board's seconds; their ends
#   recipes.csv       trainings on the host: a row for each network, batch and length
#   same_scope.csv    joules of a board to 97 % over those of a CPU core, each by its own best recipe, for pairs of equal scopes: devices, and whole machines
#                     at the plug
#   side_by_side.csv  a projection of as many trainings to 97 % as a board has chips, one a chip, by the chip's best recipe: seconds a training, and joules with the
#                     rest of the board, over a core's; at the plug over those of a desktop
#   cold.csv          from a cold start: loading at several rates, and LeNet-1 to 98 %, on a board and on a core, which reads the files
#   rings.csv, ways.csv, paces.csv  sums over the chips of a board: by size; in other ways; runs without a loss by pace
BEGIN {
    networks = split("fc128 fc300_100 lenet1 lenet4 lenet5", network_at, " ")
    split("FC-128 FC-300-100 LeNet-1 LeNet-4 LeNet-5", word, " ")
    for (n = 1; n <= networks; n++) shown[network_at[n]] = word[n]
    kinds = split("core chip N_chips board three_boards N_boards cpu_core N_threads N_processes cpu_core_torch N_threads_torch gpu", kind_at, " ")
    said["core"] = "one ARM core of one chip"; said["chip"] = "one chip, 16 cores"; said["N_chips"] = "%d chips, the least that fit"; said["board"] = "**SpiNN-5, 48 chips**"
    said["three_boards"] = "3 SpiNN-5, 144 chips"; said["N_boards"] = "%d SpiNN-5"; said["cpu_core"] = "CPU, 1 core, float32"; said["gpu"] = "GPU, PyTorch"
    said["N_threads"] = "CPU, %d threads, float32"; said["N_processes"] = "CPU, %d processes with all-reduce, float32"
    said["cpu_core_torch"] = "CPU, 1 core, PyTorch"; said["N_threads_torch"] = "CPU, %d threads, PyTorch"
    terms = split("core_cycle chip board_snab sdram_background sdram_byte sdram_activation router_bit", term_at, " ")
    split("cores at work,chips idle power,board,SDRAM idle power,SDRAM bytes,SDRAM rows,routers and links", word, ",")
    for (t = 1; t <= terms; t++) term_shown[term_at[t]] = word[t]
    split("low default high", end, " ")
    targets = split("95 97 98", target_at, " ")
    scopes = split("share alone desktop_share desktop", scope_at, " ")
    said_scope["share"] = "48 chips with SDRAM, without the rest of the board,a core's part of a 64-core processor with all its cores busy"
    change_shown["rows_open"] = "SDRAM: rows left open"
    change_shown["banks_interleaved"] = "SDRAM: banks interleaved"
    change_shown["sdram_slow"] = "SDRAM: one clock longer"
    change_shown["sdram_fast"] = "SDRAM: one clock shorter"
    change_shown["links_slow"] = "links 5 % slower"
    change_shown["links_fast"] = "links 5 % faster"
    change_shown["links_spread"] = "links differ by 3 %"
    change_shown["condition_2"] = "failed condition: 2 cycles"
    said_scope["alone"] = "48 chips with SDRAM, without the rest of the board,a small processor with one busy core"
    said_scope["desktop_share"] = "SpiNN-5 in its case at the plug,a sixth of a desktop at the plug with its six cores busy"
    said_scope["desktop"] = "SpiNN-5 in its case at the plug,a desktop at the plug with one busy core"
}
function at(name) { return $(column[name]) }
function file(name) { return out "/" name ".csv" }
function least_of(a, b) { return a == "" || b < a ? b : a }
function most_of(a, b) { return a == "" || b > a ? b : a }
FNR == 1 {
    split("", column)
    for (i = 1; i <= NF; i++) column[$i] = i
    table = FILENAME
    sub(/.*\//, "", table)
    sub(/\.csv$/, "", table)
    next
}

table == "coefficients" { for (e in end) factor[at("coefficient"), end[e]] = at(end[e]) }
table == "terms" {
    for (e in end) {
        term[at("cell"), at("term"), end[e]] = at(end[e])
        joules[at("cell"), end[e]] += at(end[e])
        if (at("term") ~ /^(chip|sdram_background|board_)/) waiting[at("cell"), end[e]] += at(end[e])
    }
}
table == "scopes" { scope_low[at("id")] = at("low"); scope_high[at("id")] = at("high") }
table == "loading_rates" { rate_at[++rates] = at("megabits"); rate_said[rates] = "\"" at("protocol") "\"," at("kind") }
table == "needed" {
    whole = at("recipe") "," at("learning_rate")
    known[at("network"), at("recipe")]
    if (at("program") == "int16" && !(at("network") in default_recipe)) { # the first is the experiment's
        default_recipe[at("network")] = at("recipe")
        default_whole[at("network")] = whole
    }
    if (at("images") != "") {
        goal = at("network") SUBSEP at("program") SUBSEP at("recipe") SUBSEP at("target") / 100
        if (!(goal in images) || at("images") + 0 < images[goal]) { # recipes may differ in their rates alone
            images[goal] = at("images") + 0
            rate[goal] = at("learning_rate")
            good_seeds[goal] = at("seeds_validated")
        }
        if (at("program") == "int16" && whole == default_whole[at("network")]) needs[at("network"), at("target") / 100] = at("images")
    }
}
table == "batches" {
    name = at("optimizer") "_" at("batch")
    cpu_image[at("network"), name] = at("cpu_seconds") / at("images")
    if (name != default_recipe[at("network")]) batch_names[at("network")] = batch_names[at("network")] " " name
}
table == "seconds" && at("status") == "done" {
    if (at("name") == "as_built") as_built[at("network.name")] = at("seconds_per_update")
    else {
        if (!((what = at("name")) in changed)) { changed[what]; change_at[++changes] = what }
        change[what, at("network.name")] = 100 * (at("seconds_per_update") / as_built[at("network.name")] - 1)
    }
}
table == "board_training" && at("epochs") == 1 {
    if (at("images") == 60000) { full[at("network")] = at("seconds_per_epoch"); full_mapping[at("network")] = at("mapping"); board_cell[at("network")] = at("experiment") }
    if (at("experiment") !~ /_to95$/) {
        training[++trainings] = at("experiment")
        image_seconds[at("experiment")] = at("seconds_per_epoch") / at("images")
        ending[at("experiment")] = sprintf("%s,,%s,%s,%s,%s", at("seconds_per_epoch"), at("joules"), at("joules_low"), at("joules_high"), at("accuracy"))
    }
}

# row NETWORK MACHINE RECIPE TIME_KIND JOULES_KIND SCOPE SECONDS_PER_IMAGE LOW JOULES HIGH (per image) LOADING
function row(network, machine, recipe, time_kind, joules_kind, scope, seconds, low, middle, high, loading,   t, needed, line, kind) {
    consider(network, machine, recipe, time_kind, joules_kind, scope, seconds, low, middle, high)
    if (recipe != default_recipe[network]) return
    line = sprintf("%s_%s,%s,%s,%s,%s,%s,%.6g,%.6g,%.6g,%.6g", network, machine, network, machine, time_kind, joules_kind, scope, 1 / seconds, low, middle, high)
    for (t = 1; t <= targets; t++) {
        needed = needs[network, target_at[t]]
        line = line (needed == "" ? ",,,," : sprintf(",%.6g,%.6g,%.6g,%.6g", needed * seconds, needed * low, needed * middle, needed * high))
    }
    made[++rows] = line "," loading
    each[rows, "seconds"] = seconds; each[rows, "low"] = low; each[rows, "middle"] = middle; each[rows, "high"] = high
    if (machine == "cpu_core") core[network] = rows
    kind = machine
    sub(/^[0-9]+/, "N", kind)
    names[rows] = sprintf("%s,\"%s\",%s", shown[network], sprintf(said[kind], machine + 0), kind ~ /_processes|_torch/ ? "no" : "yes")
    of_kind[network, kind] = of_kind[network, kind] " " rows
}
# Whether a recipe is the best so far for a machine; the arithmetic is float32 on a CPU or GPU, and else that of SpiNNaker.
function consider(network, machine, recipe, time_kind, joules_kind, scope, seconds, low, middle, high,   t, program, needed) {
    program = joules_kind == "modelled" ? "int16" : "float32"
    for (t = 1; t <= targets; t++) {
        needed = images[network, program, recipe, target_at[t]]
        if (needed == "" || (((network, machine, t) in best_seconds) && best_seconds[network, machine, t] <= needed * seconds)) continue
        best_seconds[network, machine, t] = needed * seconds
        best_said[network, machine, t] = sprintf("%s,%s,%s,%s,%s,%.6g,%.6g,%.6g,%.6g", recipe, rate[network, program, recipe, target_at[t]], needed, \
            good_seeds[network, program, recipe, target_at[t]], time_kind, needed * seconds, needed * low, needed * middle, needed * high)
        best_kind[network, machine] = joules_kind "," scope
    }
}
table == "cells" {
    network = at("network")
    cell = at("cell")
    seconds = at("seconds")
    recipe = at("optimizer") "_" at("batch")
    if (recipe == default_recipe[network]) scaling[network] = scaling[network] sprintf(" %d,%.6g", at("cores_used"), 60000 / seconds)
    loading = sprintf("%.6g", at("loading_seconds"))
    for (e = 1; e <= 3; e++)
        loading = loading sprintf(",%.6g", waiting[cell, end[e]] / seconds * at("loading_seconds") + at("loading_sdram_bytes") * factor["sdram_byte", end[e]] + at("loading_router_bits") * factor["router_bit", end[e]])
    if (at("images_loaded") + 0 > 0) load_image[network, at("platform")] = at("loading_seconds") / at("images_loaded")
    if (at("platform") == "board") {
        split(loading, part, ",")
        chips_of_board = at("chips")
        board_loading[network] = part[1]
        board_loading_joules[network] = part[3]
    }
    if (cell ~ /^lenet4_(chip|board)(_|$)/) boosted_loading[at("platform")] = loading
    how = "sampled"
    if (at("platform") == "board" && full_mapping[network] == at("mapping") && recipe == default_recipe[network]) { # executed in full
        how = "executed"
        seconds = full[network]
        cell = board_cell[network]
    }
    if (at("platform") == "board") board_cell_of[network, recipe] = cell
    if (at("platform") == "board" && recipe == default_recipe[network] && joules[cell, "default"] > 0) {
        idle_least = least_of(idle_least, waiting[cell, "default"] / joules[cell, "default"])
        idle_most = most_of(idle_most, waiting[cell, "default"] / joules[cell, "default"])
    }
    row(network, at("platform"), recipe, how, "modelled", at("platform") ~ /board/ ? "board" : "chips", seconds / 60000, joules[cell, "low"] / 60000, joules[cell, "default"] / 60000, joules[cell, "high"] / 60000, loading)
}
# What the following look at is of the experiments' own recipes.  A row of a recipe that the network has no more is taken as one of the experiment's, by the ratio of both.
table == "baselines" && at("experiment") == at("network") "_train" {
    recipe = at("optimizer") "_" at("batch")
    times = 1
    how = "measured"
    if (!((at("network"), recipe) in known) && ((at("network"), recipe) in cpu_image) && ((at("network"), default_recipe[at("network")]) in cpu_image)) {
        times = cpu_image[at("network"), default_recipe[at("network")]] / cpu_image[at("network"), recipe]
        recipe = default_recipe[at("network")]
        how = "derived"
    }
}
table == "baselines" && at("experiment") == at("network") "_train" && at("program") ~ /^(float32|torch.*)$/ {
    machine = at("processes") > 1 ? at("processes") "_processes" : at("threads") > 1 ? at("threads") "_threads" : "cpu_core"
    if (at("program") ~ /^torch.* cuda$/) machine = "gpu"
    else if (at("program") ~ /^torch/) machine = machine "_torch"
    times /= at("images")
    row(at("network"), machine, recipe, how, at("joules_kind") == "" ? "none" : at("joules_kind"), machine == "gpu" ? "card" : "cores", times * at("seconds_train"), times * at("joules_low"), times * at("joules"), times * at("joules_high"), ",,,")
    measured[at("network"), machine, recipe]
    if (machine == "cpu_core" && recipe == default_recipe[at("network")]) {
        count = split(batch_names[at("network")], other, " ")
        for (i = 1; i <= count; i++) if (!((at("network"), machine, other[i]) in measured)) {
            slower = times * cpu_image[at("network"), other[i]] / cpu_image[at("network"), recipe]
            derived_times[at("network"), other[i]] = slower * at("images")
            consider(at("network"), machine, other[i], "derived", at("joules_kind"), "cores", slower * at("seconds_train"), slower * at("joules_low"), slower * at("joules"), slower * at("joules_high"))
        }
    }
}
table == "baselines" && at("experiment") == "lenet1_train" && at("program") == "float32" && at("threads") == 1 && at("processes") == 1 && recipe == default_recipe["lenet1"] { reading = at("seconds_cold") - at("seconds_train") }
table == "baselines" && at("experiment") == at("network") "_train" && recipe != default_recipe[at("network")] { next }
table == "baselines" && at("threads") == 1 && at("processes") == 1 {
    if (at("program") == "float32") { # billions of operations a second
        gflops_least = least_of(gflops_least, at("gflops"))
        gflops_most = most_of(gflops_most, at("gflops"))
        if (cpu == "") cpu = at("cpu") "," (at("instructions") == "avx512" ? "512-bit vectors" : at("instructions"))
    }
    core_seconds[at("experiment"), substr(at("program"), 1, 5)] = at("seconds_train")
    if (at("program") ~ /^torch.* cpu$/) { by_torch[at("experiment")]; split(at("program"), word, " "); torch = word[2] }
}
table == "baselines" && at("experiment") == "boosted_lenet4_board" && at("program") == "float32" {
    boosted[++boosts] = sprintf("\"CPU, %s, float32\",measured,%s,cores,%s,%s,%s,%s,%s,,,,", at("threads") == 1 ? "1 core" : at("threads") " threads", at("joules_kind"), at("accuracy"), at("seconds_train"), at("joules_low"), at("joules"), at("joules_high"))
    if (at("threads") == 1) boosted_core = at("seconds_train")
}
table ~ /^boosted_(chip_)?stages$/ {
    machine = table ~ /chip/ ? "chip" : "board"
    boosted_seconds[machine] += at("deform_seconds") + at("look_seconds") + at("train_seconds")
    boosted_joules[machine] += at("deform_joules") + at("look_joules") + at("train_joules")
}
table == "boosted_votes" && at("confidence") == "" { accuracy = at("accuracy") } # the sum of all
table == "scaling_strong" { strong = strong sprintf(" %s,%s", at("cores_used"), at("train_images_per_second")) }
table == "host_curves" { curve[at("experiment")] = curve[at("experiment")] sprintf(" %.5g,%s", at("images") * image_seconds[at("experiment")], at("loss")) }
table == "host_training" {
    recipe = at("optimizer") "," at("network") "," at("batch") "," at("epochs") "," at("learning_rate") "," at("warm_up")
    if (!(recipe in seeds)) recipe_at[++recipes] = recipe
    seeds[recipe]++
    accuracy_sum[recipe] += at("accuracy")
    accuracy_least[recipe] = least_of(accuracy_least[recipe], at("accuracy"))
    accuracy_most[recipe] = most_of(accuracy_most[recipe], at("accuracy"))
    room[recipe] = least_of(room[recipe], at("head_room"))
    cuts[recipe] += at("cuts")
    updates[recipe] = at("epochs") * int((60000 + at("batch") - 1) / at("batch"))
    exponent[recipe] = int(log(at("learning_rate")) / log(2) - 0.5)
}
table == "exchange" {
    usual = at("over") == "rings" && at("rings") == 3 && at("spread") == "5 us" && at("pace") == 0.85
    size = at("parameters") == 3246 ? "LeNet-1" : at("parameters") == 61706 ? "LeNet-5" : "FC-128"
    counted = at("status") == 0 ? sprintf("%.3f,%.3f,%s", at("reduce_cycles") / 200000, at("both_cycles") / 200000, at("worst_link")) : "fails,fails,"
    counted = counted "," at("dropped")
    if (at("name") == "scan") {
        if (!((at("pace"), 3) in runs)) pace_at[++paces] = at("pace")
        runs[at("pace"), at("cores")]++
        good[at("pace"), at("cores")] += at("status") == 0 && at("dropped") == 0
    } else if (usual) {
        first = at("cores") != 12 ? "" : size == "LeNet-1" ? "0.29 / 0.44" : size == "LeNet-5" ? "5.32 / 8.0" : "8.76 / 13.2" # a model of packets alone, at a pace of 0.9
        rings[++ring_rows] = size "," at("parameters") "," at("cores") "," at("words") "," first "," at("packets_sent") "," counted
    }
    else if (at("name") == "lenet1" && at("cores") == 12) {
        way = at("over") == "tree" ? "a tree to each chip" : at("rings") == 1 ? "one ring" : at("rings") == 2 ? "two rings" : "three rings"
        ways[++way_rows] = "\"" way (at("spread") == "5 us" ? "" : ", chips begin up to " at("spread") " apart") "\"," (at("pace") > 1 ? "none" : at("pace")) "," counted
    }
}

function write_answer(   n, k, r, part, i) {
    line = "cell,network,machine,time,joules_kind,scope,images_per_second,joules_image_low,joules_image,joules_image_high"
    for (t = 1; t <= targets; t++) line = line ",seconds_" target_at[t] ",joules_" target_at[t] "_low,joules_" target_at[t] ",joules_" target_at[t] "_high"
    line = line ",loading_seconds,loading_joules_low,loading_joules,loading_joules_high,speed_over_core,joules_over_core_least,joules_over_core,joules_over_core_most"
    print line ",network_shown,machine_shown,in_results" >file("answer")
    for (n = 1; n <= networks; n++) for (k = 1; k <= kinds; k++) {
        count = split(of_kind[network_at[n], kind_at[k]], part, " ")
        for (i = 1; i <= count; i++) {
            r = part[i]
            c = core[network_at[n]]
            if (c == "") line = ",,,,"
            else if (r == c) line = ",1,1,1,1"
            else line = sprintf(",%.6g,%.6g,%.6g,%.6g", each[c, "seconds"] / each[r, "seconds"], each[r, "low"] / each[c, "high"], each[r, "middle"] / each[c, "middle"], each[r, "high"] / each[c, "low"])
            print made[r] line "," names[r] >file("answer")
        }
    }
}

# The seconds in which a machine loads the images that it trains with to 97 %, at a rate.
function cold_loading(network, machine, r,   own) {
    if (!((network, machine) in load_image) || !((network, machine, 2) in best_said) || !(r in rate_at)) return ""
    split(best_said[network, machine, 2], own, ",")
    return load_image[network, machine] * (own[3] < 60000 ? own[3] : 60000) * 8 / rate_at[r]
}

# How many times as fast as a core a machine comes to 97 % from cold; the core reads its files.
function cold_over_core(network, machine, r,   own, of_core, loading) {
    loading = cold_loading(network, machine, r)
    if (loading == "" || !((network, "cpu_core", 2) in best_said)) return ""
    split(best_said[network, machine, 2], own, ",")
    split(best_said[network, "cpu_core", 2], of_core, ",")
    return sprintf("%.6g", (reading + of_core[6]) / (loading + own[6]))
}

function write_best(   n, k, m, t, key, kind, line, part, part_of, own, of_core) {
    line = "cell,network,machine,joules_kind,scope"
    for (t = 1; t <= targets; t++) {
        part_of = ",recipe_T,rate_T,images_T,seeds_T,time_T,seconds_T,joules_T_low,joules_T,joules_T_high,speed_over_core_T,joules_over_core_T_least,joules_over_core_T,joules_over_core_T_most"
        gsub(/T/, target_at[t], part_of)
        line = line part_of
    }
    print line ",cold_slow,cold_fast,network_shown,machine_shown" >file("best")
    for (n = 1; n <= networks; n++) for (k = 1; k <= kinds; k++) {
        for (key in best_kind) {
            split(key, part, SUBSEP)
            kind = part[2]
            sub(/^[0-9]+/, "N", kind)
            if (part[1] != network_at[n] || kind != kind_at[k]) continue
            m = part[2]
            line = network_at[n] "_" m "," network_at[n] "," m "," best_kind[key]
            for (t = 1; t <= targets; t++) {
                line = line "," (((network_at[n], m, t) in best_said) ? best_said[network_at[n], m, t] : ",,,,,,,,") ","
                if (((network_at[n], m, t) in best_said) && ((network_at[n], "cpu_core", t) in best_seconds)) {
                    split(best_said[network_at[n], m, t], own, ",")
                    split(best_said[network_at[n], "cpu_core", t], of_core, ",")
                    line = line sprintf("%.6g,", of_core[6] / own[6])
                    line = line (m == "cpu_core" ? "1,1,1" : sprintf("%.6g,%.6g,%.6g", own[7] / of_core[9], own[8] / of_core[8], own[9] / of_core[7]))
                } else line = line ",,,"
            }
            line = line "," cold_over_core(network_at[n], m, 1) "," cold_over_core(network_at[n], m, rates)
            print line sprintf(",%s,\"%s\"", shown[network_at[n]], sprintf(said[kind], m + 0)) >file("best")
        }
    }
}

function write_boosted(   b) {
    print "machine,time,joules_kind,scope,accuracy,seconds,joules_low,joules,joules_high,loading_seconds,loading_joules_low,loading_joules,loading_joules_high" >file("boosted")
    printf "\"%s\",executed,modelled,chips,%s,%s,,%s,,%s\n", said["chip"], accuracy, boosted_seconds["chip"], boosted_joules["chip"], boosted_loading["chip"] >file("boosted")
    printf "\"%s\",executed,modelled,board,%s,%s,,%s,,%s\n", said["board"], accuracy, boosted_seconds["board"], boosted_joules["board"], boosted_loading["board"] >file("boosted")
    for (b = 1; b <= boosts; b++) print boosted[b] >file("boosted")
}

# What holds of all networks: how much longer a core takes by its best recipe than by the measured one; a board from cold, its loading's joules at the rates' ends.
function find_ends(   n, r, network, of_core) {
    for (n = 1; n <= networks; n++) {
        network = network_at[n]
        split(best_said[network, "cpu_core", 2], of_core, ",")
        if ((network, of_core[1]) in derived_times) {
            derived_least = least_of(derived_least, derived_times[network, of_core[1]])
            derived_most = most_of(derived_most, derived_times[network, of_core[1]])
        }
        for (r = 1; r <= rates; r++) if (cold_over_core(network, "board", r) != "") {
            cold_least = least_of(cold_least, cold_over_core(network, "board", r) + 0)
            cold_most = most_of(cold_most, cold_over_core(network, "board", r) + 0)
            cold_joules_least = least_of(cold_joules_least, cold_loading(network, "board", r) * board_loading_joules[network] / board_loading[network])
            cold_joules_most = most_of(cold_joules_most, cold_loading(network, "board", r) * board_loading_joules[network] / board_loading[network])
        }
    }
}

# The most that a figure of `seconds` changes, in percent; interleaved banks change more.
function most_change(   i, n, value, most) {
    for (i = 1; i <= changes; i++) for (n = 1; n <= networks; n++) {
        if (!((change_at[i], network_at[n]) in change)) continue
        value = change[change_at[i], network_at[n]]
        if (value < 0) value = -value
        if (change_at[i] != "banks_interleaved" && value > most) most = value
    }
    return most
}

function write_facts(   e, ratio, least, most) {
    find_ends()
    for (e in by_torch) {
        ratio = core_seconds[e, "torch"] / core_seconds[e, "float"]
        least = least_of(least, ratio)
        most = most_of(most, ratio)
    }
    print "boosted_speed,gflops_least,gflops_most,cpu,vectors,torch,torch_least,torch_most,core_cycle_pj,lenet1_joules,lenet1_core_joules," \
        "lenet1_idle_joules,idle_least,idle_most,derived_least,derived_most,cold_least,cold_most,cold_joules_least,cold_joules_most,seconds_most" >file("facts")
    printf "%s,%s,%s,%s,%s,%s,%s,%.0f,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", (boosted_seconds["board"] > 0 ? boosted_core / boosted_seconds["board"] : ""), gflops_least, gflops_most, (cpu == "" ? "," : cpu), torch, least, most, \
        factor["core_cycle", "default"] * 1e12, joules["lenet1_train", "default"], term["lenet1_train", "core_cycle", "default"], \
        waiting["lenet1_train", "default"], idle_least, idle_most, derived_least, derived_most, cold_least, cold_most, cold_joules_least, cold_joules_most, most_change() >file("facts")
}

# Joules at the plug of a board's case, whose supply gives most of what it takes at the end that is low.
function at_plug(joule, e) { return joule / (e == "low" ? scope_high["supply"] : e == "high" ? scope_low["supply"] : sqrt(scope_low["supply"] * scope_high["supply"])) }

# The joules to 97 % in a scope: of the board, by its own best recipe, at the end `e`.
function in_scope(s, n, e,   joule, cell, own) {
    split(best_said[network_at[n], "board", 2], own, ",")
    cell = board_cell_of[network_at[n], own[1]]
    joule = joules[cell, e] / 60000 * own[3]
    if (scope_at[s] !~ /^desktop/) return joule - term[cell, "board_snab", e] / 60000 * own[3]
    return at_plug(joule, e)
}

function write_scopes(   s, n, id, line, c) {
    line = "id,spinnaker,cpu,watts_low,watts_high"
    for (n = 1; n <= networks; n++) line = line "," network_at[n] "," network_at[n] "_least," network_at[n] "_most"
    print line >file("same_scope")
    for (s = 1; s <= scopes; s++) {
        id = scope_at[s]
        if (!(id in scope_low)) continue
        line = said_scope[id]
        match(line, /,[^,]*$/)
        line = id ",\"" substr(line, 1, RSTART - 1) "\",\"" substr(line, RSTART + 1) "\"," scope_low[id] "," scope_high[id]
        for (n = 1; n <= networks; n++) {
            if (!((network_at[n], "cpu_core", 2) in best_seconds) || !((network_at[n], "board", 2) in best_seconds)) { line = line ",,,"; continue }
            c = best_seconds[network_at[n], "cpu_core", 2]
            line = line sprintf(",%.6g,%.6g,%.6g", in_scope(s, n, "default") / (c * sqrt(scope_low[id] * scope_high[id])), in_scope(s, n, "low") / (c * scope_high[id]), \
                in_scope(s, n, "high") / (c * scope_low[id]))
        }
        print line >file("same_scope")
    }
}

# Joules of a board (low, default, high) at the plug over those of a desktop in `seconds`: least, middle, most.
function over_desktop(id, joule, seconds) {
    if (!(id in scope_low)) return ",,"
    return sprintf("%.6g,%.6g,%.6g", at_plug(joule[1], "low") / (seconds * scope_high[id]), at_plug(joule[2], "default") / (seconds * sqrt(scope_low[id] * scope_high[id])), \
        at_plug(joule[3], "high") / (seconds * scope_low[id]))
}

function write_side_by_side(   n, e, own, of_core, seconds, joule, line) {
    print "network,trainings,seconds,speed_over_core,joules,joules_over_core_least,joules_over_core,joules_over_core_most,desktop_least,desktop,desktop_most," \
        "desktop_share_least,desktop_share,desktop_share_most" >file("side_by_side")
    for (n = 1; n <= networks; n++) {
        if (!(chips_of_board > 0) || !((network_at[n], "chip", 2) in best_said) || !((network_at[n], "cpu_core", 2) in best_said)) continue
        split(best_said[network_at[n], "chip", 2], own, ",")
        split(best_said[network_at[n], "cpu_core", 2], of_core, ",")
        seconds = own[6] / chips_of_board
        for (e = 1; e <= 3; e++) joule[e] = own[6 + e] + factor["board_snab", end[e]] * seconds
        line = sprintf("%s,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g", network_at[n], chips_of_board, seconds, of_core[6] / seconds, joule[2], joule[1] / of_core[9], joule[2] / of_core[8], \
            joule[3] / of_core[7])
        print line "," over_desktop("desktop", joule, of_core[6]) "," over_desktop("desktop_share", joule, of_core[6]) >file("side_by_side")
    }
}

# Epochs of a network on a board that take `seconds`.
function epochs_in(seconds, network,   b) {
    b = of_kind[network, "board"] + 0
    return b ? seconds / (60000 * each[b, "seconds"]) : ""
}

# Loading takes 8 Mbit/s in cells.csv; its joules are those of waiting but for some hundredths.
function write_cold(   r, b, c, seconds, times) {
    print "megabits,protocol,kind,loading_seconds,loading_joules,lenet1_epochs,lenet5_epochs,lenet1_98_board,lenet1_98_core,reading" >file("cold")
    b = of_kind["lenet1", "board"] + 0
    c = core["lenet1"]
    if (!b || c == "" || !(("lenet1", 98) in needs)) return
    for (r = 1; r <= rates; r++) {
        times = 8 / rate_at[r]
        seconds = board_loading["lenet1"] * times
        print rate_at[r] "," rate_said[r] "," seconds "," board_loading_joules["lenet1"] * times "," epochs_in(seconds, "lenet1") "," \
            epochs_in(seconds, "lenet5") "," seconds + needs["lenet1", 98] * each[b, "seconds"] "," \
            reading + needs["lenet1", 98] * each[c, "seconds"] "," reading >file("cold")
    }
}

function write_energy_split(   n, t) {
    line = "network,network_shown"
    for (t = 1; t <= terms; t++) line = line "," term_at[t]
    print line >file("energy_split")
    for (n = 1; n <= networks; n++) if ((network_at[n] "_board", "chip", "default") in term) {
        line = network_at[n] "," shown[network_at[n]]
        for (t = 1; t <= terms; t++) line = line sprintf(",%.9g", term[network_at[n] "_board", term_at[t], "default"])
        print line >file("energy_split")
    }
}

function write_tornado(   sum, c, t, bars, i, b, best) {
    c = core["lenet1"]
    sum = joules["lenet1_train", "default"]
    print "what,low,high,middle" >file("tornado")
    if (c == "") return
    bar["watts of a CPU core"] = sum / (60000 * each[c, "high"]) "," sum / (60000 * each[c, "low"])
    bar["all of SpiNNaker"] = joules["lenet1_train", "low"] / (60000 * each[c, "middle"]) "," joules["lenet1_train", "high"] / (60000 * each[c, "middle"])
    for (t = 1; t <= terms; t++) if (term["lenet1_train", term_at[t], "high"] > term["lenet1_train", term_at[t], "low"])
        bar[term_shown[term_at[t]]] = (sum + term["lenet1_train", term_at[t], "low"] - term["lenet1_train", term_at[t], "default"]) / (60000 * each[c, "middle"]) "," \
            (sum + term["lenet1_train", term_at[t], "high"] - term["lenet1_train", term_at[t], "default"]) / (60000 * each[c, "middle"])
    for (bars = 0;; bars++) { # the longest first
        best = ""
        for (b in bar) {
            split(bar[b], part, ",")
            if (best == "" || part[2] / part[1] > longest) { best = b; longest = part[2] / part[1] }
        }
        if (best == "") break
        print best "," bar[best] "," sum / (60000 * each[c, "middle"]) >file("tornado")
        delete bar[best]
    }
}

# By how many percent an update takes longer than as built.
function write_tornado_seconds(   i, n, line, most) {
    line = "what"
    for (n = 1; n <= networks; n++) line = line "," network_at[n]
    print line >file("tornado_seconds")
    for (i = 1; i <= changes; i++) {
        line = change_shown[change_at[i]]
        for (n = 1; n <= networks; n++) line = line "," (((change_at[i], network_at[n]) in change) ? sprintf("%.2f", change[change_at[i], network_at[n]]) : "")
        print line >file("tornado_seconds")
    }
}

function write_lines(line, points, name,   part, count, i, j, first, held) { # by cores
    count = split(points, part, " ")
    for (i = 2; i <= count; i++) {
        held = part[i]
        for (j = i - 1; j > 0 && part[j] + 0 > held + 0; j--) part[j + 1] = part[j]
        part[j + 1] = held
    }
    for (i = 1; i <= count; i++) print line "," part[i] >file(name)
}

END {
    CONVFMT = OFMT = "%.9g"
    write_answer()
    write_best()
    write_boosted()
    write_facts()
    write_scopes()
    write_side_by_side()
    write_cold()
    write_energy_split()
    write_tornado()
    write_tornado_seconds()
    print "line,cores,images_per_second" >file("scaling")
    write_lines("strong", strong, "scaling")
    for (n = 1; n <= networks; n++) write_lines(network_at[n], scaling[network_at[n]], "scaling")
    print "experiment,seconds,loss,joules,joules_low,joules_high,accuracy" >file("training")
    for (t = 1; t <= trainings; t++) {
        count = split(curve[training[t]], part, " ")
        for (i = 1; i <= count; i++) print training[t] "," part[i] ",,,," >file("training")
        print training[t] "," ending[training[t]] >file("training")
    }
    print "optimizer,network,batch,epochs,learning_rate,warm_up,updates,rate_exponent,mean,lowest,highest,head_room,cuts" >file("recipes")
    for (r = 1; r <= recipes; r++) {
        recipe = recipe_at[r]
        print recipe "," updates[recipe] "," exponent[recipe] "," accuracy_sum[recipe] / seeds[recipe] "," accuracy_least[recipe] "," accuracy_most[recipe] "," room[recipe] "," cuts[recipe] >file("recipes")
    }
    print "network_shown,parameters,cores,words,first_model,packets,reduce_ms,both_ms,worst_link,dropped" >file("rings")
    for (r = 1; r <= ring_rows; r++) print rings[r] >file("rings")
    print "way,pace,reduce_ms,both_ms,worst_link,dropped" >file("ways")
    for (w = 1; w <= way_rows; w++) print ways[w] >file("ways")
    print "pace,good_3,runs_3,good_12,runs_12,good_16,runs_16" >file("paces")
    for (p = 1; p <= paces; p++) print pace_at[p] "," good[pace_at[p], 3] "," runs[pace_at[p], 3] "," good[pace_at[p], 12] "," runs[pace_at[p], 12] "," good[pace_at[p], 16] "," runs[pace_at[p], 16] >file("paces")
}
