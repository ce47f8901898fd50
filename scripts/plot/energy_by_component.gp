# Joules of a run by coefficient; error bars from the low to the high end of each coefficient.
# Told by `spinnsim plot`: folder, figure, name, scope.
load ARG0[1:strstrt(ARG0, 'energy_by_component.gp') - 1].'style.gp'
table = folder.'/energy.csv'
stats table using 4 every ::1 nooutput
unit = STATS_max < 1e-3 ? 1e-6 : STATS_max < 1 ? 1e-3 : 1
unit_name = unit == 1e-6 ? 'µJ' : unit == 1e-3 ? 'mJ' : 'J'
set title 'Energy by component: '.name.' (scope: '.scope.')' noenhanced
set ylabel 'energy ['.unit_name.']'
set xtics rotate by -20 noenhanced
set yrange [0:*]
do for [suffix in 'svg png'] {
    if (suffix eq 'svg') { set terminal svg size 800,500 background rgb 'white' } \
    else { set terminal pngcairo size 800,500 }
    set output figure.'.'.suffix
    plot table every ::1 using 0:($4/unit):($3/unit):($5/unit):(0.7):xtic(2) with boxerrorbars lc rgb '#4477aa'
    unset output
}
