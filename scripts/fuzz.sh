#!/bin/sh
# Runs the harnesses of tests/fuzz to find inputs that make the simulator crash, hang or use too much memory.
set -eu
. "$(dirname -- "$0")/checkout.sh"
. scripts/quietly.sh

all='configuration network npz onnx tfjs keras_archive keras_h5 hdf5_walk idx elf symbols checkpoint vectors results manifest sweep golden semihosting registers frame recording gdb'

usage() {
    cat <<EOF
usage: scripts/fuzz.sh [--fast] [--seed N] [--keep FOLDER] MINUTES|--inputs N [KIND...]

Builds the harnesses and runs all of them, or those named, for so many minutes in all, or each for so many inputs.  Prints for each: inputs,
new paths (inputs that reached code that none before did), crashes, the slowest input, the most memory.  Exit status: 0 nothing found,
1 something found.

  --inputs N       run exactly N inputs of each kind
  --fast           without sanitizers and coverage, some ten times as many inputs: crashes, hangs and memory alone are seen
  --seed N         of the random numbers, default 1
  --keep FOLDER    where inputs are kept, default build-fuzz/inputs: crash-KIND-* what was found, KIND/ what reached new paths

With clang and its libFuzzer (Debian: clang, libclang-rt-14-dev) inputs are led by coverage and run under the address and
undefined-behaviour sanitizers; without, they are random changes of the seeds, under the sanitizers of the usual compiler.
What was found is run again by BUILD/tests/fuzz/fuzz_KIND FILE, BUILD being build-fuzz or the one that is printed.
Kinds: $all
EOF
}

mistake() {
    echo "fuzz.sh: $1" >&2
    usage >&2
    exit 2
}

fast=no
most=
seed=1
keep=build-fuzz/inputs
minutes=
kinds=
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --fast) fast=yes ;;
    --seed | --keep | --inputs)
        [ $# -ge 2 ] || mistake "$1 needs a value"
        case $1 in
        --seed) seed=$2 ;;
        --keep) keep=$(absolute "$2") ;;
        *) most=$2 ;;
        esac
        shift
        ;;
    -*) mistake "unknown option $1" ;;
    *)
        if [ -z "$minutes$most" ]; then
            minutes=$1
        else
            case " $all " in
            *" $1 "*) kinds="$kinds $1" ;;
            *) mistake "unknown kind $1" ;;
            esac
        fi
        ;;
    esac
    shift
done
case $most in
*[!0-9]* | 0) mistake "--inputs $most is no number of inputs" ;;
esac
case $minutes in
*[!0-9.]*) mistake "how many minutes?" ;;
'') [ -n "$most" ] || mistake "how many minutes?" ;;
esac
kinds=${kinds:-$all}
mkdir -p "$keep"
keep=$(cd "$keep" && pwd)

# Whether clang can build programs with libFuzzer.
has_libfuzzer() {
    command -v clang++ >/dev/null 2>&1 &&
        echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long) { return 0; }' |
        clang++ -fsanitize=fuzzer,address -x c++ - -o "$keep/probe" >/dev/null 2>&1 &&
        rm "$keep/probe"
}

if [ $fast = yes ]; then
    preset=release
    build=build
elif has_libfuzzer; then
    preset=fuzz
    build=build-fuzz
else
    preset=sanitize
    build=build-sanitize
fi
echo "== $preset: building"
quietly cmake --preset $preset
quietly cmake --build --preset $preset --target fuzz -j "$(nproc)"

# shellcheck disable=SC2086  # one word per kind
set -- $kinds
seconds=$(echo "${minutes:-0} $#" | awk '{ s = int(60 * $1 / $2); print s < 1 ? 1 : s }')
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# The last number of that name in libFuzzer's output.
stat_of() {
    sed -n "s/^stat::$1: *//p" "$log" | tail -n 1
}

# The kind whose seeds and words a kind takes.
seeds_of() {
    case $1 in
    hdf5_walk) echo keras_h5 ;;
    *) echo "$1" ;;
    esac
}

row() {
    printf '%-14s %12s %10s %8s %12s %11s\n' "$@"
}

# by_libfuzzer KIND FOLDERS...
by_libfuzzer() {
    kind=$1
    shift
    words=tests/fuzz/words/$(seeds_of "$kind").dict
    [ ! -f "$words" ] || set -- "-dict=$words" "$@"
    mkdir -p "$keep/$kind"
    crashes=0
    if [ -n "$most" ]; then set -- -runs="$most" "$@"; else set -- -max_total_time="$seconds" "$@"; fi
    ASAN_OPTIONS=quarantine_size_mb=16 "$build/tests/fuzz/fuzz_$kind" -timeout=5 -rss_limit_mb=1024 \
        -seed="$seed" -print_final_stats=1 -artifact_prefix="$keep/crash-$kind-" "$keep/$kind" "$@" >"$log" 2>&1 || crashes=1
    row "$kind" "$(stat_of number_of_executed_units)" "$(stat_of new_units_added)" "$crashes" "$(stat_of slowest_unit_time_sec)" \
        "$(stat_of peak_rss_mb)"
}

# by_driver KIND FOLDERS...
by_driver() {
    kind=$1
    shift
    words=tests/fuzz/words/$(seeds_of "$kind").dict
    [ ! -f "$words" ] || set -- --words "$words" "$@"
    crashes=0
    if [ -n "$most" ]; then set -- --inputs "$most" "$@"; else set -- --seconds "$seconds" --inputs 18446744073709551615 "$@"; fi
    "$build/tests/fuzz/fuzz_$kind" --seed "$seed" --keep "$keep" "$@" >"$log" 2>&1 ||
        crashes=1
    numbers=$(sed -n 's/^fuzz_[a-z0-9_]*: \([0-9]*\) inputs .*slowest \([0-9.]*\) ms, peak \([0-9]*\) MiB.*/\1 \2 \3/p' "$log")
    echo "${numbers:-- - -}" | while read -r inputs milliseconds peak; do
        row "$kind" "$inputs" - "$crashes" "$(echo "$milliseconds" | awk '{ print $1 == "-" ? $1 : $1 / 1000 }')" "$peak"
    done
}

echo "== $# kinds, ${most:+$most inputs}${minutes:+$seconds s} each, by $build/tests/fuzz/fuzz_KIND; inputs are kept in $keep"
row kind inputs 'new paths' crashes 'slowest [s]' 'memory [MiB]'
found=0
for kind in $kinds; do
    set --
    if [ ! -x "$build/tests/fuzz/fuzz_$kind" ]; then
        echo "$kind is not built here: models of Keras need libjansson-dev and libhdf5-dev; hdf5_walk goes without libFuzzer"
        continue
    fi
    seeds=$(seeds_of "$kind")
    for folder in "tests/fuzz/seeds/$seeds" "tests/fuzz/regressions/$seeds" "$build/tests/fuzz/seeds/$seeds"; do
        [ ! -d "$folder" ] || set -- "$@" "$folder"
    done
    if [ $preset = fuzz ]; then
        by_libfuzzer "$kind" "$@"
    else
        by_driver "$kind" "$@"
    fi
    if [ "$crashes" != 0 ]; then
        found=1
        tail -n 40 "$log"
    fi
done
exit $found
