# How the trainings of the board learn.  scripts/study/draw_training.sh defines $NAME (seconds,loss) for each of `names`, $ends (seconds,joules,low,high,accuracy,
# name) with a row for each of them, the file `out`, and style.gp's width and height.
set output out
set datafile separator ','
set multiplot layout 1,2
set title 'Loss of the images trained, one epoch'
set xlabel 'machine time [s]'
set ylabel 'loss'
set logscale xy
set xrange [0.01:*]
set key bottom left
plot for [i = 1:words(names)] '$'.word(names, i) using 1:2 with lines lw 2 lt (lt_of(word(names, i), i)) title word(names, i)
unset logscale
set logscale x
set title 'Test accuracy and energy of the epoch'
set xlabel 'energy of the board, low to high [J]'
set ylabel 'accuracy of 10,000 test images [%]'
set xrange [5:2000]
set yrange [96:99]
set key off
plot for [i = 1:words(names)] $ends every ::(i - 1)::(i - 1) using 2:($5 * 100):3:4 with xerrorbars lw 2 lt (lt_of(word(names, i), i)), \
     $ends using 4:($5 * 100):6 with labels left offset 1,0
unset multiplot
