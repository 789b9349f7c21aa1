#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what a page says, in its order, as a reader would. Usage: walk.py PAGE SOURCE BUILD SCRATCH

A fenced block that begins with a comment of a file's name becomes that file. Commands run in a folder
that looks like a clone's, where `build` is the tree as built; they must succeed and print what the page
shows (page.py says how closely). Builds are not run again, but must be those of docs/install.md. The user's
home, cache and tuning are the scratch folder's own.

Exit: 77 where a module that a Python block imports, or a device, is missing; with CI=true, 1.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import page

PAGE, SOURCE, BUILD, SCRATCH = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
PYTHON = "/usr/bin/python3"  # Debian's: another has packages of its own


def say(text):
    print(text, flush=True)


def skip(why):
    say(f"SKIP: {why}")
    sys.exit(1 if os.environ.get("CI") == "true" else 77)


def make_folder():
    """A clone to look at, with programs of the reader's on its PATH as if all were installed."""
    shutil.rmtree(SCRATCH, ignore_errors=True)
    clone, programs = SCRATCH / "clone", SCRATCH / "bin"
    for folder in clone, programs, SCRATCH / "home":
        folder.mkdir(parents=True)
    for entry in SOURCE.iterdir():
        if not entry.name.startswith(("build", ".")):
            (clone / entry.name).symlink_to(entry)
    (clone / "build").symlink_to(BUILD)
    (programs / "clgemm").symlink_to(BUILD / "src/clgemm")
    (programs / "python3").symlink_to(PYTHON)
    return clone


def environment():
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("CLGEMM_", "XDG_")) or name == "CLGEMM_DEVICE"}
    return kept | {"HOME": str(SCRATCH / "home"), "PYTHONDONTWRITEBYTECODE": "1",
                   "PATH": f"{SCRATCH / 'bin'}:{kept['PATH']}", "LD_LIBRARY_PATH": str(BUILD)}


def install_commands():
    return re.findall(r"^    (\S.*)$", (SOURCE / "docs/install.md").read_text(encoding="utf-8"), re.M)


def main():
    clone, variables, installs = make_folder(), environment(), install_commands()
    if subprocess.run(["clgemm", "info"], env=variables, capture_output=True, check=False,
                      executable=BUILD / "src/clgemm").returncode:
        skip("no usable OpenCL device")
    ran = 0
    for part in page.parts(PAGE):
        if isinstance(part, page.Block):
            name = re.match(r"(?:#|//|/\*) (\w+\.\w+)\b", part.text)
            if not name:
                continue
            (clone / name[1]).write_text(part.text, encoding="utf-8")
            for module in re.findall(r"^import (\w+)", part.text, re.M):
                if subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True,
                                  check=False).returncode:
                    skip(f"{PYTHON} has no module {module} (tests/run --clients installs it)")
            continue
        say(f"$ {part.text}")
        if part.text.startswith("cmake "):
            if part.text not in installs:
                sys.exit(f"{PAGE}: not how docs/install.md builds: {part.text}")
            continue
        ran += 1
        done = subprocess.run(["bash", "-euc", part.text], cwd=clone, env=variables, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        say(done.stdout)
        if done.returncode:
            sys.exit(f"{PAGE}: exit status {done.returncode}: {part.text}")
        absent = page.missing(part, done.stdout)
        if absent is not None:
            sys.exit(f"{PAGE}: {part.text}: did not print: {absent}")
    if ran == 0:
        sys.exit(f"{PAGE} has no command")


main()
