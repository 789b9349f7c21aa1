#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the examples of docs/migrate.md. Usage: migrate.py SOURCE BUILD SCRATCH

A section has pairs of C blocks that define `product`: with the other library, then with ours. Ours are
compiled in any case, theirs where the header that they include is found (CPATH names more folders). A
pair of a library in `LIBRARIES` runs, and must agree. CC is the compiler.

Exit: 77 where a pair that should run could not, as a package or a device is missing; with CI=true, 1.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys

import page

SOURCE, BUILD, SCRATCH = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
HERE = pathlib.Path(__file__).parent
# By the heading: who runs the pair, and what to link theirs with.
LIBRARIES = {"cblas": ("migrate_host.c", "-lopenblas"), "CLBlast": ("migrate_cl.c", "-lclblast")}
FOLDERS = ["-isystem", "/usr/local/cuda/include"]
COMPILER = [*shlex.split(os.environ.get("CC", "cc")), "-std=c11", "-Wall", "-Wextra", "-Werror",
            f"-I{SOURCE / 'include'}", "-DCL_TARGET_OPENCL_VERSION=120",
            "-Wno-deprecated-declarations", *FOLDERS]
SKIPPED = 77


def compiled(name, text):
    """The object, of a block whose `product` becomes `name`."""
    source = SCRATCH / f"{name}.c"
    source.write_text(text, encoding="utf-8")
    subprocess.run([*COMPILER, f"-Dproduct={name}", "-c", source, "-o", source.with_suffix(".o")],
                   check=True)
    return source.with_suffix(".o")


def has_header(text):
    header = re.search(r"#include <(.*)>", text)[1]
    probe = f"#if !__has_include(<{header}>)\n#error\n#endif\n"
    return subprocess.run([*COMPILER, "-x", "c", "-E", "-"], input=probe, text=True,
                          capture_output=True, check=False).returncode == 0


def runs(library, objects):
    """Whether the pair was run; ends the program where it was wrong."""
    harness, link = LIBRARIES[library]
    program = SCRATCH / "pair"
    linked = subprocess.run([*COMPILER, HERE / harness, *objects, "-o", program, f"-L{BUILD}",
                             "-lclgemm", link, "-lOpenCL", f"-Wl,-rpath,{BUILD}"], check=False)
    if linked.returncode:
        sys.exit(f"{library}: the pair cannot be linked")
    status = subprocess.run([program], check=False).returncode
    if status not in (0, SKIPPED):
        sys.exit(f"{library}: the pair differs or failed: {status}")
    return status == 0


def main():
    SCRATCH.mkdir(parents=True, exist_ok=True)
    sections = {}
    for part in page.parts(SOURCE / "docs/migrate.md"):
        if isinstance(part, page.Block) and part.language == "c":
            sections.setdefault(part.section, []).append(part.text)
    ran = set()
    for library, texts in sections.items():
        if len(texts) % 2:
            sys.exit(f"{library}: an example is without its pair")
        for before, after in zip(texts[::2], texts[1::2]):
            ours = compiled("ours", after)
            if not has_header(before):
                print(f"{library}: only ours is compiled: there is no header")
                continue
            theirs = compiled("theirs", before)
            if library in LIBRARIES and runs(library, [theirs, ours]):
                ran.add(library)
            print(f"{library}: compiled{', run' if library in ran else ''}")
    if not LIBRARIES.keys() <= sections.keys():
        sys.exit("docs/migrate.md has not the sections that are run")
    left_out = LIBRARIES.keys() - ran
    if left_out:
        print(f"SKIP: not run, for want of a package (tests/run --clients installs it) or a device: "
              f"{', '.join(sorted(left_out))}")
        sys.exit(1 if os.environ.get("CI") == "true" else SKIPPED)


main()
