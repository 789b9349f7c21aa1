# SPDX-License-Identifier: Apache-2.0
# Debian packages, by CPack: `cmake --build build --target package`. And `dist`: the source as a tarball.

# A build after a release gets a later version, which lib/clgemm.symbols has for new functions.
set(package_version ${PROJECT_VERSION})
file(STRINGS CHANGELOG.md headings REGEX "^## ")
list(GET headings 0 heading)
if(heading STREQUAL "## Unreleased")
  string(APPEND package_version "+next")
endif()

# ---- Source -------------------------------------------------------------------------------------

# The files that git tracks, as they are in the work tree. Equal files and commits give equal bytes.
find_program(GIT_PROGRAM git)
mark_as_advanced(GIT_PROGRAM)
if(GIT_PROGRAM AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  add_custom_target(
    dist
    COMMAND ${CMAKE_COMMAND} -E env GIT=${GIT_PROGRAM} ${PROJECT_SOURCE_DIR}/cmake/dist.sh
            ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} clgemm-${package_version}
    VERBATIM)
endif()

# ---- Packages -----------------------------------------------------------------------------------

find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(DPKG_SHLIBDEPS)
if(NOT DPKG_SHLIBDEPS OR NOT CLGEMM_SHARED OR CLGEMM_SANITIZE OR NOT CMAKE_LIBRARY_ARCHITECTURE)
  return()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME clgemm)
set(CPACK_PACKAGE_VENDOR "libclgemm")
# CPack's default, because any other text would precede each package's own.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_NAME} built using CMake")
set(CPACK_PACKAGE_CONTACT "libclgemm maintainers <clgemm@packages.example.org>" CACHE STRING
    "Who the Debian packages are from")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/staged.cmake)
set(CPACK_CLGEMM_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_PACKAGE_VERSION ${package_version})
set(CPACK_DEBIAN_PACKAGE_RELEASE 0clgemm1) # below those of a distribution, which begin at 1
set(full_version "${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE clgemm)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

# clg_package(COMPONENT NAME SECTION SUMMARY DESCRIPTION CONTROL-FILE...)
set(CPACK_COMPONENTS_ALL "")
macro(clg_package component name section summary description)
  string(TOUPPER ${component} key)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${description}")
  set(CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA ${ARGN})
endmacro()

set(control_dir ${PROJECT_BINARY_DIR}/debian)
set(icd "pocl-opencl-icd | opencl-icd")
set(about "libclgemm is a C library for matrix multiplication (GEMM) in single, double
and half precision through OpenCL, on GPUs and CPUs. It takes matrices in
host memory, as cblas_sgemm() does, and in OpenCL buffers.")

# clg_control(FOLDER SONAME PACKAGE): its ldconfig trigger, and for dpkg-shlibdeps the package and
# version that programs linked with the library need.
function(clg_control folder soname package)
  file(WRITE ${folder}/triggers "activate-noawait ldconfig\n")
  file(WRITE ${folder}/shlibs
       "${soname} ${PROJECT_VERSION_MAJOR} ${package} (>= ${CPACK_PACKAGE_VERSION})\n")
endfunction()

# In the format of dpkg-gensymbols, without comments.
file(READ lib/clgemm.symbols symbols)
string(REGEX REPLACE "(^|\n)(#[^\n]*\n)+" "\\1" symbols "${symbols}")
file(WRITE ${control_dir}/library/symbols "${symbols}")
clg_control(${control_dir}/library libclgemm libclgemm${PROJECT_VERSION_MAJOR})
set(library_control ${control_dir}/library/shlibs ${control_dir}/library/symbols
                    ${control_dir}/library/triggers)
clg_package(
  library libclgemm${PROJECT_VERSION_MAJOR} libs "matrix multiplication through OpenCL"
  "${about}" ${library_control})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "${icd}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_MULTIARCH same)

clg_package(
  dev libclgemm-dev libdevel "matrix multiplication through OpenCL (development)"
  "${about}\n.\nThis package has the headers, the static library, manual pages, and files for
pkg-config and CMake.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "libclgemm${PROJECT_VERSION_MAJOR} (= ${full_version}), ocl-icd-opencl-dev | opencl-dev")

if(TARGET clgemm_blas)
  clg_control(${control_dir}/blas libclgemm_blas libclgemm-blas)
  set(blas_control ${control_dir}/blas/shlibs ${control_dir}/blas/triggers)
  if(TARGET clgemm_blas_full)
    foreach(script postinst prerm)
      configure_file(cmake/debian/blas.${script}.in ${control_dir}/blas/${script} @ONLY
                     FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                      WORLD_READ WORLD_EXECUTE)
      list(APPEND blas_control ${control_dir}/blas/${script})
    endforeach()
  endif()
  clg_package(
    blas libclgemm-blas libs "matrix multiplication through OpenCL for programs that use a BLAS"
    "${about}\n.\nThis library stands between existing programs and their BLAS. It sends matrix
products to an OpenCL device if they are faster there. Use it with
\"clgemm run\", with LD_PRELOAD, or as an alternative for libblas.so.3, which
is off until it is chosen." ${blas_control})
  set(CPACK_DEBIAN_BLAS_PACKAGE_DEPENDS "libclgemm${PROJECT_VERSION_MAJOR} (= ${full_version})")
endif()

if(CLGEMM_TOOLS)
  clg_package(
    tools clgemm-tools math "tools for matrix multiplication through OpenCL"
    "${about}\n.\n\"clgemm\" shows devices, tunes for them, runs programs with their matrix
products on a device, and manages the cache of compiled kernels.
\"clgemm-bench\" compares speed and accuracy with other libraries.")
  set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "libclgemm-blas, ${icd}")
endif()

include(CPack)
