# What all figures share.
set datafile separator ','
set style fill solid 0.85 border -1
set boxwidth 0.7
set grid ytics lc rgb '#d0d0d0'
set border 3
set tics nomirror
set key off
set bars 1.5
