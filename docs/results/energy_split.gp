# Figure 3 of RESULTS.md: where an epoch's joules go on a SpiNN-5.
reset
width = 185; height = 90
load exists('style') ? style : '../../scripts/plot/style.gp'
set datafile separator ','
set datafile columnheaders
terms = 'core_cycle chip board_snab sdram_background sdram_byte sdram_activation router_bit'
components = 'core chip board sdram sdram_byte sdram_activation router'
array said[7] = ['cores at work', 'chips, idle power', 'board', 'SDRAM, idle power', 'SDRAM bytes', 'SDRAM rows', 'routers and links']
share(term) = real(sprintf('%.6g', column(term) / (sum [t = 1:words(terms)] column(word(terms, t)))))
set output 'energy_split.svg'
set style data histograms
set style histogram rowstacked
set boxwidth 0.7
set xlabel ''
set ylabel "share of an epoch's joules on a SpiNN-5 [%]"
set yrange [0:100]
set xtics font ',10'
set key outside right top invert
plot for [t = 1:words(terms)] 'energy_split.csv' using (100 * share(word(terms, t))):xtic(2) \
         lt (lt_of(word(components, t), 8)) dt 1 title said[t]
