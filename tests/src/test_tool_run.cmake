# SPDX-License-Identifier: Apache-2.0
# Checks of `clgemm run`, for test_tool.cmake, whose macros they use: what needs no device
# (check_run_usage) and what does (check_run). HOST is tests/blas/host, or empty if the drop-in is
# not built; EXTENSION is what it runs.

function(check_run_usage)
  tool(0 run -h)
  says(out "usage: clgemm run")
  says(err "")
  foreach(wrong "" "--nonsense;true" "-o;csv;true" "-o" "-d")
    tool(2 run ${wrong})
    says(out "")
    says(err "clgemm run: ")
  endforeach()
endfunction()

# Runs the host with ARGN behind `run --out FILE -o json` and leaves the report in `out`.
macro(run_json expected)
  tool(${expected} run -o json --out ${SCRATCH}/run.json ${ARGN})
  says(out "")
  file(READ ${SCRATCH}/run.json out)
  json_is("clgemm-run/1" schema)
endmacro()

# The exit code is the program's, and calls until its end are counted.
function(check_run_codes)
  tool(127 run -q ${SCRATCH}/no-such-program)
  says(err "clgemm run: .*no-such-program: No such file")
  tool(126 run -q ${SCRATCH})
  says(err "clgemm run: ")
  tool(2 run -q ${HOST} ${SCRATCH}/no-such-extension)
  tool(0 run ${HOST})
  says(out "")
  says(err "called no level 3 of a shared BLAS")
  set(ENV{TMPDIR} ${SCRATCH}/no/such/folder)
  tool(2 run ${HOST})
  says(err "clgemm run: .*clgemm-run-.*: No such file")
  tool(0 run -q ${HOST})
  set(ENV{TMPDIR} ${SCRATCH})
  # The program's options are its own.
  tool(2 run -q ${HOST} -o json)
  run_json(143 ${HOST} ${EXTENSION} cblas killed)
  json_is(1 context on_cpu)
  # A program that dies says how, and what came last.
  tool(137 run sh -c "kill -KILL $$")
  says(err "signal 9 .*ended the program\nclgemm: no call of level 3 returned")
  set(ENV{CLGEMM_MIN_FLOPS} 0)
  set(ENV{CLGEMM_DEVICE} nothing)
  run_json(143 ${HOST} ${EXTENSION} cblas killed)
  json_is(15 context signal)
  says(out "\"last_line\": \"no device: ")
  tool(143 run ${HOST} ${EXTENSION} cblas killed)
  says(err "signal 15 .*ended the program; the last line of the log: no device: .*\nclgemm: 1 calls")
  unset(ENV{CLGEMM_MIN_FLOPS})
  unset(ENV{CLGEMM_DEVICE})
  # The report's file is opened before the program runs.
  tool(2 run --out ${SCRATCH}/no/such/folder/x touch ${SCRATCH}/has-run)
  says(err "cannot write .*no/such/folder/x: No such file")
  if(EXISTS ${SCRATCH}/has-run)
    fail("the program has run")
  endif()
  file(GLOB left ${SCRATCH}/clgemm-run-*)
  if(left)
    fail("left behind: ${left}")
  endif()
endfunction()

# A program that sends the tool a signal and waits at most ten seconds to receive it. The tool must
# still write the report and return the exit code.
function(check_run_signals)
  file(WRITE ${SCRATCH}/signal.sh "trap 'exit 42' $1
kill -$1 $PPID
i=0
while [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
exit 1
")
  foreach(signal USR1 USR2 HUP INT QUIT TERM ALRM PIPE VTALRM PROF XCPU XFSZ URG IO WINCH ABRT)
    tool(42 run sh ${SCRATCH}/signal.sh ${signal})
    says(err "the program ended with code 42\nclgemm: no call of level 3 returned")
  endforeach()
  # A signal that the tool's caller ignores stays ignored, even if the program has already ended.
  file(WRITE ${SCRATCH}/ignored.sh "trap '' HUP
exec \"$@\"
")
  file(WRITE ${SCRATCH}/hangup.sh "kill -HUP $PPID
kill -HUP $$
exit 43
")
  execute_process(COMMAND sh ${SCRATCH}/ignored.sh ${TOOL} run sh ${SCRATCH}/hangup.sh
                  RESULT_VARIABLE code ERROR_VARIABLE err)
  if(NOT code EQUAL 43)
    fail("${code}, with the hangup ignored: ${err}")
  endif()
  # Nobody may read the report: a pipe whose reader has ended.
  file(WRITE ${SCRATCH}/unread.sh "rm -f unread
mkfifo unread
: <unread &
exec 4>unread
wait
\"$@\" 2>&4
")
  execute_process(COMMAND sh unread.sh ${TOOL} run sh -c "exit 44" WORKING_DIRECTORY ${SCRATCH}
                  RESULT_VARIABLE code)
  if(NOT code EQUAL 44)
    fail("${code}, with nobody to read the report")
  endif()
  file(GLOB left ${SCRATCH}/clgemm-run-*)
  if(left)
    fail("left behind: ${left}")
  endif()
endfunction()

function(check_run_counts)
  run_json(0 ${HOST} ${EXTENSION} cblas fortran cblas syrk)
  json_is(1 context processes)
  json_is(0 context on_device)
  json_is(4 context on_cpu)
  json_is("sgemm" results 0 routine)
  json_is("small" results 0 why)
  json_is(3 results 0 calls)
  json_is("ssyrk" results 1 routine)
  json_is(1 results 1 calls)
  set(ENV{EXTENSION_TYPE} d)
  run_json(0 ${HOST} ${EXTENSION} cblas syrk)
  unset(ENV{EXTENSION_TYPE})
  json_is(2 context on_cpu)
  json_is("dgemm" results 0 routine)
  json_is("dsyrk" results 1 routine)
  set(ENV{CLGEMM_MIN_FLOPS} 0)
  run_json(0 -d "no such device" ${HOST} ${EXTENSION} cblas)
  json_is("no-device" results 0 why)
  run_json(0 -d ${chosen} ${HOST} ${EXTENSION} cblas fortran syrk)
  json_is(3 context on_device)
  json_is("device" results 0 on)
  string(JSON gflops GET "${out}" results 0 gflops)
  if(NOT gflops GREATER 0)
    fail("no speed")
  endif()
  tool(0 run -d ${chosen} ${HOST} ${EXTENSION} cblas)
  says(err "clgemm: 1 calls, 1 on the device, 0 on the CPU.*\\| sgemm \\| device \\| 1 \\|")
  tool(0 run --quiet ${HOST} ${EXTENSION} cblas)
  says(err "")
  unset(ENV{CLGEMM_MIN_FLOPS})
endfunction()

# Without /proc the drop-in is still found, and the stack is large enough. Sanitizers (LSAN_OPTIONS
# tells) need /proc.
function(check_run_without_proc)
  if(DEFINED ENV{LSAN_OPTIONS})
    return()
  endif()
  set(hide unshare -rm sh -c "mount -t tmpfs none /proc && exec \"$@\"" sh)
  execute_process(COMMAND ${hide} test ! -e /proc/self RESULT_VARIABLE hidden ERROR_QUIET)
  execute_process(COMMAND ${hide} ${TOOL} --version RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
  if(NOT hidden EQUAL 0 OR NOT code EQUAL 0)
    message("/proc cannot be hidden here, or a sanitizer needs it: not tried without")
    return()
  endif()
  set(TOOL ${hide} ${TOOL})
  set(ENV{CLGEMM_MIN_FLOPS} 0)
  run_json(0 ${HOST} ${EXTENSION} cblas)
  if(out MATCHES "\"stack\"|\"small\"")
    fail("the stack was not measured")
  endif()
  unset(ENV{CLGEMM_MIN_FLOPS})
endfunction()

function(check_run)
  choose_device()
  if(NOT HOST)
    message("the drop-in is not built")
    return()
  endif()
  file(GLOB left ${SCRATCH}/clgemm-run-*)
  file(REMOVE ${left} ${SCRATCH}/has-run)
  set(ENV{TMPDIR} ${SCRATCH})
  set(ENV{XDG_CONFIG_HOME} ${SCRATCH}/config)
  set(ENV{ASAN_OPTIONS} "$ENV{ASAN_OPTIONS}:verify_asan_link_order=0")
  check_run_codes()
  check_run_signals()
  check_run_counts()
  check_run_without_proc()
endfunction()
