# Figure 2 of RESULTS.md: seconds from a cold start over epochs: boards and, dashed, CPU cores.
reset
width = 185; height = 90
load exists('style') ? style : '../../scripts/plot/style.gp'
set datafile separator ','
set datafile columnheaders
cells = 'lenet1_board lenet1_cpu_core lenet5_board lenet5_cpu_core'
networks = 'lenet1 lenet1 lenet5 lenet5'
array said[4] = ['LeNet-1, SpiNN-5', 'LeNet-1, CPU core', 'LeNet-5, SpiNN-5', 'LeNet-5, CPU core']
array loading[4] # seconds
array epoch[4]
do for [c = 1:4] {
    of(value) = strcol('cell') eq word(cells, c) ? value : NaN
    stats 'answer.csv' using (of(real('0'.strcol('loading_seconds')))) nooutput
    loading[c] = STATS_max
    stats 'answer.csv' using (of(60000 / column('images_per_second'))) nooutput
    epoch[c] = STATS_max
}
set output 'cold_start.svg'
set logscale xy
set xlabel 'epochs of MNIST'
set ylabel 'seconds from a cold start'
set key outside right top
epochs(i) = 1.2589254**(i - 1) # to 1000 in 30 steps; 0 is no sample on this axis
plot for [m = 1:2] for [c = m:4:2] [0:31:1] '+' using (real(sprintf('%.4g', epochs($1)))):(loading[c] + epochs($1) * epoch[c]) \
         with lines lt (lt_of(word(networks, c), 8)) dt m title said[c]
