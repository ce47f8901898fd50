#!/bin/sh
# Checks the tables of cited figures, or those of another folder: columns, unique names, numbers and their ranges, words,
# sources, and a note wherever a figure is derived or assumed.
set -eu
. "$(dirname -- "$0")/../checkout.sh"

usage() {
    cat <<EOF
usage: scripts/study/check_baselines.sh [FOLDER]

Prints each mistake of configs/study/cited.csv and configs/baselines/watts.csv, or of FOLDER/cited.csv and FOLDER/watts.csv, with its file
and line; exit status 1 if there is one.
EOF
}

case "${1:-}" in
-h | --help)
    usage
    exit 0
    ;;
-*)
    usage >&2
    exit 2
    ;;
esac
cited_file=configs/study/cited.csv watts_file=configs/baselines/watts.csv
if [ $# -gt 0 ]; then
    folder=$(absolute "$1")
    cited_file=$folder/cited.csv watts_file=$folder/watts.csv
fi

# A column a line: name and rule.  "name": unique, small letters, digits and hyphens; "text": not empty; "any": may be empty; LOW..HIGH: a
# number in the range, or empty; else the words that it may have.
cited='id name
platform neuromorphic|cpu|gpu|tpu|fpga|edge|microcontroller
device text
year 1990..2030
mode train|infer
network text
dataset text
accuracy_percent 0..100
batch 1..1e6
precision any
images 1..1e9
seconds 1e-9..1e7
images_per_second 1e-3..1e9
joules_per_image 1e-12..1e3
watts 1e-6..1e6
scope core|package|device|card|board|wall|unknown
idle in|out|unknown
kind cited|derived
note any
source text'
watts='device text
watts_low 1e-3..1e4
watts_high 1e-3..1e4
scope core|package|device|card|board|wall
kind cited|derived|assumed
note any
source text'

# check TABLE FILE: says what is wrong.
check() {
    printf '%s\n' "$1" | LC_ALL=C awk -v file="$2" '
        function wrong(text) {
            printf "%s:%d: %s\n", file, line, text
            mistakes++
        }
        # Splits a row of CSV (RFC 4180, no line breaks in cells) into cell[1..]; returns their number, 0 if a quote is open.
        function split_row(row,   count, c, i, quoted, text) {
            count = 0; text = ""; quoted = 0
            for (i = 1; i <= length(row); i++) {
                c = substr(row, i, 1)
                if (c == "\"" && quoted && substr(row, i + 1, 1) == "\"") {
                    text = text c
                    i++
                } else if (c == "\"") {
                    quoted = !quoted
                } else if (c == "," && !quoted) {
                    cell[++count] = text
                    text = ""
                } else {
                    text = text c
                }
            }
            cell[++count] = text
            return quoted ? 0 : count
        }
        function among(word, words,   list, i, count) {
            count = split(words, list, "|")
            for (i = 1; i <= count; i++) {
                if (list[i] == word) return 1
            }
            return 0
        }
        function check_cell(name, rule, text,   bound) {
            if (text ~ /^ | $/) wrong(name ": a blank at its beginning or end")
            if (rule == "any") return
            if (rule == "text" || rule == "name") {
                if (text == "") wrong(name " is empty")
            } else if (rule ~ /[.][.]/) {
                split(rule, bound, "[.][.]")
                if (text != "" && text !~ /^[0-9]+([.][0-9]+)?(e-?[0-9]+)?$/) wrong(name ": \"" text "\" is not a number")
                else if (text != "" && (text + 0 < bound[1] + 0 || text + 0 > bound[2] + 0)) wrong(name ": " text " is not in " rule)
            } else if (!among(text, rule)) {
                wrong(name ": \"" text "\" is none of " rule)
            }
        }
        function near(a, b) { return a <= 1.05 * b && b <= 1.05 * a }

        { names[NR] = $1; rules[NR] = $2; column[$1] = NR; columns = NR; head = head (NR > 1 ? "," : "") $1 }
        END {
            line = 0
            while ((status = (getline row < file)) > 0) {
                line++
                if (line == 1) {
                    if (row != head) wrong("the head is not " head)
                    continue
                }
                if (split_row(row) != columns) {
                    wrong("not " columns " cells")
                    continue
                }
                for (i = 1; i <= columns; i++) check_cell(names[i], rules[i], cell[i])
                key = cell[1]
                if (rules[1] == "name" && key !~ /^[a-z0-9]+(-[a-z0-9]+)*$/)
                    wrong("id: \"" key "\" has other than small letters, digits and hyphens")
                if (key in seen) wrong(names[1] " \"" key "\" is also in line " seen[key])
                seen[key] = line
                kind = cell[column["kind"]]
                if (kind != "cited" && cell[column["note"]] == "") wrong((kind == "assumed" ? "an " : "a ") kind " figure without a note")
                if ("seconds" in column) {
                    images = cell[column["images"]]; seconds = cell[column["seconds"]]; rate = cell[column["images_per_second"]]
                    joules = cell[column["joules_per_image"]]; watts = cell[column["watts"]]
                    if (images rate joules watts seconds cell[column["accuracy_percent"]] == "")
                        wrong("no figure")
                    if (rate == "" && images != "" && seconds != "") rate = images / seconds
                    if (rate != "" && images != "" && seconds != "" && !near(images / seconds, rate))
                        wrong("images / seconds is not images_per_second")
                    else if (rate != "" && cell[column["idle"]] == "in" && joules != "" && watts != "" && !near(joules * rate, watts))
                        wrong("joules_per_image times images a second is not watts")
                } else {
                    low = cell[column["watts_low"]]; high = cell[column["watts_high"]]
                    if (low == "" && high == "") wrong("no figure")
                    if (low != "" && high != "" && low + 0 > high + 0) wrong("watts_low is above watts_high")
                }
            }
            if (status < 0) wrong("cannot be read")
            else if (line < 2) wrong("no rows")
            exit mistakes > 0
        }'
}

status=0
check "$cited" "$cited_file" || status=1
check "$watts" "$watts_file" || status=1
exit $status
