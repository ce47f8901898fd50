#!/bin/sh
# Host speed of both tiers of the core compared with QEMU, on spinnsim's programs and on benchmarks of the user: alternating runs, medians.
set -eu

usage() {
    cat <<EOF
usage: scripts/bench_core.sh [OPTION...] [ELF...]

Runs programs by spinnsim elf, cold (the translator's cache is empty), warm (it is not) and interpreted, and, where installed, by qemu-arm and
qemu-system-arm (Debian: qemu-user, qemu-system-arm); tells user CPU seconds, and host instructions for each guest instruction.  Programs are
the ELF files, or else our own of \${BUILD:-build}/workloads, and what is built from folders that are not part of this project, in ARM and in
Thumb state, by arm-none-eabi-gcc -O2 with its newlib:

  --embench DIR       Embench, release 1.0 or newer            --coremark DIR      CoreMark
  --dhrystone DIR     dhry.h, dhry_1.c, dhry_2.c of 2.1        --programs DIR      programs of C or C++, one a file, as long as they are
  --million N         how many million instructions each program of the first three is to take, about (default 500)
  --build DIR         keep the programs that were built, there

  --rounds N          medians of so many runs (default 5)
  --count WAY         of instructions: perf; valgrind (once a program, some forty times as slow; not of cold runs, since it does not slow the
                      translator's compiler down as well); none; default: the first of them that works here
  --stop-every CYCLES also runs that are stopped so often, as cores of boards are; may be repeated
  --csv FILE          the same as a table: a line for each program and way to run it, nothing where a number is not known

A program has to end with status 0.  One that ends before its translation is compiled leaves nothing for the next run: it is as slow warm as
cold, and a longer one is needed to see how fast native code is.  Seconds are this host's, want an idle computer, and are counted in
hundredths; their ratios and counts of instructions carry over.
EOF
}

bad() {
    echo "bench_core.sh: $1" >&2
    exit 2
}
# absolute FILE: prints its absolute path.
absolute() {
    case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "$PWD/$1" ;;
    esac
}
# positive OPTION VALUE
positive() {
    case $2 in
    '' | 0* | *[!0-9]*) bad "$1 wants a number from 1, not '$2'" ;;
    esac
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
list=$folder/list # name, tab, ELF
: >"$list"
rounds=5
million=500
counter=
stops=
csv=
made=$folder/made
embench='' coremark='' dhrystone='' programs=''
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --rounds | --million | --count | --stop-every | --csv | --build | --embench | --coremark | --dhrystone | --programs)
        [ $# -gt 1 ] || bad "$1 wants a value"
        case $1 in
        --rounds | --million | --stop-every) positive "$1" "$2" ;;
        --embench | --coremark | --dhrystone | --programs) [ -d "$2" ] || bad "$1: there is no folder '$2'" ;;
        esac
        case $1,$2 in
        --rounds,*) rounds=$2 ;;
        --million,*) million=$2 ;;
        --stop-every,*) stops="$stops stop-$2" ;;
        --count,perf | --count,valgrind | --count,none) counter=$2 ;;
        --count,*) bad "--count wants perf, valgrind or none, not '$2'" ;;
        --csv,*) csv=$(absolute "$2") ;;
        --build,*) made=$(absolute "$2") ;;
        --embench,*) embench=$(absolute "$2") ;;
        --coremark,*) coremark=$(absolute "$2") ;;
        --dhrystone,*) dhrystone=$(absolute "$2") ;;
        --programs,*) programs=$(absolute "$2") ;;
        esac
        shift
        ;;
    -*) bad "unknown option $1; see --help" ;;
    *)
        [ -f "$1" ] || bad "there is no file '$1'"
        name=${1##*/}
        printf '%s\t%s\n' "${name%.elf}" "$(absolute "$1")" >>"$list"
        ;;
    esac
    shift
done

unset CDPATH
cd -- "$(dirname -- "$0")/.."
. scripts/measure.sh
. scripts/bench_core/build.sh
build=$(absolute "${BUILD:-build}")
program=$build/spinnsim
[ -x "$program" ] || bad "$program is missing: build first"
case $counter in
perf) can_count instructions:u || bad "perf cannot count instructions here" ;;
valgrind) command -v valgrind >/dev/null 2>&1 || bad "valgrind is not installed" ;;
'')
    counter=none
    if can_count instructions:u; then
        counter=perf
    elif command -v valgrind >/dev/null 2>&1; then
        counter=valgrind
    fi
    ;;
esac
if [ -n "$csv" ]; then
    (echo "program,way,guest_instructions,rounds,user_seconds,host_instructions" >"$csv") 2>/dev/null || bad "$csv cannot be written"
fi
if [ ! -s "$list" ]; then
    for name in branchy branchy_thumb bytecode bytecode_thumb objects objects_thumb dense_int16_long; do
        [ -e "$build/workloads/$name.elf" ] || bad "$build/workloads/$name.elf is missing: build first"
        add "$name" "$build/workloads/$name.elf"
    done
fi
if [ -n "$embench$coremark$dhrystone$programs" ]; then
    command -v arm-none-eabi-gcc >/dev/null 2>&1 || bad "arm-none-eabi-gcc is not installed"
fi
XDG_CACHE_HOME=$folder/cache
export XDG_CACHE_HOME
[ -z "$embench" ] || build_embench "$embench"
[ -z "$coremark" ] || build_coremark "$coremark"
[ -z "$dhrystone" ] || build_dhrystone "$dhrystone"
[ -z "$programs" ] || build_programs "$programs"

ways="cold warm interpreter"
for way in qemu-arm qemu-system-arm; do
    if command -v $way >/dev/null 2>&1; then
        ways="$ways $way"
    else
        echo "$way is not installed"
    fi
done
ways="$ways$stops"
counted=1
case $counter in
perf) echo "host instructions: user code, by perf" ;;
valgrind) echo "host instructions: user code, by valgrind, not of cold runs" ;;
none)
    counted=0
    echo "host instructions: not counted"
    ;;
esac

# table PART: of what table.awk prints.
table() {
    awk -f scripts/bench_core/table.awk -v part="$1" -v ways="$ways" -v counted="$counted"
}

# run WAY [WRAPPER...]: one run of $elf, under the command given; its status.
run() {
    way=$1
    shift
    XDG_CACHE_HOME=$folder/cache
    case $way in
    cold)
        XDG_CACHE_HOME=$folder/cold
        rm -rf "$XDG_CACHE_HOME"
        set -- "$@" "$program" elf --tier auto "$elf"
        ;;
    warm) set -- "$@" "$program" elf --tier auto "$elf" ;;
    interpreter) set -- "$@" "$program" elf --tier interpreter "$elf" ;;
    qemu-arm) set -- "$@" qemu-arm "$elf" ;;
    qemu-system-arm) set -- "$@" qemu-system-arm -M versatilepb -m 256 -audiodev none,id=none -nographic -semihosting -kernel "$elf" ;;
    stop-*) set -- "$@" "$program" elf --tier auto --stop-every "${way#stop-}" "$elf" ;;
    esac
    "$@" >"$folder/out" 2>"$folder/err" </dev/null
}

# failed STATUS: handles the status of a failed run.  A program that QEMU cannot run is measured without QEMU.
failed() {
    echo "bench_core.sh: $name, $way: ends with status $1" >&2
    tail -n 5 "$folder/err" >&2
    case $way in
    qemu-*) : >"$folder/$way.failed" ;;
    *) exit 1 ;;
    esac
}

# measure WAY: one run in a subshell; records its user seconds and, with perf, its instructions.
measure() {
    if [ "$counter" = perf ]; then
        run "$1" perf stat -x, -e instructions:u -o "$folder/counts" || failed $?
        counted instructions:u >>"$folder/$1.instructions"
    else
        run "$1" || failed $?
    fi
    children_seconds >>"$folder/$1.seconds"
}

# count WAY: the instructions of one run, by valgrind.
count() {
    run "$1" under_cachegrind || failed $?
    counted_by_cachegrind >"$folder/$1.instructions"
}

# each COMMAND...: COMMAND WAY for all ways to run $elf that have not failed.
each() {
    for way in $ways; do
        [ -e "$folder/$way.failed" ] || "$@" "$way"
    done
}
measure_apart() {
    (measure "$1")
}
count_warm() {
    [ "$1" = cold ] || count "$1"
}
row() {
    if [ ! -e "$folder/$1.failed" ]; then
        echo "$name,$1,$guest,$rounds,$(median "$folder/$1.seconds"),$(median "$folder/$1.instructions")"
    fi
}

# measure_all: runs $elf in all ways, in turn; prints its lines of CSV.
measure_all() {
    rm -f "$folder"/*.seconds "$folder"/*.instructions "$folder"/*.failed
    # Hot functions are found by sampling: a second and a third run may still find more.
    for _ in 1 2 3; do
        run warm || failed $?
    done
    guest=$(awk '/^instructions/ { print $2 }' "$folder/err")
    round=0
    while [ "$round" -lt "$rounds" ]; do
        each measure_apart
        round=$((round + 1))
    done
    [ "$counter" != valgrind ] || each count_warm
    each row
}

table title </dev/null
while IFS='	' read -r name elf; do
    measure_all >"$folder/rows"
    table program <"$folder/rows"
    cat "$folder/rows" >>"$folder/all"
    [ -z "$csv" ] || cat "$folder/rows" >>"$csv"
done <"$list"
table summary <"$folder/all"
