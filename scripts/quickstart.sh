#!/bin/sh
# From a bare checkout to the first result: installs, builds, classifies digits with LeNet-1 on one modelled chip, draws the figures.
set -eu
cd "$(dirname "$0")/.."
. scripts/quietly.sh

usage() {
    cat <<EOF
usage: scripts/quickstart.sh [--data DIR] [--no-install]

  --data DIR      folder of the four MNIST files (else \$SPINNSIM_DATA, data/mnist, the user's cache; without them: generated digits)
  --no-install    only check what is installed
EOF
}

data=
setup=
while [ $# -gt 0 ]; do
    case $1 in
    --data)
        if [ $# -lt 2 ]; then
            usage >&2
            exit 2
        fi
        data=$2
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

scripts/setup.sh $setup
echo "Building in build/ ..."
if [ ! -e build/CMakeCache.txt ]; then # the tests need more packages
    quietly cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DSPINN_BUILD_TESTS=OFF
fi
quietly cmake --build build

# The order in which spinnsim looks for them.
mnist=
for folder in "$data" "${SPINNSIM_DATA:-}" data/mnist "${XDG_CACHE_HOME:-${HOME:-}/.cache}/spinnsim/mnist"; do
    if [ -n "$folder" ] && { [ -e "$folder/t10k-images-idx3-ubyte.gz" ] || [ -e "$folder/t10k-images-idx3-ubyte" ]; }; then
        mnist=$folder
        break
    fi
done
if [ -n "$mnist" ]; then
    echo "Running LeNet-1 on the MNIST files in $mnist ..."
    set -- configs/experiments/lenet1_inference.yaml --data "$mnist"
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
