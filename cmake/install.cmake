# SPDX-License-Identifier: Apache-2.0
# Rules of `cmake --install`: libraries, headers, CMake package, pkg-config files, command and manual.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/toccata)
foreach(name ${libraries})
  string(REPLACE toccata_ "" short ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${short})
endforeach()
install(TARGETS ${libraries} EXPORT toccata
        RUNTIME COMPONENT library LIBRARY COMPONENT library NAMELINK_COMPONENT dev ARCHIVE COMPONENT dev)
if(BUILD_SHARED_LIBS)
  # The objects serve both kinds of library: toccata::static, toccata::io_static and so on are the static ones.
  foreach(name ${libraries})
    string(REPLACE _ - file ${name})
    string(REPLACE toccata_ "" short ${name}_static)
    set_target_properties(${name}_static PROPERTIES OUTPUT_NAME ${file} EXPORT_NAME ${short})
  endforeach()
  install(TARGETS ${static_libraries} EXPORT toccata ARCHIVE COMPONENT dev)
  if(WIN32)
    # For `-ltoccata` gcc takes libtoccata.dll.a before the static library; linkers of Microsoft look for toccata.lib.
    foreach(name ${libraries})
      string(REPLACE _ - file ${name})
      install(FILES $<TARGET_LINKER_FILE:${name}> DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME ${file}.lib COMPONENT dev)
    endforeach()
  endif()
endif()
install(DIRECTORY include/toccata DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
# Manual pages of section 3 from the headers, where Python is.
if(TOC_PYTHON AND PROJECT_IS_TOP_LEVEL)
  set(man3 ${PROJECT_BINARY_DIR}/share/man3)
  file(GLOB public_headers CONFIGURE_DEPENDS include/toccata/*.h)
  add_custom_command(OUTPUT ${man3}/toc_query.3
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${man3}
    COMMAND ${TOC_PYTHON} -B ${PROJECT_SOURCE_DIR}/cmake/manual.py ${PROJECT_SOURCE_DIR}/include/toccata ${man3} ${PROJECT_VERSION}
    DEPENDS ${public_headers} ${PROJECT_SOURCE_DIR}/cmake/manual.py VERBATIM)
  add_custom_target(toccata_man3 ALL DEPENDS ${man3}/toc_query.3)
  install(DIRECTORY ${man3} DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT dev)
endif()

install(EXPORT toccata NAMESPACE toccata:: FILE toccata-targets.cmake DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(cmake/toccata-config.cmake.in toccata-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(toccata-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/toccata-config.cmake ${PROJECT_BINARY_DIR}/toccata-config-version.cmake
        DESTINATION ${package_dir} COMPONENT dev)

# For pkg-config: how far it is from the .pc file up to the prefix, so that the installed tree can be moved.
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(pc_libs "-lm -lpthread")
set(pc_io_libs -lm)
set(pc_io_requires)
if(EXPAT_FOUND)
  string(APPEND pc_io_requires " expat")
endif()
if(ZLIB_FOUND)
  string(APPEND pc_io_requires " zlib")
endif()
foreach(name ${CMAKE_DL_LIBS})
  string(APPEND pc_libs " -l${name}")
  string(APPEND pc_io_libs " -l${name}")
endforeach()
# libtoccata-mpi is for mpicc and pkg-config: the CMake package names neither MPI nor Zoltan.
set(pc_files ${libraries})
list(TRANSFORM pc_files REPLACE _ -)
list(TRANSFORM pc_files APPEND .pc)
if(TARGET toccata_mpi)
  install(TARGETS toccata_mpi COMPONENT mpi)
  if(TARGET toccata_mpi_command)
    set_target_properties(toccata_mpi_command PROPERTIES INSTALL_RPATH "${origin}/../${CMAKE_INSTALL_LIBDIR}")
    install(TARGETS toccata_mpi_command COMPONENT mpi)
  endif()
  list(APPEND pc_files toccata-mpi.pc)
endif()
foreach(file ${pc_files})
  configure_file(cmake/${file}.in ${file} @ONLY)
  set(component dev)
  if(file MATCHES mpi)
    set(component mpi)
  endif()
  install(FILES ${PROJECT_BINARY_DIR}/${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endforeach()

# The command, with the manual page and the shell completions that it prints.
if(TARGET toccata_command)
  set_target_properties(toccata_command PROPERTIES INSTALL_RPATH "${origin}/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS toccata_command COMPONENT tool)
  set(share ${PROJECT_BINARY_DIR}/share)
  set(TOC_SHARE "" CACHE PATH "The manual and completions that another build of this version has printed; for other processors")
  if(TOC_SHARE)
    set(share ${TOC_SHARE})
  elseif(NOT CMAKE_CROSSCOMPILING AND NOT TOC_SANITIZE)
    file(MAKE_DIRECTORY ${share})
    add_custom_command(OUTPUT ${share}/man1/toccata.1 ${share}/toccata ${share}/_toccata ${share}/toccata.fish
      COMMAND ${CMAKE_COMMAND} -D COMMAND=$<TARGET_FILE:toccata_command> -D OUT=${share}/man1 -P ${PROJECT_SOURCE_DIR}/cmake/manual.cmake
      COMMAND toccata_command completion bash > ${share}/toccata
      COMMAND toccata_command completion zsh > ${share}/_toccata
      COMMAND toccata_command completion fish > ${share}/toccata.fish
      DEPENDS toccata_command VERBATIM)
    add_custom_target(toccata_share ALL DEPENDS ${share}/man1/toccata.1)
  endif()
  if(TOC_SHARE OR TARGET toccata_share)
    install(DIRECTORY ${share}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tool)
    install(FILES ${PROJECT_SOURCE_DIR}/tools/blender/toccata_contacts.py DESTINATION ${CMAKE_INSTALL_DATADIR}/toccata/blender COMPONENT tool)
    install(FILES ${share}/toccata DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tool)
    install(FILES ${share}/_toccata DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT tool)
    install(FILES ${share}/toccata.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tool)
  endif()
endif()

# Licence, documents and examples; packages of Debian have documents of their own (cmake/packages.cmake).
if(PROJECT_IS_TOP_LEVEL)
  install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)
  set(examples_dir ${CMAKE_INSTALL_DOCDIR})
  if(TOC_PACKAGES)
    set(examples_dir share/doc/libtoccata-dev)
  endif()
  install(DIRECTORY examples DESTINATION ${examples_dir} COMPONENT dev PATTERN __pycache__ EXCLUDE)
  # cmake --build BUILD --target uninstall: remove the files of the last cmake --install
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
                    -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
  include(cmake/packages.cmake)
endif()
