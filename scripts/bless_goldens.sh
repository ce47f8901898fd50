#!/bin/sh
# Records the current counts as the new goldens, and prints old, new and percent of every count that changed.
set -eu
. "$(dirname -- "$0")/checkout.sh"

usage() {
    cat <<EOF
usage: scripts/bless_goldens.sh [GOLDEN...]
       scripts/bless_goldens.sh --add GOLDEN EXPERIMENT

Runs the experiments of all goldens (tests/golden/*.csv), or of those named, writes the counts and prints what moved.
--add begins a golden of an experiment, for example: --add micro_branch experiments/micro/branch.yaml
The program is taken from \${BUILD:-build}.  Say in the commit why the counts moved.
EOF
}

build=${BUILD:-build}
case "${1:-}" in
-h | --help)
    usage
    exit 0
    ;;
--add)
    if [ $# -ne 3 ]; then
        usage >&2
        exit 2
    fi
    golden=tests/golden/$2.csv
    if [ -e "$golden" ]; then
        echo "bless_goldens.sh: $golden exists already" >&2
        exit 2
    fi
    if [ ! -e "configs/$3" ]; then
        echo "bless_goldens.sh: there is no configs/$3" >&2
        exit 2
    fi
    printf 'name,value\nexperiment,%s\n' "$3" >"$golden"
    set -- "$2"
    ;;
-*)
    usage >&2
    exit 2
    ;;
esac
if [ ! -x "$build/spinnsim" ]; then
    echo "bless_goldens.sh: $build/spinnsim is missing: build first (cmake --build $build), or set BUILD" >&2
    exit 2
fi
if [ $# -eq 0 ]; then
    exec "$build/spinnsim" regress --golden tests/golden --bless
fi
for golden in "$@"; do
    "$build/spinnsim" regress --golden tests/golden --bless "$golden"
done
