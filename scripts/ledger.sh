#!/bin/sh
# The ledger of what has been tried to break the simulator: rows of docs/reliability.csv, shown by docs/reliability.md.
set -eu
. "$(dirname -- "$0")/checkout.sh"

usage() {
    cat <<USAGE
usage: scripts/ledger.sh record [--commit COMMIT] WHAT COUNT FAILURES COMMAND
       scripts/ledger.sh page [--check]

  record    puts a row into the table, in the place of an earlier one of the same WHAT, and writes the page:
            WHAT was tried (for example 'fuzz: inputs of IDX'), COUNT of them, FAILURES, and the COMMAND that tries it again
            --commit COMMIT  that was tried (default: the checkout's; its files must then be those of the commit)
  page      writes docs/reliability.md from the table; --check: says whether it is what the table makes (exit status 1: it is not)

The program is taken from \${BUILD:-build}.
USAGE
}

refuse() {
    echo "ledger.sh: $1" >&2
    exit 2
}

table=docs/reliability.csv
page=docs/reliability.md
head='what,count,failures,command,commit,date'

make_page() {
    "${BUILD:-build}/spinnsim" report --template $page.in docs
}

# one_line NAME TEXT: refuses a text that would break a row of the table or of the page.
one_line() {
    case $2 in
    '' | *'|'* | *'
'*) refuse "$1 is a line of text without '|': '$2'" ;;
    esac
}

# A field in quotes, with its quotes doubled.
field() {
    printf '"%s"' "$(printf '%s' "$1" | sed 's/"/""/g')"
}

record() {
    commit=
    if [ "${1:-}" = --commit ]; then
        [ $# -ge 2 ] || refuse "--commit needs a value"
        commit=$(git rev-parse --verify --quiet --short=10 "$2^{commit}") || refuse "$2 is no commit"
        shift 2
    fi
    if [ $# -ne 4 ]; then
        usage >&2
        exit 2
    fi
    one_line WHAT "$1"
    one_line COMMAND "$4"
    case $2 in '' | *[!0-9]*) refuse "COUNT is a whole number: '$2'" ;; esac
    case $3 in '' | *[!0-9]*) refuse "FAILURES is a whole number: '$3'" ;; esac
    if [ -z "$commit" ]; then
        if [ -n "$(git status --porcelain --untracked-files=no -- . ":!$table" ":!$page")" ]; then
            refuse "files differ from the last commit: commit them first, or name the commit that was tried (--commit)"
        fi
        commit=$(git rev-parse --short=10 HEAD)
    fi
    [ -e "$table" ] || echo "$head" >"$table"
    name=$(field "$1")
    row="$name,$2,$3,$(field "$4"),$commit,$(date -u +%F)"
    # Without awk's reading of backslashes: the row comes by the environment.
    LEDGER_NAME=$name, LEDGER_ROW=$row awk '
        index($0, ENVIRON["LEDGER_NAME"]) == 1 { if (!done) print ENVIRON["LEDGER_ROW"]; done = 1; next }
        { print }
        END { if (!done) print ENVIRON["LEDGER_ROW"] }' "$table" >"$table.new"
    mv "$table.new" "$table"
}

[ $# -gt 0 ] || {
    usage >&2
    exit 2
}
action=$1
shift
made=$(mktemp)
trap 'rm -f "$made"' EXIT
case $action in
record)
    record "$@"
    make_page >"$made"
    cp "$made" "$page"
    ;;
page)
    case ${1:-} in '' | --check) ;; *) refuse "unknown option $1" ;; esac
    make_page >"$made"
    if [ $# -gt 0 ]; then
        diff -u "$page" "$made"
    else
        cp "$made" "$page"
    fi
    ;;
-h | --help) usage ;;
*)
    usage >&2
    exit 2
    ;;
esac
