#!/bin/sh
# Cycles per run of Dhrystone 2.1 in both tiers of spinnsim elf and by the scoreboard (the three must be equal), compared with published figures.
set -eu

usage() {
    cat <<EOF
usage: scripts/dhrystone.sh FOLDER
       scripts/dhrystone.sh --published FOLDER

FOLDER has dhry.h, dhry_1.c and dhry_2.c of Dhrystone 2.1 (C), which are not part of this project.  They are compiled by
arm-none-eabi-gcc in several ways; printing is left out, the final values are checked.  BUILD: the build folder (default build), with
ProgramScoreboard of cycles_test.  "flat": one memory without waits; "TCM": code in ITCM, where reading a literal waits, data in DTCM.

--published: these files are those that were measured on a chip in 2016 (github.com/indarsugiarto/SpiNN-misc-Tests, t1-dhrystone/with_gcc),
another text with string functions of its own.  They are compiled as they were then; exit status 5 when a run does not take the published
820 cycles to 2 %.
EOF
}

case "${1:-}" in
-h | --help)
    usage
    exit 0
    ;;
esac
build=${BUILD:-build}
published=no
if [ "${1:-}" = --published ]; then
    published=yes
    shift
fi
if [ $# -ne 1 ] || [ ! -e "$1/dhry_1.c" ] || [ ! -e "$1/dhry_2.c" ] || [ ! -e "$1/dhry.h" ]; then
    usage >&2
    exit 2
fi
unset CDPATH
sources=$(cd -- "$1" && pwd)
test=$(cd -- "$build/tests/cycles" 2>/dev/null && pwd)/cycles_test
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
root=$(cd -- "$(dirname -- "$0")/.." && pwd)
start=$root/workloads/micro/flat_start.S
around=$root/scripts/bench_core/dhrystone_around.c

# Minimal library functions that work byte by byte.
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

# SpiNNaker's own script has constants beside the code.
sed 's/[*](.text .text.[*])/*(.text .text.* .rodata .rodata.*)/' "$folder/tcm.ld" >"$folder/board.ld"
script=tcm.ld

# measure OBJECT...: links them with the linker script $script, and prints "INSTRUCTIONS CYCLES" of the region in flat memory, and in TCMs.
measure() {
    arm-none-eabi-gcc -mcpu=arm968e-s -marm -nostartfiles -nostdlib -T "$folder/$script" "$start" "$@" -lgcc -o "$folder/dhrystone.elf"
    if ! SPINNSIM_PROGRAM=$folder/dhrystone.elf SPINNSIM_FROM=region_begin SPINNSIM_TO=region_end \
        "$test" --gtest_filter='*NamedProgram.*' >"$folder/log" 2>&1; then
        cat "$folder/log" >&2
        exit 1
    fi
    awk '$1 == "flat" || $1 == "tcm" { printf "%s %s ", $2, $4 }' "$folder/log"
}

# run RUNS: compiles with $options, and measures all runs.
run() {
    runs=$1
    shift
    for source in "$sources/dhry_1.c" "$sources/dhry_2.c" "$around"; do
        # shellcheck disable=SC2086
        arm-none-eabi-gcc -mcpu=arm968e-s -marm -std=gnu89 -w -DTIME -DRUNS="$runs" $([ "$source" = "$around" ] && echo -O2 -fno-builtin ||
            echo "$options -Dmain=dhrystone") -c "$source" -o "$folder/${source##*/}.o"
    done
    library=-lc
    case $options in
    *no-builtin*)
        arm-none-eabi-gcc -mcpu=arm968e-s -marm -O2 -fno-builtin -fno-tree-loop-distribute-patterns -w -c "$folder/bytes.c" -o "$folder/bytes.o"
        library=$folder/bytes.o
        ;;
    esac
    measure "$folder"/*.c.o "$library"
}

# Replaces the functions of SpiNNaker's libraries that the published program calls.  It reads the time at the begin and end of its runs.
write_board() {
    mkdir "$folder/board"
    cat >"$folder/board/spin1_api.h" <<'EOF'
typedef unsigned uint;
enum { IO_STD };
struct board_time { long unix_time; };
struct board_time *board_time(void);
#define sv (board_time())
void io_printf(int stream, const char *format, ...);
void *sark_alloc(uint count, uint bytes);
void sark_str_cpy(char *to, const char *from);
EOF
    cat >"$folder/board/board.c" <<'EOF'
#include "spin1_api.h"
extern int Int_Glob, Bool_Glob, Arr_1_Glob[50], Arr_2_Glob[50][50];
extern char Ch_1_Glob, Ch_2_Glob;
void c_main(void);
__attribute__((noinline)) void region_begin(void) { __asm__ volatile(""); }
__attribute__((noinline)) void region_end(void) { __asm__ volatile(""); }
struct board_time *board_time(void)
{
    static struct board_time now;
    now.unix_time == 0 ? region_begin() : region_end();
    now.unix_time += 1000;
    return &now;
}
void io_printf(int stream, const char *format, ...) {}
void *sark_alloc(uint count, uint bytes)
{
    static uint heap[64];
    static uint used;
    void *at = &heap[used];
    used += (count * bytes + 3) / 4;
    return at;
}
void sark_str_cpy(char *to, const char *from) /* a byte at a time, too */
{
    char c;
    do {
        c = *from++;
        *to++ = c;
    } while (c != 0);
}
int main(void)
{
    c_main();
    return !(Int_Glob == 5 && Bool_Glob == 1 && Ch_1_Glob == 'A' && Ch_2_Glob == 'B' && Arr_1_Glob[8] == 7 &&
             Arr_2_Glob[8][7] == RUNS + 10);
}
EOF
}

# run_published RUNS: the same as run for the published program, with its own options.
run_published() {
    sed "s/^\(#define *number_of_runs_through_the_benchmark\).*/\1 $1/" "$sources/dhry.h" >"$folder/board/dhry.h"
    cp "$sources/dhry_1.c" "$sources/dhry_2.c" "$folder/board"
    for source in dhry_1 dhry_2; do
        arm-none-eabi-gcc -c -O3 -Ofast -marm -mthumb-interwork -march=armv5te -std=gnu99 -w -I "$folder/board" "$folder/board/$source.c" \
            -o "$folder/board/$source.o"
    done
    arm-none-eabi-gcc -c -mcpu=arm968e-s -marm -O2 -fno-builtin -w -DRUNS="$1" "$folder/board/board.c" -o "$folder/board/board.o"
    measure "$folder"/board/*.o
}

if [ "$published" = yes ]; then
    write_board
    script=board.ld
    few=$(run_published 100)
    many=$(run_published 200)
    echo "$few $many" | awk -v measured=820 -v percent=2 '{
        cycles = ($8 - $4) / 100
        off = 100 * (cycles / measured - 1)
        printf "the published program, -Ofast: %.1f instructions, %.1f cycles a run; published: %d cycles; %+.1f %%\n", ($5 - $1) / 100, \
            cycles, measured, off
        exit off > percent || off < -percent ? 5 : 0 }'
    exit
fi

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
Published: 517 cycles (1.1 DMIPS/MHz; the figure for SpiNNaker's ARM968).  The 820 cycles that were measured on a chip are another program's:
see --published.
EOF
