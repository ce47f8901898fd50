# Where a core's time goes: mean over the cores, phase by phase; error bars from the core with the least to the one with the most.
# Told by `spinnsim plot`: folder, figure, name, scope, cores, core_hz.
load ARG0[1:strstrt(ARG0, 'time_by_phase.gp') - 1].'style.gp'
table = folder.'/phases.csv'
rows = "< awk -F, 'NR > 1 && $4 > 0' '".table."'"
label(stage, phase, layer) = stage.': '.(strlen(layer) > 0 ? layer.' ' : '').phase
busy = system("awk -F, 'NR > 1 && $4 > 0 {n++} END {print n + 0}' '".table."'") + 0
set title 'Time by phase: '.name.', mean of '.sprintf('%d', cores).' cores; bars: least and most of one core' noenhanced
set ylabel 'time of a core [ms]'
set xtics rotate by -30 noenhanced
set yrange [0:*]
if (busy == 0) {
    set label 'no core has run' at graph 0.5, 0.5 center
    set xrange [0:1]
    set yrange [0:1]
}
do for [suffix in 'svg png'] {
    if (suffix eq 'svg') { set terminal svg size 900,500 background rgb 'white' } \
    else { set terminal pngcairo size 900,500 }
    set output figure.'.'.suffix
    if (busy == 0) {
        plot NaN
    } else {
        ms(cycles) = cycles / core_hz * 1e3
        plot rows using 0:(ms($4 / cores)):(ms($10)):(ms($11)):(0.7):xtic(label(strcol(1), strcol(2), strcol(3))) \
             with boxerrorbars lc rgb '#66aa55'
    }
    unset output
}
