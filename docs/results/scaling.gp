# Figure 4 of RESULTS.md: images a second from one core to three boards.
reset
width = 185; height = 90
load exists('style') ? style : '../../scripts/plot/style.gp'
set datafile separator ','
set datafile columnheaders
networks = 'fc128 fc300_100 lenet1 lenet4 lenet5'
shown = 'FC-128 FC-300-100 LeNet-1 LeNet-4 LeNet-5'
of(line) = strcol('line') eq line ? column('cores') : NaN
set output 'scaling.svg'
set style data linespoints
set logscale xy
set xlabel 'cores that work'
set ylabel 'images/s'
set xtics font ',12'
set key outside right top
plot 'scaling.csv' using (of('strong')):'images_per_second' lt 7 title 'LeNet-1, batch 1,152', \
     for [n = 1:words(networks)] 'scaling.csv' using (of(word(networks, n))):'images_per_second' lt (lt_of(word(networks, n), 8)) title word(shown, n)
