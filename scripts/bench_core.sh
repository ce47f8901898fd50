#!/bin/sh
# Host speed of both tiers of the core beside QEMU on the same programs: runs in turn, medians, ratios.
set -eu
cd "$(dirname "$0")/.."

usage() {
    cat <<EOF
usage: scripts/bench_core.sh [ROUNDS] [ELF...]

ROUNDS of runs (default 5) of each ELF (default: branchy, branchy_thumb, dense_int16_long of \${BUILD:-build}/workloads) by spinnsim elf in
both tiers and, where installed, by qemu-arm and qemu-system-arm (Debian: qemu-user, qemu-system-arm).  User CPU seconds; absolute rates
are this host's, the ratios carry over.  The translator finds its object on disk: the first run, which compiles it, is told apart.
QEMU counts neither cycles nor instructions.  STOPS="27 500 20000" adds runs that are stopped every so many cycles.
EOF
}

case "${1:-}" in
-h | --help)
    usage
    exit 0
    ;;
esac
rounds=${1:-5}
[ $# -gt 0 ] && shift
build=${BUILD:-build}
program=$build/spinnsim
[ $# -gt 0 ] || set -- "$build/workloads/branchy.elf" "$build/workloads/branchy_thumb.elf" "$build/workloads/dense_int16_long.elf"
for needed in "$program" "$@"; do
    if [ ! -e "$needed" ]; then
        echo "bench_core.sh: $needed is missing: build first" >&2
        exit 2
    fi
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
XDG_CACHE_HOME=$folder/.cache
export XDG_CACHE_HOME

# seconds FILE COMMAND...: appends the user seconds of the command.
seconds() {
    to=$1
    shift
    (
        "$@" >"$folder/out" 2>"$folder/err" </dev/null
        times >"$folder/times"
    )
    # The second line of `times` is the children's: user, then system.
    sed -n 2p "$folder/times" | awk '{ split($1, part, /[ms]/); print part[1] * 60 + part[2] }' >>"$to"
}
median() {
    sort -n "$1" | awk '{ value[NR] = $1 } END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'
}
# line NAME: seconds, rate, and how many times as fast as it the translator is.
line() {
    [ -e "$folder/$1" ] || return 0
    awk -v name="$1" -v s="$(median "$folder/$1")" -v n="$instructions" -v t="$(median "$folder/translator")" \
        'BEGIN { printf "%-20s %8.2f s %8.0f million instructions/s   translator: %.2f times as fast\n", name, s, n / s / 1e6, s / t }'
}

for elf in "$@"; do
    rm -f "$folder"/[a-z]*
    seconds "$folder/first" "$program" elf "$elf"
    instructions=$(awk '/^instructions/ { print $2 }' "$folder/err")
    round=0
    while [ "$round" -lt "$rounds" ]; do
        seconds "$folder/translator" "$program" elf --tier auto "$elf"
        seconds "$folder/interpreter" "$program" elf --tier interpreter "$elf"
        if command -v qemu-arm >/dev/null 2>&1; then
            seconds "$folder/qemu-arm" qemu-arm "$elf"
        fi
        if command -v qemu-system-arm >/dev/null 2>&1; then
            seconds "$folder/qemu-system-arm" qemu-system-arm -M versatilepb -m 256 -audiodev none,id=none -nographic -semihosting \
                -kernel "$elf"
        fi
        for stop in ${STOPS:-}; do
            seconds "$folder/stops-$stop" "$program" elf --tier auto --stop-every "$stop" "$elf"
        done
        round=$((round + 1))
    done
    echo "$elf: $instructions instructions, median of $rounds; the first run, with translation: $(cat "$folder/first") s"
    for name in translator interpreter qemu-arm qemu-system-arm; do
        line "$name"
    done
    for stop in ${STOPS:-}; do
        line "stops-$stop"
    done
done
