#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: check.sh PART SOURCE LIBRARY ABI-LIBRARY SCRATCH     77: abidiff is missing
#
# symbols   the library exports what lib/clgemm.symbols lists, no more and no less
# earlier   abidiff finds nothing that a program compiled with an earlier version would notice
# selftest  deliberate breaches are found
# dump      writes to standard output what `earlier` compares with: tests/abi/VERSION.abi
set -eu
part=$1 source=$2 library=$3 abi=$4 scratch=$5
here=$(cd "$(dirname "$0")" && pwd)

if [ "$part" != symbols ] && ! command -v abidiff >/dev/null; then
    echo "abidiff is missing (Debian: abigail-tools)"
    [ "${CI:-}" = true ] && exit 1
    exit 77
fi

# Additions are allowed, and all that changes no size, offset or value.
differs() { # DUMP LIBRARY HEADERS
    ! abidiff --no-added-syms --headers-dir2 "$3" "$1" "$2"
}

symbols() {
    sed -n 's/^ \(clgemm_.*@.*\) .*/\1/p' "$source/lib/clgemm.symbols" >"$scratch/listed"
    LC_ALL=C sort -c "$scratch/listed"
    nm -D --defined-only "$library" | awk '$2 != "A" { sub("@@", "@", $3); print $3 }' | LC_ALL=C sort >"$scratch/exported"
    diff "$scratch/listed" "$scratch/exported" ||
        { echo "lib/clgemm.symbols (<) and the library (>) differ: docs/abi.md" && exit 1; }
    soname=$(sed -n 's/^\(libclgemm\.so\.[0-9]*\) .*/\1/p' "$source/lib/clgemm.symbols")
    readelf -d "$library" | grep -q "SONAME.*\[$soname\]" || { echo "the soname is not $soname" && exit 1; }
    for dump in "$here"/*.abi; do
        version=$(basename "$dump" .abi)
        for name in $(sed -n "s/.*elf-symbol name='\([^']*\)'.*/\1/p" "$dump"); do
            since=$(sed -n "s/^ $name@[^ ]* //p" "$source/lib/clgemm.symbols")
            printf '%s\n' "${since:-none}" "$version" | sort -V -C ||
                { echo "$name was in $version, and lib/clgemm.symbols says since ${since:-never}" && exit 1; }
        done
    done
}

earlier() {
    for dump in "$here"/*.abi; do
        if differs "$dump" "$abi" "$source/include"; then exit 1; fi
    done
}

# Whether abidiff finds this breach, which sed makes in a copy.
breach() { # SCRIPT
    rm -rf "$scratch/breach"
    mkdir -p "$scratch/breach"
    cp -r "$source/include" "$source/lib" "$scratch/breach"
    sed -i "$1" "$scratch/breach/include/clgemm.h" "$scratch/breach/include/clgemm_cl.h" "$scratch/breach"/lib/api/*.[ch]
    "${CC:-cc}" -w -g -std=gnu11 -fPIC -shared -fvisibility=hidden -I"$scratch/breach/include" \
        -I"$scratch/breach/lib" "$scratch/breach"/lib/api/*.c -o "$scratch/breach/lib.so" \
        -Wl,--version-script="$source/lib/clgemm.map" -Wl,-soname,libclgemm.so.0
    differs "$here/0.2.0.abi" "$scratch/breach/lib.so" "$scratch/breach/include" >"$scratch/said"
}

selftest() {
    if breach ''; then cat "$scratch/said" && exit 1; fi
    for kind in \
        's/^    int64_t m, n, k;$/    int64_t m, n, k, more;/' \
        's/CLGEMM_TRANS = 112/CLGEMM_TRANS = 114/' \
        's/clgemm_clear_cache/clgemm_clear_caches/' \
        's/clgemm_handle \*\*out, const char \*device/clgemm_handle **out, int device/'; do
        breach "$kind" || { echo "not found: $kind" && exit 1; }
    done
}

dump() {
    abidw --exported-interfaces-only --drop-private-types --drop-undefined-syms --headers-dir "$source/include" \
        --no-corpus-path --no-comp-dir-path --short-locs "$abi"
}

mkdir -p "$scratch"
"$part"
