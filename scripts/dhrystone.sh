#!/bin/sh
# Cycles of a run of Dhrystone 2.1 in both tiers of spinnsim elf and by the scoreboard, which have to be the same, beside published figures.
set -eu

usage() {
    cat <<EOF
usage: scripts/dhrystone.sh FOLDER

FOLDER has dhry.h, dhry_1.c and dhry_2.c of Dhrystone 2.1 (C), which are not part of this project.  They are compiled by
arm-none-eabi-gcc in several ways; printing is left out, the final values are checked.  BUILD: the build folder (default build), with
program_scoreboard_test.  "flat": one memory without waits; "TCM": code in ITCM, where reading a literal waits, data in DTCM.
EOF
}

case "${1:-}" in
-h | --help)
    usage
    exit 0
    ;;
esac
build=${BUILD:-build}
if [ $# -ne 1 ] || [ ! -e "$1/dhry_1.c" ] || [ ! -e "$1/dhry_2.c" ] || [ ! -e "$1/dhry.h" ]; then
    usage >&2
    exit 2
fi
sources=$(cd "$1" && pwd)
test=$(cd "$build/tests/cycles" 2>/dev/null && pwd)/program_scoreboard_test
for needed in "$test" "$build/spinnsim"; do
    if [ ! -x "$needed" ]; then
        echo "dhrystone.sh: $needed is missing: build first" >&2
        exit 2
    fi
done
if ! command -v arm-none-eabi-gcc >/dev/null 2>&1; then
    echo "dhrystone.sh: arm-none-eabi-gcc is not installed" >&2
    exit 2
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
start=$(cd "$(dirname "$0")/.." && pwd)/workloads/micro/flat_start.S

# What the benchmark asks of a library, without output; and whether it has come to the right results.
cat >"$folder/around.c" <<'EOF'
extern int Int_Glob, Bool_Glob, Arr_1_Glob[50], Arr_2_Glob[50][50];
extern char Ch_1_Glob, Ch_2_Glob;
int dhrystone(void);
__attribute__((noinline)) void region_begin(void) { __asm__ volatile(""); }
__attribute__((noinline)) void region_end(void) { __asm__ volatile(""); }
long time(long *unused)
{
    static int begun;
    begun ? region_end() : region_begin();
    return begun++ ? 1000 : 0;
}
int scanf(const char *format, int *runs) { return *runs = RUNS, 1; }
int printf(const char *format, ...) { return 0; }
int puts(const char *text) { return 0; }
int putchar(int c) { return c; }
void *malloc(unsigned bytes)
{
    static unsigned heap[64];
    static unsigned used;
    void *at = &heap[used];
    used += (bytes + 3) / 4;
    return at;
}
int main(void)
{
    dhrystone();
    return !(Int_Glob == 5 && Bool_Glob == 1 && Ch_1_Glob == 'A' && Ch_2_Glob == 'B' && Arr_1_Glob[8] == 7 &&
             Arr_2_Glob[8][7] == RUNS + 10);
}
EOF
# The simplest library functions that do, a byte at a time.
cat >"$folder/bytes.c" <<'EOF'
char *strcpy(char *to, const char *from)
{
    char *start = to;
    while ((*to++ = *from++) != 0) {
    }
    return start;
}
int strcmp(const char *a, const char *b)
{
    while (*a != 0 && *a == *b) {
        a++;
        b++;
    }
    return *(const unsigned char *)a - *(const unsigned char *)b;
}
void *memcpy(void *to, const void *from, unsigned bytes)
{
    char *out = to;
    const char *in = from;
    while (bytes-- != 0) {
        *out++ = *in++;
    }
    return to;
}
EOF
cat >"$folder/tcm.ld" <<'EOF'
ENTRY(_start)
MEMORY { ITCM (rx) : ORIGIN = 0x100, LENGTH = 0x7f00
         DTCM (rw) : ORIGIN = 0x400000, LENGTH = 0x10000 }
PHDRS { code PT_LOAD FLAGS(5); data PT_LOAD FLAGS(6); }
SECTIONS {
    .text : { KEEP(*(.start)) *(.text .text.*) } > ITCM : code
    .data : { *(.rodata .rodata.* .data .data.*) } > DTCM : data
    .bss (NOLOAD) : { *(.bss .bss.* COMMON) . = ALIGN(8); } > DTCM : data
    __stack_top = 0x410000;
    /DISCARD/ : { *(.ARM.exidx* .ARM.extab* .note*) }
}
EOF

# run RUNS ELF OPTIONS...: compiles, and prints "flat INSTRUCTIONS CYCLES" and "tcm ..." of all runs.
run() {
    runs=$1
    shift
    for source in "$sources/dhry_1.c" "$sources/dhry_2.c" "$folder/around.c"; do
        # shellcheck disable=SC2086
        arm-none-eabi-gcc -mcpu=arm968e-s -marm -std=gnu89 -w -DTIME -DRUNS="$runs" $([ "${source##*/}" = around.c ] && echo -O2 -fno-builtin ||
            echo "$options -Dmain=dhrystone") -c "$source" -o "$folder/${source##*/}.o"
    done
    library=-lc
    case $options in
    *no-builtin*)
        arm-none-eabi-gcc -mcpu=arm968e-s -marm -O2 -fno-builtin -fno-tree-loop-distribute-patterns -w -c "$folder/bytes.c" -o "$folder/bytes.o"
        library=$folder/bytes.o
        ;;
    esac
    arm-none-eabi-gcc -mcpu=arm968e-s -marm -nostartfiles -nostdlib -T "$folder/tcm.ld" "$start" "$folder"/*.c.o "$library" -lgcc \
        -o "$folder/dhrystone.elf"
    if ! SPINNSIM_PROGRAM=$folder/dhrystone.elf SPINNSIM_FROM=region_begin SPINNSIM_TO=region_end \
        "$test" --gtest_filter='*NamedProgram.*' >"$folder/log" 2>&1; then
        cat "$folder/log" >&2
        exit 1
    fi
    awk '$1 == "flat" || $1 == "tcm" { printf "%s %s ", $2, $4 }' "$folder/log"
}

echo "Dhrystone 2.1, ARM state, $(arm-none-eabi-gcc --version | head -n 1); a run, the scoreboard's cycles and those of both tiers the same:"
printf '%-44s %12s %8s %8s %14s\n' options instructions flat TCM "DMIPS/MHz (TCM)"
for options in "-O3" "-O2" "-O2 -fno-inline" "-Os" "-O3 -fno-builtin" "-O2 -fno-inline -fno-builtin" "-O0"; do
    few=$(run 100)
    many=$(run 200)
    echo "$few $many" | awk -v options="$options" '{
        printf "%-44s %12.2f %8.2f %8.2f %14.3f\n", options, ($5 - $1) / 100, ($6 - $2) / 100, ($8 - $4) / 100,
            1e6 / 1757 / (($8 - $4) / 100) }'
done
cat <<EOF
(-fno-builtin: strcpy and strcmp go a byte at a time; otherwise they are those of the C library, or the compiler's own copies.)
Published: 517 cycles (1.1 DMIPS/MHz; the figure for SpiNNaker's ARM968), 820 cycles (measured on a chip, a compiler of 2016).
EOF
