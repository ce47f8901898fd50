#!/bin/sh
# Host speed of the interpreter beside QEMU's user-mode emulation on the same ELF: pairs of runs in turn, medians, and their ratio.
set -eu
cd "$(dirname "$0")/.."

usage() {
    cat <<EOF
usage: scripts/bench_interpreter.sh [PAIRS] [ELF]

PAIRS of runs (default 5) of ELF (default build/workloads/dense_int16.elf) by spinnsim elf and by qemu-arm (Debian: qemu-user).
User CPU seconds; absolute rates are this host's, the ratio carries over.  QEMU translates, and counts neither cycles nor instructions.
EOF
}

case "${1:-}" in
-h | --help)
    usage
    exit 0
    ;;
esac
pairs=${1:-5}
elf=${2:-build/workloads/dense_int16.elf}
program=${BUILD:-build}/spinnsim
for needed in "$program" "$elf"; do
    if [ ! -e "$needed" ]; then
        echo "bench_interpreter.sh: $needed is missing: build first" >&2
        exit 2
    fi
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# seconds FILE COMMAND...: appends the user seconds of the command.
seconds() {
    to=$1
    shift
    (
        "$@" >"$folder/out" 2>"$folder/err"
        times >"$folder/times"
    )
    # The second line of `times` is the children's: user, then system.
    sed -n 2p "$folder/times" | awk '{ split($1, part, /[ms]/); print part[1] * 60 + part[2] }' >>"$to"
}
median() {
    sort -n "$1" | awk '{ value[NR] = $1 } END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'
}

round=0
while [ "$round" -lt "$pairs" ]; do
    seconds "$folder/spinnsim" "$program" elf "$elf"
    instructions=$(awk '/^instructions/ { print $2 }' "$folder/err")
    if command -v qemu-arm >/dev/null 2>&1; then
        seconds "$folder/qemu" qemu-arm "$elf"
    fi
    round=$((round + 1))
done
ours=$(median "$folder/spinnsim")
echo "$elf: $instructions instructions"
echo "spinnsim elf  $ours s, $(awk "BEGIN { printf \"%.0f\", $instructions / $ours / 1e6 }") million instructions/s"
if [ -e "$folder/qemu" ]; then
    theirs=$(median "$folder/qemu")
    echo "qemu-arm      $theirs s, $(awk "BEGIN { printf \"%.0f\", $instructions / $theirs / 1e6 }") million instructions/s"
    echo "ratio         $(awk "BEGIN { printf \"%.2f\", $theirs / $ours }") of QEMU's speed"
else
    echo "qemu-arm is not installed (Debian: qemu-user): nothing to compare with"
fi
