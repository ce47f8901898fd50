#!/bin/sh
# Draws the figures of docs/results/questions from the recorded tables (docs/results/recorded/questions), by the `plot` of each configs/study/questions/NAME.yaml.  A row of a
# table becomes a result folder with no more than its numbers and the keys of the figure, which `spinnsim plot` draws as it draws runs.
set -eu
. "$(dirname -- "$0")/common.sh"
usage() {
    echo "usage: scripts/study/draw_questions.sh FOLDER [QUESTION...]   (default: all of configs/study/questions)"
    echo "       The program is \${BUILD:-build}/spinnsim.  \$RECORDED: the folder of the tables, instead of docs/results/recorded"
}
if [ $# -eq 0 ] || [ "$1" = --help ]; then
    usage
    exit $(($# == 0 ? 2 : 0))
fi
folder=$(absolute "$1")
shift
if [ $# -eq 0 ]; then
    set -- configs/study/questions/*.yaml
fi
tables=$recorded/questions
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT

# of_plot FILE KEY: the key's value in the line `plot: {KEY: value, ...}`.
of_plot() {
    sed -n "s/^plot: {\\(.* \\)*$2: \\([^,}]*\\).*/\\2/p" "$1"
}

# sign FOLDER: writes its manifest (docs/result_files.md), without which it is no complete folder.
sign() {
    {
        echo file,bytes,sha256
        for file in config.yaml summary.json; do
            echo "$file,$(($(wc -c <"$1/$file"))),$(sha256sum <"$1/$file" | cut -d ' ' -f 1)"
        done
    } >"$1/manifest.csv"
}

# folders TABLE OUT KEY...: a result folder for each row that has numbers; keys of the figure that are axes go into its config.yaml.
folders() {
    table=$1 out=$2
    shift 2
    awk -F, -v out="$out" -v keys="$*" '
        # a.b.c -> "a": {"b": {"c": VALUE}}
        function nested(key, value,    part, parts, i, text) {
            parts = split(key, part, ".")
            for (i = 1; i < parts; i++) text = text "\"" part[i] "\": {"
            text = text "\"" part[parts] "\": " value
            for (i = 1; i < parts; i++) text = text "}"
            return text
        }
        BEGIN { count = split(keys, key, " "); for (i = 1; i <= count; i++) wanted[key[i]] = 1 }
        NR == 1 {
            for (i = 1; i <= NF; i++) {
                head[i] = $i
                column[$i] = i
                if ($i == "status") status = i
            }
            next
        }
        {
            for (k in wanted) if (!(k in column) || $column[k] == "") next
            run = sprintf("%s/%03d", out, NR - 1)
            system("mkdir -p \"" run "\"")
            config = summary = ""
            for (k in wanted) {
                if (column[k] < status) config = config nested(k, $column[k]) "\n"
                else summary = summary ", " nested(k, $column[k])
            }
            printf "%s", config >(run "/config.yaml")
            print "{\"schema\": 1" summary "}" >(run "/summary.json")
            close(run "/config.yaml")
            close(run "/summary.json")
        }' "$table"
    for run in "$out"/*/; do
        sign "$run"
    done
}

mkdir -p "$folder"
for question in "$@"; do
    name=$(basename "$question" .yaml)
    file=configs/study/questions/$name.yaml
    x=$(of_plot "$file" x) y=$(of_plot "$file" y) by=$(of_plot "$file" by) label=$(of_plot "$file" label) log=$(of_plot "$file" log)
    # shellcheck disable=SC2086  # none, if there is none
    folders "$tables/$name.csv" "$runs/$name" $x $y $by $label
    "$program" plot "$runs/$name" --x "$x" --y "$y" ${by:+--by "$by"} ${label:+--label "$label"} ${log:+--log "$log"} \
        --out "$runs/$name.svg" >/dev/null
    cp "$runs/$name.svg" "$folder/$name.svg"
done
