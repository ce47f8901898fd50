# Time of a core by phase, as a mean over the cores; error bars from the core with the least to the core with the most time.
# `spinnsim plot` defines $table (place,cycles,least,most), rows, their labels as xtics, name, cores, core_hz, suffix.
width = 900
load './style.gp'
set title 'Time by phase: '.name.', mean of '.sprintf('%d', cores).' cores; bars: least and most of one core'
set ylabel 'time of a core [ms]'
set xtics rotate by -30
set yrange [0:*]
if (rows == 0) {
    set label 'no core has run' at graph 0.5, 0.5 center
    set xrange [0:1]
    set yrange [0:1]
    plot NaN
} else {
    ms(cycles) = cycles / core_hz * 1e3
    plot $table using 1:(ms($2 / cores)):(ms($3)):(ms($4)):(0.7) with boxerrorbars lc rgb '#66aa55'
}
