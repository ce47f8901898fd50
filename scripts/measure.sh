# measure.sh - for scripts to source: what runs cost the host.  $folder is a folder of the script's, which these functions write into.

# can_count EVENT: does perf count it here?
can_count() {
    command -v perf >/dev/null 2>&1 && perf stat -x, -e "$1" -o "$folder/try" true >/dev/null 2>&1 &&
        grep -q "^[0-9][0-9]*,[^,]*,$1" "$folder/try"
}

# counted EVENT: what `perf stat -x, -o $folder/counts` has written of it.
counted() {
    awk -F, -v event="$1" '$3 == event { print $1 }' "$folder/counts"
}

# under_cachegrind COMMAND...: runs it under valgrind, and children are not followed; its instructions are then in $folder/counts.
under_cachegrind() {
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --log-file="$folder/counts" "$@"
}

# counted_by_cachegrind: the instructions of the last such run.
counted_by_cachegrind() {
    sed -n 's/,//g; s/.*I *refs: *//p' "$folder/counts"
}

# children_seconds: user seconds of what this shell has run and waited for; in a subshell, of what that has.
children_seconds() {
    # The second line of `times` is the children's: user, then system.  To a file, as a pipe would make `times` another shell's.
    times >"$folder/times"
    sed -n 2p "$folder/times" | awk '{ split($1, part, /[ms]/); print part[1] * 60 + part[2] }'
}

# median FILE: of its numbers, one a line; nothing of an empty file, or of none.
median() {
    [ ! -s "$1" ] || sort -g "$1" | awk '{ value[NR] = $1 } END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'
}
