# SPDX-License-Identifier: Apache-2.0
# Packages of Debian and the source tarball, by CPack: `./run packages`, which configures with -DTOC_PACKAGES=ON.
set(CPACK_PACKAGE_NAME toccata)
set(CPACK_PACKAGE_VENDOR Toccata)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGE_CONTACT "Toccata developers <maintainers@toccata.invalid>")
if(DEFINED ENV{DEBEMAIL} AND DEFINED ENV{DEBFULLNAME})
  set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME toccata-${PROJECT_VERSION})
set(CPACK_SOURCE_IGNORE_FILES "/\\\\.git/;/\\\\.git$;/build/;^${PROJECT_SOURCE_DIR}/data/;/node_modules/;__pycache__;\\\\.egg-info/")
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_TOCCATA_STRIP ${CMAKE_STRIP}) # for cmake/debian/stage.cmake
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/stage.cmake)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL library dev tool)
set(CPACK_DEBIAN_PACKAGE_RELEASE 0toccata1)
set(TOC_PACKAGES_LIKE "" CACHE PATH "Packages of this version for this machine: those for another one depend on the same")
if(CMAKE_CROSSCOMPILING)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
else()
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

string(TIMESTAMP debian_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(debian_version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(library_package libtoccata${soversion})
set(about "Toccata finds when and where deforming bodies touch during a time step:
meshes of triangles, quads, tetrahedra, hexahedra, wedges, pyramids, edges
and points. Exact arithmetic decides the cases that floating point cannot,
so that no contact is missed and none is invented.")

# describe(COMPONENT PACKAGE SECTION DEPENDS SUMMARY TEXT): one package, with the documents that Debian's policy asks for.
function(describe component package section depends summary text)
  string(TOUPPER ${component} key)
  file(GLOB like ${TOC_PACKAGES_LIKE}/${package}_${PROJECT_VERSION}-*.deb)
  if(TOC_PACKAGES_LIKE AND like)
    execute_process(COMMAND dpkg-deb -f ${like} Depends OUTPUT_VARIABLE depends OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  endif()
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${about}\n\n${text}" PARENT_SCOPE)
  if(NOT TOC_PACKAGES)
    return()
  endif()
  set(doc ${PROJECT_BINARY_DIR}/debian/${component})
  file(MAKE_DIRECTORY ${doc})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/debian/copyright.in ${doc}/copyright @ONLY)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/debian/changelog.in ${doc}/changelog.Debian @ONLY)
  execute_process(COMMAND gzip -9nf ${doc}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${doc}/copyright ${doc}/changelog.Debian.gz DESTINATION share/doc/${package} COMPONENT ${component})
  set(overrides ${PROJECT_SOURCE_DIR}/cmake/debian/${component}.lintian-overrides)
  if(EXISTS ${overrides})
    configure_file(${overrides} ${doc}/${package} @ONLY)
    install(FILES ${doc}/${package} DESTINATION share/lintian/overrides COMPONENT ${component})
  endif()
endfunction()

describe(library ${library_package} libs "" "collision detection for deforming bodies"
         "This package has the shared libraries: the search, the readers and
writers of files, the simulation, the live view.")
describe(dev libtoccata-dev libdevel "${library_package} (= ${debian_version})"
         "collision detection for deforming bodies (development)"
         "This package has the headers, the static libraries, the files for
pkg-config and CMake, and examples.")
describe(tool toccata science "${library_package} (= ${debian_version})"
         "find contacts of moving meshes in files" "This package has the command toccata.")
# Which package a program needs for a library, and a new look at the libraries after the installation.
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs "")
foreach(name toccata toccata-io toccata-sim toccata-view)
  file(APPEND ${PROJECT_BINARY_DIR}/debian/shlibs
       "lib${name} ${soversion} ${library_package} (>= ${PROJECT_VERSION})\n")
endforeach()
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers ${PROJECT_BINARY_DIR}/debian/shlibs)
if(TOC_PACKAGES)
  list(APPEND CPACK_COMPONENTS_ALL python)
  describe(python python3-toccata python
           "${library_package} (= ${debian_version}), python3 (>= 3.9), python3-cffi-backend (>= 1.15), python3-numpy"
           "collision detection for deforming bodies (Python)" "This package has the module toccata for Python, on numpy arrays.")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/python-prerm ${PROJECT_BINARY_DIR}/debian/prerm COPYONLY)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/prerm)
endif()
include(CPack)
