#!/bin/sh
# Compiles what programs have of rules, losses and activations, and what calls them, for the ARM: with the tables as they are, and with a row
# more in each.  Each object must be the same to the byte, so a row more changes no other program.  The tables of types of layers and of their
# kernels (scripts/cmake/Kinds.cmake) are in no folder of includes here, so nothing can depend on them.  Exit 77: there is no compiler for the ARM.
set -eu
cd "$(dirname -- "$0")/../.."
gcc=arm-none-eabi-gcc
if ! command -v $gcc >/dev/null 2>&1; then
    echo "skipped: $gcc is not installed"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
made() { # OBJECT SOURCE FLAG...
    object=$1
    shift
    $gcc -mcpu=arm968e-s -std=c17 -ffreestanding -Os -I. -Iworkloads/runtime/include -Iworkloads/nn -Iworkloads/lenet/roles -Iworkloads/exchange \
        -c "$@" -o "$work/$object"
}
compared=0
for source in workloads/nn/optimizers/*.c workloads/nn/losses/*.c workloads/nn/activations/*.c workloads/nn/activation.c \
    workloads/nn/average_*.c workloads/nn/conv2d_*int16.c workloads/nn/conv2d_chosen.c workloads/nn/conv2d_linked.c workloads/nn/forward.c workloads/lenet/roles/*.c; do
    made plain.o "$source"
    made more.o "$source" '-DOPTIMIZERS_MORE="tests/unit/toy_optimizers.def"' '-DLOSSES_MORE="tests/unit/toy_losses.def"' \
        '-DACTIVATIONS_MORE="tests/unit/toy_activations.def"'
    if ! cmp -s "$work/plain.o" "$work/more.o"; then
        echo "$source: its object changes by a row more"
        exit 1
    fi
    compared=$((compared + 1))
done
[ "$compared" -ge 28 ]
# The rows are seen: they are there, with the next id.
printf '#include "update.h"\n_Static_assert(NN_AGREE == 4 * 3 + 1, "the fourth with a word");\n' >"$work/seen.c"
made seen.o "$work/seen.c" '-DOPTIMIZERS_MORE="tests/unit/toy_optimizers.def"'
printf '#include "activation.h"\n_Static_assert(NN_SOFTPLUS == NN_SCALED_TANH + 1, "the last");\n' >"$work/seen.c"
made seen.o "$work/seen.c" '-DACTIVATIONS_MORE="tests/unit/toy_activations.def"'
