#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Draw the tables of build/bench as FOLDER/*.svg, with gnuplot: sh plot.sh [FOLDER]. FOLDER is bench/plots by default.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-bench/plots}
mkdir -p "$folder"

# The table with this number in a benchmark's output, as a file for gnuplot; two empty lines separate tables.
table() {
    awk -v wanted="$2" 'BEGIN { n = 0 } NF == 0 { blank++; next } blank >= 2 { n++ } { blank = 0; if (n == wanted) print }' \
        "build/bench/$1.txt"
}

draw() {
    gnuplot -e "set terminal svg size 800,480 font 'sans,13' background '#ffffff'; set output '$folder/$1.svg'" -
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
    # One row for each family: its name, then the ns of each method.
    table triangles 0 | awk -F'"' 'NF < 3 { next } { split($3, a, " "); label = $2; sub(", ", ",\\n", label)
        if ($2 != name) printf "%s\"%s\"", name ? "\n" : "", label
        name = $2; printf " %s", a[2] } END { print "" }' >build/bench/triangles.0
    table triangles 2 >build/bench/triangles.2
    draw triangles-apart <<'END'
set style data histograms
set style fill solid 0.8
set logscale y
set yrange [10:*]
set xtics font ',11'
set bmargin 4
set key outside top center horizontal
set ylabel "ns a triangle pair"
set title "Figure 7: pairs that do not touch, by how they are made"
plot "build/bench/triangles.0" using 2:xtic(1) title "culling", "" using 4 title "15 feature pairs", \
     "" using 6 title "whole triangles", "" using 7 title "cubic"
END
    draw triangles-mixed <<'END'
set ylabel "ns a triangle pair"
set xlabel "percent of the pairs that do not touch"
set yrange [0:*]
set key top right
set title "Figure 8: cost against the rate of false positives"
plot "build/bench/triangles.2" using 1:2 with linespoints lw 2 title "culling", \
     "" using 1:4 with linespoints title "15 feature pairs", "" using 1:6 with linespoints title "whole triangles", \
     "" using 1:7 with linespoints title "cubic"
END
}

[ -r build/bench/scaling.txt ] && {
    for i in 0 1 2; do table scaling $i >build/bench/scaling.$i; done
    draw scaling <<'END'
set logscale xy
set grid
set xlabel "triangles"
set ylabel "CPU ms of a step, one thread"
set key bottom right Left reverse
set xrange [8e2:1.3e6]
set format x "10^{%T}"
set format y "10^{%T}"
set title "Cost against the size of the mesh"
plot "build/bench/scaling.0" using 1:6 with linespoints lw 2 lc 'gray40' pt 4 title "cloth-ball, reference", \
     "" using 1:4 with linespoints lw 2 lc 'light-blue' pt 6 title "cloth-ball, auto, new scene", \
     "" using 1:5 with linespoints lw 2 lc 'blue' pt 7 title "cloth-ball, auto, in a sequence", \
     "build/bench/scaling.1" using 1:5 with linespoints lw 2 lc 'dark-orange' pt 9 title "n-body, auto, in a sequence", \
     x / 1e3 with lines dt 2 lc 'black' title "linear: 1 ms a thousand"
END
    draw scaling-motion <<'END'
set multiplot layout 1,2
set logscale x
set grid
set xtics (1, 2, 5, 10, 20, 50, 100)
set xlabel "motion a step, in half edges"
set key top left
set title "Cost against motion"
set logscale y
set ylabel "CPU ms of a step"
plot "build/bench/scaling.2" using 1:4 with linespoints lw 2 title "all contacts", \
     "" using 1:5 with linespoints lw 2 title "first contact"
unset logscale y
set yrange [0:*]
set title "Memory against motion"
set ylabel "peak MiB of the process"
plot "build/bench/scaling.2" using 1:6 with linespoints lw 2 title "all contacts", \
     "" using 1:7 with linespoints lw 2 title "first contact"
END
}

# The largest steps of each kind of bench.peer: the speed as a multiple of the peer's, warm and in a new scene.
[ -r build/bench/peer.txt ] && {
    awk -F' *[|] *' '$8 + 0 > 0 && !/ (98|968) \|/ && !/(free|folded, dense|aligned, dense), 10,082 \|/ { printf "\"%s\" %s %s %d\n", $2, $8, $9, n++ }' \
        build/bench/peer.txt >build/bench/peer.0
    draw peer <<'END'
set style fill solid 0.85 noborder
set grid x lc 'gray90'
set border 2 lc 'gray60'
set tics nomirror
unset ytics
set ytics scale 0 offset 0.5
set yrange [11.7:-0.6] # the first row on top
set logscale x
set xrange [0.7:600]
set lmargin 25
set xlabel "times the speed of the faster of the two peers"
set key top right Left reverse
half = 0.19
plot "build/bench/peer.0" using (0.7):($4-half):(0.7):2:($4-2*half):4:ytic(1) with boxxyerror lc rgb '#2f6fc4' title "in a sequence", \
     "" using (0.7):($4+half):(0.7):3:4:($4+2*half) with boxxyerror lc rgb '#9dc3f2' title "each step in a new scene", \
     "" using 2:($4-half):(sprintf("%.1f", $2)) with labels left offset 0.5,0 font ',11' notitle, \
     "" using 3:($4+half):(sprintf("%.1f", $3)) with labels left offset 0.5,0 font ',11' notitle
END
}

# One bar for each preset and step of bench.steps: the speedup over the reference.
[ -r build/bench/steps.txt ] && {
    awk -F: '/^[a-z].*: [0-9]+ vertices/ { name = $1 }
             /auto : reference/ { split($0, part, "1 : "); split(part[2], a, " "); split(part[3], b, " ")
                                  printf "\"%s\" %s %s\n", name, a[1], b[1] }' build/bench/steps.txt >build/bench/steps.0
    draw steps <<'END'
set style data histograms
set style fill solid 0.8
set grid y
set yrange [0:*]
set xtics rotate by -30 font ',11'
set ylabel "times the speed of the reference"
set title "auto against Embree rtcCollide with additive advancement, one thread, CPU time"
set key top right
plot "build/bench/steps.0" using 2:xtic(1) title "in a sequence", "" using 3 title "new scene", \
     "" using 0:2:(sprintf("%.1f", $2)) with labels offset -1.2,0.6 font ',10' notitle
END
}

# Figure 11 of VolCCD: the shares of the time of volccd, one bar for each scene.
[ -r build/bench/volumes.txt ] && {
    table volumes 2 | grep -v '^#' >build/bench/volumes.2
    draw volumes-shares <<'END'
set style data histograms
set style histogram rowstacked
set style fill solid 0.8
set boxwidth 0.7
set yrange [0:100]
set xtics rotate by -30 font ',11'
set key outside right
set ylabel "percent of the time"
set title "volccd: where the time of a step goes"
plot "build/bench/volumes.2" using 2:xtic(1) title columnheader, "" using 3 title columnheader, \
     "" using 4 title columnheader, "" using 5 title columnheader
END
}

# Figures 7 and 8 of inner-voxel culling: pairs before and after each level, over the simulation.
[ -r build/bench/hashing.txt ] && {
    for i in 0 1 2; do table hashing $i >build/bench/hashing.$i; done
    {
        cat <<'END'
set multiplot layout 1,3 margins 0.07,0.97,0.14,0.91 spacing 0.08
set logscale y
set format y "10^{%T}"
set yrange [1:1e9]
set grid
set xlabel "step of the simulation"
unset key
END
        n=0
        for scene in 'tori 500' 'cloth-bunny 300' 'letters 100'; do
            echo "set title '${scene% *}'"
            echo "set xtics ${scene#* }"
            [ "$n" != 2 ] || echo "set key bottom right" # one for all, where no line is
            echo "plot 'build/bench/hashing.$n' using 1:2 with lines lw 2 title 'in voxels'," \
                "'' using 1:4 with lines lw 2 title 'primitive level', '' using 1:6 with lines title 'their elements'," \
                "'' using 1:7 with lines lw 2 title 'element level'"
            n=$((n + 1))
        done
    } | draw hashing
    table hashing 4 >build/bench/hashing.4
    table hashing 6 >build/bench/hashing.6
    draw hashing-cost <<'END'
set multiplot layout 1,2
set logscale xy
set key top left font ',9'
set ylabel "ms a step, one thread"
set xlabel "triangles"
set format x "10^{%T}"
set title "tori: cost against size"
plot "build/bench/hashing.4" using 1:2 with linespoints lw 2 title "voxel-safe", \
     "" using 1:3 with linespoints lw 2 title "a tree", "" using 1:4 with linespoints lw 2 title "auto", \
     "" using 1:($1/1000) with lines title "1 ms a 1000 triangles"
set format x "%g"
set xlabel "times the motion of a frame"
set title "tori: cost against motion"
set yrange [1:1e5]
plot "build/bench/hashing.6" using 1:5 with linespoints lw 2 title "voxel-safe", \
     "" using 1:6 with linespoints lw 2 title "a tree", "" using 1:7 with linespoints lw 2 title "auto", \
     "" using 1:($3/1000) with lines title "1000 pairs", \
     "" using 1:($2/1000) with lines title "1000 contacts"
END
}

[ -r build/bench/characters.txt ] && {
    table characters 1 | tail -n +2 | sed 's/_root.001//; s/_/ /g' >build/bench/characters.1
    draw characters-recall <<'END'
set style data histograms
set style fill solid 0.8
set ylabel "contacts found, %"
set yrange [0:118]
set xtics rotate by -35 left
set rmargin 10
set key top right horizontal
set title "Recall of the published rule, by alpha"
plot "build/bench/characters.1" using 3:xtic(1) title "180", "" using 4 title "120", "" using 5 title "90", "" using 6 title "60"
END
    # Iterations of a frame at 30 poses a second: contacts that are left, and how far the energy is from that of the most.
    table characters 2 | awk '$2 == 30 { n[$1]++; it[$1, n[$1]] = $3; left[$1, n[$1]] = $4; energy[$1, n[$1]] = $5 }
        END { for (s in n) for (i = 1; i <= n[s]; i++)
                  print s, it[s, i], left[s, i], 100 * (energy[s, i] / energy[s, n[s]] - 1) }' >build/bench/characters.2
    draw characters-converge <<'END'
set multiplot layout 1,2
set logscale x 2
set grid
set xlabel "iterations of a frame"
set xtics (8, 16, 32, 64, 128)
set xrange [7:150]
set yrange [0:*]
set title "Contacts left in the clip"
only(scene, y) = strcol(1) eq scene ? y : NaN
scenes = "arm leg arm-box human horse"
plot for [s in scenes] "<sort -k1,1 -k2,2n build/bench/characters.2" using 2:(only(s, $3)) with linespoints lw 2 title s
set title "Energy, percent from that of 128 iterations"
set yrange [*:*]
set key bottom right
plot for [s in scenes] "<sort -k1,1 -k2,2n build/bench/characters.2" using 2:(only(s, $4)) with linespoints lw 2 title s
END
}

[ -r build/bench/cluster.txt ] && {
    # Rows of the models: ranks, elements, steps ahead, reach, ghosts, balance, search, exchange, sending, efficiencies.
    table cluster 2 | awk 'NF == 11 && $1 + 0 > 0' >build/bench/cluster.2
    table cluster 4 | awk 'NF == 11 && $1 + 0 > 0' >build/bench/cluster.4
    draw cluster <<'END'
set multiplot layout 1,2
set logscale x 2
set grid
set xlabel "ranks"
set title "model: 10^8 elements, 2 us, 10 GB/s"
set ylabel "efficiency"
set yrange [0:1.05]
set key bottom left samplen 2
plot "build/bench/cluster.2" using 1:10 with linespoints lw 2 dt 3 title "letters, positions alone", \
     "build/bench/cluster.4" using 1:10 with linespoints lw 2 dt 3 title "car, positions alone", \
     "build/bench/cluster.2" using 1:11 with linespoints lw 2 title "letters, all steps", \
     "build/bench/cluster.4" using 1:11 with linespoints lw 2 title "car, all steps", 0.7 with lines dt 2 title "0.7"
set title "ghosts of a rank"
set ylabel "percent of its elements"
set yrange [0:*]
set key top left
plot "build/bench/cluster.2" using 1:5 with linespoints lw 2 title "like letters", \
     "build/bench/cluster.4" using 1:5 with linespoints lw 2 title "like car"
END
}

[ -r build/bench/threads.txt ] && {
    # Rows of a scene: threads, ms in a new scene, ms in a known one.
    for scene in cloth-ball n-body car; do
        awk -v scene="$scene," '/ elements$/ { mine = $1 == scene } mine && /^ +[0-9]+ / { print $1, $2, $4 }' \
            build/bench/threads.txt >"build/bench/threads.$scene"
    done
    draw threads <<'END'
set logscale xy 2
set xlabel "threads"
set ylabel "ms a step"
set xtics (1, 2, 4, 8, 16)
set xrange [1:17]
set key outside right
set grid
set title "All contacts of a step: dashed in a new scene, solid in a known one"
plot for [i=1:3] "build/bench/threads.".word("cloth-ball n-body car", i) using 1:2 with linespoints lw 2 dt 2 lc i \
         title word("cloth-ball n-body car", i).", new", \
     for [i=1:3] "build/bench/threads.".word("cloth-ball n-body car", i) using 1:3 with linespoints lw 2 lc i \
         title word("cloth-ball n-body car", i).", known"
END
}

exit 0 # a table that is not there is no failure
