# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Set-up shared by tests/run, bench/run, .ci/run and others, which source it: finds what they need,
# installs what is missing (Debian, Ubuntu), configures and builds.

clg_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
clg_jobs=$(nproc 2>/dev/null || echo 2)
if ((clg_jobs > 8)); then clg_jobs=8; fi

# Debian packages, by what they are for. Compilers come first: they probe for the rest.
clg_build_packages=(gcc libc6-dev cmake ninja-build pkg-config opencl-c-headers ocl-icd-opencl-dev
    libxxhash-dev libinih-dev)
clg_bench_packages=("${clg_build_packages[@]}" pocl-opencl-icd libopenblas-dev)
clg_tests_packages=("${clg_bench_packages[@]}" g++ gfortran libcmocka-dev clang libclang-rt-dev
    libblas3 libblas64-3 libblas-test abigail-tools codespell doxygen dpkg-dev git hunspell
    hunspell-en-gb lintian mandoc mmdebstrap python3 zsh)
# shellcheck disable=SC2034
clg_check_packages=("${clg_tests_packages[@]}" clang-format clang-tidy chromium)
# Programs that use a BLAS, for tests/clients.
clg_mpi_packages=(libopenmpi-dev openmpi-bin libscalapack-openmpi-dev)
clg_python_packages=(python3-numpy python3-sklearn python3-torch)
# shellcheck disable=SC2034
clg_clients_packages=("${clg_mpi_packages[@]}" "${clg_python_packages[@]}" python3-scipy
    python3-hypothesis python3-pip python3-pyopencl python3-pytest gfortran libarmadillo-dev
    libclblast-dev libdlib-dev libeigen3-dev libfaiss-dev libgsl-dev liblapack-dev liblapack-test
    libsuitesparse-dev libopencv-core-dev hpcc octave r-base-core starpu-examples)

clg_say() {
    printf 'clgemm: %s\n' "$*" >&2
}

clg_compiles() { # SOURCE FLAG...
    local source=$1 compiler
    shift
    read -ra compiler <<<"${CC:-cc}"
    printf '%s\n' "$source" | "${compiler[@]}" -x c - -o /dev/null "$@"
}

# Any ICD will do: with a GPU's, PoCL is not needed.
clg_has_icd() {
    [[ -n ${OCL_ICD_VENDORS:-}${OCL_ICD_FILENAMES:-}${OPENCL_VENDOR_PATH:-} ]] ||
        compgen -G '/etc/OpenCL/vendors/*.icd'
}

clg_has_header() { # HEADER FLAG...: of C or C++
    local header=$1
    shift
    clg_compiles "#if !__has_include(<$header>)
#error
#endif" -E "$@"
}

clg_has_cmake() {
    local version
    version=$(cmake --version | sed -n '1s/[^0-9.]//gp') &&
        printf '3.22\n%s\n' "$version" | sort -V -C
}

# Is what this package brings there? Judged by the thing itself, wherever it came from.
clg_has() { # PACKAGE
    case $1 in
    gcc) clg_compiles '' -E ;;
    g++) command -v "${CXX:-c++}" ;;
    abigail-tools) command -v abidiff ;;
    dpkg-dev) command -v dpkg-shlibdeps ;;
    libc6-dev) clg_compiles '#include <stdio.h>' -E ;;
    cmake) clg_has_cmake ;;
    ninja-build) command -v ninja ;;
    opencl-c-headers) clg_compiles '#include <CL/cl.h>' -E ;;
    ocl-icd-opencl-dev) clg_compiles 'int main(void) { return 0; }' -lOpenCL ;;
    libxxhash-dev) clg_compiles '#include <xxhash.h>' -E ;;
    libinih-dev) pkg-config --exists inih ;;
    pocl-opencl-icd) clg_has_icd ;;
    libopenblas-dev) pkg-config --exists openblas ;;
    libcmocka-dev) pkg-config --exists cmocka ;;
    hunspell-en-gb) hunspell -D -d en_GB </dev/null ;;
    gcc-multilib) clg_compiles 'int main(void) { return 0; }' -m32 ;;
    musl-tools) command -v musl-gcc ;;
    libblas3) compgen -G '/usr/lib/*/blas/libblas.so.3' ;;
    libblas64-3) compgen -G '/usr/lib/*/blas64/libblas64.so.3' ;;
    libblas-test) compgen -G '/usr/lib/*/blas/xblat3s' ;;
    rocm-device-libs) compgen -G '/usr/lib/*/amdgcn/bitcode/ocml.bc' ;;
    libclc-19) compgen -G /usr/lib/clc/nvptx64--nvidiacl.bc ;;
    libviennacl-dev) clg_compiles '#include <viennacl/version.hpp>' -E ;;
    # Only clang keeps its sanitizer runtime in a package of its own.
    libclang-rt-dev) clg_compiles 'int main(void) { return 0; }' -fsanitize=address,undefined ;;
    libarmadillo-dev) clg_has_header armadillo ;;
    libclblast-dev) clg_compiles '#include <clblast_c.h>' -E ;;
    libdlib-dev) clg_has_header dlib/matrix.h ;;
    libeigen3-dev) clg_has_header Eigen/Dense -I/usr/include/eigen3 ;;
    libfaiss-dev) clg_has_header faiss/IndexFlat.h ;;
    libgsl-dev) clg_has_header gsl/gsl_blas.h ;;
    liblapack-dev) compgen -G '/usr/lib/*/lapack/liblapack.so' ;;
    liblapack-test) compgen -G '/usr/lib/*/lapack/xlintsts' ;;
    libsuitesparse-dev) clg_compiles '#include <suitesparse/cholmod.h>' -E ;;
    libopencv-core-dev) clg_has_header opencv2/core.hpp -I/usr/include/opencv4 ;;
    libopenmpi-dev) CC=mpicc clg_has_header mpi.h ;;
    libscalapack-openmpi-dev)
        CC=mpicc clg_compiles 'int main(void) { return 0; }' -lscalapack-openmpi
        ;;
    openmpi-bin) command -v mpirun ;;
    r-base-core) command -v R ;;
    # Debian's interpreter: another has packages of its own.
    python3-*) /usr/bin/python3 -I -c "import ${1#python3-}" ;;
    starpu-examples) compgen -G '/usr/lib/*/starpu/examples/lu_example_float' ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

clg_missing() { # PACKAGE...
    local package
    for package; do
        clg_has "$package" || printf '%s ' "$package"
    done
}

# Runs apt-get as root; fails where that cannot be had.
clg_apt() {
    local root=()
    command -v apt-get >/dev/null || return
    if [[ $(id -u) != 0 ]]; then
        command -v sudo >/dev/null || return
        root=(sudo)
        if [[ ! -t 0 ]]; then root+=(-n); fi
    fi
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 "$@" >&2
}

clg_install() { # PACKAGE...
    local package
    # All at once; where one of them is unknown here, each on its own.
    clg_apt install -y --no-install-recommends "$@" || {
        (($# > 1)) && for package; do
            clg_apt install -y --no-install-recommends "$package" || true
        done
    }
}

# Makes sure that all these packages' contents are there, or says which are not and fails.
clg_require() { # PACKAGE...
    local missing
    missing=$(clg_missing "$@")
    [[ -n $missing ]] || return 0
    clg_say "missing, to be installed: ${missing% }"
    clg_apt update || clg_say "could not refresh the package lists"
    # shellcheck disable=SC2086
    clg_install $missing || true
    missing=$(clg_missing "$@")
    [[ -n $missing ]] || return 0
    clg_say "these Debian packages, or what they hold, are missing and could not be installed:"
    clg_say "    ${missing% }"
    clg_say "install them as root (apt-get install ${missing% }) and run this again"
    return 1
}

# Installs a package that is good to have where it is to be had, without asking the network twice.
clg_want() { # PACKAGE
    clg_has "$1" && return
    if apt-cache show "$1" >/dev/null 2>&1 && clg_install "$1" && clg_has "$1"; then return; fi
    clg_say "$1 is missing: the tests that need it are skipped"
}

# Intel's OpenCL for CPUs, which only PyPI has; the tests on it are skipped where that cannot be had.
clg_want_intel() {
    local folder=$clg_root/build/intel-opencl
    [[ -n $(find "$folder" -name libintelocl.so 2>/dev/null) ]] && return
    python3 -m pip install -q --no-warn-script-location --prefix "$folder" intel-opencl-rt intel-cmplr-lib-rt >&2 ||
        clg_say "Intel's runtime could not be installed: the tests on it are skipped"
}

# A package with all that it needs, unpacked: if it were installed, it would be a platform.
clg_want_unpacked() { # PACKAGE FOLDER
    local folder=$clg_root/build/$2 packages
    [[ -d $folder/usr ]] && return
    packages=$(apt-get install -s --no-install-recommends "$1" 2>/dev/null |
        sed -n 's/^Inst \([^ ]*\).*/\1/p') || true
    mkdir -p "$folder/packages"
    # shellcheck disable=SC2086
    if [[ -z $packages ]] || ! (cd "$folder/packages" && apt-get download -qq $packages >&2) ||
        ! find "$folder/packages" -name '*.deb' -exec dpkg -x {} "$folder" \;; then
        clg_say "$1 could not be unpacked: the test that needs it is skipped"
    fi
    rm -rf "$folder/packages"
}

# Configures a preset, also over a build folder that another generator or another place left.
clg_configure() { # PRESET FOLDER [CMAKE-ARGUMENT...]
    local preset=$1 cache=$clg_root/$2/CMakeCache.txt
    shift 2
    if [[ -f $cache ]] && ! { grep -qx 'CMAKE_GENERATOR:INTERNAL=Ninja' "$cache" &&
        grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$clg_root" "$cache"; }; then
        rm -rf "$cache" "${cache%/*}/CMakeFiles"
    fi
    if [[ ${CI:-} == true ]]; then set -- -DCLGEMM_WERROR=ON "$@"; fi
    (cd "$clg_root" && cmake --preset "$preset" "$@" >&2)
}

clg_build() { # FOLDER [TARGET...]
    local folder=$clg_root/$1
    shift
    cmake --build "$folder" -j "$clg_jobs" ${1:+--target "$@"} >&2
}
