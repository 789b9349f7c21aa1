# SPDX-License-Identifier: Apache-2.0
# Checks of `clgemm inspect`, for test_tool.cmake, whose macros they use: what needs no device
# (check_inspect_usage) and what does (check_inspect).

function(check_inspect_usage)
  tool(0 inspect -h)
  says(out "usage: clgemm inspect TARGET")
  says(err "")
  foreach(wrong "" "direct;pack" "--nonsense" "direct;-o;csv" "ladder:1;--set;NONE=1"
                "ladder:1;--set;TS=0" "direct;--type;b" "direct;--type;x" "direct;--out;${SCRATCH}/no/such/folder")
    tool(2 inspect ${wrong})
    says(out "")
    says(err "clgemm inspect: ")
  endforeach()
endfunction()

# Expects the JSON in `out` to describe a program that was built, with counts unless the runtime or
# this machine has no text to count in.
function(check_finding index kernel)
  json_is("clgemm-inspect/1" schema)
  json_is(${kernel} results ${index} kernel)
  json_is(ON results ${index} built)
  string(JSON counted GET "${out}" results ${index} counted_in)
  string(JSON all GET "${out}" results ${index} counts all)
  string(JSON why GET "${out}" results ${index} not_counted)
  if(counted AND NOT all GREATER 10)
    fail("${kernel}: ${all} instructions")
  endif()
  if(NOT counted AND NOT why)
    fail("${kernel}: neither counts nor a reason")
  endif()
endfunction()

function(check_inspect)
  choose_device()

  foreach(kernel direct scale)
    tool(0 inspect ${kernel} -d ${chosen} -o json)
    check_finding(0 ${kernel})
    says(err "")
  endforeach()

  find_doubles()
  if(doubles)
    tool(0 inspect plan:64x64x64 --type d -d ${chosen} -o json)
    string(JSON kernel GET "${out}" results 0 kernel)
    check_finding(0 ${kernel})
    json_is("f64" context type)
    string(JSON options GET "${out}" results 0 options)
    if(NOT options MATCHES "-DREAL=double")
      fail("a kernel of doubles has the options ${options}")
    endif()
  endif()
  tool(2 inspect ladder:1 -d ${chosen} --type d)
  says(err "the ladder has single precision only")

  tool(0 inspect ladder:1 -d ${chosen} -o json --set TS=8)
  check_finding(0 01_naive)
  json_is("-DTS=8" results 0 options)
  json_is(8 results 0 work_group 1)
  string(JSON fma GET "${out}" results 0 counts fma)
  string(JSON counted GET "${out}" results 0 counted_in)
  if(counted AND NOT fma GREATER 0)
    fail("the naive kernel has no multiply-adds")
  endif()

  tool(0 inspect ladder:2 -d ${chosen} -o json --set TS=16)
  check_finding(0 02_local_tiles)
  string(JSON local GET "${out}" results 0 local_memory)
  if(local LESS 2048 OR local GREATER 2304) # two tiles, and what a driver adds
    fail("local memory: ${local}")
  endif()

  tool(0 inspect ladder:11 -d ${chosen} -o json)
  string(JSON variants LENGTH "${out}" results)
  if(NOT variants EQUAL 4)
    fail("${variants} variants")
  endif()
  check_finding(3 11_registers_only)

  file(REMOVE_RECURSE ${SCRATCH}/binaries)
  tool(0 inspect plan:64x64x64 -d ${chosen} --binary ${SCRATCH}/binaries)
  says(out "## Parameters.*| TILE_M | [0-9]+ | rows of C")
  says(out "# plan:64x64x64.*\n## 1-.*work-group.*local memory.*written.*uild log")
  file(GLOB written ${SCRATCH}/binaries/1-*)
  if(NOT written)
    fail("no binary was written")
  endif()

  foreach(wrong "nonsense" "ladder:0" "ladder:1-2" "ladder:x" "plan:64x64" "plan:0x4x4"
                "plan:4x4x4,8x8x8" "ladder:3;--set;WPT=5" "direct;--set;TS=4"
                "direct;--binary;${SCRATCH}/no/such/folder")
    tool(2 inspect ${wrong} -d ${chosen})
    says(err "clgemm inspect: ")
  endforeach()
  tool(77 inspect direct -d nonsense)
  says(out "")
endfunction()
