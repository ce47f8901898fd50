#!/bin/sh
# Checks that files named in the documentation exist: targets of links, and paths in backquotes.  Skips placeholders (NAME), patterns and
# files that a run creates.  In a table whose last column is headed "look for", the file that a row links to has what stands there in backquotes.
set -eu
. "$(dirname -- "$0")/checkout.sh"

missing=0
tab=$(printf '\t')
absent() {
    echo "$1: $2 is not there"
    missing=$((missing + 1))
}
files=$(git ls-files '*.md' 2>/dev/null || true)
if [ -z "$files" ]; then # no checkout of git: an archive
    files=$(find . -name '*.md' -not -path './build*' -not -path './out/*' | sed 's|^\./||')
fi

# rows FILE: the rows of such tables, a line for each word to be found: the linked file, a tab, the word.
rows() {
    awk -F ' *[|] *' '
        !/^[|]/ { inside = 0 }
        inside && !/^[|] ---/ {
            link = $0
            sub(/^[^(]*\]\(/, "", link)
            sub(/\).*/, "", link)
            n = split($(NF - 1), word, "`")
            if (link == $0 || n < 3) print "\t" $2
            for (i = 2; i < n; i += 2) print link "\t" word[i]
        }
        /^[|].*[|] look for [|]$/ { inside = 1 }' "$1"
}

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
    for row in $(rows "$file"); do
        link=${row%%"$tab"*}
        word=${row#*"$tab"}
        if [ -z "$link" ]; then
            absent "$file" "what to open, or look for, in the row '$word'"
        elif [ -f "$folder/$link" ]; then
            grep -qF -- "$word" "$folder/$link" || absent "$file" "$word in $link"
        fi
    done
done
if [ "$missing" -gt 0 ]; then
    echo "$missing names are wrong"
    exit 1
fi
