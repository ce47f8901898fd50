#!/bin/sh
# Makes every number of RESULTS.md and docs/results again, from this repository and MNIST, in parts, and compares each with what is recorded:
# tables of modelled machines are the same to the byte on every computer with the same guest compiler; baselines are this computer's and are printed beside.
# A part that is done is not done again: after a stop the same command goes on.
set -eu
. "$(dirname -- "$0")/../checkout.sh"

# Name, kind, minutes on two idle cores of a 2020s server, tables that are compared, what it makes.  Kinds: full (every instruction executed), sampled (a
# part of an epoch's updates executed, the rest estimated), host (trainings in the machine's integers on this computer), measured (this computer's time).
parts() {
    cat <<'EOF'
goldens full 1 - exact counts of the goldens
pages full 4 - pages whose runs are short: inference, kernels, validation, one neuron on each core
exchange full 3 exchange.csv sums over the 48 chips
questions sampled 20 questions/*.csv docs/results/questions.md
answer sampled 30 cells.csv,counts.csv each size of machine and network
board_training full 60 board_training.csv,board_counts.csv an epoch of each network on a board
boosted full 40 boosted_stages.csv,boosted_votes.csv,boosted_chip_stages.csv Boosted LeNet-4 on a board, and on one chip
host_training host 10 host_training.csv,host_seeds.csv,host_curves.csv accuracies by batch and seed
search host 20 search.csv what each recipe of the grid learns from few images
needed host 90 needed.csv images to 95, 97 and 98 %, by recipe
baselines measured 10 - this computer as comparator
batches measured 3 - this computer in other batches
EOF
}

usage() {
    cat <<EOF
usage: scripts/study/reproduce.sh [--list] [--out DIR] [--data DIR] [PART...]

  --list      the parts, what they take, and which are done
  --out DIR   where the tables that are made lie, and what says which parts are done (default: out/reproduce); remove it to begin anew
  --data DIR  where MNIST lies (else \$SPINNSIM_DATA and the other places)
  PART...     only these (default: all)
The program is \${BUILD:-build}/spinnsim, which is built first if it is not there.  Exit status 1 when a table differs.
EOF
}

out=$PWD/out/reproduce
list=no
wanted=
while [ $# -gt 0 ]; do
    case $1 in
    --list) list=yes ;;
    --out | --data)
        if [ $# -lt 2 ]; then
            usage >&2
            exit 2
        fi
        if [ "$1" = --out ]; then
            out=$(absolute "$2")
        else
            SPINNSIM_DATA=$(absolute "$2")
            export SPINNSIM_DATA
        fi
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        if ! parts | cut -d " " -f 1 | grep -qxF -- "$1"; then
            echo "reproduce.sh: $1 is no part; the parts are: $(parts | cut -d ' ' -f 1 | tr '\n' ' ')" >&2
            exit 2
        fi
        wanted="$wanted $1"
        ;;
    esac
    shift
done
wanted=${wanted:-$(parts | cut -d ' ' -f 1 | tr '\n' ' ')}

# minutes_left: of the wanted parts that are not done, as the table says.
minutes_left() {
    parts | while read -r name _ minutes _; do
        case " $wanted " in
        *" $name "*) [ -e "$out/$name.done" ] || echo "$minutes" ;;
        esac
    done | awk '{ sum += $1 } END { print sum + 0 }'
}

if [ "$list" = yes ]; then
    parts | while read -r name kind minutes _ text; do
        printf '%-15s %-9s %4d min  %-70s %s\n' "$name" "$kind" "$minutes" "$text" "$(cat "$out/$name.done" 2>/dev/null || echo "not done")"
    done
    exit
fi

program=${BUILD:-build}/spinnsim
if [ ! -x "$program" ]; then
    scripts/setup.sh
    cmake -S . -B "${BUILD:-build}" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSPINN_BUILD_TESTS=OFF >/dev/null
    cmake --build "${BUILD:-build}"
fi
mkdir -p "$out/recorded/questions" "$out/runs"

# boost FILE NAME: a run's stages and votes; the votes are the same on any machine.
boost() {
    "$program" run "$1" --threads "$(nproc)" --progress none --force --out "$out/runs/$2" >/dev/null && cp "$out/runs/$2/stages.csv" "$RECORDED/$2_stages.csv" &&
        cp "$out/runs/$2/votes.csv" "$RECORDED/$2_votes.csv" && cmp "$RECORDED/$2_votes.csv" "$RECORDED/boosted_votes.csv"
}

# make PART: writes its tables below $out/recorded.
make() {
    export RECORDED="$out/recorded" JOBS="${JOBS:-$(nproc)}"
    case $1 in
    goldens) "$program" regress ;;
    pages) scripts/update_results.sh --check ;;
    exchange) scripts/study/record_exchange.sh ;;
    questions) OUT="$out/runs/questions" scripts/study/record_questions.sh ;;
    answer) OUT="$out/runs/answer" scripts/study/record_answer.sh ;;
    board_training) scripts/study/record_board_training.sh ;;
    boosted)
        boost configs/study/boosted_lenet4_board.yaml boosted && boost configs/study/boosted_lenet4_chip.yaml boosted_chip &&
            rm "$RECORDED/boosted_chip_votes.csv" # compared with the board's in boost()
        ;;
    host_training) scripts/study/record_host_training.sh ;;
    search) KEPT="$out/runs/needed" scripts/study/record_search.sh ;;
    needed) KEPT="$out/runs/needed" scripts/study/record_needed.sh ;;
    baselines)
        scripts/study/record_baselines.sh && cat "$RECORDED/baselines.csv"
        ;;
    batches)
        scripts/study/record_batches.sh && cat "$RECORDED/batches.csv"
        ;;
    esac
}

# comparable FILE: without the columns that say what a run has cost this computer.
comparable() {
    awk -F, -v OFS=, '
        NR == 1 { for (i = 1; i <= NF; i++) skip[i] = $i == "wall_seconds" || $i == "threads" }
        { row = ""; for (i = 1; i <= NF; i++) if (!skip[i]) row = row OFS $i; print row }' "$1"
}

# compared PART TABLES: prints what differs, and what only one side has.
compared() {
    [ "$2" != - ] || return 0
    for pattern in $(echo "$2" | tr ',' ' '); do
        for name in $(for folder in "$out/recorded" docs/results/recorded; do (cd -- "$folder" && ls -d -- $pattern 2>/dev/null); done | sort -u); do
            comparable "$out/recorded/$name" >"$out/made.txt" 2>/dev/null && comparable "docs/results/recorded/$name" >"$out/recorded.txt" 2>/dev/null &&
                cmp -s "$out/made.txt" "$out/recorded.txt" || echo "$name"
        done
    done
}

status=0
for name in $wanted; do
    if [ -e "$out/$name.done" ]; then
        echo "$name: $(cat "$out/$name.done")"
        continue
    fi
    echo "$name: about $(parts | awk -v name="$name" '$1 == name { print $3 }') minutes; all that is left: about $(minutes_left) minutes on two idle cores"
    began=$(date +%s)
    if ! make "$name" >"$out/$name.log" 2>&1; then
        echo "$name: failed; $out/$name.log says why:"
        tail -n 5 "$out/$name.log"
        status=1
        continue
    fi
    differs=$(compared "$name" "$(parts | awk -v name="$name" '$1 == name { print $4 }')")
    took="$((($(date +%s) - began + 30) / 60)) min"
    if [ -n "$differs" ]; then
        echo "$name: $took, differs from what is recorded: $(echo "$differs" | tr '\n' ' ')"
        status=1
    else
        case $name in
        baselines | batches) echo "$took, measured here: $out/recorded/$name.csv" >"$out/$name.done" ;;
        *) echo "$took, the same" >"$out/$name.done" ;;
        esac
        echo "$name: $(cat "$out/$name.done")"
    fi
done
exit $status
