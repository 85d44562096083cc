# SPDX-License-Identifier: Apache-2.0
class Toccata < Formula
  desc "Continuous collision detection of deforming meshes that misses no contact"
  homepage "@ADDRESS@"
  url "@ADDRESS@/toccata-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "cjson"
  uses_from_macos "expat"
  uses_from_macos "zlib"

  def install
    off = %w[TESTS BENCH MPI DEVICE].map { |name| "-DTOC_#{name}=OFF" }
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *off, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    system bin/"toccata", "scene", "cloth-ball", "--size", "12", "--frames", "12", "--out", testpath
    frames = [10, 11].map { |frame| testpath/format("cloth-ball-%04d.ply", frame) }
    assert_match "contacts", shell_output("#{bin}/toccata check #{frames.join(" ")}")
  end
end
