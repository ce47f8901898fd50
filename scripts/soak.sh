#!/bin/sh
# Runs sweeps, trainings and what compiles for them in one cache, kills them again and again, and watches what grows and what is left.
set -eu
. "$(dirname -- "$0")/checkout.sh"

usage() {
    cat <<EOF
usage: scripts/soak.sh [--out FOLDER] [--workers N] [--seed N] [--interval SECONDS] [--patience SECONDS] [--program SPINNSIM] HOURS
       scripts/soak.sh --judge FILE

For so many hours (0.02 will do, too) runs a sweep, a training with checkpoints and a training with native code over and over in one cache
folder, kills three of four at a random moment, brings what was killed to its end, and compares the results with those of runs that were
left alone.  Prints a line for each interval, and at the end what was found.  Exit status: 0 nothing; 1 results differ, something
is left over, or something grew all the time; 2 a wrong option; 77 without ARM programs.

  --out FOLDER        where soak.csv (a row for each interval) and soak.txt (what was found) go; default soak-out
  --workers N         commands at the same time, default 3
  --seed N            of the moments, default 1
  --interval SECONDS  between two looks, default 60
  --patience SECONDS  that compilers have at the end, default 300
  --program SPINNSIM  default build/spinnsim
  --judge FILE        runs nothing: what grew in the soak.csv of an earlier soak

Watched, of all processes that the soak has started, also indirectly: their number, memory (RSS), most open descriptors of one; files and
folders in the making (.part-), files in TMPDIR, files and work folders of the cache.
EOF
}

mistake() {
    echo "soak.sh: $1" >&2
    usage >&2
    exit 2
}

# grown FILE: what is higher in each of the last third of the looks than in each of the first, by a half and a little.
grown() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
             { rows++; for (i = 4; i <= NF; i++) value[rows, i] = $i }
             END {
                 rows-- # the last look is after the end
                 third = int(rows / 3)
                 if (third < 3) exit
                 slack[4] = 10; slack[5] = 300; slack[6] = 20; slack[7] = 10; slack[8] = 10; slack[9] = 300; slack[10] = 10
                 for (i = 4; i in name; i++) {
                     most = 0
                     least = -1
                     for (r = 1; r <= third; r++) if (value[r, i] > most) most = value[r, i]
                     for (r = rows - third + 1; r <= rows; r++) if (least < 0 || value[r, i] < least) least = value[r, i]
                     if (least > 1.5 * most + slack[i]) print name[i] " grew from at most " most " to at least " least
                 }
             }' "$1"
}

out=soak-out
workers=3
seed=1
interval=60
patience=300
program=build/spinnsim
hours=
judged=
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --out | --workers | --seed | --interval | --patience | --program | --judge)
        [ $# -ge 2 ] || mistake "$1 needs a value"
        case $1 in
        --out) out=$2 ;;
        --workers) workers=$2 ;;
        --seed) seed=$2 ;;
        --interval) interval=$2 ;;
        --patience) patience=$2 ;;
        --program) program=$(absolute "$2") ;;
        --judge) judged=$(absolute "$2") ;;
        esac
        shift
        ;;
    -*) mistake "unknown option $1" ;;
    *)
        [ -z "$hours" ] || mistake "one number of hours"
        hours=$1
        ;;
    esac
    shift
done
number() { # number NAME VALUE: a positive one
    awk -v "value=$2" 'BEGIN { exit !(value ~ /^[0-9]*[.]?[0-9]+$/ && value > 0) }' || mistake "$1: $2 is no number above 0"
}
whole() {
    case $2 in
    '' | *[!0-9]* | 0) mistake "$1: $2 is no whole number above 0" ;;
    esac
}
if [ -n "$judged" ]; then
    [ -f "$judged" ] || mistake "$judged is no file"
    growth=$(grown "$judged")
    [ -n "$growth" ] || exit 0
    echo "$growth"
    exit 1
fi
[ -n "$hours" ] || mistake "how many hours?"
number HOURS "$hours"
number --interval "$interval"
whole --workers "$workers"
whole --seed "$seed"
whole --patience "$patience"
[ -x "$program" ] || mistake "$program is not there; build it first, or name it with --program"
program=$(cd "$(dirname -- "$program")" && pwd)/${program##*/}
out=$(absolute "$out")
mkdir -p "$out"

work=$(mktemp -d "${TMPDIR:-/tmp}/spinnsim-soak.XXXXXX")
mkdir "$work/cache" "$work/tmp" "$work/counts"
chmod 700 "$work/cache"
# Inherited by all that is started here; so the watcher finds them, whoever their parent is by then.
mark="SPINNSIM_SOAK=$work"

ours() { # ids of the processes with the mark
    grep -lzxF "$mark" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\n' || true
}

stop() {
    touch "$work/stop"
    for id in $(ours); do
        kill -KILL "$id" 2>/dev/null || true
    done
    wait
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

cat >"$work/training.yaml" <<EOF
include: [boards/one_chip.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]
name: soak
mode: train
data: {set: synthetic, train_images: 90, test_images: 20}
network: {name: fc16}
mapping: {kind: replica_per_chip, cores_per_image: 4, cores_per_chip: 16, chips: 1}
train: {epochs: 4, global_batch: 48}
record: {checkpoint_every_epochs: 1}
run: {simulated_time_limit: 2 s}
EOF
experiment=$PWD/configs/experiments/hello.yaml

command_of() { # command_of KIND FOLDER: in "$@" of start
    case $1 in
    sweep)
        set -- sweep "$experiment" --axis 'clock.cpu=100 MHz,150 MHz,200 MHz' --jobs 2 --tier interpreter --progress none --out "$2"
        ;;
    training | native)
        kind=$1
        folder=$2
        set -- run "$work/training.yaml" --progress none --force --out "$folder"
        [ "$kind" = native ] || set -- "$@" --tier interpreter
        [ ! -e "$folder/checkpoint.npz" ] || set -- "$@" --resume "$folder"
        ;;
    esac
    # of a new session: so a kill reaches what it has started, and nothing else
    exec env "$mark" "TMPDIR=$work/tmp" "XDG_CACHE_HOME=$work/cache" setsid "$program" "$@" >"$work/$worker.log" 2>&1
}

# What of the results is the same in every run.
result_of() {
    case $1 in
    sweep) cat "$2"/*-sweep.csv ;;
    *) grep '"stats_hash"' "$2/summary.json" && cksum <"$2/counters.csv" && cksum <"$2/learning.csv" ;;
    esac 2>/dev/null
}

count() { # count WHAT: one more
    echo >>"$work/counts/$1.$worker"
}
found() {
    echo "$1" >>"$work/found"
}

work_on() { # a worker: KIND after KIND until the end
    state=$((seed * 7919 + worker * 104729))
    random() { # random BELOW: in $drawn
        state=$(((state * 1103515245 + 12345) % 2147483648))
        drawn=$((state / 65536 % $1))
    }
    while [ ! -e "$work/stop" ]; do
        random 3
        case $drawn in
        0) kind=sweep ;;
        1) kind=training ;;
        *) kind=native ;;
        esac
        folder=$work/$worker-$kind
        rm -rf "$folder"
        random 8 # compilers have work again
        [ "$drawn" -ne 0 ] || rm -f "$work"/cache/spinnsim/native/*.so "$work"/cache/spinnsim/native/*.made
        random 4
        if [ "$drawn" -ne 0 ]; then
            (command_of $kind "$folder") &
            child=$!
            random 800
            sleep "$(awk "BEGIN { print $drawn / 1000 }")"
            random 2
            to=$child
            [ "$drawn" -eq 0 ] || to=-$child
            kill -KILL -- "$to" 2>/dev/null || true
            wait "$child" 2>/dev/null || true
            count kills
        fi
        [ ! -e "$work/stop" ] || break
        if ! (command_of $kind "$folder"); then
            [ -e "$work/stop" ] || found "a $kind failed: $(tail -n 1 "$work/$worker.log")"
        elif [ "$(result_of $kind "$folder")" != "$(cat "$work/whole.$kind")" ]; then
            found "a $kind after a kill has other results"
        else
            count runs
        fi
    done
}

# The results of what is left alone.
worker=whole
for kind in sweep training native; do
    if ! (command_of $kind "$work/whole-$kind"); then
        if grep -q 'arm-none-eabi\|no arm\|was not built' "$work/$worker.log"; then
            echo "soak.sh: no ARM programs were built" >&2
            exit 77
        fi
        cat "$work/$worker.log" >&2
        exit 1
    fi
    result_of $kind "$work/whole-$kind" >"$work/whole.$kind"
done

lines_in() { # lines_in FILE...: of those that are there
    cat "$@" 2>/dev/null | wc -l
}
names() { # names WHAT... : how many find(1) finds
    find "$@" 2>/dev/null | wc -l
}

columns='seconds,runs,kills,processes,rss_mib,most_descriptors,parts,temporaries,cache_files,cache_work_folders'
look() { # a row of soak.csv
    processes=0
    kib=0
    most=0
    for id in $(ours); do
        rss=$(awk '/^VmRSS/ { print $2 }' "/proc/$id/status" 2>/dev/null || true)
        [ -n "$rss" ] || continue # it has ended
        descriptors=$(names "/proc/$id/fd" -mindepth 1)
        processes=$((processes + 1))
        kib=$((kib + rss))
        [ "$descriptors" -le "$most" ] || most=$descriptors
    done
    row=$(($(date +%s) - begun)),$(lines_in "$work"/counts/runs.*),$(lines_in "$work"/counts/kills.*)
    row=$row,$processes,$((kib / 1024)),$most,$(names "$work" -path "$work/cache" -prune -o -name '*.part-*' -print)
    row=$row,$(names "$work/tmp" -mindepth 1),$(names "$work/cache" -type f),$(names "$work/cache/spinnsim/native" -path '*/keeper-*/*' ! -name closed ! -name .lock)
    echo "$row" >>"$out/soak.csv"
}

begun=$(date +%s)
seconds=$(awk "BEGIN { print int($hours * 3600 + 0.999) }")
echo "$columns" >"$out/soak.csv"
: >"$work/found"
workers_of=
worker=0
while [ $worker -lt "$workers" ]; do
    worker=$((worker + 1))
    work_on &
    workers_of="$workers_of $!"
done
while [ $(($(date +%s) - begun)) -lt "$seconds" ]; do
    left=$((seconds - ($(date +%s) - begun)))
    sleep "$(awk "BEGIN { print $left < $interval ? $left : $interval }")"
    look
    echo "$row" | awk -F, '{ printf "%6.1f min: %d runs, %d kills; %d processes, %d MiB, %d descriptors; %d parts, %d temporaries; cache: %d files, %d in work\n",
                             $1 / 60, $2, $3, $4, $5, $6, $7, $8, $9, $10 }'
done

# Waits until what compiles for later runs has ended.
settle() {
    waited=0
    while [ -n "$(ours)" ] && [ $waited -lt "$patience" ]; do
        sleep 1
        waited=$((waited + 1))
    done
}

touch "$work/stop"
# shellcheck disable=SC2086 # a list
wait $workers_of || true
settle
worker=last # one more run into each folder sweeps what was killed there
for folder in "$work"/[0-9]*-*; do
    [ ! -d "$folder" ] || (command_of "${folder##*-}" "$folder") || found "the last ${folder##*-} failed"
done
settle
for id in $(ours); do
    found "a process is left: $(tr '\0' ' ' <"/proc/$id/cmdline" 2>/dev/null | cut -c 1-100)"
done
look
find "$work" -name '*.part-*' >"$work/left"
find "$work/tmp" -mindepth 1 >>"$work/left"
find "$work/cache/spinnsim/native" -path '*/keeper-*/*' ! -name closed ! -name .lock >>"$work/left" 2>/dev/null || true
while read -r name; do
    found "left over: ${name#"$work"/}"
done <"$work/left"

grown "$out/soak.csv" >>"$work/found"
runs=$(lines_in "$work"/counts/runs.*)
kills=$(lines_in "$work"/counts/kills.*)
{
    echo "soak.sh: $hours hours, seed $seed, $workers workers: $runs runs, $kills kills, $(lines_in "$work/found") findings"
    sort "$work/found" | uniq -c | sed -n '1,100p; 101s/.*/   and others/p'
} | tee "$out/soak.txt"
[ ! -s "$work/found" ]
