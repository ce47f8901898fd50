#!/bin/sh
# Checks includes against the table of allowed dependencies below: lower layers never include higher ones, and packages whose headers
# Debian puts into the compiler's default path are used only where allowed.  The compiler cannot detect violations of either.
set -euf
. "$(dirname -- "$0")/checkout.sh"

# folder, or file without its ending: the rows that it may include from; its own row is always allowed.  There must be no cycle.
edges='
models/common:
models/arm968: models/common
models/arm968/translate: models/common models/arm968
models/chip: models/common
models/network: models/common
models/energy: models/common
models/machine/parameters: models/common
models/machine/core: models/common models/arm968 models/chip models/network models/machine/parameters
models/machine: models/common models/arm968 models/chip models/network models/machine/core models/machine/parameters
models/systemc: models/common models/machine
sim/config: models/common models/arm968 models/chip models/energy models/machine models/machine/parameters models/network sim workloads/nn
sim/data: models/common sim
sim/gdb: models/common models/arm968 sim
sim/debug: models/common models/machine sim sim/config sim/gdb sim/run_control
sim/flat: models/common models/arm968 models/chip sim sim/gdb sim/load sim/profile sim/results
sim/load: models/common models/machine sim sim/data
sim/networks: models/common sim sim/config sim/data workloads/nn
sim/dataflow: models/common sim sim/config sim/data sim/networks workloads/dataflow workloads/nn
sim/routing: models/common models/machine models/network sim
sim/mapping: models/common models/machine models/network sim sim/config sim/data sim/load sim/networks sim/routing workloads/nn
sim/backends: models/common sim workloads/nn
sim/host_backend: models/common models/machine sim sim/backends sim/config sim/data sim/networks sim/run_control workloads/nn
sim/run_control: models/common models/chip models/energy models/machine sim sim/backends sim/config sim/data sim/dataflow sim/load sim/networks sim/mapping sim/routing sim/profile sim/timeline workloads/dataflow workloads/nn workloads/runtime
sim/profile: models/common models/arm968 sim sim/load
sim/timeline: models/common models/machine models/network sim
sim/results: models/common models/energy sim sim/config sim/data sim/networks sim/routing sim/profile sim/timeline sim/run_control
sim/reports: models/common models/network sim sim/config sim/results
sim/compare: models/common sim sim/config sim/results
sim/stages: models/common sim sim/config sim/data sim/load sim/results sim/run_control workloads/nn
sim/sampling: models/common sim sim/config sim/data sim/mapping sim/networks sim/run_control workloads/nn
sim/experiment: models/common sim sim/compare sim/config sim/reports sim/results sim/run_control sim/sampling sim/serve sim/stages
sim/library: models/common sim sim/config sim/experiment sim/host_backend sim/networks sim/results sim/run_control
sim/baseline: models/common models/machine sim sim/config sim/data sim/experiment sim/host_backend sim/networks sim/results sim/run_control sim/stages workloads/nn
sim/import: models/common sim sim/config sim/data sim/host_backend sim/networks workloads/nn
sim/measure: models/common sim sim/config sim/data sim/experiment sim/host_backend sim/import sim/networks sim/results sim/run_control workloads/nn
sim/serve: models/common models/machine models/network sim sim/data sim/load sim/run_control
sim/sweep: models/common models/energy sim sim/config sim/data sim/experiment sim/reports sim/results sim/run_control
sim/cli: models/common sim sim/backends sim/baseline sim/compare sim/config sim/dataflow sim/sweep sim/experiment sim/flat sim/import sim/mapping sim/measure sim/networks sim/reports sim/results
sim/cli: models/common sim sim/baseline sim/compare sim/config sim/dataflow sim/sweep sim/experiment sim/flat sim/import sim/mapping sim/measure sim/networks sim/reports sim/results sim/serve
sim: models/common
sim/main: models/common sim/cli
sim/run: models/common models/systemc sim sim/cli sim/debug sim/experiment sim/results
workloads/nn:
workloads/runtime:
workloads/micro:
workloads/boot_rom: workloads/runtime
workloads/examples: workloads/runtime
workloads/services: workloads/nn workloads/runtime
workloads/published: workloads/nn workloads/runtime
workloads/exchange: workloads/nn workloads/runtime
workloads/dataflow: workloads/nn workloads/runtime
workloads/lenet: workloads/nn workloads/runtime workloads/exchange
'

# header: the only files that may include it (shell patterns).
packages='
systemc: models/systemc/* sim/main.cpp tests/model/*
tlm*: models/systemc/* tests/model/*
yaml-cpp/*: sim/config/config_load.cpp tests/style/workflow_test.cpp
gtest/*: tests/*
zlib.h: sim/* tests/*
argp.h: sim/cli/*
pthread.h: sim/library/* tests/fault/* models/arm968/code_state.h models/arm968/translate/* models/machine/*
jansson.h: sim/import/*
hdf5.h: sim/import/hdf5_walk.c sim/import/keras_write.c tests/unit/import_* tests/fuzz/make_keras_seeds.cpp tests/fuzz/hdf5_walk.cpp
'

grep -HnE '^ *# *include *[<"]' $(find models sim workloads tests \( -name '*.[chS]' -o -name '*.cpp' -o -name '*.def' -o -name '*.inc' \)) |
    EDGES=$edges PACKAGES=$packages awk '
function breach(file, text) { print file ": " text; breaches++ }

# The row of the table for a file: its own row, or the longest row that is a prefix of its path.
function folder_of(path) {
    sub("[.][^./]*$", "", path)
    if (path in known) return path
    while (sub("/[^/]*$", "", path))
        if (path in known) return path
    return ""
}

# Converts a shell pattern to a regular expression of awk.
function expression(pattern) {
    gsub("[.+]", "[&]", pattern)
    gsub("[*]", ".*", pattern)
    return "^" pattern "$"
}

function may(file, allowed,    place, places, i) {
    places = split(allowed, place, " ")
    for (i = 1; i <= places; i++)
        if (file ~ expression(place[i])) return 1
    return 0
}

# Depth-first search for cycles; next_of[NAME] lists the dependencies of NAME, open[NAME] marks it as being visited.
function follow(name, way,    list, count, i) {
    if (done[name]) return
    if (open[name]) {
        breach(name, "stands in a circle:" substr(way, index(way, " " name " ")) name)
        return
    }
    open[name] = 1
    count = split(next_of[name], list, " ")
    for (i = 1; i <= count; i++) follow(list[i], way name " ")
    open[name] = 0
    done[name] = 1
}

BEGIN {
    rows = split(ENVIRON["EDGES"], row, "\n")
    for (i = 1; i <= rows; i++) {
        if (split(row[i], part, ":") < 2) continue
        known[part[1]] = 1
        count = split(part[2], to, " ")
        for (j = 1; j <= count; j++) edge[part[1], to[j]] = 1
        next_of[part[1]] = part[2]
    }
    rows = split(ENVIRON["PACKAGES"], row, "\n")
    for (i = 1; i <= rows; i++)
        if (split(row[i], part, ":") == 2) allowed[expression(part[1])] = part[2]
}

{
    split($0, part, ":")
    file = part[1]
    header = $0
    sub("^[^<\"]*[<\"]", "", header)
    sub("[>\"].*", "", header)
    own = file ~ "^tests/" ? "tests" : folder_of(file)
    if (own == "") {
        breach(file, "its folder stands in no row of scripts/check_includes.sh")
        next
    }
    for (pattern in allowed)
        if (header ~ pattern && !may(file, allowed[pattern])) breach(file, "may not include " header)
    if (own == "tests" || header !~ "^(models|sim|workloads|tests)/") next
    if (header ~ "^tests/") {
        breach(file, "may not include " header ": nothing includes tests")
        next
    }
    if (file ~ "[.](h|def|inc)$" && header != file) next_of[file] = next_of[file] " " header
    its = folder_of(header)
    if (its != own && !((own, its) in edge))
        breach(file, "may not include " header ": " own " does not build on " (its == "" ? "an unknown folder" : its))
}

END {
    for (name in next_of) follow(name, " ")
    if (breaches) {
        print breaches " breaches; the rules are in scripts/check_includes.sh"
        exit 1
    }
}'
