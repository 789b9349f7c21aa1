#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves that check.sh finds a planted breach of each kind, and lets lawful sources pass.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
bad=0

# Plants $2 as the file $1 in a lawful tree and tells whether check.sh objects to it.
objects() {
    rm -rf "$root/lib" "$root/kernels"
    mkdir -p "$root/lib" "$root/kernels" "$root/$(dirname "$1")"
    echo '/* asm */ __asm__("ret");' >"$root/kernels/lawful.cl"
    printf '%s\n' "$2" >"$root/$1"
    ! "$here/check.sh" "$root" >"$root/out"
}
breach() {
    objects "$1" "$2" && grep -q "^$1:" "$root/out" && return
    echo "not found in $1: $2"
    bad=1
}
lawful() {
    objects "$1" "$2" || return 0
    echo "wrongly refused in $1: $2"
    cat "$root/out"
    bad=1
}

breach lib/base/a.c '#include "device/facts.h"'
breach lib/device/a.c '#include "program/build.h"'
breach lib/program/a.h '# include "gemm/plan.h"'
breach lib/gemm/a.c '#include "tune/space.h"'
breach lib/tune/a.c '#include "api/api.h"'
breach lib/gemm/a.c '#include "../api/api.h"'
breach lib/gemm/a.c '#include "plan.h"'
breach lib/base/a.c '#include <CL/cl.h>'
breach lib/base/a.c '#include "clgemm_cl.h"'
breach lib/blas/a.c '#include "base/log.h"'
breach lib/other/a.c 'int x;'
breach lib/api/a.c 'int f(cl_command_queue q) { return clFinish(q); }'
breach lib/gemm/plan.c 'x = clGetDeviceInfo (d, 0, 0, 0, 0);'
breach lib/tune/search.c 'clFlush(q);'
breach lib/api/a.c 'printf("x");'
breach lib/gemm/exec.c 'fprintf(stderr, "x");'
breach lib/device/a.c '/* fine */ abort();'
breach lib/base/logic.c 'if (x) exit(1);'
breach lib/api/a.c 'char *s = "/*"; abort();'
breach kernels/a.cl 'asm("ret");'
breach kernels/ladder/a.cl '__asm volatile ("ret");'

lawful lib/api/a.c '#include "tune/space.h"'
lawful lib/gemm/a.c '#include "gemm/plan.h"'
lawful lib/gemm/a.c '/* #include "tune/space.h" */'
lawful lib/base/a.c '#include "clgemm.h"'
lawful lib/blas/a.c '#include "clgemm_cl.h"'
lawful lib/blas/a.c '#include "blas/level3.h"'
lawful lib/gemm/exec.c 'clFinish(q);'
lawful lib/gemm/exec_host.c 'clFinish(q);'
lawful lib/tune/measure.c 'clFinish(q);'
lawful lib/api/a.c '/* clFinish(q); abort(); */ // exit(1)'
lawful lib/api/a.c 'const char *s = "clFinish(q); abort()";'
lawful lib/api/a.c 'snprintf(p, n, "x"); clgemm_version(); my_exit(1);'
lawful lib/base/log.c 'fprintf(stderr, "x");'
lawful lib/base/file.c 'fprintf(file, "x");'
lawful kernels/ladder/a.cl '__asm__ volatile ("asm");'

[ $bad -eq 0 ] && echo "every planted breach was found"
exit $bad
