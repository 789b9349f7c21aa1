# SPDX-License-Identifier: Apache-2.0
# The drop-in BLAS: libclgemm_blas.so, which precedes a program's BLAS, and libclgemm_blas_full.so,
# the same objects as a libblas.so.3 with a complete BLAS behind it.

set(CLGEMM_BLAS_BEHIND "libopenblas.so.0" CACHE STRING
    "File name of the complete BLAS to which libclgemm_blas_full.so passes all other routines")

if(NOT TARGET clg_inih)
  message(STATUS "inih was not found (Debian: libinih-dev): libclgemm_blas.so is left out")
  return()
endif()

# Arguments of 32 or 64 bits are read as machine words.
if(NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  message(STATUS "Not a 64-bit machine: libclgemm_blas.so is left out")
  return()
endif()

file(GLOB blas_sources CONFIGURE_DEPENDS lib/blas/*.c)
add_library(clgemm_blas_objects OBJECT ${blas_sources})
target_include_directories(clgemm_blas_objects PRIVATE include lib)
target_compile_definitions(clgemm_blas_objects PRIVATE CLG_BLAS_BEHIND="${CLGEMM_BLAS_BEHIND}")
# The depth guard is read at every call.
target_compile_options(clgemm_blas_objects PRIVATE -ftls-model=initial-exec)
target_link_libraries(clgemm_blas_objects PRIVATE clg_inih Threads::Threads)

# The library's lowest floor as an archive, so that only what is used is linked. Its symbols are
# hidden.
add_library(clgemm_blas_base STATIC $<TARGET_OBJECTS:clgemm_base_objects>)

# clg_blas_library(TARGET): libclgemm is not a dependency, because it is loaded when it is needed. The
# drop-in is never unloaded: it watches forks, and threads may be in it.
function(clg_blas_library target)
  add_library(${target} SHARED $<TARGET_OBJECTS:clgemm_blas_objects>)
  target_link_libraries(${target} PRIVATE clgemm_blas_base clg_inih Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(${target} PRIVATE LINKER:-z,nodelete)
  if(NOT CLGEMM_SANITIZE)
    target_link_options(${target} PRIVATE LINKER:-z,defs)
  endif()
  add_dependencies(${target} clgemm)
endfunction()

clg_blas_library(clgemm_blas)
set_target_properties(clgemm_blas PROPERTIES VERSION ${PROJECT_VERSION}
                                             SOVERSION ${PROJECT_VERSION_MAJOR})

# This library has that name, so the loader would find it instead of the one behind.
if(CLGEMM_BLAS_BEHIND MATCHES "libblas\\.so\\.3$")
  message(FATAL_ERROR "CLGEMM_BLAS_BEHIND cannot be a libblas.so.3")
endif()
find_library(CLGEMM_BLAS_BEHIND_FILE NAMES ${CLGEMM_BLAS_BEHIND})
mark_as_advanced(CLGEMM_BLAS_BEHIND_FILE)
if(CLGEMM_BLAS_BEHIND_FILE)
  clg_blas_library(clgemm_blas_full)
  set_target_properties(clgemm_blas_full PROPERTIES NO_SONAME ON)
  target_link_options(clgemm_blas_full PRIVATE LINKER:-soname,libblas.so.3)
  # After all options: it is needed, although nothing here calls it.
  target_link_libraries(clgemm_blas_full PRIVATE "-Wl,--no-as-needed" ${CLGEMM_BLAS_BEHIND_FILE})
  # A folder for LD_LIBRARY_PATH.
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/full)
  file(CREATE_LINK libclgemm_blas_full.so ${PROJECT_BINARY_DIR}/full/libblas.so.3 SYMBOLIC)
  set_target_properties(clgemm_blas_full PROPERTIES LIBRARY_OUTPUT_DIRECTORY
                                                    ${PROJECT_BINARY_DIR}/full)
else()
  message(STATUS "${CLGEMM_BLAS_BEHIND} was not found: libclgemm_blas_full.so is left out")
endif()
