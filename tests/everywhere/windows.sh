#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files as Windows has them: windows.sh WINE COMMAND FOLDER. Names with spaces, Unicode, backslashes and drives, long paths,
# CRLF lines, files that are read-only or missing, standard streams and no terminal; a page on a port; no DLL but those of Windows,
# and one of them missing. Nothing is left behind.
set -eu
wine=$1 command=$2 folder="$3/a folder, Größe 表面"
rm -rf "$3"
mkdir -p "$folder"
cd "$folder"
failed=0
toccata() { sh "$wine" "$command" "$@"; }
expect() { # WHAT TEXT WORDS
    case $2 in
    *"$3"*) ;;
    *)
        echo "$1: \"$3\" is not in: $2"
        failed=1
        ;;
    esac
}
refuse() { # WHAT WORDS COMMAND...: exit code 1, and a sentence
    what=$1 words=$2 code=0
    shift 2
    said=$(toccata "$@" 2>&1) || code=$?
    [ "$code" = 1 ] || { echo "$what: exit code $code" && failed=1; }
    expect "$what" "$said" "$words"
}

toccata scene cloth-ball --size 12 --frames 12 --out "Bilder ü" >/dev/null
[ "$(ls "Bilder ü" | wc -l)" = 12 ] || { echo "scene: not 12 files" && failed=1; }
one="Bilder ü/cloth-ball-0010.ply" two="Bilder ü/cloth-ball-0011.ply"
toccata check "$one" "$two" --contacts "Kontakte.csv" >/dev/null
grep -q '^vf,' Kontakte.csv || { echo "check: no contacts" && failed=1; }
back=$(printf 'Bilder ü\\cloth-ball-0010.ply')
toccata check "$back" "Z:$(pwd)/$two" --contacts "Laufwerk.csv" >/dev/null
cut -d, -f1-6 Kontakte.csv >a && cut -d, -f1-6 Laufwerk.csv >b
cmp a b || failed=1

toccata convert "$one" "plain.obj" >/dev/null
grep -q "$(printf '\r')" plain.obj && { echo "convert: wrote CRLF" && failed=1; }
sed 's/$/\r/' plain.obj >crlf.obj
toccata convert crlf.obj again.obj >/dev/null
cmp plain.obj again.obj || failed=1
expect "standard input" "$(toccata info -.obj <plain.obj)" "elements"
toccata convert plain.obj -.obj >streamed.obj
cmp plain.obj streamed.obj || failed=1

long=$(printf 'long%.0s' $(seq 45))
mkdir -p "$long/$long"
toccata convert plain.obj "$long/$long/x.obj" >/dev/null
cmp plain.obj "$long/$long/x.obj" || failed=1
(cd "$long" && toccata convert ../plain.obj "$long/y.obj" >/dev/null && cmp ../plain.obj "$long/y.obj") || failed=1

refuse "missing file" "cannot be opened: No such file" info "gibt es nicht ü.obj"
refuse "folder" "is a folder, not a file" info .
cp plain.obj fixed.obj
chmod a-w fixed.obj
refuse "read-only file" "cannot be written: Permission denied" convert "$one" fixed.obj
cmp plain.obj fixed.obj || failed=1
refuse "folder that is missing" "cannot be written" convert "$one" "no folder/x.obj"
mkdir "no entry"
chmod a-w "no entry"
[ -w "no entry" ] || refuse "read-only folder" "cannot be written: Permission denied" convert "$one" "no entry/x.obj"
refuse "bad number" "plain-bad.obj:2" info "$(sed '2s/[0-9]/x/' plain.obj >plain-bad.obj && echo plain-bad.obj)"

escape=$(printf '\033')
toccata check "$one" "$two" >said 2>&1 || failed=1
! grep -q "$escape\|$(printf '\r')" said || { echo "check: draws on what is no terminal" && failed=1; }

foreign=$(x86_64-w64-mingw32-objdump -p "$command" | sed -n 's/.*DLL Name: //p' | grep -viE '^(advapi32|kernel32|msvcrt|shell32|user32|ws2_32)\.dll$' || true)
[ -z "$foreign" ] || { echo "needs $foreign" && failed=1; }
# It runs alone in a folder. Where a DLL is missing Windows does not begin it: no answer, and no exit code of success.
mkdir alone && cp "$command" alone/toccata.exe
said=$(cd alone && sh "$wine" ./toccata.exe info ../plain.obj 2>&1) || failed=1
expect "alone" "$said" "elements"
code=0
said=$(WINEDLLOVERRIDES=ws2_32= toccata info plain.obj 2>/dev/null) || code=$?
[ "$code" -gt 1 ] && [ -z "$said" ] || { echo "without a DLL: exit code $code: $said" && failed=1; }

# The page, its blocks, and no other host.
status_of() { curl -s -m 60 -o "$1" -w '%{http_code}' "${address}$2" -H "Host: $3"; }
timeout 300 sh "$wine" "$command" view "$one" "$two" --serve >address 2>no-page &
server=$!
tries=0
until grep -q Ctrl-C address || ! kill -0 $server 2>/dev/null || [ $tries = 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
address=$(sed -n 's/\(http:[^ ]*\).*/\1/p' address | tr -d '\r')
if [ -n "$address" ]; then
    asked="$(status_of page.html "" 127.0.0.1) $(status_of block blocks/0 127.0.0.1) $(status_of none "" example.org)"
    [ "$asked" = "200 200 403" ] && grep -q toccata-data page.html && [ -s block ] || { echo "view --serve: $asked" && failed=1; }
    kill $server
else
    expect "view --serve" "$(cat no-page)" "this build has no viewer"
fi
left=$(find . -name '*~' -o -name '.toccata*')
[ -z "$left" ] || { echo "left behind: $left" && failed=1; }
exit "$failed"
