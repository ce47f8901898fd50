# measure.sh - sourced by other scripts: measures the host cost of runs.  These functions write into the folder $folder of the script.

# can_count EVENT: whether perf can count it on this host.
can_count() {
    command -v perf >/dev/null 2>&1 && perf stat -x, -e "$1" -o "$folder/try" true >/dev/null 2>&1 &&
        grep -q "^[0-9][0-9]*,[^,]*,$1" "$folder/try"
}

# counted EVENT: prints its count from the output of `perf stat -x, -o $folder/counts`.
counted() {
    awk -F, -v event="$1" '$3 == event { print $1 }' "$folder/counts"
}

# under_cachegrind COMMAND...: runs it under valgrind without following children; writes its instructions to $folder/counts, and those of each function to
# $folder/profile.
under_cachegrind() {
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file="$folder/profile" --log-file="$folder/counts" "$@"
}

# counted_by_cachegrind: prints the instructions of the last run under cachegrind.
counted_by_cachegrind() {
    sed -n 's/,//g; s/.*I *refs: *//p' "$folder/counts"
}

# children_seconds: prints the user seconds of the children that this shell (or subshell) has waited for.
children_seconds() {
    # The second line of `times` is for the children: user, then system.  It goes through a file, as in a pipe `times` would run in a subshell.
    times >"$folder/times"
    sed -n 2p "$folder/times" | awk '{ split($1, part, /[ms]/); print part[1] * 60 + part[2] }'
}

# median FILE: prints the median of its numbers, one per line; nothing if the file is empty or missing.
median() {
    [ ! -s "$1" ] || sort -g "$1" | awk '{ value[NR] = $1 } END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'
}
