# The style of all figures: a copy stands at the head of each figure's script.  The script defines `width` and `height` [mm] and, if its texts are not of 9 pt,
# `text_size`; `format` is svg, png or pdf.  Texts are literal, without gnuplot's markup and formats.
# Colours are those of Okabe and Ito, which colour-blind people tell apart; dashes, points and patterns differ as well, for prints without colour.
if (!exists('format')) format = 'svg'
if (!exists('text_size')) text_size = 1
set encoding utf8
if (format eq 'svg') { set terminal svg noenhanced size width * 96 / 25.4, height * 96 / 25.4 font 'DejaVu Sans,12' fontscale text_size background rgb 'white' }
if (format eq 'png') { set terminal pngcairo noenhanced size width * 240 / 25.4, height * 240 / 25.4 font 'DejaVu Sans,9' fontscale 2.5 * text_size linewidth 2.5 pointscale 2.5 }
if (format eq 'pdf') { set terminal pdfcairo noenhanced size width / 25.4, height / 25.4 font 'DejaVu Sans,9' fontscale text_size linewidth 1.5 pointscale 0.6 }
set linetype 1 lc rgb '#0072b2' dt 1 lw 1.5 pt 7 ps 0.8
set linetype 2 lc rgb '#d55e00' dt (8, 4) lw 1.5 pt 5 ps 0.8
set linetype 3 lc rgb '#009e73' dt (10, 3, 2, 3) lw 1.5 pt 9 ps 1
set linetype 4 lc rgb '#cc79a7' dt (2, 3) lw 1.5 pt 13 ps 1
set linetype 5 lc rgb '#e69f00' dt (10, 3, 2, 3, 2, 3) lw 1.5 pt 4 ps 0.8
set linetype 6 lc rgb '#56b4e9' dt (16, 4) lw 1.5 pt 6 ps 0.8
set linetype 7 lc rgb '#000000' dt (5, 2) lw 1.5 pt 8 ps 1
set linetype 8 lc rgb '#999999' dt (3, 2, 8, 2) lw 1.5 pt 12 ps 1
set linetype cycle 8
# The table of colours: each network and each energy component has one line type in all figures.
lt_table = ' fc128:1 fc300_100:2 lenet1:3 lenet4:4 lenet5:5 core:1 chip:2 sdram:3 router:4 link:5 board:6 sdram_byte:5 sdram_activation:7 '
lt_at(name) = strstrt(lt_table, ' '.name.':') + strlen(name) + 2
lt_of(name, other) = strstrt(lt_table, ' '.name.':') == 0 ? other : int(lt_table[lt_at(name):lt_at(name)])
set border 3 lc rgb '#404040'
set tics nomirror
set format xy '%h'
set grid lc rgb '#d0d0d0' dt 1 lw 0.7
set style fill solid 0.85 border rgb '#202020'
set bars 0.6
