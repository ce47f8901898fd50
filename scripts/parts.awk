# Shares of host instructions by the part of the simulator that a function is of.  Reads `readelf -sW` of the object files of models, then two output files of
# cachegrind, of the longer and the shorter run: their difference is divided.  Prints six percentages, in the order of PARTS.
# Compilers split functions and name the pieces NAME.part.0 and the like.  Native code has no file and, as the host's loader reads it from memory, no
# names.  A static function whose name several parts have is of none.
BEGIN { PARTS = split("interpreter machine native chip network rest", part, " ") }

function part_of_file(path) {
    if (path ~ /models\/arm968\//) return "interpreter"
    if (path ~ /models\/chip\//) return "chip"
    if (path ~ /models\/network\// || path ~ /\/(fabric|drops|traffic)\.c\.o/) return "network"
    if (path ~ /models\/machine\//) return "machine"
    return "rest"
}

FNR == 1 { files++ }

files == 1 {
    if ($1 == "File:") {
        file = $2
    } else if ($4 == "FUNC") {
        name = part_of_file(file)
        if (($8 in of) && of[$8] != name) name = "rest"
        of[$8] = name
    }
    next
}

/^fn=/ {
    name = substr($0, 4)
    sub(/\..*/, "", name)
    now = name in of ? of[name] : name == "???" || name ~ /^f[0-9]+$/ ? "native" : "rest"
    next
}

/^[0-9]+ / {
    sign = files == 2 ? 1 : -1
    count[now] += sign * $2
    all += sign * $2
}

END {
    for (i = 1; i <= PARTS; i++)
        printf "%s%.1f", i == 1 ? "" : " ", (all > 0 ? 100 * count[part[i]] / all : 0)
    print ""
}
