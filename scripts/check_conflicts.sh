#!/bin/sh
# Looks for the markers that an unfinished merge leaves at the beginning of lines, in all tracked text files or in the files given.
# usage: scripts/check_conflicts.sh [FILE...]
set -eu
. "$(dirname -- "$0")/checkout.sh"

# Seven of one character: `=`, which headings have too, counts between the two others alone.
tracked() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files -z
    else # an unpacked archive
        find . -type d \( -name .git -o -name 'build*' -o -name out \) -prune -o -type f -print0
    fi
}

[ $# -eq 0 ] || cd -- "$stood"
if [ $# -gt 0 ]; then
    printf '%s\0' "$@"
else
    tracked
fi | xargs -0 grep -IHsnE '^(<{7}|>{7}|[|]{7}|={7})( |$)' | awk -F: '
    { kind = substr($3, 1, 1) }
    $1 != file { file = $1; open = 0 }
    kind == "<" { open = 1 }
    kind != "=" || open { print; found++ }
    kind == ">" { open = 0 }
    END { exit found > 0 }'
