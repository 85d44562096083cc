# SPDX-License-Identifier: Apache-2.0
# The manual pages of the command: cmake -D COMMAND=toccata -D OUT=DIR -P manual.cmake. The subcommands are those of its help.
file(MAKE_DIRECTORY ${OUT})
execute_process(COMMAND ${COMMAND} help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n  [a-z]+ " rows "${help}")
execute_process(COMMAND ${COMMAND} man OUTPUT_FILE ${OUT}/toccata.1 COMMAND_ERROR_IS_FATAL ANY)
foreach(row ${rows})
  string(STRIP "${row}" name)
  execute_process(COMMAND ${COMMAND} man ${name} OUTPUT_FILE ${OUT}/toccata-${name}.1 COMMAND_ERROR_IS_FATAL ANY)
endforeach()
