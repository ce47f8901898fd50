# quietly.sh - for scripts to source: quietly COMMAND... shows what a long step prints on a terminal only; elsewhere its end, when it fails.
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
