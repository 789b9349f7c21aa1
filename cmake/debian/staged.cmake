# SPDX-License-Identifier: Apache-2.0
# CPack runs this on the staged files before it packs them: it adds what only Debian packages have.

# gzip without time and name, so that the same input gives the same package.
function(clg_gzip)
  execute_process(COMMAND gzip -9nf ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH, or now
set(source ${CPACK_CLGEMM_SOURCE}/cmake/debian)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} key)
  set(name ${CPACK_DEBIAN_${key}_PACKAGE_NAME})
  set(share ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share)
  set(doc ${share}/doc/${name})

  configure_file(${source}/changelog.in ${doc}/changelog.Debian @ONLY)
  file(COPY_FILE ${CPACK_CLGEMM_SOURCE}/CHANGELOG.md ${doc}/changelog)
  clg_gzip(${doc}/changelog.Debian ${doc}/changelog)
  file(COPY ${source}/copyright DESTINATION ${doc}
       FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  if(EXISTS ${source}/${name}.lintian-overrides)
    file(MAKE_DIRECTORY ${share}/lintian/overrides)
    file(COPY_FILE ${source}/${name}.lintian-overrides ${share}/lintian/overrides/${name})
  endif()

  file(GLOB pages LIST_DIRECTORIES OFF ${share}/man/man*/*)
  foreach(page IN LISTS pages)
    if(IS_SYMLINK ${page})
      file(READ_SYMLINK ${page} to)
      file(REMOVE ${page})
      file(CREATE_LINK ${to}.gz ${page}.gz SYMBOLIC)
    else()
      clg_gzip(${page})
    endif()
  endforeach()

  if(IS_DIRECTORY ${share}/zsh/site-functions)
    file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
  endif()
endforeach()
