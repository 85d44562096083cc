#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Draw bench/plots/*.svg from the tables that ./run bench leaves in build/bench. Needs gnuplot.
set -eu
cd "$(dirname "$0")/.."
mkdir -p bench/plots

# The table with this number in a benchmark's output, as a file for gnuplot; tables are parted by two empty lines.
table() {
    awk -v wanted="$2" 'BEGIN { n = 0 } NF == 0 { blank++; next } blank >= 2 { n++ } { blank = 0; if (n == wanted) print }' \
        "build/bench/$1.txt"
}

draw() {
    gnuplot -e "set terminal svg size 800,480 font 'sans,13' background '#ffffff'; set output 'bench/plots/$1.svg'" -
}

[ -r build/bench/distances.txt ] && {
    table distances 0 >build/bench/distances.0
    table distances 1 >build/bench/distances.1
    draw distances <<'END'
set multiplot layout 1,2
set style data histograms
set style fill solid 0.8
set ylabel "ns a distance"
set yrange [0:*]
set key top left
set title "Figure 5: a vertex from a plane, from a face"
plot "build/bench/distances.0" using 3:xtic(1) title "plane", "" using 4 title "face"
set title "Figure 6: lines, edges"
plot "build/bench/distances.1" using 2:xtic(1) title "lines", "" using 3 title "edges"
END
}

[ -r build/bench/triangles.txt ] && {
    # One row a family: its name, then the ns of each way.
    table triangles 0 | awk -F'"' 'NF < 3 { next } { split($3, a, " "); if ($2 != name) printf "%s\"%s\"", name ? "\n" : "", $2
        name = $2; printf " %s", a[2] } END { print "" }' >build/bench/triangles.0
    table triangles 2 >build/bench/triangles.2
    draw triangles-apart <<'END'
set style data histograms
set style fill solid 0.8
set logscale y
set yrange [10:*]
set xtics rotate by -15 font ',10'
set key outside top center horizontal
set ylabel "ns a triangle pair"
set title "Figure 7: pairs that do not touch, by how they are made"
plot "build/bench/triangles.0" using 2:xtic(1) title "culling", "" using 4 title "ca-feature", \
     "" using 6 title "ca-triangle", "" using 7 title "cubic"
END
    draw triangles-mixed <<'END'
set ylabel "ns a triangle pair"
set xlabel "percent of the pairs that do not touch"
set yrange [0:*]
set key bottom left
set title "Figure 8: cost against the rate of false positives"
plot "build/bench/triangles.2" using 1:2 with linespoints lw 2 title "culling", \
     "" using 1:4 with linespoints title "ca-feature", "" using 1:6 with linespoints title "ca-triangle", \
     "" using 1:7 with linespoints title "cubic"
END
}
