#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the loader sees of the drop-in: the names that it exports, what it needs, and that a program
# which never multiplies has nothing more of it in its process.
# Usage: loaded.sh LIBRARY SONAME
set -eu
library=$1
soname=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
# Complains if there is any input. As part of a pipeline it is a process of its own, so it leaves
# its verdict in a file.
none() {
    found=$(cat)
    [ -z "$found" ] && return
    printf '%s:\n%s\n' "$1" "$found"
    : >bad
}

nm -D --defined-only "$library" | awk '{ print $3 }' | LC_ALL=C sort >exported.txt
spellings='cblas_? cblas_?64_ cblas_?_64 ?_ ? ?_64_ scipy_cblas_?64_ scipy_?_ scipy_?_64_'
# clgemm_blas_environment: what libclgemm asks then instead of the environment.
printf '%s\n' ilaenv_ pilaenv_ clgemm_blas_environment >names.txt
for letter in s d c z; do
    stems='gemm gemm_batch gemm_batch_strided symm syrk syr2k trmm trsm'
    case $letter in [cz]) stems="$stems gemm3m hemm herk her2k" ;; esac
    for stem in $stems; do
        printf '%s\n' "$spellings" | tr -s ' ' '\n' | sed "s/?/$letter$stem/" >>names.txt
    done
done
LC_ALL=C sort -u names.txt >wanted.txt
diff wanted.txt exported.txt | none "exported names differ from the list (>: too many)"

readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p' | grep -vx "$soname" | none "SONAME"
behind='libinih'
if [ "$soname" = libblas.so.3 ]; then behind='libinih|libopenblas'; fi
readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >needed.txt
grep -Ev "^($behind|libc|libpthread|ld-linux[a-z0-9_-]*)\.so\.[0-9]+\$" needed.txt |
    none "needed at load"
if [ "$soname" = libblas.so.3 ]; then
    grep -q '^libopenblas' needed.txt || echo "no complete BLAS" | none "not needed at load"
fi
# An error handler, or anything else that a program defines, must precede the drop-in's own.
readelf -d "$library" | grep -i 'symbolic' | none "bound to itself"

# cat maps only what any program has.
LD_PRELOAD=$library cat /proc/self/maps >maps.txt
grep -q "$(basename "$library")" maps.txt || echo "$library" | none "not preloaded"
grep -E 'OpenCL|libclgemm\.so|libpocl' maps.txt | none "loaded with a program that does nothing"
LD_PRELOAD=$library /bin/true

echo "$(wc -l <exported.txt) names exported"
[ ! -e bad ]
