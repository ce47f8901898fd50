#!/bin/sh
# Checks that files named in the documentation exist: targets of links, and paths in backquotes.  Skips placeholders (NAME), patterns and
# files that a run creates.
set -eu
. "$(dirname -- "$0")/checkout.sh"

missing=0
absent() {
    echo "$1: $2 is not there"
    missing=$((missing + 1))
}
files=$(git ls-files '*.md' 2>/dev/null || true)
if [ -z "$files" ]; then # no checkout of git: an archive
    files=$(find . -name '*.md' -not -path './build*' -not -path './out/*' | sed 's|^\./||')
fi
IFS='
'
for file in $files; do
    folder=$(dirname "$file")
    for link in $(grep -oE '\]\([^)#:]+[)#]' "$file" | sed 's/^](//; s/[)#]$//'); do
        [ -e "$folder/$link" ] || absent "$file" "$link"
    done
    for path in $(grep -oE '`(models|sim|workloads|configs|scripts|tests|docs)/[A-Za-z0-9_./-]+`' "$file" | tr -d '`'); do
        case $path in *NAME* | *KERNEL* | *...*) continue ;; esac
        [ -e "$path" ] || ls "$path".* >/dev/null 2>&1 || ls "$path"_* >/dev/null 2>&1 || absent "$file" "$path"
    done
done
if [ "$missing" -gt 0 ]; then
    echo "$missing names are wrong"
    exit 1
fi
