#!/bin/sh
# Prints the table of docs/results/kernels.md with the cycles of the kernels of workloads/nn on the modelled core, all data in one-cycle memory.
set -eu
. "$(dirname -- "$0")/../checkout.sh"

case "${1:-}" in
?*)
    cat <<EOF
usage: scripts/study/kernel_table.sh

The programs are taken from \${BUILD:-build}.
EOF
    exit 0
    ;;
esac

build=${BUILD:-build}

# cycles PROGRAM KERNEL: prints the cycles between the two marker calls around the kernel.
cycles() {
    "$build/spinnsim" elf "$build/workloads/$1.elf" --count "begin_$2:end_$2" 2>&1 >/dev/null | sed -n 's/.*region_cycles //p'
}

echo "| kernel | sizes | products | cycles | a product | a product, if every output had an error | a product, portable C | a product, s16.15 | a product, float32 | a product, int8 |"
echo "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
"$build/spinnsim" elf "$build/workloads/nn_kernels.elf" 2>/dev/null | while read -r kernel products all _ sizes; do
    if [ "$products" -eq 0 ]; then
        continue
    fi
    fast=$(cycles nn_kernels "$kernel")
    portable=$(cycles nn_kernels_portable "$kernel")
    wide=$(cycles nn_kernels_s1615 "$kernel")
    float=$(cycles nn_kernels_float32 "$kernel")
    narrow=$(cycles nn_kernels_int8 "$kernel")
    awk -v kernel="$kernel" -v sizes="$sizes" -v products="$products" -v all="$all" -v fast="$fast" -v portable="$portable" -v wide="$wide" -v single="$float" -v narrow="$narrow" 'BEGIN {
        printf "| %s | %s | %d | %d | %.2f | %s | %.2f | %.2f | %s | %s |\n", kernel, sizes, products, fast, fast / products, \
            (all == 0 ? "-" : sprintf("%.2f", fast / all)), portable / products, wide / products, (single == "" ? "-" : sprintf("%.2f", single / products)), \
            (narrow == "" ? "-" : sprintf("%.2f", narrow / products))
    }'
done
