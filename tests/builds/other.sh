#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The library with other compilers, without a warning: for 32 bits, for another C library, and with
# link-time optimization. Stand-ins replace an OpenCL library or CMocka that is missing there. Their
# OpenCL has no platform, so the tests that need no device run as well.
# Usage: other.sh m32|musl|lto-gcc|lto-clang SOURCE-FOLDER GENERATED-FOLDER SCRATCH [PART PARTS]
#   GENERATED-FOLDER  of a build: its *_sources.c, *_tunings.c and *_costs.c
#   PART PARTS        compile only this part of the files, and run nothing
set -euo pipefail
way=$1 source=$2 generated=$3 scratch=$4
part=${5:-0} parts=${6:-1}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rm -rf "$scratch"
mkdir -p "$scratch/headers" "$scratch/objects"

# -std and -O2 as in the build; the library has no assertions, so NDEBUG does not matter.
linking=()
case $way in
m32) compiler=(gcc -m32 -msse2 -mfpmath=sse -O2) needs=gcc-multilib ;;
musl) compiler=(musl-gcc -O2) needs=musl-tools ;;
lto-gcc) compiler=(gcc -O3 -flto=2 -fno-fat-lto-objects) needs=gcc ;;
lto-clang) compiler=(clang -O3 -flto) linking=(-fuse-ld=lld) needs='clang lld' ;;
*)
    echo "unknown way: $way"
    exit 2
    ;;
esac
flags=(-std=gnu11 -Wall -Wextra -Werror -DNDEBUG -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -fPIC -fvisibility=hidden -I"$source/include" -I"$source/lib"
    -I"$source" -I"$source/tests" -isystem "$scratch/headers")

# The system's headers that any compiler can read, and none of its C library's.
for header in CL xxhash.h xxh3.h; do
    ln -s "/usr/include/$header" "$scratch/headers/"
done
printf '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n' >"$scratch/try.c"
if ! "${compiler[@]}" "${linking[@]}" "$scratch/try.c" -o "$scratch/try" 2>/dev/null || ! "$scratch/try" >/dev/null; then
    echo "skipped: ${compiler[*]} makes no programs here (Debian: $needs)"
    exit 77
fi

# ---- Compiling --------------------------------------------------------------------------------------

export LC_ALL=C
mapfile -t sources < <(find "$source/lib" -name '*.c' ! -path '*/blas/*' | sort
    find "$source/src" -name '*.c' ! -name '*main.c' ! -path '*/run/*' | sort
    ls "$generated"/*_{sources,tunings,costs}.c)
mine=()
for i in "${!sources[@]}"; do
    ((i % parts == part)) && mine+=("${sources[i]}")
done

compile() { # FILE...: two at a time
    printf '%s\n' "$@" | xargs -P 2 -I{} sh -c 'object=$1/$(echo "${2#"$3"/}" | tr / _).o
        shift 3
        exec "$@" -c {} -o "$object"' sh "$scratch/objects" {} "$source" "${compiler[@]}" "${flags[@]}"
}
echo "$way: ${#mine[@]} files"
compile "${mine[@]}"
if ((parts > 1)); then exit; fi

# ---- Linking ----------------------------------------------------------------------------------------

ar=ar nm=nm
case $way in
lto-gcc) ar=gcc-ar nm=gcc-nm ;;
lto-clang) ar=llvm-ar nm=llvm-nm ;;
esac
"$ar" rcs "$scratch/libclgemm.a" "$scratch"/objects/lib_*.o "$scratch"/objects/*clg_*s.c.o

# An OpenCL that has no platform, with the functions that the library and the program call.
"$nm" -u "$scratch"/objects/*.o 2>/dev/null | sed -n 's/.* \(cl[A-Z][A-Za-z0-9]*\)$/\1/p' | sort -u |
    sed 's/\(.*Create.*\|.*Map.*\)/long \1(void); long \1(void) { return 0; }/
         t
         s/.*/long &(void); long &(void) { return -1001; }/' >"$scratch/no_opencl.c"
"${compiler[@]}" -fno-lto -fPIC -c "$scratch/no_opencl.c" -o "$scratch/no_opencl.o"

# Nothing is undefined in the shared library.
"${compiler[@]}" "${linking[@]}" -shared -Wl,--whole-archive "$scratch/libclgemm.a" -Wl,--no-whole-archive \
    "$scratch/no_opencl.o" -Wl,--version-script="$source/lib/clgemm.map" -Wl,-z,defs -pthread -ldl -lm \
    -o "$scratch/libclgemm.so"

cp "$here/cmocka.h" "$scratch/headers/"
compile "$source"/tests/src/play_worker.c "$source"/tests/support/{cache,check,child,facts,form,matrix,pages,random,rows,space,tuning,tuning_places}.c
"$ar" rcs "$scratch/libtests.a" "$scratch"/objects/{tests_support,tests_src,src}_*.o "$scratch"/objects/*ladder_sources.c.o
libraries=("$scratch/libtests.a" "$scratch/libclgemm.a" "$scratch/no_opencl.o" -pthread -ldl -lm)

# ---- Running ----------------------------------------------------------------------------------------

export CLGEMM_CACHE=0 CLGEMM_TUNING=0
ran=0 failed=()
for test in $(sed -n '/^set(deviceless/,/)/p' "$source/tests/CMakeLists.txt" | tr -d '()' | sed 's/set\|deviceless//g'); do
    file=$(find "$source/tests/lib" "$source/tests/src" -name "$test.c")
    code=0
    { "${compiler[@]}" "${flags[@]}" -DCLG_TEST_DATA="\"$(dirname "$file")/data\"" "$file" "${linking[@]}" "${libraries[@]}" \
        -o "$scratch/$test" && timeout 300 "$scratch/$test"; } >"$scratch/said" 2>&1 || code=$?
    if ((code != 0 && code != 77)); then
        cat "$scratch/said"
        echo "$way: $test ended with $code"
        failed+=("$test")
    fi
    ran=$((ran + 1))
done
echo "$way: $ran tests, ${#failed[@]} failed"
exit $((${#failed[@]} > 0))
