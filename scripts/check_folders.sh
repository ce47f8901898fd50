#!/bin/sh
# Checks the table of docs/folders.md: every folder, down to the second level, has one row, and the folders and tests in its rows exist.
set -euf
. "$(dirname -- "$0")/checkout.sh"

page=docs/folders.md
wrong=0
complain() {
    echo "$page: $1"
    wrong=$((wrong + 1))
}

# Folders of files that git tracks, or would.
files=$(git ls-files --cached --others --exclude-standard 2>/dev/null || true)
if [ -z "$files" ]; then # no checkout of git: an archive
    files=$(find . -type f -not -path './build*' -not -path './out/*' -not -path './data/*' | sed 's|^\./||')
fi
folders=$(printf '%s\n' "$files" | awk -F/ 'NF == 2 { print $1 } NF > 2 { print $1 "/" $2 }' | sort -u)
# column N: cells of the table, a row on each line, without backquotes.
column() { awk -F ' *[|] *' -v column="$1" '/^[|] `/ { gsub(/`/, ""); print $column }' "$page"; }
rows=$(column 2)
for folder in $folders; do
    printf '%s\n' "$rows" | grep -qxF -- "$folder" || [ ! -d "$folder" ] || complain "no row for $folder"
done
for folder in $rows; do
    printf '%s\n' "$folders" | grep -qxF -- "$folder" || complain "there is no folder $folder"
done
for folder in $(printf '%s\n' "$rows" | sort | uniq -d); do
    complain "two rows for $folder"
done

# Labels and names of all tests, a line for each; a name as ctest has it up to its first point.
known=$( (
    find tests -name CMakeLists.txt -exec cat {} + |
        sed -n -e 's/.*spinn_add_test([a-zA-Z0-9_]* \([a-z]*\).*/\1/p' -e 's/.*PROPERTIES LABELS \([a-z]*\).*/\1/p' \
            -e 's/.*add_test(NAME \([A-Za-z0-9_.]*\).*/\1/p' -e 's/^ *spinn_add_harness(\([a-z]*\) .*/fuzz.\1/p'
    find tests -name '*.cpp' -exec cat {} + | sed -n 's/^TEST\(_[FP]\)\{0,1\}(\([A-Za-z0-9_]*\),.*/\2/p'
) | sort -u)
for test in $(column 4); do
    pattern=$(printf '%s\n' "$test" | sed -e 's/\./\\./g' -e 's/\*/.*/g')
    printf '%s\n' "$known" | grep -qx -- "$pattern" || complain "there is no test $test"
done
[ "$(column 4 | grep -c .)" -eq "$(column 2 | grep -c .)" ] || complain "a row has no tests"
[ "$wrong" -eq 0 ]
