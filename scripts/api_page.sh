#!/bin/sh
# Writes docs/api.md from the headers that `cmake --install` installs (scripts/cmake/Install.cmake), with their own comments.
set -eu
. "$(dirname -- "$0")/checkout.sh"

usage() {
    cat <<EOF
usage: scripts/api_page.sh [--check]

  --check    write nothing: show how docs/api.md differs from the headers (exit status 1 if it does)
EOF
}

page=docs/api.md
case ${1:-} in
'' | --check) ;;
-h | --help)
    usage
    exit 0
    ;;
*)
    usage >&2
    exit 2
    ;;
esac
made=$(mktemp)
trap 'rm -f "$made"' EXIT

headers=$(awk '/^foreach\(header / { inside = 1; sub(/.*\(header /, "") } inside { print } inside && /\)/ { exit }' scripts/cmake/Install.cmake | tr ')' ' ')
{
    cat <<EOF
# The installed headers

Written by \`scripts/api_page.sh\` from the headers and their comments; a test compares. \`cmake --install build --prefix DIR --component arm968\` installs them under
\`DIR/include/spinnsim\`; [library.md](library.md) begins with a whole program and says which call is for what.

EOF
    for header in $headers; do
        echo "- [models/$header](#models$(printf '%s' "$header" | tr -d '/.'))"
    done
    for header in $headers; do
        printf '\n## models/%s\n' "$header"
        awk '
            # A header is paragraphs between empty lines outside of braces: a comment, which becomes text, and declarations.
            function words(text) { # a comment as text
                gsub(/^\/\* *| *\*\/$/, "", text)
                gsub(/\.  +/, ". ", text)
                gsub(/[A-Za-z0-9_.]+\(\)|\*[a-z]+|\\v/, "`&`", text)
                gsub(/</, "\\&lt;", text)
                return text
            }
            function say(text) { printf "\n%s\n", words(text) }
            function flush(    i, line, text, first) {
                i = 1
                if (i <= count && row[i] ~ /^\/\*/) {
                    if (!headed++) {
                        sub(/^\/\* [a-z0-9_]+\.(h|def) - /, "", row[i])
                        row[i] = "/* " toupper(substr(row[i], 1, 1)) substr(row[i], 2)
                    }
                    text = ""
                    do {
                        line = row[i++]
                        sub(/^ \* ?/, "", line)
                        if (text != "" && (line == "" || line ~ /^[A-Z]+\(.*\)$/)) { say(text); text = "" }
                        if (line ~ /^[A-Z]+\(.*\)$/) line = "`" line "`:" # what a row of a table is
                        sub(/^ +/, "", line)
                        text = text (text == "" ? "" : " ") line
                    } while (row[i - 1] !~ /\*\/$/ && i <= count)
                    if (text ~ /^\/\* ---- .* ---- \*\/$/) {
                        gsub(/^\/\* ---- | ---- \*\/$/, "", text)
                        printf "\n### %s\n", text
                    } else say(text)
                }
                first = 1
                for (; i <= count; i++) {
                    if (row[i] ~ /^(#pragma once|#include <|#include "models\/common|(C_LINKAGE|API)_(BEGIN|END)$)/) continue
                    if (first) print "\n```c"
                    first = 0
                    print row[i]
                }
                if (!first) print "```"
                count = 0
            }
            function table_row(line,    text, fields, cell, out) { # IDENTIFIER(a, b, "c, d") as cells
                sub(/^[A-Z]+\(/, "", line); sub(/\) *$/, "", line)
                out = "|"
                while (line != "") {
                    if (line ~ /^"/) { match(line, /^"[^"]*"/); cell = substr(line, 2, RLENGTH - 2) }
                    else { match(line, /^[^,]*/); cell = substr(line, 1, RLENGTH) }
                    line = substr(line, RLENGTH + 1); sub(/^ *, */, "", line); sub(/ +$/, "", cell)
                    out = out " " cell " |"
                }
                print out
            }
            FILENAME ~ /\.def$/ && /^(COUNTER|TIMING)\(/ {
                flush()
                if (!inside) print $0 ~ /^COUNTER/ ? "\n| counter | unit | meaning |\n| --- | --- | --- |" : \
                    "\n| row | default | least | most | meaning | source |\n| --- | --- | --- | --- | --- | --- |"
                inside = 1
                table_row($0)
                next
            }
            FILENAME ~ /\.def$/ { inside = 0 }
            { line = $0; opened = gsub(/[{]/, "", line); closed = gsub(/[}]/, "", line); depth += opened - closed }
            $0 == "" && depth == 0 { flush(); next }
            { row[++count] = $0 }
            END { flush() }' "models/$header"
    done
} >"$made"
if [ "${1:-}" = --check ]; then
    diff -u "$page" "$made" || {
        echo "$page: run scripts/api_page.sh"
        exit 1
    }
else
    cp "$made" "$page"
fi
