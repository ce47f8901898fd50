# quietly.sh - sourced by other scripts: quietly COMMAND... shows the output of a long step on a terminal only; elsewhere its last lines, if it fails.
quietly() {
    if [ -t 1 ]; then
        "$@"
        return
    fi
    log=$(mktemp)
    if ! "$@" >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
}
