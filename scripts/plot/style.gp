# Settings of all figures; texts are literal, without gnuplot's markup and formats.
set encoding utf8
if (suffix eq 'svg') { set terminal svg noenhanced size width,500 background rgb 'white' }
if (suffix eq 'png') { set terminal pngcairo noenhanced size width,500 }
set datafile separator ','
set style fill solid 0.85 border -1
set boxwidth 0.7
set grid ytics lc rgb '#d0d0d0'
set border 3
set tics nomirror
set key off
set bars 1.5
