# build.sh - sourced by bench_core.sh: builds programs from folders of the user as ELF files for semihosting, in ARM and in Thumb state.
# Uses $program (spinnsim), $folder, $made (the output folder), $list, $million and bad().

# add NAME ELF: adds a program to the list of programs to measure.
add() {
    printf '%s\t%s\n' "$1" "$2" >>"$list"
}

# compile NAME ARGUMENT...: compiles with these options and sources to $made/NAME.elf, in $state.
compile() {
    elf=$made/$1.elf
    label=$1
    shift
    flags=-marm
    [ "$state" = arm ] || flags="-mthumb -mthumb-interwork"
    # Debian's compiler comes without a C++ library; programs that do not need one are linked without.
    # shellcheck disable=SC2086
    library=$(arm-none-eabi-gcc -mcpu=arm968e-s $flags -print-file-name=libstdc++.a)
    [ -e "$library" ] || library=
    mkdir -p "${elf%/*}"
    # shellcheck disable=SC2086
    arm-none-eabi-gcc -mcpu=arm968e-s $flags -O2 -w "$@" $library --specs=rdimon.specs -lm -o "$elf" 2>"$folder/err" || {
        cat "$folder/err" >&2
        bad "$label cannot be built"
    }
}

# sized NAME TRIAL COMMAND...: COMMAND SCALE NAME builds a program whose run time is proportional to SCALE.  TRIAL is a scale at which it runs
# long enough to be measured; the final scale is computed from that, for about $million million instructions.
sized() {
    name=$1
    trial=$2
    shift 2
    "$@" "$trial" "$name"
    "$program" elf "$elf" >"$folder/out" 2>"$folder/err" </dev/null || bad "$name: spinnsim elf ends with status $?"
    "$@" "$(awk -v trial="$trial" -v million="$million" \
        '/^instructions/ { scale = int(trial * million * 1e6 / $2); print (scale > 1 ? scale : 1) }' "$folder/err")" "$name"
    add "$name" "$elf"
}

# both COMMAND...: runs COMMAND SUFFIX for each state; SUFFIX is appended to names.
both() {
    for state in arm thumb; do
        suffix=
        [ $state = arm ] || suffix=_thumb
        "$@" "$suffix"
    done
}

# lacks OPTION FOLDER FILE...: stops when one of these is missing.
lacks() {
    option=$1
    where=$2
    shift 2
    for needed in "$@"; do
        [ -e "$where/$needed" ] || bad "$option: $where has no $needed"
    done
}

# Embench, from release 1.0 on: each folder below src is a program.  The name of the scale macro depends on the release.
embench_at() {
    compile "$4" -DWARMUP_HEAT=0 -DGLOBAL_SCALE_FACTOR="$3" -DCPU_MHZ="$3" -I"$1/support" -I"$2" "$2"/*.c "$1/support/main.c" "$1/support/beebsc.c" \
        scripts/bench_core/embench_board.c
}
embench_one() {
    sized "embench/${2##*/}$3" 1 embench_at "$1" "$2"
}
build_embench() {
    lacks --embench "$1" src support/main.c support/beebsc.c
    for source in "$1"/src/*/; do
        both embench_one "$1" "${source%/}"
    done
}

# CoreMark: its five files, and a port of ours.
coremark_at() {
    compile "$3" -DPERFORMANCE_RUN=1 -DITERATIONS="$2" -Iscripts/bench_core/coremark -I"$1" "$1"/core_*.c scripts/bench_core/coremark/core_portme.c
}
coremark_one() {
    sized "coremark$2" 10 coremark_at "$1"
}
build_coremark() {
    lacks --coremark "$1" coremark.h core_main.c
    both coremark_one "$1"
}

# Dhrystone 2.1 in C.
dhrystone_at() {
    compile "$3" -std=gnu89 -DTIME -DRUNS="$2" -Dmain=dhrystone "$1/dhry_1.c" "$1/dhry_2.c" scripts/bench_core/dhrystone_around.c
}
dhrystone_one() {
    sized "dhrystone$2" 1000 dhrystone_at "$1"
}
build_dhrystone() {
    lacks --dhrystone "$1" dhry.h dhry_1.c dhry_2.c
    both dhrystone_one "$1"
}

# A folder of programs, one file each, run at their own length.
program_one() {
    file=${1##*/}
    name=programs/${file%.*}$2
    # The last two have no effect on C programs.
    compile "$name" "$1" -fno-exceptions -fno-rtti
    add "$name" "$elf"
}
build_programs() {
    any=no
    for source in "$1"/*.c "$1"/*.cc "$1"/*.cpp; do
        if [ -e "$source" ]; then
            any=yes
            both program_one "$source"
        fi
    done
    [ $any = yes ] || bad "--programs: $1 has no *.c, *.cc or *.cpp"
}
