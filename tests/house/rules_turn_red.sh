#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each rule of rules.sh fails on a file that breaks it, and passes on a clean tree: sh rules_turn_red.sh SOURCE_DIR.
set -eu
rules=$1/tests/house/rules.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
spdx='// SPDX-License-Identifier: Apache-2.0'
failures=0

# A small tree without violations.
fresh() {
    rm -rf "$tree"
    mkdir -p "$tree/sim/step" "$tree/src/mesh" "$tree/src/search" "$tree/src/io" "$tree/include/toccata" "$tree/tools" "$tree/docs"
    printf '%s\n#include "base/status.h"\nint x;\n' "$spdx" >"$tree/src/mesh/mesh.c"
    printf '%s\n/// Make one.\nTOC_API int toc_thing_make(int a);\n' "$spdx" >"$tree/include/toccata/thing.h"
}

# red WORDS FILE LINE...: with these lines in FILE the rules fail and say WORDS.
red() {
    words=$1 file=$2
    shift 2
    fresh
    printf '%s\n' "$@" >"$tree/$file"
    if said=$(sh "$rules" "$tree") || ! printf '%s' "$said" | grep -qF "$words"; then
        echo "not refused ($words): $*"
        echo "$said"
        failures=$((failures + 1))
    fi
}

fresh
sh "$rules" "$tree" || { echo "a house in order is refused"; exit 1; }
red 'mesh/ may not include "scene/scene.h"' src/mesh/bad.c "$spdx" '#include "scene/scene.h"'
red 'mesh/ may not include "io/core/sink.h"' src/mesh/bad.c "$spdx" '#include "io/core/sink.h"'
red 'search/ may not include "io/core/sink.h"' src/search/bad.c "$spdx" '#include "io/core/sink.h"'
red 'io/ may not include "pair/pair.h"' src/io/bad.c "$spdx" '#include "pair/pair.h"'
red 'may not include "mesh/mesh.h"' tools/bad.c "$spdx" '#include "mesh/mesh.h"'
red 'computes in the state of the host' src/search/bad.c "$spdx" 'toc_status toc_scene_find_all(int a) {' '    a++;' '}'
red 'a public header includes' include/toccata/bad.h "$spdx" '#include "base/status.h"'
red 'sim/ is outside of the library and may not include "scene/scene.h"' sim/step/bad.c "$spdx" '#include "scene/scene.h"'
red 'the library prints nothing' sim/step/bad.c "$spdx" 'void f(void) { printf("hello"); }'
red 'write the folder' src/mesh/bad.c "$spdx" '#include "mesh.h"'
red 'only base/simd.h includes the header of a processor' src/mesh/bad.c "$spdx" '#include <emmintrin.h>'
red 'by base/platform alone' tools/bad.c "$spdx" '#include <sys/stat.h>'
red 'by base/platform alone' src/io/bad.c "$spdx" 'int f(const char *s) { return rename(s, ""); }'
red 'no SPDX line' src/mesh/bad.c 'int x;'
red 'no SPDX line' tools/bad.sh '#!/bin/sh' 'true'
red 'a forbidden call' tools/bad.c "$spdx" 'int f(void) { return rand(); }'
red 'a forbidden call' tools/bad.c "$spdx" 'int f(char *s) { return sprintf(s, "%d", 1); }'
red 'the library prints nothing' src/mesh/bad.c "$spdx" 'void f(void) { printf("hello"); }'
red 'the library prints nothing' src/mesh/bad.c "$spdx" 'void f(void) { fputs("hello", stderr); }'
red 'memory comes from' src/mesh/bad.c "$spdx" 'void *f(void) { return malloc(3); }'
red 'dead code' src/mesh/bad.c "$spdx" '#if 0'
red 'unfinished work' src/mesh/bad.c "$spdx" "// TO""DO: think"
red 'more than 120 columns' src/mesh/bad.c "$spdx" "$(printf '// %0130d' 0)"
red 'only the pipeline reads the clock' src/search/bad.c "$spdx" 'double f(void) { return toc_seconds(); }'
fresh
printf '%s\ndouble f(void) { return toc_seconds(); }\n' "$spdx" >"$tree/src/search/pipeline.c"
sh "$rules" "$tree" || { echo "the clock of the pipeline is refused"; failures=1; }
newer() { red 'newer than 3.22' tools/CMakeLists.txt '# SPDX-License-Identifier: Apache-2.0' "$@"; }
newer 'cmake_minimum_required(VERSION 3.25)'
newer 'cmake_minimum_required(VERSION 4.0)'
newer 'cmake_policy(SET CMP0141 NEW)'
newer 'block()' 'endblock()'
newer 'target_sources(a PUBLIC FILE_SET HEADERS)'
newer 'set_target_properties(a PROPERTIES COMPILE_WARNING_AS_ERROR ON)'
newer "target_link_libraries(a PRIVATE \$<LINK_GROUP:RESCAN,b,c>)"
red 'newer than 3.22' CMakePresets.json '{' '  "version": 6,' '  "configurePresets": []' '}'
red '3.22 is enough' CMakePresets.json '{' '  "version": 3, "cmakeMinimumRequired": {"major": 3, "minor": 25}' '}'
fresh
printf '%s\n' '# SPDX-License-Identifier: Apache-2.0' 'cmake_minimum_required(VERSION 3.22) # not block() of 3.25' \
    'string(REGEX MATCH x y z)' >"$tree/tools/CMakeLists.txt"
sh "$rules" "$tree" || { echo "CMake 3.22 is refused"; failures=1; }
red 'a path of one machine' docs/bad.md "see /ho""me/someone/notes"
red 'a host of one network' docs/bad.md "see http:/""/buildhost:8080/x"
red 'unsafe arithmetic' tools/CMakeLists.txt '# SPDX-License-Identifier: Apache-2.0' 'add_compile_options(-Ofast)'
red 'without TOC_API' include/toccata/bad.h "$spdx" '/// Make.' 'int toc_thing_break(int a);'
red 'without its comment' include/toccata/bad.h "$spdx" '' 'TOC_API int toc_thing_break(int a);'
red 'not named toc_' include/toccata/bad.h "$spdx" '/// Make.' 'TOC_API int thing_break(int a);'
wh=Wh # this file must pass, too
red 'a relative "what"' tools/bad.c "$spdx" "// ${wh}at rests is left alone."
red 'a relative "what"' tools/bad.c "$spdx" "int x; ///< Kept. ${wh}at moves is bounded anew."
red 'a relative "what"' tools/bad.sh '#!/bin/sh' '# SPDX-License-Identifier: Apache-2.0' "# ${wh}at is missing is installed."
red 'a relative "what"' docs/bad.md "${wh}at a caller may rely on."
red 'a relative "what"' docs/bad.md "| G1 | Nothing. ${wh}at touches is found. |"
fresh
printf '%s\n// %sat is a feature? Say what it is.\nchar s[] = "%sat";\n' "$spdx" "$wh" "$wh" >"$tree/tools/good.c"
sh "$rules" "$tree" || { echo "a question is refused"; failures=1; }
red 'a word of the work' src/mesh/bad.c "$spdx" "int x; // see the is""sue"
red 'a word of the work' docs/bad.md "as the last ses""sion."
red 'the type toc_thing is defined in' src/mesh/bad.c "$spdx" 'typedef struct toc_thing {' '} toc_thing;' \
    'typedef enum toc_thing {' '} toc_thing;'
# Static functions under one name: refused in two files, allowed twice in one (a declaration and the definition).
fresh
printf '%s\nstatic int find_one(int a);\nstatic int find_one(int a) { return find_two(a); }\n' "$spdx" >"$tree/src/mesh/one.c"
printf '%s\nstatic int find_two(int a) { return a; }\n' "$spdx" >"$tree/src/mesh/two.c"
sh "$rules" "$tree" || { echo "a call of a static function is taken for a namesake"; failures=1; }
printf '%s\nstatic int *find_one(int a) { return 0; }\n' "$spdx" >"$tree/src/search/three.c"
if sh "$rules" "$tree" | grep -q 'find_one has a namesake in'; then :; else echo "a namesake is not refused" && failures=1; fi
# Two files: a header of mesh, and a definition under another name.
red_two() { # red_two WORDS FILE LINE: with a header src/mesh/one.h that declares toc_one_make
    fresh
    mkdir -p "$tree/src/scene"
    printf '%s\nint toc_one_make(int a);\n' "$spdx" >"$tree/src/mesh/one.h"
    printf '%s\n' "$spdx" >"$tree/src/mesh/two.h"
    printf '%s\n%s\n' "$spdx" "$3" >"$tree/$2"
    if said=$(sh "$rules" "$tree"); then said=; fi
    [ -z "$1" ] && wanted=0 || wanted=1
    got=0
    printf '%s' "$said" | grep -q 'is declared in' && got=1
    [ "$wanted" = "$got" ] || { echo "not as expected ($1): $2: $said"; failures=$((failures + 1)); }
}
red_two '' src/mesh/one.c 'int toc_one_make(int a) { return a; }'
# The tree of red_two has no caller of toc_one_make; a caller in another file settles it.
sh "$rules" "$tree" | grep -q 'toc_one_make has no caller in src/' || { echo "a function without caller is not refused"; failures=1; }
printf '%s\nint x(void) { return toc_one_make(1); }\n' "$spdx" >"$tree/src/mesh/caller.c"
sh "$rules" "$tree" || { echo "a caller is not seen"; failures=1; }
red_two '' src/mesh/third.c 'int toc_one_make(int a) { return a; }'
red_two 'is declared in' src/mesh/two.c 'int toc_one_make(int a) { return a; }'
red_two 'is declared in' src/scene/bad.c 'int toc_one_make(int a) { return a; }'
[ "$failures" = 0 ]
