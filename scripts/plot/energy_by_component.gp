# Joules of a run by coefficient; error bars from the low to the high end of each coefficient.
# `spinnsim plot` defines $table (place,joules,low,high), rows, their labels as xtics, name, scope, suffix.
width = 800
load './style.gp'
set title 'Energy by component: '.name.' (scope: '.scope.')'
set xtics rotate by -20
set yrange [0:*]
if (rows == 0) {
    set label 'no joules' at graph 0.5, 0.5 center
    set xrange [0:1]
    set yrange [0:1]
    plot NaN
} else {
    stats $table using 2 nooutput
    unit = STATS_max < 1e-3 ? 1e-6 : STATS_max < 1 ? 1e-3 : 1
    set ylabel 'energy ['.(unit == 1e-6 ? 'µJ' : unit == 1e-3 ? 'mJ' : 'J').']'
    plot $table using 1:($2/unit):($3/unit):($4/unit):(0.7) with boxerrorbars lc rgb '#4477aa'
}
