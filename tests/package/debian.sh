#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The Debian packages and the source tarball: lintian, and their use in a clean root. mmdebstrap
# makes that of a compiler, NumPy and the packages' own Depends and Recommends, so it lacks what
# they need but do not name. clean_root.sh runs on that root. The root is made in one run of four,
# drawn by CLGEMM_TEST_SEED, and always with CLGEMM_TEST_LONG.
# Usage: debian.sh SOURCE BUILD SCRATCH     CMAKE in the environment
# Exits with 77 if not root, if a tool is missing, or if no root can be made, as without mirrors.
set -euo pipefail
source=$1 build=$2 scratch=$3
here=$(cd "$(dirname "$0")" && pwd)

lacks() {
    echo "$1"
    if [[ ${CI:-} == true ]]; then exit 1; fi
    exit 77
}
[[ $(id -u) == 0 ]] || lacks "only root can install packages into a root folder"
for tool in dpkg-shlibdeps git lintian mmdebstrap; do
    command -v $tool >/dev/null || lacks "$tool is missing"
done

rm -rf "$scratch" "$build"/clgemm-*.tar.gz
mkdir -p "$scratch/debs" "$scratch/local" "$scratch/readme"
"$CMAKE" --build "$build" --target package dist >"$scratch/package.log" 2>&1 || {
    cat "$scratch/package.log"
    exit 1
}
# Those that this build made, not those that an earlier version left.
sed -n 's/^CPack: - package: \(.*\.deb\) generated\.$/\1/p' "$scratch/package.log" |
    xargs -d '\n' cp -t "$scratch/debs"
# A compiled program depends on the version that introduced its functions.
dpkg-deb -I "$scratch"/debs/libclgemm0_*.deb symbols | grep -x ' clgemm_sgemm@CLGEMM_0\.2 0\.2\.0' >/dev/null || {
    echo "libclgemm0 has no symbols file"
    exit 1
}
lintian --allow-root --fail-on error,warning --display-level '>=warning' "$scratch"/debs/*.deb

seed=${CLGEMM_TEST_SEED:-20111}
if [[ -z ${CLGEMM_TEST_LONG:-} ]] && ((seed % 4 != 0)); then
    echo "not drawn: the clean root, one of four; seed $seed. CLGEMM_TEST_LONG=1 makes it"
    exit
fi

# From the tarball, for /usr/local, while the root is made; not optimised, which takes a third of
# the time.
from_tarball() (
    trap 'touch "$scratch/tarball.done"' EXIT
    tar -C "$scratch" -xzf "$build"/clgemm-*.tar.gz
    "$CMAKE" -S "$scratch"/clgemm-* -B "$scratch/build" -DCLGEMM_TESTS=OFF -DCLGEMM_TOOLS=OFF \
        -DCMAKE_C_FLAGS_RELEASE=-O0
    "$CMAKE" --build "$scratch/build" -j 2
    DESTDIR=$scratch/local "$CMAKE" --install "$scratch/build" --prefix /usr/local
)
from_tarball >"$scratch/tarball.log" 2>&1 &
tarball=$!

# README's C program, and an example that calls OpenCL itself.
awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' "$source/README.md" >"$scratch/readme/program.c"
cp "$source/docs/examples/buffers.c" "$scratch/readme"

# The dependencies on other packages: the first of alternatives, by name.
for deb in "$scratch"/debs/*.deb; do
    dpkg-deb -f "$deb" Package >>"$scratch/ours"
    dpkg-deb -f "$deb" Depends Recommends | sed 's/^[A-Za-z]*: //' | tr ',' '\n' |
        sed 's/|.*//; s/(.*//; s/ //g' >>"$scratch/asked"
done
asked=$(sort -u "$scratch/asked" | grep -vxFf "$scratch/ours" | paste -sd ,)

mirrors=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
    if [[ -s $file ]]; then mirrors+=("$file"); fi
done
export SCRATCH=$scratch
status=0
mmdebstrap --mode=root --variant=essential --format=null --quiet \
    --include="gcc,libc6-dev,pkg-config,python3-numpy,$asked" --customize-hook="$here/clean_root.sh" \
    "" /dev/null "${mirrors[@]}" || status=$?
wait $tarball || {
    cat "$scratch/tarball.log"
    exit 1
}
if ((status)) && [[ ! -e $scratch/begun ]]; then
    echo "mmdebstrap cannot make a root folder here"
    exit 77
fi
exit $status
