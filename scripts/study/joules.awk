# joules.awk - joules of an epoch by term, from counts and coefficients, as configs/energy/README.md defines them, without a line of the simulator:
#     awk -F, -f joules.awk configs/energy/spinnaker1.yaml counts.csv [counts.csv...]
# counts.csv has rows sweep,cell,counter,count: counters, and time_ps, chips, boards.  Of the board profiles `profile` (default: snab) is charged.
# Prints cell,term,low,default,high [J]; with -v coefficients=1 and no counts coefficient,low,default,high [J or W].
function counted(cell, name) {
    if ((cell, name) in count) return count[cell, name]
    print "joules.awk: " cell " has no count of " name > "/dev/stderr"
    exit 1
}
function number(text,   part) { # "0.332 W": in W or J
    split(text, part, " ")
    return part[1] * factor[part[2]]
}
BEGIN {
    factor["W"] = 1; factor["mW"] = 1e-3; factor["J"] = 1; factor["mJ"] = 1e-3; factor["uJ"] = 1e-6; factor["nJ"] = 1e-9; factor["pJ"] = 1e-12
    if (profile == "") profile = "snab"
    ends = split("low value high", end, " ")
}
FNR == NR { # the coefficients
    if ($0 ~ /^  [a-z0-9_]+:/) { name = $0; sub(/^ */, "", name); sub(/:.*/, "", name) }
    if ($0 ~ /^    (value|low|high|per):/) {
        key = $0; sub(/^ */, "", key)
        text = key; sub(/^[a-z]*: */, "", text); sub(/ *#.*/, "", text)
        sub(/:.*/, "", key)
        if (key == "per") {
            gsub(/[\[\],]/, " ", text)
            per[name] = text
            if (name !~ /^board_/ || name == "board_" profile) term[++terms] = name
        } else value[name, key] = number(text)
    }
    next
}
FNR == 1 { next }
{
    if (!($2 in seen)) { seen[$2] = 1; cell[++cells] = $2 }
    count[$2, $3] = $4
}
END {
    if (coefficients) {
        print "coefficient,low,default,high"
        for (t = 1; t <= terms; t++) printf "%s,%.15g,%.15g,%.15g\n", term[t], value[term[t], "low"], value[term[t], "value"], value[term[t], "high"]
        exit
    }
    print "cell,term,low,default,high"
    for (c = 1; c <= cells; c++) {
        for (t = 1; t <= terms; t++) {
            sum = 0
            parts = split(per[term[t]], part, " ")
            for (p = 1; p <= parts; p++) {
                if (part[p] == "chip") sum += counted(cell[c], "time_ps") * 1e-12 * counted(cell[c], "chips")
                else if (part[p] == "board") sum += counted(cell[c], "time_ps") * 1e-12 * counted(cell[c], "boards")
                else sum += counted(cell[c], part[p])
            }
            printf "%s,%s", cell[c], term[t]
            for (e = 1; e <= ends; e++) printf ",%.15g", sum * value[term[t], end[e]]
            print ""
        }
    }
}
