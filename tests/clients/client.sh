#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs one client, a small program as users of some package write it, with the drop-in preloaded and
# every problem sent to the device. The client judges its results; this script checks that calls
# were intercepted.
# usage: client.sh NAME DROP-IN SCRATCH      TOOL (the clgemm program), CC, CXX: environment
# Exits with 77 if a package or a device is missing, and says which; with 1 if CI=true.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=cmake/setup.sh
source "$here/../../cmake/setup.sh"
name=$1
library=$2
scratch=$3/$name
wheels=$3/wheels
python=/usr/bin/python3
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$here"

skip() {
    echo "SKIP: $name: $*"
    if [[ ${CI:-} == true ]]; then exit 1; fi
    exit 77
}

needs() { # PACKAGE...
    local missing
    missing=$(clg_missing "$@")
    [[ -z $missing ]] || skip "missing: ${missing% } (tests/run --clients installs it)"
}

builds() { # FILE.c|FILE.cpp|FILE.f90 FLAG...: into $scratch/client, with the judge
    local source=$1 compiler
    shift
    case $source in
    *.c) compiler="${CC:-cc} -std=c11" ;;
    *.cpp) compiler="${CXX:-c++} -std=c++17" ;;
    *.f90) compiler=gfortran ;;
    esac
    # Word splitting is intended: the variables may hold flags.
    # shellcheck disable=SC2086
    ${CC:-cc} -std=c11 -O1 -Wall -Wextra -Werror -c judge.c -o "$scratch/judge.o"
    # shellcheck disable=SC2086
    $compiler -O1 -Wall -Wextra "$source" "$scratch/judge.o" -o "$scratch/client" "$@" -lm
}

with_mpi() { # PROGRAM ARGUMENT...: on four ranks; in a container the user may be root
    mpirun --allow-run-as-root --oversubscribe -np 4 "$@"
}

# Python that finds the wheels first.
with_wheels() { # ARGUMENT...
    PYTHONPATH=$wheels "$python" "$@"
}

log=$scratch/log
min_flops=0
preloaded() { # COMMAND...
    # Preloaded only for the command: this shell's helpers are not clients.
    (
        export LD_PRELOAD=$library CLGEMM_MIN_FLOPS=$min_flops CLGEMM_VERBOSE=1 CLGEMM_LOGFILE=$log
        export CLGEMM_CACHE=1 CLGEMM_CACHE_DIR=$scratch/cache PYTHONDONTWRITEBYTECODE=1
        "$@"
    )
}

# The letters of the types whose products must run on the device.
types=s
case $name in
numpy | wheel-numpy | scipy | wheel-scipy | octave | armadillo | eigen | dlib | psgemm | lapack)
    types="s d" ;;
r | cholmod | hpl) types=d ;;
esac

"${TOOL:-clgemm}" info >/dev/null || skip "no usable OpenCL device"

case $name in
numpy)
    needs python3-numpy
    preloaded "$python" use_numpy.py
    ;;
scipy)
    needs python3-scipy
    preloaded "$python" use_scipy.py
    ;;
sklearn)
    needs python3-sklearn
    # Its threadpoolctl may hang beside a thread that opens libraries (docs/drop-in.md).
    export CLGEMM_BUILD=wait
    preloaded "$python" -W ignore use_sklearn.py
    ;;
torch)
    needs python3-torch
    preloaded "$python" use_torch.py
    ;;
wheels)
    # The next two clients use these wheels, which contain their own OpenBLAS with its own names.
    needs python3-pip
    "$python" -m pip install --quiet --target "$scratch" numpy==2.4.6 scipy==1.17.1 ||
        skip "the wheels could not be installed from PyPI"
    exit 0
    ;;
wheel-numpy)
    [[ -d $wheels/numpy ]] || skip "the wheels could not be installed"
    preloaded with_wheels use_numpy.py
    ;;
wheel-scipy)
    [[ -d $wheels/scipy ]] || skip "the wheels could not be installed"
    preloaded with_wheels use_scipy.py
    ;;
octave)
    needs octave
    preloaded octave-cli --quiet --no-init-file --no-history use_octave.m
    ;;
r)
    needs r-base-core
    preloaded R --vanilla --no-echo --file=use_r.R
    ;;
opencv)
    needs libopencv-core-dev
    builds use_opencv.cpp -isystem /usr/include/opencv4 -lopencv_core
    preloaded "$scratch/client"
    ;;
faiss)
    needs libfaiss-dev
    builds use_faiss.cpp -fopenmp -lfaiss -llapack -lblas
    preloaded "$scratch/client"
    ;;
armadillo)
    needs libarmadillo-dev
    builds use_armadillo.cpp -llapack -lblas
    preloaded "$scratch/client"
    ;;
eigen)
    needs libeigen3-dev
    builds use_eigen.cpp -isystem /usr/include/eigen3 -lblas
    preloaded "$scratch/client"
    ;;
dlib)
    needs libdlib-dev
    builds use_dlib.cpp -ldlib -llapack -lblas
    preloaded "$scratch/client"
    ;;
gsl)
    needs libgsl-dev
    builds use_gsl.c -lgsl -lgslcblas
    preloaded "$scratch/client"
    ;;
cholmod)
    needs libsuitesparse-dev
    builds use_cholmod.c -lcholmod
    preloaded "$scratch/client"
    for routine in syrk trsm; do
        grep -q "^clgemm: d$routine on=device" "$log"
    done
    ;;
hpl)
    # HPL judges itself by a residual. HPCC's other benchmarks run too: DGEMM judges its products.
    needs hpcc openmpi-bin
    examples=/usr/share/doc/hpcc/examples
    cd "$scratch"
    sed -e '6s/^[0-9]*/300/; 8s/^[0-9]*/32/; 11s/^[0-9]*/2/; 12s/^[0-9]*/2/' \
        "$examples/_hpccinf.txt" >hpccinf.txt
    OPENBLAS_NUM_THREADS=1 preloaded with_mpi hpcc
    grep -q '1 tests completed and passed residual checks' hpccoutf.txt
    grep -q 'StarDGEMM_Gflops' hpccoutf.txt
    if grep FAILED hpccoutf.txt; then exit 1; fi
    grep -q '^clgemm: dtrsm on=device' "$log"
    ;;
lapack)
    # LAPACK's testers of linear equations, which judge by residuals, with fewer sizes than in their
    # input: that takes 1,200,000 products each. OpenBLAS's LAPACK would call itself. With and
    # without the drop-in the same must pass: LAPACK 3.11 fails 104 tests of its own SLATRS3.
    # Nine calls in ten are smaller than this break-even, and each costs as much as a large one on
    # the device. The reference BLAS's testers cover small calls.
    needs liblapack-test
    testers=$(dirname "$(compgen -G '/usr/lib/*/lapack/xlintsts')")
    export OPENBLAS_NUM_THREADS=1 LD_LIBRARY_PATH=$testers
    min_flops=2e4
    for type in s d; do
        sed -e '2s/7/3/; 3s/.*/3 10 50/; 4s/7/3/; 5s/.*/3 10 50/' \
            -e '8s/5/2/; 9s/.*/3 20/; 10s/.*/0 1/' "$testers/${type}test.in" >"$scratch/in"
        "$testers/xlintst$type" <"$scratch/in" | grep threshold >"$scratch/plain"
        preloaded "$testers/xlintst$type" <"$scratch/in" | grep threshold >"$scratch/$type"
        diff "$scratch/plain" "$scratch/$type"
        (($(wc -l <"$scratch/$type") > 40))
        for routine in gemm symm syrk trmm trsm; do
            grep -q "^clgemm: $type$routine on=device" "$log" || {
                echo "no call of $type$routine ran on the device"
                exit 1
            }
        done
    done
    ;;
fortran)
    needs gfortran
    builds use_fortran.f90 -fexternal-blas -fblas-matmul-limit=30 -lblas
    preloaded "$scratch/client"
    ;;
starpu)
    # Its own check prints the largest difference between L U and A, and aborts if it is large.
    needs starpu-examples
    example=$(compgen -G '/usr/lib/*/starpu/examples/lu_example_float')
    export STARPU_NCPU=2 STARPU_NOPENCL=0 STARPU_SILENT=1 STARPU_HOME=$scratch
    preloaded "$example" -size 960 -nblocks 4 -check 2>&1 | tee "$scratch/out"
    awk '/^Max error/ { seen = 1; wrong = ($4 < 0 ? -$4 : $4) > 1e-3 } END { exit wrong || !seen }' \
        "$scratch/out"
    ;;
psgemm)
    needs "${clg_mpi_packages[@]}"
    OMPI_CC=${CC:-cc} mpicc -std=c11 -O1 -Wall -Wextra "$clg_root/bench/psgemm.c" -o "$scratch/client" \
        -lscalapack-openmpi -lm
    for type in s d; do
        for trans in NN NT TN TT; do
            preloaded with_mpi "$scratch/client" "$type" 500 430 377 "$trans" 64 1
        done
    done
    ;;
fork)
    needs python3-numpy
    preloaded "$python" use_fork.py
    grep -q ' on=cpu why=forked ' "$log" || {
        echo "the children of a process that used the device did not stay on the CPU"
        exit 1
    }
    ;;
threads)
    needs python3-numpy
    preloaded "$python" use_threads.py
    ;;
signals)
    builds use_signals.c -lblas
    preloaded "$scratch/client"
    ;;
numpy-tests)
    needs python3-numpy python3-pytest python3-hypothesis
    # Without the tests of vectors of many GiB, which call no matrix product.
    tests=$("$python" -c 'import numpy; print(numpy.__path__[0])')
    cd "$scratch"
    preloaded "$python" -m pytest -q -p no:cacheprovider "$tests/linalg/tests" \
        "$tests/core/tests/test_multiarray.py" \
        -k '(linalg or Matmul or MatMul or Dot or dot or Inner) and not huge'
    ;;
bench)
    # That the benchmarks run and tell right results from wrong ones, not their figures. As for the
    # scikit-learn client, no builds in the background.
    export CLGEMM_BUILD=wait
    needs "${clg_python_packages[@]}" "${clg_mpi_packages[@]}"
    mpicc -std=c11 -O1 "$clg_root/bench/psgemm.c" -o "$scratch/psgemm" -lscalapack-openmpi -lm
    "$python" -B "$clg_root/bench/psgemm.py" --program "$scratch/psgemm" --library "$library" \
        --min-flops 0 --rounds 1 --repeats 1 --block 32 100x100x100
    needs liblapack-dev
    "${CC:-cc}" -std=c11 -O1 -Wall -Wextra "$clg_root/bench/lapack.c" -o "$scratch/factors" \
        -llapack -lblas -lm
    CLGEMM_MIN_FLOPS=1e5 "$python" -B "$clg_root/bench/lapack.py" --program "$scratch/factors" \
        --library "$library" --rounds 1 --repeats 1 potrf:200 getrf:200 geqrf:200 syevd:100 \
        gesdd:100
    "$python" -B "$clg_root/bench/clients.py" --library "$library" --min-flops 0 --rounds 1 \
        --repeats 1 --size 64 | tee "$scratch/out"
    # The last columns are calls on the device, which must not be 0, and on the CPU.
    awk -F'|' '/^\| (numpy|sklearn|torch) / && $(NF - 2) > 0 { n++ } END { exit n != 3 }' \
        "$scratch/out"
    exit
    ;;
*)
    echo "unknown client: $name"
    exit 2
    ;;
esac

touch "$log"
sed -n 's/^clgemm: \([a-z]*\) \(on=[a-z]* why=[^ ]*\).*/\1 \2/p' "$log" | sort | uniq -c
for type in $types; do
    if ! grep -q "^clgemm: ${type}[a-z]* on=device" "$log"; then
        echo "no call of ${type}gemm ran on the device"
        exit 1
    fi
done
