#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Recipes in packaging/ are filled in completely, pass the checkers that are installed, and set options that the build has:
# recipes.sh SOURCE_DIR [RECIPE]. With a name, only the checkers of that recipe run.
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() { echo "$*"; failures=$((failures + 1)); }
only=${2-}
check() { # PROGRAM WORD...
    case "$*" in *"/$only"*) ;; *) return ;; esac
    command -v "$1" >/dev/null 2>&1 || { echo "left out: $1 is not installed" && return; }
    "$@" >"$work/log" 2>&1 || { cat "$work/log" && fail "failed: $*"; }
}

printf 'a tarball' >"$work/source.tar.gz"
/usr/bin/python3 -B packaging/recipes.py "$work" "https://example.org/toccata/" "$work/source.tar.gz"
part() { sed -n "s/^#define TOC_VERSION_$1 //p" include/toccata/version.h; }
version=$(part MAJOR).$(part MINOR).$(part PATCH)
sum=$(sha256sum "$work/source.tar.gz" | cut -d' ' -f1)
for name in conan/conanfile.py conda-forge/meta.yaml homebrew/toccata.rb nixpkgs/package.nix vcpkg/portfile.cmake vcpkg/vcpkg.json; do
    ! grep -nE '@[A-Z0-9]+@' "$work/$name" || fail "$name: a word is left"
    case $name in
    vcpkg/vcpkg.json) grep -q "\"$version\"" "$work/$name" || fail "$name: not version $version" ;;
    vcpkg/*) grep -q 'https://example.org/toccata/toccata-${VERSION}.tar.gz' "$work/$name" || fail "$name: another address" ;;
    *) grep -q "https://example.org/toccata/toccata-\(${version}\|\${version}\).tar.gz" "$work/$name" && grep -q "$sum" "$work/$name" ||
        fail "$name: another address or sum" ;;
    esac
    for option in $(grep -oE 'TOC_[A-Z]+' "$work/$name" | sort -u); do
        [ "$option" = TOC_STATIC ] || [ "$option" = TOC_ ] || grep -rqE "option\($option |set\($option " CMakeLists.txt cmake || fail "$name: no option $option"
    done
done
for name in $(sed -n 's/.*for name in (\(.*\)):$/\1/p; s/.*%w\[\(.*\)\].*/\1/p; s/.*-DTOC_${name}=OFF") \[\(.*\)\];/\1/p' "$work"/conan/conanfile.py \
    "$work"/homebrew/toccata.rb "$work"/nixpkgs/package.nix | tr -d '",'); do
    grep -rqE "option\(TOC_$name " CMakeLists.txt cmake || fail "no option TOC_$name"
done

/usr/bin/python3 -B tests/house/recipes.py . "$work" || failures=$((failures + 1))
check pyflakes3 "$work/conan/conanfile.py"

# The formula runs on a stand-in for Homebrew's class, and keeps the rules of `brew style`, which is rubocop with these settings.
cat >"$work/formula.rb" <<'END'
class Formula
  SAID = {}
  %w[desc homepage url sha256 license depends_on uses_from_macos test].each do |word|
    define_singleton_method(word) { |*values, &block| (SAID[word] ||= []) << (block || values) }
  end
end
END
cat >"$work/asked.rb" <<'END'
need = %w[desc homepage url sha256 license test] - Formula::SAID.keys
abort "the formula has no #{need.join(", ")}" unless need.empty?
desc = Formula::SAID["desc"][0][0]
abort "desc: at most 80 characters, no article, no full stop: #{desc}" if desc.size > 80 || desc =~ /\A(an?|the) |\.\z|toccata/i
abort "the formula does not install" unless Toccata.method_defined?(:install)
END
printf '%s\n' 'AllCops:' '  NewCops: enable' '  SuggestExtensions: false' 'Layout/SpaceAroundOperators: {Enabled: false}' \
    'Style/Documentation: {Enabled: false}' 'Style/FrozenStringLiteralComment: {Enabled: false}' \
    'Style/StringLiterals: {EnforcedStyle: double_quotes}' 'Style/StringLiteralsInInterpolation: {EnforcedStyle: double_quotes}' >"$work/rubocop.yml"
check ruby -w -r "$work/formula.rb" -r "$work/homebrew/toccata.rb" "$work/asked.rb"
check rubocop --cache false --config "$work/rubocop.yml" "$work/homebrew/toccata.rb"

# The package of nixpkgs is a function of packages: here these are their names.
export NIX_STORE_DIR="$work/nix/store" NIX_STATE_DIR="$work/nix/state" NIX_LOG_DIR="$work/nix/log" NIX_CONF_DIR="$work/nix"
check nix-instantiate --eval --strict -E "let package = import $work/nixpkgs/package.nix; names = builtins.functionArgs package;
    made = package (builtins.mapAttrs (name: _: name) names //
        { lib.licenses.asl20 = \"Apache-2.0\"; stdenv.mkDerivation = a: a; fetchurl = a: a; });
    in assert made.version == \"$version\" && made.src.sha256 == \"$sum\" && builtins.elem \"cmake\" made.nativeBuildInputs; made.meta"
check yamllint -d '{extends: relaxed, rules: {line-length: disable}}' "$work/conda-forge/meta.yaml"
check cmake-lint --line-width 160 --disabled-codes C0307 --suppress-decorations -- "$work/vcpkg/portfile.cmake" # vcpkg indents by four
echo 'cmake_minimum_required(VERSION 3.22)' >"$work/vcpkg/run.cmake"
for name in vcpkg_download_distfile vcpkg_extract_source_archive vcpkg_check_features vcpkg_cmake_configure vcpkg_cmake_install \
    vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig vcpkg_copy_tools vcpkg_install_copyright; do
    printf 'function(%s)\nendfunction()\n' "$name"
done >>"$work/vcpkg/run.cmake"
cat "$work/vcpkg/portfile.cmake" >>"$work/vcpkg/run.cmake"
check cmake -DCURRENT_PACKAGES_DIR="$work/none" -DFEATURES=tool -P "$work/vcpkg/run.cmake"
[ "$failures" = 0 ]
