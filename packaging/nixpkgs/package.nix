# SPDX-License-Identifier: Apache-2.0
{
  lib,
  stdenv,
  fetchurl,
  cmake,
  ninja,
  pkg-config,
  cjson,
  expat,
  stb,
  zlib,
}:

stdenv.mkDerivation rec {
  pname = "toccata";
  version = "@VERSION@";

  src = fetchurl {
    url = "@ADDRESS@/toccata-${version}.tar.gz";
    sha256 = "@SHA256@";
  };

  nativeBuildInputs = [ cmake ninja pkg-config ];
  buildInputs = [ cjson expat stb zlib ];

  cmakeFlags = map (name: "-DTOC_${name}=OFF") [ "TESTS" "BENCH" "MPI" "DEVICE" ];

  meta = {
    description = "Continuous collision detection of deforming meshes that misses no contact";
    homepage = "@ADDRESS@";
    license = lib.licenses.asl20;
    platforms = [ "x86_64-linux" "aarch64-linux" "aarch64-darwin" "x86_64-darwin" ];
    mainProgram = "toccata";
  };
}
