#!/bin/sh
# Checks who includes whom, from the table of allowed edges below: lower layers never know higher ones, and the packages that Debian
# puts into the compiler's own path stay where they belong.  The compiler cannot see a breach; this does.
set -euf
. "$(dirname -- "$0")/checkout.sh"

# folder: the folders it may include from, itself always.
edges='
models/common:
models/arm968: models/common models/arm968/translate
models/arm968/translate: models/common models/arm968
models/chip: models/common
models/network: models/common
models/energy: models/common
models/machine: models/common models/arm968 models/chip models/network
models/systemc: models/common models/machine
sim/config: models/common models/arm968 models/energy models/machine models/network sim
sim/data: models/common sim
sim/flat: models/common models/arm968 models/chip sim sim/load sim/profile sim/recorder
sim/load: models/common models/machine sim sim/data
sim/mapping: models/common models/machine models/network sim sim/config sim/data sim/load workloads/nn
sim/host_backend: models/common sim sim/config sim/data sim/mapping sim/run_control workloads/nn
sim/run_control: models/common models/energy models/machine sim sim/config sim/data sim/load sim/mapping sim/profile workloads/nn
sim/profile: models/common models/arm968 sim/load
sim/recorder: models/common models/energy sim sim/config sim/mapping sim/profile sim/run_control
sim/experiment: models/common models/energy models/network sim sim/config sim/recorder sim/run_control
sim/cli: models/common sim sim/config sim/experiment sim/flat sim/recorder
sim: models/common models/systemc sim/cli sim/experiment sim/recorder
workloads/nn:
workloads/runtime:
workloads/micro:
workloads/examples: workloads/runtime
workloads/services: workloads/nn workloads/runtime
workloads/published: workloads/nn workloads/runtime
workloads/exchange: workloads/nn workloads/runtime
workloads/lenet: workloads/nn workloads/runtime workloads/exchange
'

# header: the only files that may include it (shell patterns).
packages='
systemc: models/systemc/* sim/main.cpp tests/model/*
tlm*: models/systemc/* tests/model/*
yaml-cpp/*: sim/config/config_load.cpp
gtest/*: tests/*
zlib.h: sim/* tests/*
argp.h: sim/cli/*
pthread.h: tests/fault/* sim/host_backend/parallel.c models/arm968/code_state.h models/arm968/translate/* models/machine/*
'

breaches=0
breach() {
    echo "$1: $2"
    breaches=$((breaches + 1))
}

# The folder of the table that a file belongs to: the longest that is its path's beginning.
folder_of() {
    folder=$(dirname "$1")
    while [ "$folder" != . ]; do
        if echo "$edges" | grep -q "^$folder:"; then
            echo "$folder"
            return
        fi
        folder=$(dirname "$folder")
    done
}

for file in $(find models sim workloads tests -name '*.[chS]' -o -name '*.cpp' -o -name '*.def' -o -name '*.inc' | sort); do
    own=$(folder_of "$file")
    case $file in tests/*) own=tests ;; esac
    if [ -z "$own" ]; then
        breach "$file" "its folder stands in no row of scripts/check_includes.sh"
        continue
    fi
    for header in $(sed -n 's/^ *# *include *[<"]\([^>"]*\)[>"].*/\1/p' "$file"); do
        echo "$packages" | while IFS=: read -r pattern allowed; do
            [ -n "$pattern" ] || continue
            case $header in
            $pattern)
                for place in $allowed; do
                    case $file in $place) exit 0 ;; esac
                done
                exit 1
                ;;
            esac
        done || breach "$file" "may not include $header"
        case $header in
        models/* | sim/* | workloads/*) ;;
        tests/*)
            [ "$own" = tests ] || breach "$file" "may not include $header: nothing includes tests"
            continue
            ;;
        *) continue ;;
        esac
        [ "$own" != tests ] || continue
        to=$(folder_of "$header")
        [ "$to" != "$own" ] || continue
        case " $(echo "$edges" | sed -n "s|^$own:||p") " in
        *" $to "*) ;;
        *) breach "$file" "may not include $header: $own does not build on ${to:-an unknown folder}" ;;
        esac
    done
done
if [ "$breaches" -gt 0 ]; then
    echo "$breaches breaches; the rules are in scripts/check_includes.sh"
    exit 1
fi
