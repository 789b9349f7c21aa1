#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves that check.sh finds a planted breach of each kind, and accepts correct sources.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
bad=0

# Plants $2 as the file $1 in a correct tree and checks that check.sh refuses it.
objects() {
    rm -rf "${root:?}"/*
    mkdir -p "$root/kernels" "$root/$(dirname "$1")"
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

# Plants files of one line each in a correct tree: FILE LINE FILE LINE ...
plant() {
    objects "$1" "$2" || true
    while [ $# -gt 0 ]; do
        mkdir -p "$root/$(dirname "$1")"
        printf '%s\n' "$2" >"$root/$1"
        shift 2
    done
}
circle() {
    plant "$@"
    "$here/check.sh" "$root" >"$root/out" || grep -q '^a cycle of includes: ' "$root/out" && return
    echo "no cycle found: $*"
    bad=1
}
no_circle() {
    plant "$@"
    "$here/check.sh" "$root" >"$root/out" && return
    echo "wrongly refused: $*"
    cat "$root/out"
    bad=1
}

# ---- Floors ----

breach lib/base/a.c '#include "device/facts.h"'
breach lib/device/a.c '#include "program/build.h"'
breach lib/program/a.h '# include "gemm/plan.h"'
breach lib/gemm/a.c '#include "tuning/table.h"'
breach lib/tuning/a.c '#include "run/choose.h"'
breach lib/run/a.c '#include "src/tuner/space.h"'
breach lib/run/a.c '#include "host/host.h"'
breach src/tuner/a.c '#include "api/api.h"'
breach lib/api/a.c '#include "blas/level3.h"'
breach lib/api/a.c '#include "src/tuner/space.h"'
breach lib/gemm/a.c '#include "../api/api.h"'
breach lib/gemm/panel/a.c '#include "gemm/../api/api.h"'
breach lib/gemm/a.c '#include "plan.h"'
breach lib/blas/a.c '#include "run/choose.h"'
breach lib/other/a.c 'int x;'
breach lib/a.c 'int x;'
lawful lib/api/a.c '#include "run/engine.h"'
lawful lib/gemm/a.c '#include "gemm/plan.h"'
lawful lib/gemm/a.c '#include "gemm/tiled/model.h"'
lawful lib/gemm/panel/a.c '#include "gemm/tiled/model.h"'
lawful lib/gemm/a.c '/* #include "src/tuner/space.h" */'
lawful lib/base/a.c '#include "clgemm.h"'
lawful lib/blas/a.c '#include "clgemm_cl.h"'
lawful lib/blas/a.c '#include "base/log.h"'
lawful lib/blas/a.c '#include "blas/level3.h"'

# ---- Pure floors ----

breach lib/gemm/plan.c '#include "device/workspace.h"'
breach lib/gemm/tiled/model.c '#include "device/device.h"'
breach lib/gemm/plan.c '#include "program/programs.h"'
breach lib/tuning/load.c '#include "program/build.h"'
breach lib/tuning/load.c '#include "device/buffer.h"'
breach lib/gemm/a.c '#include "clgemm_cl.h"'
lawful lib/gemm/panel/shape.h '#include "device/facts.h"'
lawful lib/tuning/load.c '#include "program/source.h"'

# ---- OpenCL ----

breach lib/base/a.c '#include <CL/cl.h>'
breach lib/run/exec.c '#include <CL/cl.h>'
breach bench/device.c '#include <CL/cl.h>'
breach lib/base/a.c '#include "clgemm_cl.h"'
breach lib/api/a.c 'int f(cl_command_queue q) { return clFinish(q); }'
breach lib/gemm/plan.c 'x = clGetDeviceInfo (d, 0, 0, 0, 0);'
breach lib/run/choose.c 'clFlush(q);'
breach lib/host/plan.c 'clFlush(q);'
breach lib/host/buffers.c 'clFlush(q);'
breach lib/run/executor.c 'clFlush(q);'
breach src/tuner/search.c 'clFlush(q);'
breach src/info/a.c 'clFlush(q);'
breach bench/report/a.c 'clFlush(q);'
lawful lib/device/opencl.h '#include <CL/cl.h>'
lawful tests/a.c '#include <CL/cl.h>'
lawful lib/program/build.c 'clFlush(q);'
lawful lib/run/exec.c 'clFinish(q);'
lawful lib/run/exec_step.c 'clFinish(q);'
lawful lib/run/warm_launch.c 'clFinish(q);'
lawful src/tuner/measure.c 'clFinish(q);'
lawful src/tuner/measure_try.c 'clFinish(q);'
lawful bench/device.c 'clFinish(q);'
lawful tests/lib/api/a.c 'clFinish(q);'
lawful lib/api/a.c '/* clFinish(q); abort(); */ // exit(1)'
lawful lib/api/a.c 'const char *s = "clFinish(q); abort()";'

# ---- Numbers ----

breach lib/api/a.c 'double x = strtod(text, &end);'
breach lib/api/a.c 'fscanf(file, "%d", &x);'
breach lib/run/a.c 'snprintf(text, size, "%s: %.4g", name, x);'
breach lib/run/a.c 'vsnprintf(text, size, format, args);'
breach lib/device/a.c 'found = strcasestr(name, "Intel");'
breach src/a.c 'setlocale(LC_ALL, "");'
breach lib/api/a.c 'setlocale(LC_ALL, "C");'
lawful lib/run/a.c 'snprintf(text, size, "%s %" PRId64 " %-5d", name, x, y);'
lawful lib/run/a.c 'clg_format(text, size, "%.4g", x);'
lawful lib/base/format.c 'double x = strtod(text, &end);'
lawful src/a.c 'printf("%.4g", x);'

# ---- Programs and tests ----

breach src/cache/a.c '#include "src/tuner/search.h"'
breach src/run/a.c '#include "device/facts.h"'
breach src/tune/a.c '#include "program/build.h"'
breach src/common/a.c '#include "gemm/plan.h"'
breach src/common/a.c '#include "src/tool.h"'
breach src/info/a.c '#include "src/cache/list.h"'
breach src/a.c '#include "src/tune/tune.h"'
breach src/tune/a.c '#include "bench/measure.h"'
breach src/other/a.c 'int x;'
breach bench/a.c '#include "src/tool.h"'
breach bench/report/a.c '#include "src/inspect/inspect.h"'
breach bench/report/a.c '#include "device/facts.h"'
breach bench/report/a.c '#include "bench/peers/contender.h"'
breach bench/peers/ours.c '#include "gemm/plan.h"'
breach bench/other/a.c 'int x;'
breach tests/support/a.h '#include "faults/steer.h"'
breach tests/support/a.h '#include "src/tune/plot.h"'
breach tests/blas/a.c '#include "../faults/steer.h"'
lawful src/cache/a.c '#include "run/choose.h"'
lawful src/info/a.c '#include "src/cache/folder.h"'
lawful src/tune/a.c '#include "src/common/svg.h"'
lawful src/tune/a.c '#include "src/tune/tune.h"'
lawful src/main.c '#include "src/tool.h"'
lawful bench/a.c '#include "src/common/svg.h"'
lawful bench/a.c '#include "bench/peers/contender.h"'
lawful bench/peers/ours.c '#include "clgemm_cl.h"'
lawful bench/peers/bare.h '#include "gemm/plan.h"'
lawful tests/lib/gemm/a.c '#include "api/handle.h"'
lawful tests/src/a.c '#include "src/tune/plot.h"'
lawful tests/blas/a.c '#include "faults/steer.h"'
lawful tests/clients/a.c '#include "judge.h"'
lawful tests/support/a.c '#include "support/case.h"'
lawful tests/support/a.c '#include "src/common/drivers.h"'

# ---- Cycles ----

circle lib/run/a.h '#include "run/b.h"' lib/run/b.h '#include "run/a.h"'
circle lib/run/a.c '#include "run/b.h"' lib/run/b.h '#include "run/a.h"'
circle lib/run/a.c '#include "run/b.h"' lib/run/b.c '#include "run/a.h"' \
    lib/run/a.h 'int a;' lib/run/b.h 'int b;'
circle lib/run/a.h '#include "run/b.h"' lib/run/b.h '#include "run/c.h"' lib/run/c.c '#include "run/a.h"'
circle src/tune/a.h '#include "src/tune/b.h"' src/tune/b.c '#include "src/tune/a.h"' src/tune/b.h 'int b;'
circle bench/a.h '#include "bench/report/b.h"' bench/report/b.h '#include "bench/a.h"'
circle lib/run/a_b.h '#include "run/a.h"' lib/run/a_b.c '#include "run/a_b.h"' lib/run/a.c '#include "run/a_b.h"' lib/run/a.h 'int a;'
no_circle lib/run/a.c '#include "run/a.h"' lib/run/a.h '#include "run/b.h"' lib/run/b.h 'int b;'
no_circle lib/run/a.c '#include "run/a_b.h"' lib/run/a_b.h '#include "run/a.h"' lib/run/a.h 'int a;'
no_circle lib/run/a.c '#include "run/b.h"' lib/run/b.h '#include "run/a_b.h"' lib/run/a_b.h 'int a;'
no_circle lib/run/a.c '#include "run/b.h"' lib/run/b.h '/* #include "run/a.h" */'
no_circle lib/run/a.c '#include "run/b.h"' lib/run/b.h 'int b;' tests/lib/run/b.h '#include "run/a.h"'

# ---- Types ----

breach lib/device/buffer.c 'n = rows * sizeof(float);'
breach lib/gemm/tiled/a.c 'n = rows * sizeof ( float );'
breach lib/tuning/a.c 'n = sizeof(float);'
breach lib/run/a.c 'n = sizeof(float) * rows;'
breach src/tuner/a.c 'n = sizeof(float);'
breach lib/api/a.c 'n = sizeof(float);'
lawful lib/gemm/type.h 'n = sizeof(float);'
lawful lib/gemm/type.c 'n = sizeof(float);'
lawful lib/blas/a.c 'n = sizeof(float);'
lawful lib/api/a.c 'n = sizeof(floats); m = sizeof *x; /* sizeof(float) */'

# ---- Measured numbers ----

breach lib/gemm/a.c 'static const double tie = 0.98;'
breach lib/gemm/tiled/a.h '#define SHARE .3f'
breach lib/run/a.c 'x = 2.0 * y + 1.5E3F;'
breach lib/device/a.c 'x = 1e12;'
breach lib/host/a.c 'x = 0x1.8p3;'
breach lib/tuning/a.c 'x = (3.);'
lawful lib/gemm/a.c 'x = 0.0 + 1.0f + 0.125 * 2e0 - 1024.F / 0x1p-24f;'
lawful lib/run/a.c 'x = 1e-3 * 1e3 + 1E-6 * 1e6 + 1e-9 * 1e+9;'
lawful lib/device/a.c 'x = 0x9e3779b97f4a7c15U + a1.e3 + 12; /* 0.98 */ y = "0.98";'
lawful lib/host/time.c 'x = 0.98;'
lawful src/tuner/a.c 'x = 0.98;'

# ---- Printing and leaving; kernels ----

breach lib/api/a.c 'printf("x");'
breach lib/run/exec.c 'fprintf(stderr, "x");'
breach lib/device/a.c '/* fine */ abort();'
breach lib/base/logic.c 'if (x) exit(1);'
breach lib/api/a.c 'char *s = "/*"; abort();'
breach kernels/a.cl 'asm("ret");'
breach kernels/ladder/a.cl '__asm volatile ("ret");'
breach kernels/a.cl 'const float x = 0;'
breach kernels/a.h 'float4 x;'
breach kernels/a.cl 'real x = 1.0f;'
lawful lib/api/a.c 'snprintf(p, n, "x"); clgemm_version(); my_exit(1);'
lawful lib/base/log.c 'fprintf(stderr, "x");'
lawful lib/base/file.c 'fprintf(file, "x");'
lawful src/main.c 'printf("x"); exit(1);'
lawful kernels/a.cl 'real x = 1; /* no float */'
lawful kernels/real.h '#define REAL float'
lawful kernels/ladder/a.cl 'float x = 1.0f;'
lawful kernels/ladder/a.cl '__asm__ volatile ("asm");'

[ $bad -eq 0 ] && echo "every planted breach was found"
exit $bad
