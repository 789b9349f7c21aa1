# SPDX-License-Identifier: Apache-2.0
# Runs `clgemm-bench --ladder` and checks exit codes, refusals and its three formats.
#
#     cmake -DTOOL=clgemm-bench -DPART=usage|device -DSCRATCH=DIR -P test_ladder.cmake
#
# `usage` needs no device; `device` prints a line that begins with SKIP if there is none.

file(MAKE_DIRECTORY ${SCRATCH})

include(${CMAKE_CURRENT_LIST_DIR}/../support/program.cmake)

function(check_usage)
  foreach(
    wrong
    "--steps;0" "--steps;12" "--steps;3-1" "--steps;x" "--set;TS" "--set;TS=0" "--set;TS=x"
    "--set;NONE=1" "--alpha;2" "--beta;1" "--trans;NT" "--first-call" "--regret" "--baseline;x"
    "--coretype;HASWELL")
    tool(2 --ladder ${wrong})
    says(err "^clgemm-bench: ")
  endforeach()
  tool(2 --steps 1)
  says(err "need --ladder")
  tool(2 --set TS=8)
  says(err "need --ladder")
endfunction()

# Tiles small enough for sizes that a CPU computes at once, and for short compilations.
set(small --ladder --samples 1 --peers none --set TS=16 --set WPT=4 --set TSDK=8 --set TSM=32 --set TSN=32
    --set TSK=8 --set WPTM=4 --set WPTN=4)
set(names "1;2;3;4;5;6;7;8;9;10;11 8x4;11 4x8;11 8x8;11 4x4")

# Every step runs, and its result is right.
function(check_all_steps)
  tool(0 ${small} --size 64,192 -o json --plot ${SCRATCH}/stairs.svg)
  json_is("clgemm-bench-ladder/1" schema)
  string(JSON ceiling GET "${out}" ceiling_gflops)
  if(NOT ceiling GREATER 0)
    fail("no ceiling")
  endif()
  string(JSON count LENGTH "${out}" results)
  math(EXPR last "${count} - 1")
  set(found "")
  foreach(i RANGE ${last})
    string(JSON name GET "${out}" results ${i} name)
    string(JSON outcome GET "${out}" results ${i} series outcome)
    string(JSON check GET "${out}" results ${i} series check)
    string(JSON gflops ERROR_VARIABLE missing GET "${out}" results ${i} series gflops)
    if(NOT outcome STREQUAL "ok" OR NOT check STREQUAL "ok" OR NOT gflops GREATER 0)
      fail("${name}: ${outcome}, ${check}")
    endif()
    list(APPEND found "${name}")
  endforeach()
  set(expected clgemm_host clgemm_device ${names} clgemm_host clgemm_device ${names})
  if(NOT "${found}" STREQUAL "${expected}")
    fail("steps ${found}")
  endif()
  file(READ ${SCRATCH}/stairs.svg svg)
  if(NOT svg MATCHES "^<svg .*The ladder on .*1 naive.*11 registers only 4x4.*>20..-..-.., libclgemm .*>clgemm-bench --ladder.*stairs.svg</text>\n</g>\n</svg>\n$")
    fail("the plot: ${svg}")
  endif()
endfunction()

# A size that is no multiple of the tiles: step 10 accepts it, the others name the nearest size that
# they accept.
function(check_refusals)
  tool(0 ${small} --steps 2,6,10 --shape 61x35x50 -o csv)
  says(out "61,35,50,2,skipped,none,.*nearest size it can do is 64x32x48")
  says(out "61,35,50,6,skipped,none,.*nearest size it can do is 64x32x48")
  says(out "61,35,50,10,ok,ok,")
  says(err "step 2, 61x35x50: .*step 6, 61x35x50: ")
  tool(2 ${small} --steps 6 --size 65)
  says(out "refused: .*64x64x64")
  tool(2 ${small} --steps 3 --size 64 --set WPT=5)
  says(out "WPT does not divide TS")
  # Settings with which all variants of step 11 are the same.
  tool(0 ${small} --steps 11 --size 64 --set RX=4 --set RY=4)
  says(out "registers only")
  # Rows of the table: a note below it may name the step again.
  if("${out}" MATCHES "\\| registers only.*\\| registers only")
    fail("one variant is measured more than once")
  endif()
endfunction()

if(PART STREQUAL "usage")
  check_usage()
  return()
endif()
execute_process(COMMAND ${TOOL} -l RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
if(code EQUAL 77)
  message("SKIP: no usable OpenCL device")
  return()
endif()
check_all_steps()
check_refusals()
