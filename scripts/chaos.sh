#!/bin/sh
# Executes random guest programs in several ways each and reports every program whose results differ.
set -eu
. "$(dirname -- "$0")/checkout.sh"
. scripts/quietly.sh

usage() {
    cat <<EOF
usage: scripts/chaos.sh [--seed FIRST] [--jobs JOBS] [--ways WAYS] [--keep FOLDER] [--shrink] PROGRAMS

Builds tests/chaos and executes so many random programs, from number FIRST on, each in one reference way and WAYS others
(tests/chaos/README.md).  A program that differs is reported with what differs first, when, and the command that repeats it.
Exit status: 0 none differs, 1 some do, 2 a mistake in the options, 77 no compiler for the ARM.

  --seed FIRST     number of the first program (default 0); a program follows from its number
  --jobs JOBS      programs at a time (default 1)
  --ways WAYS      ways for each program (default 3)
  --keep FOLDER    where reports of programs that differ are kept (default build/chaos)
  --shrink         also reduces a program that differs to fewer cores, rounds and operations
EOF
}

mistake() {
    echo "chaos.sh: $1" >&2
    usage >&2
    exit 2
}

number() {
    case $2 in
    '' | *[!0-9]*) mistake "$1: not a number: '$2'" ;;
    esac
}

seed=0
jobs=1
ways=3
keep=build/chaos
shrink=
programs=
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --shrink) shrink=--shrink ;;
    --seed | --jobs | --ways | --keep)
        [ $# -ge 2 ] || mistake "$1 needs a value"
        [ "$1" = --keep ] || number "$1" "$2"
        case $1 in
        --seed) seed=$2 ;;
        --jobs) jobs=$2 ;;
        --ways) ways=$2 ;;
        --keep) keep=$(absolute "$2") ;;
        esac
        shift
        ;;
    -*) mistake "unknown option $1" ;;
    *)
        [ -z "$programs" ] || mistake "one number of programs, not also '$1'"
        number PROGRAMS "$1"
        programs=$1
        ;;
    esac
    shift
done
[ -n "$programs" ] || mistake "how many programs?"

quietly cmake --preset release
quietly cmake --build build --target chaos -j "$(nproc)"
exec build/tests/chaos/chaos --programs "$programs" --seed "$seed" --jobs "$jobs" --ways "$ways" --keep "$keep" ${shrink:+"$shrink"}
