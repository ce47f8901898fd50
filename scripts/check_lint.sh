#!/bin/sh
# Runs clang-tidy (.clang-tidy) over the C sources of models, sim and workloads/nn, one process a core.  Exit 77: no clang-tidy here.
# usage: scripts/check_lint.sh BUILD-FOLDER   (with its compile_commands.json; of the link-time optimisation there clang-tidy does not know a flag)
set -eu
. "$(dirname -- "$0")/checkout.sh"
build=$(absolute "${1:-.}")
if [ $# -ne 1 ] || [ ! -e "$build/compile_commands.json" ]; then
    echo "usage: scripts/check_lint.sh BUILD-FOLDER" >&2
    exit 2
fi
if ! command -v clang-tidy >/dev/null 2>&1; then
    echo "skipped: clang-tidy is not installed"
    exit 77
fi
report=$(mktemp)
trap 'rm -f "$report"' EXIT
if ! find models sim workloads/nn -name '*.c' -print0 |
    xargs -0 -n 1 -P "$(nproc)" clang-tidy -p "$build" --quiet --extra-arg=-Wno-ignored-optimization-argument >"$report" 2>/dev/null; then
    sed "s|$PWD/||" "$report"
    exit 1
fi
