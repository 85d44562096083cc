# SPDX-License-Identifier: Apache-2.0
# Rules of `cmake --install`: libraries, headers, CMake package, pkg-config file, command and manual.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/toccata)
install(TARGETS toccata EXPORT toccata)
if(BUILD_SHARED_LIBS)
  # The objects serve both kinds of library: toccata::toccata is shared, toccata::static is not.
  set_target_properties(toccata_inner PROPERTIES OUTPUT_NAME toccata EXPORT_NAME static)
  install(TARGETS toccata_inner EXPORT toccata)
endif()
install(DIRECTORY include/toccata DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

install(EXPORT toccata NAMESPACE toccata:: FILE toccata-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/toccata-config.cmake.in toccata-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(toccata-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/toccata-config.cmake ${PROJECT_BINARY_DIR}/toccata-config-version.cmake
        DESTINATION ${package_dir})

# For pkg-config: how far it is from the .pc file up to the prefix, so that the installed tree can be moved.
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(pc_requires)
set(pc_libs -lm)
if(EXPAT_FOUND)
  string(APPEND pc_requires " expat")
endif()
if(ZLIB_FOUND)
  string(APPEND pc_requires " zlib")
endif()
if(OpenMP_C_FOUND)
  string(APPEND pc_libs " ${OpenMP_C_FLAGS}")
endif()
configure_file(cmake/toccata.pc.in toccata.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/toccata.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The command, with the manual page and the shell completions that it prints.
if(TARGET toccata_command)
  set_target_properties(toccata_command PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS toccata_command)
  if(NOT CMAKE_CROSSCOMPILING AND NOT TOC_SANITIZE)
    set(share ${PROJECT_BINARY_DIR}/share)
    file(MAKE_DIRECTORY ${share})
    add_custom_command(OUTPUT ${share}/toccata.1 ${share}/toccata ${share}/_toccata ${share}/toccata.fish
      COMMAND toccata_command man > ${share}/toccata.1
      COMMAND toccata_command completion bash > ${share}/toccata
      COMMAND toccata_command completion zsh > ${share}/_toccata
      COMMAND toccata_command completion fish > ${share}/toccata.fish
      DEPENDS toccata_command VERBATIM)
    add_custom_target(toccata_share ALL DEPENDS ${share}/toccata.1)
    install(FILES ${share}/toccata.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${share}/toccata DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${share}/_toccata DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${share}/toccata.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()
