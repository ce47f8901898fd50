#!/bin/sh
# Repeats published measurements of boards and prints the table of published and modelled figures in docs/results/validation.md (`spinnsim validate`).
set -eu
. "$(dirname -- "$0")/checkout.sh"

usage() {
    cat <<USAGE
usage: scripts/validate.sh [--check]

  --check   print nothing but differences to the table in docs/results/validation.md (exit status 1 when there are some; 77 when that cannot be known
            here: no ARM programs, or programs of another compiler)
The program is taken from \${BUILD:-build}.
USAGE
}

case "${1:-}" in
--check | '') ;;
-h | --help)
    usage
    exit 0
    ;;
*)
    usage >&2
    exit 2
    ;;
esac

build=${BUILD:-build}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
if [ "${1:-}" = --check ] && [ ! -e "$build/workloads/dma_soak.elf" ]; then
    echo "skipped: no ARM programs were built"
    exit 77
fi
"$build/spinnsim" validate --out "$out/runs" >"$out/table"
if [ $# -eq 0 ]; then
    cat "$out/table"
    exit
fi
compiler=$(sed -n 's/.*"guest_compiler": "\(.*\)",*/\1/p' "$out/runs/soak_1/summary.json")
if ! grep -qF "$compiler" docs/results/inference.md; then
    echo "skipped: the ARM programs were built with $compiler, those of docs/results with another compiler"
    exit 77
fi
# The table of docs/results/validation.md is found by its header row.
awk '/^\| figure \| published \|/ { inside = 1 } inside && !/^\|/ { exit } inside' docs/results/validation.md >"$out/stands"
diff -u "$out/stands" "$out/table"
