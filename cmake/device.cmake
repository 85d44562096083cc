# SPDX-License-Identifier: Apache-2.0
# Kernels for graphics processors: clang compiles each NAME.device.c to PTX, which is embedded as text. Neither a toolkit
# nor a driver is needed. `device_texts` is a source with all of them, or with none where there is no clang.
#
# As a script, cmake -D "PTX=FILE;..." -D OUT=FILE -P device.cmake: write that source.
if(CMAKE_SCRIPT_MODE_FILE)
  set(bytes)
  set(rows)
  set(count 0)
  foreach(file ${PTX})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    # C has no attribute for kernels in clang 14: make each an entry.
    string(REPLACE ".visible .func toc_device_" ".visible .entry toc_device_" text "${text}")
    if(NOT text MATCHES "\\.entry toc_device_${name}\\(" OR text MATCHES "\\.extern")
      message(FATAL_ERROR "${file} is no kernel that is complete in itself")
    endif()
    # G4: each operation rounds to nearest, subnormal numbers stay.
    if(text MATCHES "fma\\.|mad\\.rn|\\.ftz|\\.approx|\\.full|(add|sub|mul|div|sqrt|rcp)\\.f(32|64)")
      message(FATAL_ERROR "${file} has arithmetic that may round differently: ${CMAKE_MATCH_0}")
    endif()
    # Threads that come together take their places together: no part of that is left alone (device/kernel.h).
    string(REGEX MATCHALL "activemask\\.b32" together "${text}")
    string(REGEX MATCHALL "atom\\.add\\.u32" added "${text}")
    string(REGEX MATCHALL "shfl\\.sync\\.idx" told "${text}")
    list(LENGTH together together)
    list(LENGTH added added)
    list(LENGTH told told)
    if(NOT together EQUAL added OR NOT together EQUAL told)
      message(FATAL_ERROR "${file} takes places in arrays by halves: ${together} masks, ${added} sums, ${told} answers")
    endif()
    file(WRITE ${file}.entry "${text}")
    file(READ ${file}.entry hex HEX)
    string(REGEX REPLACE "(..)" "0x\\1," hex "${hex}")
    string(APPEND bytes "static const unsigned char text_${name}[] = {${hex}0};\n")
    string(APPEND rows "    {\"${name}\", text_${name}},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  if(count EQUAL 0)
    set(rows "    {0, 0}, // no array of C is empty\n")
  endif()
  file(WRITE ${OUT} "// Written by cmake/device.cmake: kernels as PTX.
#include \"device/device.h\"

${bytes}
const toc_device_text toc_device_texts[] = {\n${rows}};
const size_t toc_device_text_count = ${count};
")
  return()
endif()

option(TOC_DEVICE "Compile kernels for graphics processors, where clang is installed" ON)
if(TOC_DEVICE)
  find_program(TOC_DEVICE_CLANG NAMES clang clang-14 clang-15 clang-16 clang-17 clang-18 clang-19)
  mark_as_advanced(TOC_DEVICE_CLANG)
endif()
set(device_flags --target=nvptx64-nvidia-cuda -march=sm_70 -Xclang -target-feature -Xclang +ptx63 -O3 -std=c17
    -ffp-contract=off -fno-math-errno -ffreestanding -w -mllvm -inline-threshold=100000 -mllvm -unroll-threshold=20000)
set(device_works FALSE)
if(TOC_DEVICE AND TOC_DEVICE_CLANG)
  file(WRITE ${PROJECT_BINARY_DIR}/device/try.c "#include <stdint.h>\nvoid f(uint32_t *x);\nvoid f(uint32_t *x) { *x = 1; }\n")
  execute_process(COMMAND ${TOC_DEVICE_CLANG} ${device_flags} -S -o ${PROJECT_BINARY_DIR}/device/try.ptx
                          ${PROJECT_BINARY_DIR}/device/try.c RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed EQUAL 0)
    set(device_works TRUE)
  endif()
endif()
if(TOC_DEVICE AND NOT device_works)
  message(STATUS "No clang for nvptx64 was found: this build will use no graphics processor")
endif()

# The kernels are found by the order of TOC_DEVICE_KERNELS in device/device.h.
set(device_ptx)
if(device_works)
  execute_process(COMMAND ${TOC_DEVICE_CLANG} -print-resource-dir OUTPUT_VARIABLE device_headers OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(READ ${PROJECT_SOURCE_DIR}/src/device/device.h device_kernels)
  string(REGEX MATCH "#define TOC_DEVICE_KERNELS\\(row\\)([^\n]*\\\\\n)*[^\n]*" device_kernels "${device_kernels}")
  string(REGEX MATCHALL "row\\([a-z_]+\\)" device_kernels "${device_kernels}")
  list(LENGTH device_kernels device_rows)
  file(GLOB device_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/device/*.device.c)
  list(LENGTH device_files device_files)
  if(device_rows EQUAL 0 OR NOT device_rows EQUAL device_files)
    message(FATAL_ERROR "src/device/device.h names ${device_rows} kernels, and src/device has ${device_files} NAME.device.c")
  endif()
  foreach(row ${device_kernels})
    string(REGEX REPLACE "row\\((.*)\\)" "\\1" name ${row})
    set(ptx ${PROJECT_BINARY_DIR}/device/${name}.ptx)
    add_custom_command(OUTPUT ${ptx}
      COMMAND ${TOC_DEVICE_CLANG} ${device_flags} -nostdinc -isystem ${device_headers}/include
              -isystem ${PROJECT_SOURCE_DIR}/src/device/freestanding -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src
              -MD -MF ${ptx}.d -MT ${ptx} -S -o ${ptx} ${PROJECT_SOURCE_DIR}/src/device/${name}.device.c
      DEPENDS ${PROJECT_SOURCE_DIR}/src/device/${name}.device.c DEPFILE ${ptx}.d VERBATIM)
    list(APPEND device_ptx ${ptx})
  endforeach()
endif()
set(device_texts ${PROJECT_BINARY_DIR}/device/texts.c)
add_custom_command(OUTPUT ${device_texts}
  COMMAND ${CMAKE_COMMAND} "-DPTX=${device_ptx}" -DOUT=${device_texts} -P ${PROJECT_SOURCE_DIR}/cmake/device.cmake
  DEPENDS ${device_ptx} ${PROJECT_SOURCE_DIR}/cmake/device.cmake VERBATIM)
