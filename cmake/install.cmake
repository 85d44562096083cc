# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: library, headers, CMake package, pkg-config file.
install(TARGETS toccata EXPORT toccata)
install(DIRECTORY include/toccata DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
