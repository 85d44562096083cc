# SPDX-License-Identifier: Apache-2.0
from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, rmdir


class Toccata(ConanFile):
    name = "toccata"
    version = "@VERSION@"
    description = "Continuous collision detection of deforming meshes that misses no contact"
    license = "Apache-2.0"
    topics = ("collision-detection", "simulation", "geometry")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "research": [True, False]}
    default_options = {"shared": False, "fPIC": True, "research": True}

    def config_options(self):
        if self.settings.os == "Windows":
            del self.options.fPIC

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")
        self.settings.rm_safe("compiler.libcxx")
        self.settings.rm_safe("compiler.cppstd")

    def validate(self):
        if self.settings.compiler == "msvc":
            raise ConanInvalidConfiguration("the sources need gcc or clang: vector types, attributes and builtins")
        if self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("a little-endian processor of 64 bits is needed")

    def requirements(self):
        self.requires("expat/[>=2.5 <3]")
        self.requires("zlib/[>=1.2.13 <2]")

    def layout(self):
        cmake_layout(self)

    def source(self):
        get(self, "@ADDRESS@/toccata-@VERSION@.tar.gz", sha256="@SHA256@", strip_root=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for name in ("TESTS", "BENCH", "TOOLS", "MPI", "DEVICE"):
            toolchain.cache_variables[f"TOC_{name}"] = False
        toolchain.cache_variables["TOC_RESEARCH"] = bool(self.options.research)
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, f"{self.package_folder}/licenses")
        CMake(self).install()
        for folder in ("share", "lib/cmake", "lib/pkgconfig"):
            rmdir(self, f"{self.package_folder}/{folder}")

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "toccata")
        for name, library, requires in (
            ("toccata", "toccata", []),
            ("io", "toccata-io", ["toccata", "expat::expat", "zlib::zlib"]),
            ("sim", "toccata-sim", ["toccata"]),
            ("view", "toccata-view", ["toccata"]),
        ):
            component = self.cpp_info.components[name]
            component.libs = [library]
            component.requires = requires
            component.set_property("cmake_target_name", f"toccata::{name}")
            component.set_property("pkg_config_name", library)
            if not self.options.shared:
                component.defines = ["TOC_STATIC"]
            if self.settings.os in ("Linux", "FreeBSD"):
                component.system_libs = ["m", "pthread", "dl"]
        if self.settings.os == "Windows":
            self.cpp_info.components["view"].system_libs = ["ws2_32"]
