#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails unless personas.txt is its first lines, which begin with #, and what persona_table prints.
# With --write it writes the file.
# Usage: page.sh PERSONA_TABLE personas.txt [--write]
set -eu
table=$1
page=$2
new=$(mktemp)
trap 'rm -f "$new"' EXIT
sed -n '/^#/!q; p' "$page" > "$new"
"$table" >> "$new"
if [ "${3-}" = --write ]; then
    cp "$new" "$page"
else
    diff -u "$page" "$new" || { echo "update it: tests/personas/page.sh $table $page --write"; exit 1; }
fi
