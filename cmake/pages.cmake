# SPDX-License-Identifier: Apache-2.0
# The target `clgemm-pages`, part of every build with tools: manual pages and the shells' completion, made of
# the programs' option tables, the headers' comments and docs/ by pages/pages.py. `commands` writes
# docs/commands.md, of which the build has a copy to compare with.

find_program(PYTHON3_PROGRAM python3)
mark_as_advanced(PYTHON3_PROGRAM)
if(NOT CLGEMM_TOOLS OR CLGEMM_SANITIZE OR CMAKE_CROSSCOMPILING)
  return() # the programs tell their options themselves
endif()
if(NOT PYTHON3_PROGRAM)
  message(STATUS "python3 was not found: manual pages and completion are left out")
  return()
endif()

string(TIMESTAMP pages_date "%B %d, %Y" UTC) # SOURCE_DATE_EPOCH, or today
string(REPLACE " 0" " " pages_date "${pages_date}")
file(GLOB pages_parts CONFIGURE_DEPENDS cmake/pages/*.py)
set(pages_programs clgemm-tool)
if(TARGET clgemm-bench)
  list(APPEND pages_programs clgemm-bench)
endif()
list(TRANSFORM pages_programs REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE pages_files)
set(pages_folder ${PROJECT_BINARY_DIR}/pages)
add_custom_command(
  OUTPUT ${pages_folder}/commands.md
  COMMAND ${PYTHON3_PROGRAM} -B ${PROJECT_SOURCE_DIR}/cmake/pages/pages.py ${PROJECT_SOURCE_DIR}
          ${pages_date} ${pages_folder} ${pages_files}
  DEPENDS ${pages_parts} ${pages_programs} include/clgemm.h include/clgemm_cl.h
          docs/environment.md docs/drop-in.md docs/tuning.md
  COMMENT "Manual pages and completion"
  VERBATIM)
add_custom_target(clgemm-pages ALL DEPENDS ${pages_folder}/commands.md)
add_custom_target(
  commands
  COMMAND ${CMAKE_COMMAND} -E copy ${pages_folder}/commands.md ${PROJECT_SOURCE_DIR}/docs/commands.md
  DEPENDS clgemm-pages
  VERBATIM)
