# SPDX-License-Identifier: Apache-2.0
# The part `cublas` of test_bench.cmake, which includes this: NVIDIA's libraries as peers, by
# stand-ins that compute on the host (tests/cuda) and say which routine was called.

# Expects results of the type that the judge accepts, computed by that routine of cuBLAS and no
# other.
function(check_cublas_routine routine type name)
  tool(0 ${few} --shape 20x12x8 --trans TN --alpha 0.5 --beta -0.3 --type ${type} -o json ${ARGN})
  all_right(${name} 1 ${series})
  string(REGEX MATCHALL "libcublas: [^\n]*" said "${err}")
  if(NOT said STREQUAL "libcublas: ${routine}")
    fail("\"${said}\", not ${routine}")
  endif()
endfunction()

function(check_cublas)
  set(ENV{LD_LIBRARY_PATH} ${CUBLAS}:$ENV{LD_LIBRARY_PATH}) # another OpenCL loader may be in use
  set(series cublas)
  set(one --peers cublas --layout row)
  set(batch --peers cublas --layout col --batch 3)
  # 16: partial sums are not rounded to the elements' type. Types and compute types are CUDA's.
  check_cublas_routine("cublasSgemm, mode 16" s f32 ${one})
  check_cublas_routine("cublasDgemm, mode 16" d f64 ${one})
  check_cublas_routine("cublasGemmEx, type 2, compute type 68" h f16 ${one})
  check_cublas_routine("cublasGemmEx, type 14, compute type 68" bf16 bf16 ${one})
  check_cublas_routine("cublasSgemmStridedBatched, mode 16" s f32 ${batch})
  check_cublas_routine("cublasDgemmStridedBatched, mode 16" d f64 ${batch})
  check_cublas_routine("cublasGemmStridedBatchedEx, type 2, compute type 68" h f16 ${batch})
  check_cublas_routine("cublasGemmStridedBatchedEx, type 14, compute type 68" bf16 bf16 ${batch})
  check_cublas_routine("cublasGemmEx, type 0, compute type 77" s f32 ${one} --math tf32)
  check_cublas_routine("cublasGemmEx, type 0, compute type 74" s f32 ${one} --math f16)
  check_cublas_routine("cublasGemmStridedBatchedEx, type 0, compute type 75" s f32 ${batch} --math bf16)
  set(series cublasxt cublasxt_pinned)
  check_cublas_routine("cublasXtSgemm, mode 0" s f32 --peers cublasxt)
  check_cublas_routine("cublasXtDgemm, mode 0" d f64 --peers cublasxt)
  # cuBLASXt has no routine for these.
  tool(0 ${few} --shape 9x8x7 --peers cublasxt --type h)
  says(out "cuBLASXt[^|;]* skipped: its routine for F16 is not called")
  tool(0 ${few} --shape 9x8x7 --peers cublasxt --batch 3)
  says(out "cuBLASXt[^|;]* skipped: cuBLASXt has no batches of host matrices")
endfunction()
