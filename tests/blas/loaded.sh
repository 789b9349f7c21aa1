#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the drop-in is to the loader: the names it exports, what it needs, and that a program which
# never multiplies has nothing more of it in its process.
# Usage: loaded.sh LIBRARY SONAME
set -eu
library=$1
soname=$2
bad=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
# Complains if there is any output on standard input.
none() {
    found=$(cat)
    [ -z "$found" ] && return
    printf '%s:\n%s\n' "$1" "$found"
    bad=1
}

nm -D --defined-only "$library" | awk '{ print $3 }' | LC_ALL=C sort >exported.txt
LC_ALL=C sort >wanted.txt <<'END'
cblas_sgemm
cblas_sgemm64_
cblas_sgemm_64
cblas_ssyrk
cblas_ssyrk64_
cblas_ssyrk_64
pilaenv_
scipy_cblas_sgemm64_
scipy_cblas_ssyrk64_
scipy_sgemm_
scipy_sgemm_64_
scipy_ssyrk_
scipy_ssyrk_64_
sgemm
sgemm_
sgemm_64_
ssyrk_
ssyrk_64_
END
diff wanted.txt exported.txt | none "exported names are not the wanted (>: too many)"

readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p' | grep -vx "$soname" | none "SONAME"
behind='libinih'
if [ "$soname" = libblas.so.3 ]; then behind='libinih|libopenblas'; fi
readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >needed.txt
grep -Ev "^($behind|libc|libpthread|ld-linux[a-z0-9_-]*)\.so\.[0-9]+\$" needed.txt |
    none "needed at load"
if [ "$soname" = libblas.so.3 ]; then
    grep -q '^libopenblas' needed.txt || echo "no complete BLAS" | none "not needed at load"
fi
# An error handler, or anything else that a program brings, must come before what we would bind.
readelf -d "$library" | grep -i 'symbolic' | none "bound to itself"

# cat maps what any program has.
LD_PRELOAD=$library cat /proc/self/maps >maps.txt
grep -q "$(basename "$library")" maps.txt || echo "$library" | none "not preloaded"
grep -E 'OpenCL|libclgemm\.so|libpocl' maps.txt | none "loaded with a program that does nothing"
LD_PRELOAD=$library /bin/true

echo "$(wc -l <exported.txt) names exported"
exit $bad
