# How the trainings of the board learn: losses over seconds, accuracies over joules.
reset
width = 265; height = 111
load exists('style') ? style : '../../scripts/plot/style.gp'
set datafile separator ','
set datafile columnheaders
names = 'fc128 lenet1 lenet4' # those that are recorded
of(n) = strcol('experiment') eq word(names, n).'_train' ? 1 : NaN
set output 'training.svg'
set multiplot layout 1,2
set title 'Loss of the images trained, one epoch'
set xlabel 'machine time [s]'
set ylabel 'loss'
set logscale xy
set xrange [0.01:*]
set key bottom left
plot for [n = 1:words(names)] 'training.csv' using (of(n) * column('seconds')):'loss' with lines lw 2 lt (lt_of(word(names, n), n)) title word(names, n)
unset logscale
set logscale x
set title 'Test accuracy and energy of the epoch'
set xlabel 'energy of the board, low to high [J]'
set ylabel 'accuracy of 10,000 test images [%]'
set xrange [5:2000]
set yrange [96:99]
set key off
end(name) = name[1:strlen(name) - 6].sprintf('; %.2f s', column('seconds'))
plot for [n = 1:words(names)] 'training.csv' using (of(n) * column('joules')):(100 * column('accuracy')):'joules_low':'joules_high' with xerrorbars lw 2 lt (lt_of(word(names, n), n)) title word(names, n), \
     for [n = 1:words(names)] 'training.csv' using (of(n) * column('joules_high')):(100 * column('accuracy')):(end(strcol('experiment'))) with labels left offset 1,0 title 'seconds of an epoch'
unset multiplot
