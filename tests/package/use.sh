#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a user's program against the installed package and runs it.
# Usage: use.sh c|c++|cmake|static PREFIX SCRATCH     CC, CXX and CMAKE as in the environment
set -eu
way=$1
prefix=$2
scratch=$3/$way
here=$(cd "$(dirname "$0")" && pwd)
libdir=$(dirname "$(find "$prefix" -name libclgemm.a)")
export PKG_CONFIG_PATH="$libdir/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
export LD_LIBRARY_PATH="$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
rm -rf "$scratch"
mkdir -p "$scratch"
strict="-Wall -Wextra -Wpedantic -Werror"

# Word splitting is intended for pkg-config's output.
case $way in
c)
    ${CC:-cc} -std=c11 $strict "$here/use.c" -o "$scratch/use" $(pkg-config --cflags --libs clgemm)
    ;;
c++)
    ${CXX:-c++} -std=c++17 $strict "$here/use.cpp" -o "$scratch/use" \
        $(pkg-config --cflags --libs clgemm)
    ;;
static)
    # The linker prefers a shared library if it finds both, so the archive is named.
    libs=$(pkg-config --static --libs clgemm | sed 's/-lclgemm\b/-l:libclgemm.a/')
    ${CC:-cc} -std=c11 $strict "$here/use.c" -o "$scratch/use" $(pkg-config --cflags clgemm) $libs
    if readelf -d "$scratch/use" | grep -q libclgemm; then
        echo "the program still needs libclgemm.so"
        exit 1
    fi
    unset LD_LIBRARY_PATH
    ;;
cmake)
    # Without this build's variables: the user's project knows only the prefix.
    unset LD_LIBRARY_PATH PKG_CONFIG_PATH
    "${CMAKE:-cmake}" -S "$here/project" -B "$scratch" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_BUILD_TYPE=Release
    "${CMAKE:-cmake}" --build "$scratch"
    ;;
*)
    echo "unknown way: $way"
    exit 2
    ;;
esac
exec "$scratch/use"
