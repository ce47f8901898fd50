# The five figures of RESULTS.md.  scripts/study/draw_answer.sh defines `folder`, `names` and `shown` (networks and what they are called), the data blocks that are
# named below, and style.gp's width and height.

# said(list, i): the i-th word, "_" for a space.
said(list, i) = system(sprintf("printf %%s '%s' | tr _ ' '", word(list, i)))

# 1. Joules over seconds of an epoch.  `pairs`: blocks of seconds, joules, low, high;
# their networks, and the numbers of their points.
set output folder.'/joules_seconds.svg'
set logscale xy
set xlabel 'seconds of an epoch of MNIST (training alone)'
set ylabel 'joules of an epoch'
set key outside right top
plot for [p = 1:words(pairs)] '$'.word(pairs, p) using 1:2:3:4 with yerrorbars lw 1.2 lt (lt_of(word(pair_networks, p), 8)) dt 1 pt (0 + word(pair_points, p)) notitle, \
     for [n = 1:words(names)] keyentry with lines lt (lt_of(word(names, n), 8)) lw 4 dt 1 title word(shown, n), \
     for [m = 1:words(machines)] keyentry with points lc rgb 'black' pt (0 + word(points, m)) title said(machine_titles, m)
unset logscale

# 2. From a cold start: loading and epochs.  $cold_NETWORK_MACHINE: epochs, seconds; boards and, dashed, CPU cores in turn.
set output folder.'/cold_start.svg'
set logscale xy
set xlabel 'epochs of MNIST'
set ylabel 'seconds from a cold start'
plot for [m = 1:2] for [c = m:words(colds):2] '$cold_'.word(colds, c) using 1:2 with lines lt (lt_of(word(cold_networks, c), 8)) dt m title said(cold_titles, c)
unset logscale

# 3. Where an epoch's joules go.  $split: network, then a column for each term.
set output folder.'/energy_split.svg'
set style data histograms
set style histogram rowstacked
set boxwidth 0.7
set xlabel ''
set ylabel "share of an epoch's joules on a SpiNN-5 [%]"
set yrange [0:100]
set xtics font ',10'
set key invert
plot for [t = 1:words(terms)] $split using (100 * column(t + 1)):xtic(1) lt (lt_of(word(term_components, t), 8)) dt 1 title said(term_titles, t)
set yrange [*:*]
set xtics font ',12'
set key noinvert

# 4. Images a second from one core to three boards.  $strong: cores, images/s; $scaling_NETWORK: cores, images/s.
set output folder.'/scaling.svg'
set style data linespoints
set logscale xy
set xlabel 'cores that work'
set ylabel 'images/s'
plot $strong using 1:2 lt 7 title 'LeNet-1, batch 1,152', for [n = 1:words(names)] '$scaling_'.word(names, n) using 1:2 lt (lt_of(word(names, n), 8)) title word(shown, n)
unset logscale

# 5. What moves the joules of SpiNNaker over those of a core.  $tornado: name, ratio at the low end, ratio at the high end, ratio.
set output folder.'/tornado.svg'
set style data boxes
unset key
set logscale x
set xlabel 'joules of a SpiNN-5 / joules of a CPU core, LeNet-1'
set ylabel ''
set yrange [tornado_rows - 0.5:-0.5]
set xtics (0.2, 0.5, 1, 2, 5, 10)
set arrow 1 from ratio, -0.5 to ratio, tornado_rows - 0.5 nohead lc rgb '#404040'
set arrow 2 from 1, -0.5 to 1, tornado_rows - 0.5 nohead lw 3 lc rgb '#404040'
plot $tornado using 2:0:2:3:($0 - 0.35):($0 + 0.35):ytic(1) with boxxyerror lt 1
