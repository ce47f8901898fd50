# table.awk - prints the table of bench_core.sh's measurements.  Input: its lines of CSV.
#     -v part=title | program | summary   the head; the line of one program; the summary of all programs
#     -v ways="cold warm ..."             the columns, in order
#     -v counted=0 | 1                    whether host instructions were counted

function width(way) {
    return length(way) < 6 ? 8 : length(way) + 2
}
function known(value, count, format) {
    return value == "" || count + 0 == 0 ? "-" : sprintf(format, value / count)
}
function mean(sum, number) {
    return exp(sum / number)
}

BEGIN {
    FS = ","
    columns = split(ways, way, " ")
    for (i = 1; i <= columns; i++) {
        all += width(way[i])
    }
}

# program,way,guest_instructions,rounds,user_seconds,host_instructions
{
    if (!($1 in guest)) {
        name[++programs] = $1
    }
    guest[$1] = $3
    seconds[$1, $2] = $5
    host[$1, $2] = $6
}

END {
    if (part == "title") {
        title()
    } else if (part == "program") {
        program(name[1])
    } else {
        summary()
    }
}

function title() {
    printf "%-28s %12s%" all "s", "", "million", "user seconds"
    if (counted) {
        printf "%" all "s", "host instructions for each of the guest's"
    }
    printf "\n%-28s %12s", "program", "instructions"
    for (half = 0; half <= counted; half++) {
        for (i = 1; i <= columns; i++) {
            printf "%" width(way[i]) "s", way[i]
        }
    }
    print ""
}

function program(which) {
    printf "%-28s %12.0f", which, guest[which] / 1e6
    for (i = 1; i <= columns; i++) {
        printf "%" width(way[i]) "s", known(seconds[which, way[i]], 1, "%.2f")
    }
    for (i = 1; counted && i <= columns; i++) {
        printf "%" width(way[i]) "s", known(host[which, way[i]], guest[which], "%.2f")
    }
    print ""
}

# Geometric means of host instructions, and of the speed of warm runs relative to the other ways.
function summary() {
    for (i = 1; i <= columns; i++) {
        host_sum = host_number = ratio_sum = ratio_number = 0
        for (p = 1; p <= programs; p++) {
            if (host[name[p], way[i]] > 0) {
                host_sum += log(host[name[p], way[i]] / guest[name[p]])
                host_number++
            }
            if (seconds[name[p], "warm"] > 0 && seconds[name[p], way[i]] > 0) {
                ratio = seconds[name[p], way[i]] / seconds[name[p], "warm"]
                if (ratio_number++ == 0 || ratio < least) {
                    least = ratio
                    least_of = name[p]
                }
                ratio_sum += log(ratio)
            }
        }
        line = way[i] ":"
        if (host_number > 0) {
            line = line sprintf(" %.2f host instructions for each of the guest's", mean(host_sum, host_number))
        }
        if (ratio_number > 0 && way[i] != "warm") {
            line = line sprintf("%s warm runs are %.2f times as fast, at least %.2f (%s)", host_number > 0 ? ";" : "", \
                mean(ratio_sum, ratio_number), least, least_of)
        }
        if (line != way[i] ":") {
            print line
        }
    }
}
