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
