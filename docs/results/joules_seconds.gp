# Figure 1 of RESULTS.md: joules over seconds of an epoch, of each network on each machine.
reset
width = 185; height = 90
load exists('style') ? style : '../../scripts/plot/style.gp'
set datafile separator ','
set datafile columnheaders
machines = 'chip board three_boards cpu_core'
points = '5 7 9 13'
array said[4] = ['chip, alone', 'SpiNN-5', '3 SpiNN-5', 'CPU core']
networks = 'fc128 fc300_100 lenet1 lenet4 lenet5'
shown = 'FC-128 FC-300-100 LeNet-1 LeNet-4 LeNet-5'
# Network, and number of the machine.
cells = 'fc128:2 fc128:3 fc128:4 fc300_100:2 fc300_100:3 fc300_100:4 lenet1:1 lenet1:2 lenet1:3 lenet1:4 lenet4:2 lenet4:3 lenet4:4 lenet5:2 lenet5:3 lenet5:4'
network(c) = word(cells, c)[1:strlen(word(cells, c)) - 2]
machine(c) = int(word(cells, c)[strlen(word(cells, c)):*])
of(c) = strcol('network') eq network(c) && strcol('machine') eq word(machines, machine(c)) ? 60000 : NaN
set output 'joules_seconds.svg'
set logscale xy
set xlabel 'seconds of an epoch of MNIST (training alone)'
set ylabel 'joules of an epoch'
set key outside right top
plot for [c = 1:words(cells)] 'answer.csv' using (of(c) / column('images_per_second')):(of(c) * column('joules_image')):(of(c) * column('joules_image_low')):(of(c) * column('joules_image_high')) \
         with yerrorbars lw 1.2 lt (lt_of(network(c), 8)) dt 1 pt (0 + word(points, machine(c))) notitle, \
     for [n = 1:words(networks)] keyentry with lines lt (lt_of(word(networks, n), 8)) lw 4 dt 1 title word(shown, n), \
     for [m = 1:words(machines)] keyentry with points lc rgb 'black' pt (0 + word(points, m)) title said[m]
