# SPDX-License-Identifier: Apache-2.0
# Runs the program TOOL in a CMake script, and checks its exit code, streams and JSON.

function(fail text)
  message(SEND_ERROR "${text}\nstdout:\n${out}\nstderr:\n${err}")
endfunction()

# Runs the tool with ARGN and expects that exit code; leaves `out` and `err`.
macro(tool expected)
  execute_process(COMMAND ${TOOL} ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out
                  ERROR_VARIABLE err)
  if(NOT code STREQUAL "${expected}")
    fail("${TOOL} ${ARGN}: exit code ${code}, not ${expected}")
  endif()
endmacro()

# Expects `stream` (out or err) to match, or to be empty for "".
function(says stream pattern)
  if("${pattern}" STREQUAL "")
    if(NOT "${${stream}}" STREQUAL "")
      fail("${stream} is not empty")
    endif()
  elseif(NOT "${${stream}}" MATCHES "${pattern}")
    fail("${stream} does not match \"${pattern}\"")
  endif()
endfunction()

# Expects the JSON text in `out` to have that value at the path ARGN.
function(json_is expected)
  string(JSON value ERROR_VARIABLE wrong GET "${out}" ${ARGN})
  if(wrong OR NOT "${value}" STREQUAL "${expected}")
    fail("JSON at ${ARGN}: \"${value}\", not \"${expected}\" (${wrong})")
  endif()
endfunction()
