#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# toccata-mpi as a user runs it: sh command.sh BUILD_DIR MPIRUN FAILURES_PROGRAM. The contacts files must be those of
# toccata check, byte for byte, for any number of ranks and threads; failures leave no file and no rank waiting.
set -eu
build=$1 mpirun=$2 failures=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*"; exit 1; }
ranks() { # ranks N ARGUMENTS...: in bounded time
    n=$1
    shift
    timeout 120 "$mpirun" --oversubscribe --allow-run-as-root -n "$n" "$build/toccata-mpi" "$@"
}
same() { cmp "$1" "$2" || fail "$3: other bytes than those of one machine"; }

"$build/toccata" scene cloth-ball --size 20 --frames 25 --out cloth >/dev/null
"$build/toccata" scene hexes --size 3 --out hexes >/dev/null
# shellcheck disable=SC2012
cloth=$(ls cloth/* | sed -n '20,22p') hexes=$(ls hexes/* | sed -n '18,19p')

# One step, in every form.
for form in csv json vtp; do
    # shellcheck disable=SC2086
    "$build/toccata" check $hexes --contacts one.$form >/dev/null
done
[ "$(wc -l <one.csv)" -gt 100 ] || fail "the hexes hardly touch"
for n in 1 2 3 4 7 16; do
    # shellcheck disable=SC2086
    ranks "$n" check $hexes --threads $((1 + n % 2)) --contacts many.csv >said
    same one.csv many.csv "$n ranks"
    grep -q "^contacts" said || fail "$n ranks: no number of contacts"
done
for form in json vtp; do
    # shellcheck disable=SC2086
    ranks 3 check $hexes --contacts many.$form >/dev/null
    same one.$form many.$form "3 ranks, .$form"
done
# shellcheck disable=SC2086
"$build/toccata" check $hexes --with $hexes --contacts one.vtp >/dev/null
# shellcheck disable=SC2086
ranks 2 check $hexes --with $hexes --contacts many.vtp >/dev/null
same one.vtp many.vtp "2 ranks, parts of two files with one number"
# shellcheck disable=SC2086
ranks 2 check $hexes --contacts many.pvtp >/dev/null
grep -c 'Piece Source="many-[01].vtp"' many.pvtp | grep -qx 2 || fail "a .pvtp without its pieces"
for array in $(sed -n 's/.*<PDataArray.* Name="\([a-z_]*\)".*/\1/p' many.pvtp); do
    grep -q "Name=\"$array\"" many-0.vtp || fail "a piece without the array $array of the .pvtp"
done
grep -q 'Name="parts"' many.pvtp || fail "a .pvtp without parts"

# A sequence: one table, or a file for each step; a range of steps; pairs of parts; and the first contact.
for form in csv json; do
    # shellcheck disable=SC2086
    "$build/toccata" check $cloth --contacts one.$form --parts-out parts.$form >/dev/null
    # shellcheck disable=SC2086
    ranks 3 check $cloth --contacts many.$form --parts-out mparts.$form --json >said.many
    same one.$form many.$form "a table of two steps"
    same parts.$form mparts.$form "pairs of parts"
done
grep -q '"steps"' said.many && grep -q '"many.json"' said.many || fail "no steps or names in the JSON object"
# shellcheck disable=SC2086
"$build/toccata" check $cloth --steps 1 --contacts 'one-%02d.vtp' >/dev/null
# shellcheck disable=SC2086
ranks 3 check $cloth --steps 1- --contacts 'many-%02d.vtp' >said
same one-01.vtp many-01.vtp "step 1 alone"
grep -q '^written   many-01.vtp$' said && grep -q 'many-01.vtp' many.pvd || fail "a file is not told"
code=0
# shellcheck disable=SC2086
ranks 2 check $cloth --steps 2 >said 2>err || code=$?
[ "$code" = 1 ] && grep -q 'the steps are 0 to 1' err || fail "a step that is not there: status $code"
code=0
# shellcheck disable=SC2086
ranks 2 check $cloth missing.ply --contacts cut.csv >said 2>err || code=$?
[ "$code" = 1 ] && [ ! -e cut.csv ] && [ ! -e cut.csv.part ] || fail "a missing frame: status $code"
cp one.csv bad.off
code=0
# shellcheck disable=SC2086
ranks 2 check $cloth bad.off --contacts cut.csv >said 2>err || code=$?
[ "$code" = 1 ] && grep -q 'whole steps are in cut.csv.part' err || fail "a bad frame: status $code"
same one.csv cut.csv.part "the whole steps before a bad frame"
rm cut.csv.part
# shellcheck disable=SC2086
"$build/toccata" check $cloth --json >said.one
numbers() { grep -oE '"(vf|ee|undecided|end_file|end_time)":[[:space:]]*[^,}]*' "$1"; }
[ "$(numbers said.one)" = "$(numbers said.many)" ] || fail "other numbers in the JSON object: $(numbers said.many)"
# shellcheck disable=SC2086
"$build/toccata" check $hexes --answer first --contacts one.csv >/dev/null
# shellcheck disable=SC2086
ranks 4 check $hexes --answer first --contacts many.csv >/dev/null
same one.csv many.csv "the first contact"

# Further bodies, and the parts that a user wants.
# shellcheck disable=SC2086
set -- $cloth
for options in "--with $1 $2 --no-self" "--parts 2,3" "--between 1,2" "--ignore 2:3" "--parts nothing"; do
    # shellcheck disable=SC2086
    "$build/toccata" check $hexes $options --contacts one.csv >/dev/null 2>one.err && code=0 || code=$?
    many=0
    # shellcheck disable=SC2086
    ranks 3 check $hexes $options --contacts many.csv >/dev/null 2>many.err || many=$?
    [ "$code" = "$many" ] || fail "$options: exit status $many, not $code"
    [ "$code" != 0 ] || same one.csv many.csv "$options"
done

# A decomposed Exodus file: a chain of tets, of which each part has some; the parts share a node. Even tets are the
# block 10, odd ones the block 20; numbers go block by block.
exodus() { # exodus FIRST_TET TETS FILE: tet i has the nodes 3 i + 1 to 3 i + 4
    awk -v first="$1" -v tets="$2" '
        function place(n, k, x) { x = sin(n * (12.9898 + k)) * 43.7585; return sprintf("%.6f", x - int(x)) }
        function list(k, base, n, out) {
            for (n = base; n < base + nodes; n++) out = out (n > base ? ", " : "") (k == "n" ? n : place(n, k))
            return out
        }
        function block(odd, what, i, k, out) {
            for (i = 0; i < tets; i++) {
                if ((first + i) % 2 != odd) continue
                if (what == "numbers") out = out ", " (odd * 6 + int((first + i) / 2) + 1)
                if (what == "corners") for (k = 1; k <= 4; k++) out = out ", " (3 * i + k)
                if (what == "count") out++
            }
            return what == "count" ? out : substr(out, 3)
        }
        BEGIN {
            nodes = 3 * tets + 1; base = 3 * first + 1
            printf "netcdf a { dimensions: len_name = 33; time_step = UNLIMITED; num_dim = 3; num_nodes = %d; num_elem = %d; ", nodes, tets
            printf "num_el_blk = 2; num_el_in_blk1 = %d; num_nod_per_el1 = 4; ", block(0, "count")
            printf "num_el_in_blk2 = %d; num_nod_per_el2 = 4; num_nod_var = 3; variables: ", block(1, "count")
            print "double time_whole(time_step); int eb_status(num_el_blk); int eb_prop1(num_el_blk); eb_prop1:name = \"ID\";"
            print "double coordx(num_nodes); double coordy(num_nodes); double coordz(num_nodes); int node_num_map(num_nodes);"
            print "int elem_num_map(num_elem); int connect1(num_el_in_blk1, num_nod_per_el1); connect1:elem_type = \"TET4\";"
            print "int connect2(num_el_in_blk2, num_nod_per_el2); connect2:elem_type = \"TET4\"; char eb_names(num_el_blk, len_name);"
            print "char name_nod_var(num_nod_var, len_name); double vals_nod_var1(time_step, num_nodes);"
            print "double vals_nod_var2(time_step, num_nodes); double vals_nod_var3(time_step, num_nodes);"
            print ":api_version = 5.1f; :version = 5.1f; :floating_point_word_size = 8; :file_size = 1; :title = \"a\"; data:"
            printf "time_whole = 0, 1; eb_status = 1, 1; eb_prop1 = 10, 20; coordx = %s; coordy = %s; coordz = %s;\n", list(1, base), list(2, base), list(3, base)
            printf "node_num_map = %s; elem_num_map = %s, %s; ", list("n", base), block(0, "numbers"), block(1, "numbers")
            printf "connect1 = %s; connect2 = %s; eb_names = \"even\", \"odd\"; ", block(0, "corners"), block(1, "corners")
            print "name_nod_var = \"disp_x\", \"disp_y\", \"disp_z\";"
            zero = ""
            for (n = 0; n < nodes; n++) zero = zero "0, "
            for (k = 1; k <= 3; k++) printf "vals_nod_var%d = %s%s;\n", k, zero, list(k + 3, base)
            print "}"
        }' >"$3.cdl"
    ncgen -k classic -o "$3" "$3.cdl" 2>/dev/null
}
# The options of two commands on the same mesh: alike OPTIONS RANKS ONE_FILES... -- MANY_FILES...
alike() {
    options=$1 n=$2 one=
    shift 2
    while [ "$1" != -- ]; do one="$one $1" && shift; done
    shift
    rm -f one*.csv many*.csv
    code=0 many=0
    # shellcheck disable=SC2086
    "$build/toccata" check $one $options --contacts one.csv >one.out 2>one.err || code=$?
    # shellcheck disable=SC2086
    ranks "$n" check "$@" $options --contacts many.csv >many.out 2>many.err || many=$?
    [ "$code" = "$many" ] || fail "$n ranks, $* $options: exit status $many, not $code: $(cat many.err)"
    if [ "$code" != 0 ]; then
        [ "$(grep '^toccata: ' one.err)" = "$(grep '^toccata: ' many.err)" ] || fail "$options: another sentence: $(cat many.err)"
    else
        for file in one*.csv; do same "$file" "many${file#one}" "$n ranks, $* $options"; done
    fi
}
if command -v ncgen >/dev/null && exodus 0 12 chain.e && "$build/toccata" check chain.e --contacts one.csv >/dev/null 2>&1; then
    for part in 0 1 2 3; do exodus $((3 * part)) 3 parts.e.4.$part; done
    [ "$(wc -l <one.csv)" -gt 10 ] || fail "the tets hardly touch"
    for n in 1 2 3 5; do alike "" "$n" chain.e -- parts.e.4.0; done
    "$build/toccata" check parts.e.4.2 --contacts whole.csv >/dev/null
    same one.csv whole.csv "a part stands for the whole"
    rm whole.csv
    alike "--parts even" 3 chain.e -- parts.e.4.0
    alike "--between 10,odd" 2 chain.e -- parts.e.4.1
    alike "--ignore even:20" 3 chain.e -- parts.e.4.0
    alike "--no-self" 5 chain.e -- parts.e.4.0 parts.e.4.1 parts.e.4.2 parts.e.4.3
    alike "--parts nothing" 2 chain.e -- parts.e.4.0
    # shellcheck disable=SC2086
    alike "--with $(echo $hexes)" 3 chain.e -- parts.e.4.0
    # shellcheck disable=SC2086
    alike "--with parts.e.4.3 --no-self" 2 $hexes -- $hexes
else
    echo "skipped: no ncgen, or no netCDF"
fi

# The same chain as a .pvtu: each rank reads its share of the pieces. Ids of points and cells have gaps.
vtu() { # vtu FIRST_TET TETS FRAME FILE
    awk -v first="$1" -v tets="$2" -v frame="$3" '
        function part(n, k, x) { x = sin(n * (12.9898 + k)) * 43.7585; return x - int(x) }
        function array(type, name, more) { printf "<DataArray type=\"%s\" Name=\"%s\" format=\"ascii\"%s>", type, name, more }
        BEGIN {
            nodes = 3 * tets + 1; base = 3 * first
            print "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>"
            printf "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\"><PointData>", nodes, tets
            array("Int64", "GlobalNodeId", "")
            for (n = 0; n < nodes; n++) printf "%d000000000%d ", base + n, base + n + 5
            printf "</DataArray>"
            array("Float64", "velocity", " NumberOfComponents=\"3\"")
            for (n = base; n < base + nodes; n++)
                for (k = 1; k <= 3; k++) printf "%.6f ", part(n, k + 7)
            printf "</DataArray></PointData><CellData>"
            array("Int64", "GlobalCellIds", "")
            for (i = 0; i < tets; i++) printf "%d ", 70 * (first + i) - 100
            printf "</DataArray>"
            array("Int32", "group", "")
            for (i = 0; i < tets; i++) printf "%d ", (first + i) % 3
            printf "</DataArray></CellData><Points>"
            array("Float64", "Points", " NumberOfComponents=\"3\"")
            for (n = base; n < base + nodes; n++)
                for (k = 1; k <= 3; k++) printf "%.6f ", part(n, k) + (frame ? part(n, k + 3) : 0)
            printf "</DataArray></Points><Cells>"
            array("Int64", "connectivity", "")
            for (i = 0; i < 4 * tets; i++) printf "%d ", 3 * int(i / 4) + i % 4
            printf "</DataArray>"
            array("Int64", "offsets", "")
            for (i = 1; i <= tets; i++) printf "%d ", 4 * i
            printf "</DataArray>"
            array("UInt8", "types", "")
            for (i = 0; i < tets; i++) printf "10 "
            print "</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>"
        }' >"$4"
}
for frame in 0 1; do
    { echo '<VTKFile type="PUnstructuredGrid"><PUnstructuredGrid GhostLevel="0">'
      for part in 2 0 3 1; do
          vtu $((3 * part)) 3 $frame "p$frame-$part.vtu"
          echo "<Piece Source=\"p$frame-$part.vtu\"/>"
      done
      echo '</PUnstructuredGrid></VTKFile>'; } >p$frame.pvtu
done
for n in 1 2 3 6; do alike "" "$n" p0.pvtu p1.pvtu -- p0.pvtu p1.pvtu; done
[ "$(wc -l <one.csv)" -gt 10 ] || fail "the tets of the .pvtu hardly touch"
[ "$(cut -d, -f2 one.csv | sort -n | tail -1)" -lt 100 ] || fail "ids of a .pvtu with gaps"
alike "--no-self" 2 p0.pvtu p1.pvtu -- p0.pvtu p1.pvtu
alike "--between 1,2 --ignore 0" 3 p0.pvtu p1.pvtu -- p0.pvtu p1.pvtu
alike "--parabolas --dt 0.5" 3 p0.pvtu p1.pvtu -- p0.pvtu p1.pvtu
alike "--velocities --dt 0.25" 6 p0.pvtu -- p0.pvtu
alike "--velocities" 2 p0.pvtu p1.pvtu -- p0.pvtu p1.pvtu
alike "--fail-on-contact" 2 p0.pvtu p1.pvtu -- p0.pvtu p1.pvtu
# shellcheck disable=SC2086
alike "--with $(echo $hexes)" 3 p0.pvtu p1.pvtu -- p0.pvtu p1.pvtu
# shellcheck disable=SC2086
alike "--with p0.pvtu p1.pvtu --no-self" 3 $hexes -- $hexes
# Other pieces in a later frame, and elements that are new in it: no share can go on by itself.
for grown in 0 1; do
    vtu 0 6 1 q$grown-0.vtu && vtu 6 $((6 + grown)) 1 q$grown-1.vtu
    { echo '<VTKFile type="PUnstructuredGrid"><PUnstructuredGrid GhostLevel="0">'
      for part in 0 1; do echo "<Piece Source=\"q$grown-$part.vtu\"/>"; done
      echo '</PUnstructuredGrid></VTKFile>'; } >q$grown.pvtu
    alike "" 3 p0.pvtu q$grown.pvtu p1.pvtu -- p0.pvtu q$grown.pvtu p1.pvtu
    # shellcheck disable=SC2086
    alike "--with p0.pvtu q$grown.pvtu --no-self" 2 $hexes -- $hexes
done
{ echo '<VTKFile type="Collection"><Collection>'
  for frame in 0 1; do echo "<DataSet timestep=\"$((3 * frame))\" file=\"p$frame.pvtu\"/>"; done
  echo '</Collection></VTKFile>'; } >p.pvd
alike "" 3 p.pvd -- p.pvd
alike "--velocities" 2 p.pvd -- p.pvd
# A bad piece of one rank: all ranks end with its sentence.
mv p1-3.vtu kept.vtu
bad_piece() { # bad_piece WORDS
    code=0
    ranks 3 check p0.pvtu p1.pvtu --contacts none.csv >out 2>err || code=$?
    [ "$code" = 1 ] || fail "a bad piece: exit status $code, not 1"
    [ "$(grep -c '^toccata:' err)" = 1 ] && grep -q "$1" err || fail "a bad piece: not one line with $1: $(cat err)"
}
bad_piece 'p1-3.vtu" is not there'
head -c 700 kept.vtu >p1-3.vtu
bad_piece 'p1-3.vtu:'
if [ -f parts.e.4.2 ]; then
    head -c 100 parts.e.4.2 >cut && mv cut parts.e.4.2
    code=0
    ranks 4 check parts.e.4.0 --contacts none.csv >out 2>err || code=$?
    [ "$code" = 1 ] && grep -q 'parts.e.4.2' err || fail "a part of one rank that is cut off: status $code"
fi

# Failures: one line, the exit status of toccata, nothing left behind.
code=0
ranks 3 check missing-0.ply missing-1.ply --contacts none.csv >out 2>err || code=$?
[ "$code" = 1 ] || fail "a missing file: exit status $code, not 1"
[ "$(grep -c '^toccata:' err)" = 1 ] || fail "a missing file: not one line"
code=0
# shellcheck disable=SC2086
ranks 2 check $hexes --contacts nowhere/none.csv >out 2>err || code=$?
[ "$code" = 1 ] || [ "$code" = 3 ] || fail "a missing folder: exit status $code"
# shellcheck disable=SC2086
! ls | grep -E 'none|part-|whole|rows' || fail "files are left behind"
code=0
# shellcheck disable=SC2086
ranks 2 check $hexes --preset rtri >out 2>err || code=$?
[ "$code" = 1 ] && grep -q "can miss" err || fail "a preset that can miss is not refused"

# A disk that is full while the ranks write: each has room for its part, the whole file has none.
full=$(printf '%s' "
    mount -t tmpfs -o size=100k none disk &&
    timeout 60 '$mpirun' --oversubscribe --allow-run-as-root -n 3 '$build/toccata-mpi' check $(echo $hexes) --contacts disk/full.json >out 2>err
    code=\$?
    ls disk >left
    exit \$code")
mkdir disk
if unshare -rm sh -c 'mount -t tmpfs -o size=100k none disk' 2>/dev/null; then
    code=0
    unshare -rm sh -c "$full" || code=$?
    [ "$code" = 3 ] && grep -q 'disk/full.json: cannot be written' err || fail "a full disk: status $code, $(cat err)"
    [ ! -s left ] || fail "a full disk: $(cat left) is left behind"
else
    echo "skipped: no small disk without rights to mount one"
fi

# A rank that is killed: mpirun ends the others.
code=0
timeout 120 "$mpirun" --oversubscribe --allow-run-as-root -n 3 "$failures" killed >out 2>err || code=$?
[ "$code" != 0 ] && [ "$code" != 124 ] || fail "a killed rank: status $code"
