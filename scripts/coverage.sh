#!/bin/sh
# Branch coverage of models/arm968 by its tests (isa, cycles, fuzz, translator, cached objects), from a build of its own.
set -eu

usage() {
    cat <<EOF
usage: scripts/coverage.sh [--record] [BUILD]

Configures BUILD (default build-coverage) for gcov without optimisation, builds and runs the tests of the core, and prints for each file
how many of its branches have been taken; the others are listed in BUILD/branches.txt.  Not counted: lines with CHECK or assert, which
only our own mistakes take.  Fails below 95 %.  Takes some minutes.

  --record    also writes the figure, with commit and date, into tests/README.md
EOF
}

record=no
case "${1:-}" in
-h | --help)
    usage
    exit 0
    ;;
--record)
    record=yes
    shift
    ;;
-*)
    usage >&2
    exit 2
    ;;
esac
if ! command -v gcov >/dev/null 2>&1; then
    echo "coverage.sh: gcov is not installed" >&2
    exit 2
fi
build=${1:-build-coverage}
mkdir -p -- "$build"
build=$(unset CDPATH && cd -- "$build" && pwd)
. "$(dirname -- "$0")/checkout.sh"
root=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DSPINN_COVERAGE=ON >"$folder/log"
cmake --build "$build" --target core_tests arm968 >"$folder/log" || {
    cat "$folder/log" >&2
    exit 1
}
find "$build/models/arm968" -name '*.gcda' -delete
cd "$build"
for tests in "-L ^(isa|cycles)$" "-R RandomCode|PatchedCode|^(Accesses|Kept|Leaving|NativeObjects|OpRegisters|Region|TrustedFolder)[.]"; do
    # shellcheck disable=SC2086
    ctest $tests --output-on-failure >"$folder/log" || {
        cat "$folder/log" >&2
        exit 1
    }
done

cd "$folder"
find "$build/models/arm968/CMakeFiles/arm968.dir" -name '*.gcda' | while read -r data; do
    gcov --branch-probabilities --branch-counts --preserve-paths --relative-only --source-prefix "$root" "$data" >>log 2>&1
done
# A header is reported with each source that includes it: a branch counts as taken if any of the reports says so.
status=0
awk -v listing="$build/branches.txt" '
    FNR == 1 { file = FILENAME; sub(/.*models#arm968#/, "models/arm968/", file); gsub(/#/, "/", file); sub(/\.gcov$/, "", file) }
    /^ *[0-9#=*-]+: *[0-9]+:/ { line = $0; sub(/^[^:]*: */, "", line); number = line + 0; sub(/^[^:]*:/, "", line); text[file, number] = line; branch = 0 }
    /^branch / && text[file, number] !~ /(^|[^A-Za-z_])(CHECK|assert)\(/ {
        key = file SUBSEP number SUBSEP branch++
        if (!(key in taken)) { order[++keys] = key; taken[key] = 0 }
        if ($0 !~ /never executed|taken 0/) taken[key] = 1
    }
    END {
        for (i = 1; i <= keys; i++) {
            split(order[i], part, SUBSEP)
            all[part[1]]++; total++
            if (taken[order[i]]) { hit[part[1]]++; reached++ }
            else printf "%s:%d: branch %d: %s\n", part[1], part[2], part[3], text[part[1], part[2]] >listing
        }
        for (file in all) printf "%-44s %5d of %5d  %6.2f %%\n", file, hit[file], all[file], 100 * hit[file] / all[file] | "sort"
        close("sort")
        printf "%-44s %5d of %5d  %6.2f %%\n", "all", reached, total, 100 * reached / total
        exit reached < 0.95 * total
    }' ./*models#arm968#*.gcov >table || status=1
cat table
if [ "$record" = yes ] && [ "$status" -eq 0 ]; then
    figure=$(awk '$1 == "all" { print $5 " % (" $2 " of " $4 " branches)" }' table)
    commit=$(git -C "$root" describe --always --dirty --abbrev=10 '--exclude=*')
    awk -v line="$figure with commit $commit on $(date +%F): \`scripts/coverage.sh --record\`." '
        /^<!-- end of coverage/ { skipping = 0 }
        !skipping
        /^<!-- coverage/ { print line; skipping = 1 }' "$root/tests/README.md" >page
    cp page "$root/tests/README.md"
fi
exit "$status"
