# Figure 6 of RESULTS.md: what moves the seconds of an update on a SpiNN-5.
reset
width = 185; height = 100
load exists('style') ? style : '../../scripts/plot/style.gp'
set datafile separator ','
set datafile columnheaders
networks = 'fc128 fc300_100 lenet1'
shown = 'FC-128 FC-300-100 LeNet-1'
stats 'tornado_seconds.csv' using 'fc128' nooutput
last = STATS_records - 0.5
set output 'tornado_seconds.svg'
set xlabel 'an update takes longer by [%]'
set ylabel ''
set yrange [last:-0.5]
set xtics font ',12'
set key outside right top
set arrow 1 from 0, -0.5 to 0, last nohead lc rgb '#404040'
offset(n) = 0.2 * (n - 2)
plot for [n = 1:words(networks)] 'tornado_seconds.csv' using (column(word(networks, n))):($0 + offset(n)):ytic(1) with points lt (lt_of(word(networks, n), 8)) dt 1 title word(shown, n)
