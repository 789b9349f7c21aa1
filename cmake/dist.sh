#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes FOLDER/NAME.tar.gz, the source: all files that git tracks, below NAME/.
# Usage: dist.sh SOURCE FOLDER NAME     GIT in the environment
set -eu
cd "$1"
# -c: git refuses a tree of another user, as in a build by root.
git() {
    "$GIT" -c safe.directory="$PWD" "$@"
}
git ls-files -z | tar --create --null --files-from=- --transform="s,^,$3/,S" --sort=name --format=gnu \
    --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw,a-s --mtime="@$(git log -1 --format=%ct)" |
    gzip -9n >"$2/$3.tar.gz"
