#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs into a clean root, uses what is installed as its users do, and removes it completely:
# first the packages, then the tarball's installation in /usr/local. A hook of mmdebstrap, called by
# debian.sh.
# Usage: clean_root.sh ROOT     SCRATCH in the environment
set -eu
root=$1
touch "$SCRATCH/begun"

within() { # COMMAND...: in the root, without variables of this build
    env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp CLGEMM_CACHE_DIR=/tmp/cache \
        POCL_CACHE_DIR=/tmp/pocl CLGEMM_TUNING=0 PYTHONDONTWRITEBYTECODE=1 chroot "$root" "$@"
}

fail() {
    echo "$*"
    exit 1
}

says() { # TEXT: in the output
    printf '%s\n' "$said" | grep -q -e "$1" || fail "not said: $1, but: $said"
}

# All files, with the targets of links, except what the databases and logs of packages record.
list() {
    (cd "$root" && find etc opt root usr var \( -path var/log -o -path 'var/lib/dpkg/status*' -o \
        -path var/lib/dpkg/lock -o -path var/lib/dpkg/triggers -o -path var/cache/ldconfig \) -prune -o \
        -printf '%p %l\n' | sort)
}

# README's program and an example.
readme() {
    within sh -ec 'cd /tmp/readme
        cc program.c -o program $(pkg-config --cflags --libs clgemm) && ./program >said
        cc buffers.c -o buffers $(pkg-config --cflags --libs clgemm) -lOpenCL && ./buffers >>said'
    said=$(cat "$root/tmp/readme/said")
    says '^CLGEMM_SUCCESS: 4 5 10 11$'
    says '^buffers: 9216 of 9216 elements are right$'
}

without_trace() {
    list >"$SCRATCH/after"
    diff "$SCRATCH/before" "$SCRATCH/after" || fail "$1 left traces"
    if within ldconfig -p | grep clgemm; then fail "$1 left libraries in the loader's cache"; fi
}

# ---- The drop-in as libblas.so.3 --------------------------------------------------------------------

numpy() { # VARIABLE=VALUE... [PROGRAM...]: a product and a solution in NumPy; its output in $said
    said=$(within env CLGEMM_VERBOSE=2 "$@" python3 -c '
import numpy
n = 96
a = (numpy.arange(n * n) % 7 - 3).reshape(n, n)
c = a.astype("f") @ a.T.astype("f")
assert (c == a @ a.T).all()
m = numpy.eye(n) * 9 + a / 7
assert abs(m @ numpy.linalg.solve(m, numpy.ones(n)) - 1).max() < 1e-9
print("right")' 2>&1) || fail "NumPy: $said"
    says right
}

alternatives() {
    triplet=$(basename "$(dirname "$(find "$root/usr/lib" -name libclgemm.so.0)")")
    link=libblas.so.3-$triplet
    ours=/usr/lib/$triplet/clgemm/libblas.so.3
    said=$(within update-alternatives --query "$link")
    says "^Alternative: $ours$"
    if printf '%s\n' "$said" | grep -q "^\(Value\|Best\): $ours$"; then fail "the drop-in chose itself"; fi
    numpy CLGEMM_MIN_FLOPS=0
    if printf '%s\n' "$said" | grep clgemm; then fail "the drop-in was there though it is off"; fi

    within update-alternatives --quiet --set "$link" "$ours"
    numpy CLGEMM_MIN_FLOPS=0
    says 'clgemm: ssyrk on=device\|clgemm: sgemm on=device'
    # Whatever is set, calls go on to a BLAS that is not the drop-in; also with two copies of the
    # drop-in.
    numpy CLGEMM_MIN_FLOPS=1e15 CLGEMM_CPU_BLAS=libblas.so.3
    says 'goes on to .*libopenblas'
    numpy CLGEMM_MIN_FLOPS=0 clgemm run -q
    says 'on=device'
    numpy CLGEMM_MIN_FLOPS=1e15 clgemm run -q
    says 'goes on to .*libopenblas'
}

# ---- The packages, then /usr/local ------------------------------------------------------------------

cp -r "$SCRATCH/debs" "$SCRATCH/readme" "$root/tmp"
within ldconfig # writes its own cache for the first time
list >"$SCRATCH/before"
within sh -c 'dpkg --install /tmp/debs/*.deb' >"$SCRATCH/dpkg.log" 2>&1 || fail "$(cat "$SCRATCH/dpkg.log")"
readme
within clgemm info -l
alternatives
# Chosen or not, it is removed, and the next best alternative replaces it.
within sh -c 'dpkg --purge $(cat)' <"$SCRATCH/ours" >"$SCRATCH/dpkg.log" 2>&1 ||
    fail "$(cat "$SCRATCH/dpkg.log")"
without_trace "the packages"
numpy CLGEMM_MIN_FLOPS=0

while [ ! -e "$SCRATCH/tarball.done" ]; do sleep 0.2; done
cp -a "$SCRATCH/local/." "$root"
within ldconfig
readme
(cd "$SCRATCH/local" && find . ! -type d) | (cd "$root" && xargs -d '\n' rm)
(cd "$SCRATCH/local" && find . -mindepth 1 -depth -type d -printf '%P \n') |
    grep -vxFf "$SCRATCH/before" | (cd "$root" && xargs rmdir)
within ldconfig
without_trace "/usr/local"
echo "installed, used and removed: $(paste -sd ' ' "$SCRATCH/ours"), and the tarball in /usr/local"
