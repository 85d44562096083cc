# SPDX-License-Identifier: Apache-2.0
# The files of a package before it is made, as Debian's policy asks: libraries and programs have no search path of their own,
# modules are stripped, manual pages compressed.
file(GLOB_RECURSE files ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*)
list(FILTER files INCLUDE REGEX "/usr/bin/|\\.so\\.[0-9]")
foreach(file IN LISTS files)
  if(NOT IS_SYMLINK ${file} AND NOT IS_DIRECTORY ${file})
    file(RPATH_REMOVE FILE ${file})
  endif()
endforeach()
file(GLOB_RECURSE modules ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.abi3.so)
foreach(module IN LISTS modules)
  execute_process(COMMAND ${CPACK_TOCCATA_STRIP} --strip-unneeded ${module} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.[1-9])
list(FILTER pages INCLUDE REGEX "/share/man/")
foreach(page IN LISTS pages)
  execute_process(COMMAND gzip -9nf ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
