#!/bin/sh
# Checks that the pages are easy to read: a sentence has at most 40 words, the sentences of a file have at most 20 on average, and none has
# "of it", "whoever" or "nobody".
# usage: scripts/check_words.sh [--counts] [FILE...]     (default: all pages but CHANGELOG.md)
#        --counts prints the number of sentences, their average and the longest of each file, and checks nothing
#
# How a sentence is counted:
# - Left out: headings, tables, images, comments of HTML, and code blocks (fenced, or outside a list indented by four columns behind an empty line).
# - A block is a paragraph or an item of a list. It ends at the next item, at an empty line, and at anything that is left out.
# - A sentence ends where its block ends, or behind a word that ends with `.`, `!` or `?` (closing quotes, brackets and asterisks may follow).
#   A colon, a semicolon, "e.g.", "i.e.", "vs." and "cf." end no sentence.
# - A word is anything between spaces that has a letter or a digit. The text of a link counts, its target does not; code in backquotes counts as
#   it is written.
set -eu
. "$(dirname -- "$0")/checkout.sh"

counts=0
if [ "${1:-}" = --counts ]; then
    counts=1
    shift
fi
if [ $# -gt 0 ]; then
    cd -- "$stood"
else
    # Not the changes.
    pages=$(git ls-files '*.md' 2>/dev/null || true)
    if [ -z "$pages" ]; then # no checkout of git: an archive
        pages=$(find . -name '*.md' -not -path './build*' -not -path './out/*' | sed 's|^\./||' | sort)
    fi
    set -- $(printf '%s\n' "$pages" | grep -v '^CHANGELOG\.md$')
fi
for file in "$@"; do
    [ -f "$file" ] && [ -r "$file" ] || {
        echo "check_words.sh: cannot read $file" >&2
        exit 2
    }
done

LC_ALL=C awk -v counts="$counts" -v most=40 -v average=20 '
    function fail(text) {
        if (!counts) print text
        failed = !counts
    }
    # Counts the words of a sentence that begins in line `at`, and judges it.
    function sentence(text, at,   word, i, n, words) {
        n = split(text, word, " ")
        for (i = 1; i <= n; i++) words += word[i] ~ /[[:alnum:]]/
        if (!words) return
        sentences++
        total += words
        if (words > longest) longest = words
        if (words > most) fail(sprintf("%s:%d: %d words in a sentence, at most %d: %.60s...", file, at, words, most, text))
        if (match(" " tolower(text) " ", /[^a-z](of it|whoever|nobody)[^a-z]/))
            fail(sprintf("%s:%d: say it without \"%s\": %.60s...", file, at, substr(text, RSTART, RLENGTH - 2), text))
    }
    # Ends a block: splits it into sentences.  `line[i]` is the line of its i-th word.
    function flush(   word, i, n, text, at) {
        n = split(block, word, " ")
        for (i = 1; i <= n; i++) {
            if (text == "") at = line[i]
            text = text (text == "" ? "" : " ") word[i]
            if (word[i] ~ /[.!?]["\047)*_\]]*$/ && word[i] !~ /^[("]*(e\.g|i\.e|vs|cf)\.$/) {
                sentence(text, at)
                text = ""
            }
        }
        if (text != "") sentence(text, at)
        block = ""
        held = 0
    }
    # Adds a line to the block.
    function add(text,   word, i, n) {
        n = split(text, word, " ")
        for (i = 1; i <= n; i++) line[++held] = FNR
        block = block " " text
    }
    function end_file() {
        flush()
        if (file == "") return
        if (counts) printf "%-32s %4d sentences, %4.1f words on average, %2d at most\n", file, sentences, sentences ? total / sentences : 0, longest
        if (total > average * sentences) fail(sprintf("%s: %.2f words a sentence on average, at most %d", file, total / sentences, average))
    }
    FNR == 1 {
        end_file()
        file = FILENAME
        sentences = total = longest = fenced = comment = code = list = 0
        empty = 1
    }
    /^ *(```|~~~)/ { flush(); fenced = !fenced; next }
    fenced { next }
    comment { comment = !/-->/; next }
    /^ *<!--/ { flush(); comment = !/-->/; next }
    /^[ \t]*$/ { flush(); empty = 1; next }
    /^(    |\t)/ && empty && !list { code = 1 }
    !/^(    |\t)/ { code = 0 }
    /^[^ ]/ && empty { list = 0 }
    { empty = 0 }
    code { next }
    /^ *\|/ || /^#/ || /^!\[[^]]*\]\([^)]*\)$/ { flush(); next }
    {
        text = $0
        sub(/^ *(> ?)+/, "", text)
        if (text ~ /^ *([-*+]|[0-9]+\.) /) {
            flush()
            list = 1
            sub(/^ *([-*+]|[0-9]+\.) +/, "", text)
        }
        gsub(/\]\([^)]*\)/, "]", text)
        add(text)
    }
    END {
        end_file()
        exit failed
    }' "$@"
