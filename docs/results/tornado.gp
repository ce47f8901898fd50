# Figure 5 of RESULTS.md: what moves the joules of SpiNNaker over those of a core.
reset
width = 185; height = 90
load exists('style') ? style : '../../scripts/plot/style.gp'
set datafile separator ','
set datafile columnheaders
stats 'tornado.csv' using 'middle' nooutput
last = STATS_records - 0.5
set output 'tornado.svg'
set style data boxes
set boxwidth 0.7
unset key
set logscale x
set xlabel 'joules of a SpiNN-5 / joules of a CPU core, LeNet-1'
set ylabel ''
set yrange [last:-0.5]
set xtics (0.2, 0.5, 1, 2, 5, 10) font ',12'
set arrow 1 from STATS_max, -0.5 to STATS_max, last nohead lc rgb '#404040'
set arrow 2 from 1, -0.5 to 1, last nohead lw 3 lc rgb '#404040'
plot 'tornado.csv' using 2:0:2:3:($0 - 0.35):($0 + 0.35):ytic(1) with boxxyerror lt 1 title 'low to high'
