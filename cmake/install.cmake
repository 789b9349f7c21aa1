# SPDX-License-Identifier: Apache-2.0
# Installs the libraries, the headers, clgemm.pc, the CMake package, and what pages.cmake makes.
# Each rule has a component, which is a package in package.cmake: library, dev, blas or tools.

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/clgemm)

install(FILES include/clgemm.h include/clgemm_cl.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT dev)

# Two exports: the shared library needs nothing from its user, the static one the ICD loader.
install(TARGETS clgemm_static EXPORT clgemm-static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT dev)
install(EXPORT clgemm-static NAMESPACE clgemm:: DESTINATION ${package_dir} COMPONENT dev)
if(CLGEMM_SHARED)
  install(TARGETS clgemm EXPORT clgemm-shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          COMPONENT library NAMELINK_COMPONENT dev)
  # Beside the library, so that both are of one architecture.
  install(TARGETS clgemm-build RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/clgemm COMPONENT library)
  install(EXPORT clgemm-shared NAMESPACE clgemm:: DESTINATION ${package_dir} COMPONENT dev)
endif()
# Programs load or link the drop-in by its name; it has no header. The one that is a libblas.so.3 has
# its own folder: in the others, ldconfig would make it the system's BLAS.
if(TARGET clgemm_blas)
  install(TARGETS clgemm_blas LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT blas)
endif()
if(TARGET clgemm_blas_full)
  install(TARGETS clgemm_blas_full LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/clgemm
          COMPONENT blas)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/full/libblas.so.3
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/clgemm COMPONENT blas)
endif()

configure_package_config_file(cmake/clgemm-config.cmake.in clgemm-config.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may break its users.
write_basic_package_version_file(clgemm-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/clgemm-config.cmake
              ${PROJECT_BINARY_DIR}/clgemm-config-version.cmake DESTINATION ${package_dir}
        COMPONENT dev)

# ---- pkg-config ---------------------------------------------------------------------------------

# Relative to the file itself, so that `cmake --install --prefix` and moved trees work.
set(pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_up ${pc_dir} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_up "${pc_up}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
  set(pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
  set(pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  set(pc_prefix "\${pcfiledir}/${pc_up}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()

# The ICD loader: by its own .pc file if it has one, else by its library.
if(PkgConfig_FOUND)
  pkg_check_modules(opencl_pc QUIET OpenCL)
endif()
if(opencl_pc_FOUND)
  set(pc_requires "OpenCL")
  set(pc_private_libs "-lm")
else()
  set(pc_requires "")
  set(pc_private_libs "-lOpenCL -lm")
endif()
set(pc_private_libs "${pc_private_libs} ${CMAKE_THREAD_LIBS_INIT}")
if(CMAKE_DL_LIBS)
  string(APPEND pc_private_libs " -l${CMAKE_DL_LIBS}")
endif()
string(STRIP "${pc_private_libs}" pc_private_libs)

# Without a shared library, every link is a static one.
if(CLGEMM_SHARED)
  set(pc_private ".private")
else()
  set(pc_private "")
endif()
configure_file(pkgconfig/clgemm.pc.in clgemm.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/clgemm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT dev)

# ---- Manual pages and completion ----------------------------------------------------------------

if(TARGET clgemm-pages)
  # clg_install_pages(FOLDER DESTINATION COMPONENT)
  function(clg_install_pages folder destination component)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/pages/${folder} DESTINATION ${destination}
            COMPONENT ${component})
  endfunction()
  clg_install_pages(man/man1 ${CMAKE_INSTALL_MANDIR} tools)
  clg_install_pages(man/man3 ${CMAKE_INSTALL_MANDIR} dev)
  clg_install_pages(man/man5 ${CMAKE_INSTALL_MANDIR} tools)
  if(TARGET clgemm_blas)
    clg_install_pages(man/man7 ${CMAKE_INSTALL_MANDIR} blas)
  endif()
  clg_install_pages(bash/ ${CMAKE_INSTALL_DATADIR}/bash-completion/completions tools)
  clg_install_pages(zsh/ ${CMAKE_INSTALL_DATADIR}/zsh/site-functions tools)
endif()
