#!/bin/sh
# Run this before a commit: formats, lints, builds and tests what has changed.
set -eu
. "$(dirname -- "$0")/checkout.sh"
. scripts/quietly.sh

usage() {
    cat <<EOF
usage: scripts/check_changed.sh [BASE]

Looks at the files that differ from BASE (default: the last commit), those that git does not know yet among them.
It lays out the C and C++ files (clang-format), lints them (clang-tidy), builds the preset "release", and runs the tests
whose label goes with the folders of these files; scripts/test.sh runs all.
EOF
}

# folder: labels of the tests that cover it
tests='
models/arm968: unit isa cycles fuzz chaos
models: unit model cycles chaos
sim: unit system
workloads: unit system
configs: unit system
scripts: style system
tests/unit: unit
tests/isa: isa
tests/cycles: cycles
tests/fuzz: fuzz
tests/chaos: chaos
tests/fault: fault
tests/model: model
tests/system: system
tests/support: isa cycles fuzz
tests/golden: system
'

case ${1:-} in
-h | --help)
    usage
    exit 0
    ;;
-*)
    usage >&2
    exit 2
    ;;
esac
base=${1:-HEAD}
changed=$( (git diff --name-only --diff-filter=d "$base" -- && git ls-files --others --exclude-standard) | sort -u)
if [ -z "$changed" ]; then
    echo "nothing differs from $base"
    exit 0
fi
of_kind() { printf '%s\n' "$changed" | grep -E "^(models|sim|workloads|tests)/.*\.($1)$" || true; }

sources=$(of_kind 'c|h|cpp')
if [ -n "$sources" ]; then
    echo "== layout"
    printf '%s\n' "$sources" | tr '\n' '\0' | xargs -0 clang-format -i
fi
quietly cmake --preset release
units=$(of_kind 'c|cpp' | grep -v '^tests/.*cpp$' || true)
if [ -n "$units" ]; then
    echo "== lint"
    (
        IFS='
'
        set -f
        # shellcheck disable=SC2086 # one file per line
        scripts/check_lint.sh build $units
    )
fi
echo "== build"
quietly cmake --build --preset release -j "$(nproc)"
labels=$(printf '%s\n' "$tests" | while IFS=: read -r folder its; do
    [ -n "$folder" ] && printf '%s\n' "$changed" | grep -q "^$folder/" && printf '%s\n' $its
done | sort -u | paste -s -d '|' -)
echo "== tests: ${labels:-style}"
exec ctest --preset quick -j "$(nproc)" -L "^(${labels:-style})$" --progress
