# SPDX-License-Identifier: Apache-2.0
# The target `results`: pages, pictures and README's figures, made from docs/results/*.json. The target `docs`: the API
# as HTML in BUILD/docs/html, made by Doxygen from the public headers and docs/api.md as docs/filter.py passes them
# on. A warning is an error.

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

if(PYTHON3_PROGRAM)
  add_custom_target(results COMMAND ${PYTHON3_PROGRAM} ${PROJECT_SOURCE_DIR}/bench/publish pages VERBATIM)
endif()

find_program(CLGEMM_DOXYGEN doxygen)
mark_as_advanced(CLGEMM_DOXYGEN)
if(NOT CLGEMM_DOXYGEN OR NOT PYTHON3_PROGRAM)
  message(STATUS "Doxygen (Debian: doxygen) or python3 was not found: the target docs is left out")
  return()
endif()

configure_file(cmake/docs/Doxyfile.in docs/Doxyfile @ONLY)
add_custom_target(
  docs
  COMMAND ${CLGEMM_DOXYGEN} ${PROJECT_BINARY_DIR}/docs/Doxyfile
  COMMENT "HTML of the API"
  VERBATIM)
