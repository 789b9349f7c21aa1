# SPDX-License-Identifier: Apache-2.0
# The target `tidy`: clang-tidy over the project's C files, one command per file, and only for files
# that changed. `tidy-lib` does so for lib/ only.

find_program(CLANG_TIDY clang-tidy)
mark_as_advanced(CLANG_TIDY)
if(NOT CLANG_TIDY)
  return()
endif()

file(GLOB tidy_headers CONFIGURE_DEPENDS include/*.h)
file(GLOB_RECURSE tidy_own_headers CONFIGURE_DEPENDS lib/*.h src/*.h bench/*.h)
list(APPEND tidy_headers ${tidy_own_headers})

# clg_tidy(TARGET SOURCE...): a target that checks these files.
function(clg_tidy target)
  set(stamps "")
  foreach(source IN LISTS ARGN)
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
    string(REPLACE "/" "-" stamp ${name})
    set(stamp ${PROJECT_BINARY_DIR}/tidy/${stamp}.ok)
    add_custom_command(
      OUTPUT ${stamp}
      COMMAND ${CLANG_TIDY} -p ${PROJECT_BINARY_DIR} --quiet --warnings-as-errors=* ${source}
      COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
      DEPENDS ${source} ${tidy_headers} ${PROJECT_SOURCE_DIR}/.clang-tidy
      COMMENT "clang-tidy ${name}"
      VERBATIM)
    list(APPEND stamps ${stamp})
  endforeach()
  add_custom_target(${target} DEPENDS ${stamps})
endfunction()

file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/tidy)
set(tidy_programs "")
if(TARGET clg_openblas)
  file(GLOB_RECURSE tidy_programs CONFIGURE_DEPENDS bench/*.c)
  # Scripts build these, psgemm with MPI's compiler.
  list(FILTER tidy_programs EXCLUDE REGEX "/(lapack|psgemm)\\.c$")
endif()
file(GLOB_RECURSE tidy_tool CONFIGURE_DEPENDS src/*.c)
clg_tidy(tidy-lib ${sources} ${blas_sources})
clg_tidy(tidy-programs ${tidy_tool} ${tidy_programs})
add_custom_target(tidy DEPENDS tidy-lib tidy-programs)
