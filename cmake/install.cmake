# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: libraries, headers, CMake package, pkg-config file, command and manual.
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

if(TARGET toccata_command)
  set_target_properties(toccata_command PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS toccata_command)
endif()
