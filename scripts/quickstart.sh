#!/bin/sh
# From a fresh checkout to the first result: installs packages, builds, classifies digits with LeNet-1 on one modelled chip, draws the figures.
set -eu
. "$(dirname -- "$0")/checkout.sh"
. scripts/quietly.sh

usage() {
    cat <<EOF
usage: scripts/quickstart.sh [--data DIR] [--no-install]

  --data DIR      folder of the four MNIST files (else \$SPINNSIM_DATA; when neither names one: data/mnist, the user's cache, generated digits)
  --no-install    only check what is installed
EOF
}

data=${SPINNSIM_DATA:-}
named=SPINNSIM_DATA
setup=
while [ $# -gt 0 ]; do
    case $1 in
    --data)
        if [ $# -lt 2 ]; then
            usage >&2
            exit 2
        fi
        data=$(absolute "$2")
        named=--data
        shift
        ;;
    --no-install) setup=--check ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        echo "quickstart.sh: unknown option $1" >&2
        usage >&2
        exit 2
        ;;
    esac
    shift
done

has_mnist() {
    for file in t10k-images-idx3-ubyte t10k-labels-idx1-ubyte; do
        [ -e "$1/$file.gz" ] || [ -e "$1/$file" ] || return 1
    done
}

# If a folder was named, only that one is used; otherwise the folders that spinnsim searches.
if [ -n "$data" ]; then
    if ! has_mnist "$data"; then
        echo "quickstart.sh: $named: no MNIST files in $data" >&2
        echo "    hint: scripts/fetch_mnist.sh DIR downloads them into a folder; without $named, generated digits do" >&2
        exit 2
    fi
else
    for folder in "$PWD/data/mnist" "${XDG_CACHE_HOME:-${HOME:-}/.cache}/spinnsim/mnist"; do
        if has_mnist "$folder"; then
            data=$folder
            break
        fi
    done
fi

scripts/setup.sh $setup
echo "Building in build/ ..."
if [ ! -e build/build.ninja ]; then # never configured to the end; as the preset release, without the tests, which need more packages
    quietly cmake --fresh -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DSPINN_LTO=ON -DSPINN_BUILD_TESTS=OFF
fi
quietly cmake --build build

if [ -n "$data" ]; then
    echo "Running LeNet-1 on the MNIST files in $data ..."
    set -- configs/experiments/lenet1_inference.yaml --data "$data"
else
    echo "MNIST was not found (scripts/fetch_mnist.sh gets it): running LeNet-1 on generated digits ..."
    set -- configs/experiments/lenet1_synthetic.yaml
fi
table=$(mktemp)
trap 'rm -f "$table"' EXIT
build/spinnsim run "$@" >"$table"
cat "$table"
results=$(sed -n 's/^results *//p' "$table")
echo "figures:"
build/spinnsim plot "$results" --out "$results/plots"
