#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# House rules that a compiler does not check: sh rules.sh SOURCE_DIR. Reports each violation as file:line.
# rules_turn_red.sh shows that each rule can fail.
set -eu
cd "$1"
folders='include src sim mpi view tests tools scenes examples integrations bench cmake packaging docs viewer wasm python .ci'
here=
for folder in $folders; do [ ! -d "$folder" ] || here="$here $folder"; done
found=$(mktemp)
trap 'rm -f "$found"' EXIT

# All text files of the project, and those that are C.
texts() {
    # shellcheck disable=SC2086
    { find . -maxdepth 1 -type f; find $here -type f; } |
        grep -vE '\.(png|svg|gif|gz|zip|stl|bin|log)$|^\./\.git$|/LICENSE$|__pycache__|/node_modules/|^python/(build|[a-z]*\.egg-info)/' | sort
}
sources() { texts | grep -E '\.[ch]$' || true; }

# Includes: a module may include the modules before it in the order; io may include base and mesh;
# sim, mpi and tools may include base.
sources | xargs -r awk '
    function folder(path, parts) { split(path, parts, "/"); return parts[1] == "." ? parts[2] : parts[1] }
    function bad(what) { print FILENAME ":" FNR ": " what }
    BEGIN {
        count = split("base mesh bound index cull number pair device convex scene search ask potential", order, " ")
        for (i = 1; i <= count; i++) rank[order[i]] = i
    }
    !/^[ \t]*#[ \t]*include[ \t]+"/ { next }
    {
        split($0, quoted, "\"")
        target = quoted[2]
        if (target !~ /\//) { bad("write the folder of \"" target "\" too"); next }
        whom = folder(target)
        who = folder(FILENAME)
        if (who == "src") { split(FILENAME, parts, "/"); who = parts[2] }
        if (who == "tests" || who == "bench" || whom == "toccata" || whom == who) next
        if (who == "include") bad("a public header includes \"" target "\"")
        else if ((who == "tools" || who == "wasm") && whom == "view") next
        else if (who == "tools" && (whom == "scenes" || target == "src/io/core/base64.h")) next
        else if (whom == "base" && (who == "sim" || who == "mpi" || who == "view" || who == "tools")) next
        else if (who == "python" && whom == "native") next
        else if (who == "wasm" && (whom == "base" || whom == "io" || whom == "tools")) next
        else if (who == "tools" || who == "scenes" || who == "examples" || who == "integrations" || who == "sim" || who == "mpi" || who == "view") bad(who "/ is outside of the library and may not include \"" target "\"")
        else if (who == "io" && (whom == "base" || whom == "mesh")) next
        else if (who in rank && whom in rank && rank[whom] < rank[who]) next
        else bad(who "/ may not include \"" target "\"")
    }' >>"$found"

# Processors differ in base/simd.h alone.
sources | grep -vE 'base/simd\.h$' | xargs -r grep -nE '^ *# *include <([a-z0-9]*mmintrin|x86[a-z0-9]*|cpuid|arm_[a-z]*|wasm_simd128)\.h>' |
    sed 's/$/: only base\/simd.h includes the header of a processor/' >>"$found" || true

# The operating system is behind base/platform/platform.h. Exempt are programs that Windows does not get, netCDF and the driver of a device.
sources | grep -E '^(\./)?(src|sim|view|tools|scenes)/' |
    grep -vE 'base/platform/|tools/mpi/|tools/(bench|page_picture|process|tetgen)\.[ch]$|exodus/exodus\.c$|device/driver\.c$' | xargs -r awk '
    function bad() { print FILENAME ":" FNR ": the operating system is called by base/platform alone" }
    /^ *# *include <((unistd|fcntl|dirent|fnmatch|ftw|glob|poll|pty|termios|windows|winsock2|io|direct|dlfcn)\.h|(sys|arpa|netinet)\/)/ { bad() }
    {
        gsub(/"([^"\\]|\\.)*"/, "\"\"")
        sub(/\/\/.*/, "")
    }
    FILENAME !~ /scenes\// && /(^|[^A-Za-z0-9_.>])fopen[ ]*\(/ { bad() }
    /(^|[^A-Za-z0-9_.>])(access|fdopen|fileno|fork|fseeko|getline|getpid|isatty|memmem|mkdir|mkdtemp|mkstemp|mmap|newlocale|open_memstream|pthread_sigmask|realpath|reallocarray|rename|rmdir|sigaction|stat|stpcpy|strsep|sysconf|tmpfile|unlink|usleep)[ ]*\(/ { bad() }
    ' >>"$found"

# Forbidden: calls that lose bytes, errors or repeatability; in the library also those that print, exit or bypass the
# allocator.
sources | xargs -r awk '
    function bad(what) { print FILENAME ":" FNR ": " what }
    /^[ \t]*#[ \t]*if 0/ { bad("dead code") }
    /TODO|FIXME|XXX[^X]/ && !/XXXXXX/ { bad("unfinished work") }
    length($0) > 120 { bad("more than 120 columns") }
    {
        gsub(/"([^"\\]|\\.)*"/, "\"\"")
        sub(/\/\/.*/, "")
    }
    /(^|[^A-Za-z0-9_.>])(rand|srand|strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|atof|strtok|alloca)[ ]*\(/ {
        bad("a forbidden call")
    }
    FILENAME ~ /^(\.\/)?(src|sim|mpi|view)\// {
        if (/(^|[^A-Za-z0-9_.>])(printf|puts|putchar|perror|exit|abort|setlocale)[ ]*\(|[^A-Za-z0-9_](stdout|stderr)[^A-Za-z0-9_]/ && FILENAME !~ /base\/platform\//)
            bad("the library prints nothing, never exits and leaves the locale alone")
        if (FILENAME !~ /base\/(allocator\.c$|platform\/)/ && /(^|[^A-Za-z0-9_.>])(malloc|calloc|realloc|free|strdup)[ ]*\(/)
            bad("memory comes from a toc_allocator")
    }' >>"$found"

# One clock: the pipeline times the parts of a query; a question may time its whole call, and no index or stage itself.
sources | grep -E '^(\./)?src/(mesh|bound|index|cull|number|pair|device|convex|scene|search)/' |
    grep -vE 'src/search/(pipeline|search)\.c$' | xargs -r grep -nE 'toc_seconds[ ]*\(' |
    sed 's/$/: only the pipeline reads the clock/' >>"$found" || true

# CMake 3.22 is enough (README.md): no newer policy version, preset version, command, option or generator expression.
builds() { texts | grep -E 'CMakeLists\.txt$|\.cmake(\.in)?$' || true; }
builds | xargs -r awk '
    function bad(what) { print FILENAME ":" FNR ": " what " needs a CMake newer than 3.22" }
    { sub(/#.*/, "") }
    /cmake_minimum_required|cmake_policy[ (]*VERSION/ {
        if (match($0, /VERSION[ ]+[0-9]+\.[0-9]+/)) {
            split(substr($0, RSTART, RLENGTH), words, /[ .]+/)
            if (words[2] > 3 || words[3] > 22) bad("this version")
        }
    }
    /(^|[ \t(])(block|endblock)[ ]*\(/ { bad("block()") }
    /return[ ]*\([ ]*PROPAGATE/ { bad("return(PROPAGATE)") }
    /FILE_SET|PACKAGE_INFO|FIND_PACKAGE_ARGS|OVERRIDE_FIND_PACKAGE|DEPENDS_EXPLICIT_ONLY|VALIDATOR|LINKER_TYPE/ { bad("this option") }
    /COMPILE_WARNING_AS_ERROR|TEST_LAUNCHER|CMAKE_COLOR_DIAGNOSTICS|EXPORT_BUILD_DATABASE|[( ]LINUX[) ]/ { bad("this variable") }
    /CMP0(129|1[3-9][0-9]|[2-9][0-9][0-9])/ { bad("this policy") }
    /\$<(LINK_LIBRARY|LINK_GROUP|COMPILE_ONLY|LIST|PATH|QUOTE|BUILD_LOCAL_INTERFACE|TARGET_RUNTIME_DLL_DIRS|TARGET_IMPORT_FILE|STRING)[:>]/ {
        bad("this generator expression")
    }' >>"$found"
[ ! -f CMakePresets.json ] || awk '
    function number(text) { match(text, /[0-9]+/); return substr(text, RSTART, RLENGTH) + 0 }
    /^ *"version"/ && number($0) > 3 { print FILENAME ":" FNR ": presets of this version need a CMake newer than 3.22" }
    /"minor"/ { sub(/.*"minor"/, ""); if (number($0) > 22) print FILENAME ":" FNR ": CMake 3.22 is enough" }
    ' CMakePresets.json >>"$found"

# The licence at the head of each file: line 1, or 2 after #! or a document type.
texts | grep -E '\.(c|h|sh|py|js|mjs|ts|css|html|cmake)$|CMakeLists\.txt$|^\./run$|\.ci/run$' | xargs -r awk '
    FNR == 1 { first = $0 }
    FNR == 1 && !/^(#!|<!doctype)/ && !/SPDX-License-Identifier: Apache-2\.0/ { print FILENAME ":1: no SPDX line" }
    FNR == 2 && first ~ /^(#!|<!doctype)/ && !/SPDX-License-Identifier: Apache-2\.0/ { print FILENAME ":2: no SPDX line" }
    ' >>"$found"

# Forbidden: paths and hosts of one machine or network.
texts | xargs -r grep -nIE '(^|[^A-Za-z0-9_.}])/(work|home|root|srv|tmp|Users)/[A-Za-z0-9]' | sed 's/$/: a path of one machine/' >>"$found" || true
texts | xargs -r grep -nIE 'https?://([^/ ]*(registry|artifactory|nexus|mirror|proxy)|[^/. ]+[/:]|[0-9]+\.[0-9]+\.[0-9]+\.|[^/ ]*\.(internal|local|lan|corp))' |
    grep -v '//127\.0\.0\.1[:/]' | sed 's/$/: a host of one network/' >>"$found" || true
texts | grep -E 'CMake|\.cmake$' | xargs -r grep -nE 'fast-math|Ofast' |
    grep -v 'options(test\.ask\.fast_math PRIVATE' | sed 's/$/: unsafe arithmetic/' >>"$found" || true

# Every public function is exported, documented right above, and named toc_noun_verb.
find include -name '*.h' | sort | xargs -r awk '
    function bad(what) { print FILENAME ":" FNR ": " what }
    FNR == 1 { above = "" }
    /^[A-Za-z].*[ *][a-z_0-9]+\(/ && !/^typedef/ && !/^extern/ {
        if (!/^(TOC_API|TOC_IO_API|TOC_SIM_API|TOC_VIEW_API|TOC_MPI_API|TOC_INLINE_API) /) bad("a function without TOC_API")
        if (!/[ *]toc_[a-z0-9_]+\(/) bad("a public function not named toc_")
        if (above !~ /^\/\/\//) bad("a public function without its comment")
    }
    { above = $0 }' >>"$found"

# A question of the interface has a floating-point state of its own (base/arithmetic.h).
sources | grep -E '^(\./)?src/' | xargs -r awk '
    FNR == 1 { name = "" }
    /^toc_status toc_(scene|candidates|pair|quadratic|convex|triangles|overlap|distance|inside)_(find|update)[a-z_]*\(/ {
        place = FILENAME ":" FNR
        name = $2
        sub(/\(.*/, "", name)
    }
    name ~ /_unchecked$/ { name = "" }
    name != "" && /;[ ]*$/ {
        if (!/TOC_SCOPED_ARITHMETIC;/ && !/\);[ ]*$/) print place ": " name " computes in the state of the host; begin with TOC_SCOPED_ARITHMETIC"
        name = ""
    }' >>"$found"

# Prose names its subject first: no sentence of a comment or a document begins with a relative "what". Questions may.
prose() { texts | grep -E '\.(c|h|sh|md|cmake)$|CMakeLists\.txt$|^\./run$|\.ci/run$' || true; }
prose | xargs -r awk '
    { text = $0 }
    FILENAME ~ /\.[ch]$/ { text = match($0, /\/\//) ? substr($0, RSTART) : "" }
    FILENAME !~ /\.([ch]|md)$/ { text = match($0, /#/) ? substr($0, RSTART) : "" }
    text !~ /[?]/ && (text ~ /^(\/\/[\/<]*|[-#*|>]*) *What [a-z]/ || text ~ /[.:;|] What [a-z]/) {
        print FILENAME ":" FNR ": a sentence begins with a relative \"what\": name its subject"
    }' >>"$found"

# Texts describe the product, not the work on it. Identifiers are free.
texts | grep -E '\.(c|h|sh|md|cmake)$|CMakeLists\.txt$|^\./run$|\.ci/run$' | xargs -r awk '
    { text = tolower($0) }
    FILENAME ~ /\.[ch]$/ { text = match(text, /\/\//) ? substr(text, RSTART) : "" }
    FILENAME !~ /\.([ch]|md)$/ { text = match(text, /(^|[ \t])#/) ? substr(text, RSTART) : "" }
    text ~ /(^|[^a-z_`\/])(issues?|sessions?|reviewers?|sprints?)([^a-z_`]|$)/ {
        print FILENAME ":" FNR ": a word of the work on the product, not of the product"
    }' >>"$found"

# A type has one definition under its name in the libraries, and a static function has a name of its own: a debugger and
# a profile show the name alone.
sources | grep -E '^(\./)?(src|sim|mpi|include)/' | xargs -r awk '
    /^typedef (struct|enum|union) [a-z_0-9]+ \{/ {
        if ($3 in seen) print FILENAME ":" FNR ": the type " $3 " is defined in " seen[$3] ", too"
        else seen[$3] = FILENAME ":" FNR
    }
    { gsub(/__attribute__\(\([a-z]*\)\) /, "") }
    /^static [^=;]*[ *][a-z_0-9]+\(/ {
        match($0, /[ *][a-z_0-9]+\(/)
        name = substr($0, RSTART + 1, RLENGTH - 2)
        if (name in home && home[name] != FILENAME)
            print FILENAME ":" FNR ": the static function " name " has a namesake in " home[name]
        else home[name] = FILENAME
    }' >>"$found"

# A function of src/MODULE/NAME.h is defined in NAME.c, or in a file of the module that has no header of its own.
{ sources | grep -E '^(\./)?src/.*\.h$'; sources | grep -E '^(\./)?src/.*\.c$'; } | xargs -r awk '
    function stem(path) { sub(/(\.kernel)?\.[ch]$/, "", path); return path }
    function module(path) { sub(/^\.\//, "", path); split(path, parts, "/"); return parts[2] }
    FNR == 1 && FILENAME ~ /\.h$/ { header[stem(FILENAME)] = 1 }
    !/^[A-Za-z_].*[ *]toc_[a-z0-9_]+\(/ || /^(typedef|static|extern|return|else)/ { next }
    { match($0, /toc_[a-z0-9_]+\(/); name = substr($0, RSTART, RLENGTH - 1) }
    FILENAME ~ /\.h$/ { if (!(name in at)) at[name] = FILENAME; next }
    /;$/ || !(name in at) || stem(at[name]) == stem(FILENAME) { next }
    module(at[name]) != module(FILENAME) || header[stem(FILENAME)] {
        print FILENAME ":" FNR ": " name " is declared in " at[name]
    }' >>"$found"

# A function that a header of src/ declares has a caller in src/: other code belongs to tests/support, or goes.
sources | grep -E '^(\./)?src/' | xargs -r awk '
    { sub(/\/\/.*/, "") }
    FILENAME ~ /\.h$/ && /^[A-Za-z_].*[ *]toc_[a-z0-9_]+\(/ && !/^(typedef|static|extern)/ {
        match($0, /[ *]toc_[a-z0-9_]+\(/)
        name = substr($0, RSTART + 1, RLENGTH - 2)
        if (!(name in at)) at[name] = FILENAME ":" FNR
    }
    {
        for (line = $0; match(line, /toc_[a-z0-9_]+/); line = substr(line, RSTART + RLENGTH))
            uses[substr(line, RSTART, RLENGTH)]++
    }
    END {
        for (name in at) if (uses[name] < 3) print at[name] ": " name " has no caller in src/"
    }' | sort >>"$found"

cat "$found"
[ ! -s "$found" ]
