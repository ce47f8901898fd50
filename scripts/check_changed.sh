#!/bin/sh
# Run this before a commit: formats, lints, builds and tests what has changed.
set -eu
. "$(dirname -- "$0")/checkout.sh"
. scripts/quietly.sh

usage() {
    cat <<EOF
usage: scripts/check_changed.sh [BASE]

Looks at the files that differ from BASE (default: the last commit), those that git does not know yet among them.
It lays out the C and C++ files (clang-format), lints them (clang-tidy), builds the preset "release", and runs the rules of
style that take seconds and the tests that docs/folders.md names for the folders of these files; scripts/test.sh runs all.
EOF
}

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
# The rows of the changed files' folders: labels of tests are lower case, names of tests are not or have a point.
tests=$(printf '%s\n' "$changed" | awk -F ' *[|] *' '
    FNR == NR { if (/^[|] `/) { gsub(/`/, ""); tests[$2] = $4 } next }
    { count = split($0, part, "/"); folder = count < 3 ? part[1] : part[1] "/" part[2] }
    folder in tests { print tests[folder] }' docs/folders.md - | tr ' ' '\n' | sort -u)
labels=$(printf '%s\n' "$tests" | grep -x '[a-z]*' | paste -s -d '|' -)
rules='style.api|style.includes|style.conflicts|style.docs|style.security|style.folders'
names=$(printf '%s\n' "$rules" "$tests" | grep '[A-Z.]' | sed -e 's/[.]/[.]/g' -e 's/[*]/.*/g' | paste -s -d '|' -)
if [ -n "$labels" ]; then
    echo "== tests of label $labels"
    ctest --preset quick -j "$(nproc)" -L "^($labels)$" --progress
fi
echo "== tests $names"
exec ctest --preset quick -j "$(nproc)" -R "^([^.]*/)?($names)([./]|$)" ${labels:+-LE "^($labels|slow)$"} --progress
