# common.sh - sourced by the scripts of this folder: the checkout, the program, recorded tables, numbers of result folders.
. "$(dirname -- "$0")/../checkout.sh"
program=${BUILD:-build}/spinnsim
recorded=${RECORDED:-docs/results/recorded}

# experiment NAME: its file.
experiment() {
    if [ -e "configs/study/$1.yaml" ]; then
        echo "configs/study/$1.yaml"
    else
        echo "configs/experiments/$1.yaml"
    fi
}

# of SUMMARY KEY: prints the first number of that key that stands alone on its line, in six digits.
of() {
    awk -F'[:,]' -v key="\"$2\"" 'index($1, key) { print $2 + 0; exit }' "$1"
}

# text SUMMARY KEY: prints the first text of that key.
text() {
    sed -n "s/.*\"$2\": \"\(.*\)\".*/\1/p" "$1" | head -n 1
}

# of_each TABLE WRITER [PREFIX]: rows of a recorded table: those of the names in $wanted by WRITER NAME, those of the others in $all, which begin with
# PREFIX and their name, as they were.
of_each() {
    for name in $all; do
        case " $wanted " in
        *" $name "*) "$2" "$name" ;;
        *) grep "^${3:-}$name," "$recorded/$1.csv" 2>/dev/null || true ;; # never recorded
        esac
    done
}

# keep TABLE...: tables that were made in $out are the recorded ones now.
keep() {
    mkdir -p "$recorded"
    for table in "$@"; do
        mv "$out/$table.csv" "$recorded/$table.csv"
    done
}
