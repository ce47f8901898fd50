# Where a core's time goes, on average over the cores: time by phase, stage by stage.
# Told by `spinnsim plot`: folder, figure, name, seconds, core_cycles (of all cores).
load ARG0[1:strstrt(ARG0, 'time_by_phase.gp') - 1].'style.gp'
table = folder.'/phases.csv'
ms(cycles) = core_cycles > 0 ? cycles / core_cycles * seconds * 1e3 : 0
label(stage, phase, layer) = stage.': '.(strlen(layer) > 0 ? layer.' ' : '').phase
set title 'Time by phase: '.name.', mean over cores' noenhanced
set ylabel 'time per core [ms]'
set xtics rotate by -30 noenhanced
set yrange [0:*]
rows = "< awk -F, 'NR > 1 && $4 > 0' '".table."'"
do for [suffix in 'svg png'] {
    if (suffix eq 'svg') { set terminal svg size 900,500 background rgb 'white' } \
    else { set terminal pngcairo size 900,500 }
    set output figure.'.'.suffix
    plot rows using 0:(ms($4)):xtic(label(strcol(1), strcol(2), strcol(3))) with boxes lc rgb '#66aa55'
    unset output
}
