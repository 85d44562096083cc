#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A release is signed by the key that is given, and gpg verifies it; without a key it has sums alone; a key that is not there is refused
# in one sentence, by ./run before it builds: signature.sh SOURCE_DIR. The key is made for this test, in a folder of its own.
set -eu
command -v gpg >/dev/null || { echo "gpg is not installed (Debian: gnupg)" && exit 77; }
GNUPGHOME=$(mktemp -d)
export GNUPGHOME
trap 'gpgconf --kill gpg-agent; rm -rf "$GNUPGHOME"' EXIT
unset TOC_SIGNING_KEY
fail() { echo "$*" && exit 1; }
files=$GNUPGHOME/files
mkdir "$files"
echo one >"$files/one.tar.gz"
echo two >"$files/two words.zip"
sums() { sh "$1/packaging/release/sums.sh" "$files"; }

sums "$1"
[ ! -e "$files/SHA256SUMS.asc" ] || fail "signed without a key"
(cd "$files" && sha256sum --quiet -c SHA256SUMS) || fail "the sums do not fit"

gpg --batch --quiet --passphrase "" --quick-generate-key "Release test <release@example.org>" ed25519 sign never
export TOC_SIGNING_KEY=release@example.org
sums "$1"
gpg --batch --verify "$files/SHA256SUMS.asc" "$files/SHA256SUMS" 2>"$GNUPGHOME/said" || { cat "$GNUPGHOME/said" && fail "not verified"; }
grep -q 'Good signature from "Release test' "$GNUPGHOME/said" || fail "not by the key"
(cd "$files" && sha256sum --quiet -c SHA256SUMS) || fail "the sums do not fit beside a signature"
sums "$1" # again, over the old ones
grep -q SHA256SUMS "$files/SHA256SUMS" && fail "the sums have a row for themselves"
echo >>"$files/SHA256SUMS"
! gpg --batch --verify "$files/SHA256SUMS.asc" "$files/SHA256SUMS" 2>/dev/null || fail "other sums are verified, too"

export TOC_SIGNING_KEY=nobody@example.org
said=$(sums "$1" 2>&1) && fail "signed by a key that is not there"
case $said in *"no secret key of this name: nobody@example.org"*) ;; *) fail "no sentence: $said" ;; esac
sed -n '/^release() {/,/^}/p' "$1/run" | grep -n 'sums.sh --key\|build_preset\|packages ' | head -n 1 | grep -q 'sums.sh --key' ||
    fail "./run release builds before it looks at the key"
