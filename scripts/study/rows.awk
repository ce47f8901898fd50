# rows.awk - the rows of RESULTS.md's table from answer.csv (table.awk), in the order of networks and machines:
#     awk -F, -v which=main|all -f rows.awk answer.csv
# "main" leaves out what only docs/results/answer.md shows.
BEGIN {
    names = split("fc128 fc300_100 lenet1 lenet4 lenet5", name, " ")
    split("FC-128 FC-300-100 LeNet-1 LeNet-4 LeNet-5", shown, " ")
    kinds = split("core chip N_chips board three_boards cpu_core N_threads N_processes cpu_core_torch N_threads_torch gpu", kind, " ")
    said["core"] = "one ARM core of one chip"; said["chip"] = "one chip, 16 cores"; said["N_chips"] = "%d chips, the least that fit"; said["board"] = "SpiNN-5, 48 chips"
    said["three_boards"] = "3 SpiNN-5, 144 chips"; said["cpu_core"] = "CPU, 1 core, float32"; said["gpu"] = "GPU, PyTorch"
    said["N_threads"] = "CPU, %d threads, float32"; said["N_processes"] = "CPU, %d processes with all-reduce, float32"
    said["cpu_core_torch"] = "CPU, 1 core, PyTorch"; said["N_threads_torch"] = "CPU, %d threads, PyTorch"
}
function at(name) { return $(column[name]) }
FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
function three(x,   unit) { for (unit = 1; x / unit >= 1000; unit *= 10); return sprintf("%.0f", int(x / unit + 0.5) * unit) }
function short(x) { return x >= 100 ? sprintf("%.0f", x) : x >= 10 ? sprintf("%.1f", x) : x >= 1 ? sprintf("%.2f", x) : sprintf("%.3f", x) }
function band(low, middle, high) { return middle == "" ? "-" : short(middle) " (" short(low) " to " short(high) ")" }
{
    machine = at("machine")
    number = machine + 0
    if (number > 0) { sub(/^[0-9]+/, "N", machine) }
    line = "| " (machine == "board" ? "**SpiNN-5, 48 chips**" : sprintf(said[machine], number)) " | " three(at("images_per_second")) " | " \
        band(1000 * at("joules_image_low"), 1000 * at("joules_image"), 1000 * at("joules_image_high"))
    seconds = ""
    for (t = 95; t <= 98; t += t == 95 ? 2 : 1) {
        seconds = seconds (seconds == "" ? "" : " / ") (at("seconds_" t) == "" ? "-" : short(at("seconds_" t)))
        if (which != "main") line = line " | " (at("seconds_" t) == "" ? "-" : short(at("seconds_" t))) " | " band(at("joules_" t "_low"), at("joules_" t), at("joules_" t "_high"))
    }
    if (which == "main") line = line " | " seconds " | " band(at("joules_97_low"), at("joules_97"), at("joules_97_high"))
    line = line " | " (at("loading_seconds") == "" ? "-" : sprintf("%.0f s, %.0f J", at("loading_seconds"), at("loading_joules"))) " | " at("time") "; " at("scope") ", " at("joules_kind") " |"
    row[at("network"), machine] = line
    if (which == "main" && (machine ~ /_processes|_torch/)) delete row[at("network"), machine]
}
END {
    for (n = 1; n <= names; n++) for (k = 1; k <= kinds; k++) if ((name[n], kind[k]) in row) print "| " shown[n] " " row[name[n], kind[k]]
}
