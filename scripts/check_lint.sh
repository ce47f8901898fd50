#!/bin/sh
# Runs clang-tidy (.clang-tidy) over the C and C++ sources of models and sim and over the C sources of the guests, one process per core.
# Exit 77: clang-tidy is not installed.
# usage: scripts/check_lint.sh [--quick | --deep] BUILD-FOLDER [FILE...]
#   --quick  without the analyzer, which follows the paths of each function and takes almost half of the time
#   --deep   the analyzer follows every path of our code as far as it can; also checks the C++ of the tests.  It does not follow templates
#            and the standard library: GoogleTest's took most of the time (weights_test.cpp 33 s with them, 4 without)
#   FILE     checks these files only
set -eu
. "$(dirname -- "$0")/checkout.sh"
usage() {
    sed -n 's/^# \(usage:\|  \)/\1/p' scripts/check_lint.sh >&2
    exit 2
}
analyzer=mode=shallow
deep=
checks=
if [ "${1:-}" = --quick ]; then
    checks='--checks=-clang-analyzer-*'
    shift
elif [ "${1:-}" = --deep ]; then
    deep=tests
    analyzer=c++-template-inlining=false,c++-stdlib-inlining=false
    shift
fi
effort="--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=$analyzer"
[ $# -ge 1 ] && [ -e "$1/compile_commands.json" ] || usage
build=$(absolute "$1")
shift
if ! command -v clang-tidy >/dev/null 2>&1; then
    echo "skipped: clang-tidy is not installed"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A precompiled header of the build's compiler cannot be used by clang-tidy.
mkdir "$work/host"
sed 's/-Winvalid-pch -include .*cmake_pch\.hxx[\\"]* -o/-o/' "$build/compile_commands.json" >"$work/host/compile_commands.json"
if [ $# -gt 0 ]; then
    printf '%s\n' "$@"
else
    find models sim workloads tests/system/guests $deep -name '*.c' -o -name '*.cpp' |
        grep -vE '/fresh/|guests/semihosted|tests/package/caller/' | sort -u # which are built against a library of their own
fi >"$work/all"
# Guest sources are compiled for the ARM; the kernels for the host as well.
grep -E '^workloads/(nn/)?|^tests/system/guests/' "$work/all" | grep -v '^workloads/nn/' >"$work/guests" || true
grep -vxFf "$work/guests" "$work/all" >"$work/hosts" || true

# tidy COMMANDS-FOLDER LIST: prints the reports of clang-tidy
tidy() {
    [ -s "$2" ] || return 0
    # shellcheck disable=SC2086
    tr '\n' '\0' <"$2" | xargs -0 -n 1 -P "$(nproc)" clang-tidy -p "$1" --quiet ${checks:+"$checks"} --extra-arg=-Wno-ignored-optimization-argument $effort
}
failed=0
tidy "$work/host" "$work/hosts" >"$work/report" 2>/dev/null || failed=1
if [ -s "$build/workloads/compile_commands.json" ]; then
    tidy "$build/workloads" "$work/guests" >>"$work/report" 2>/dev/null || failed=1
fi
[ $failed = 0 ] || sed "s|$PWD/||" "$work/report"
exit $failed
