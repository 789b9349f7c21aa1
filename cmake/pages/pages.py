#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the manual pages, the shells' completions and docs/commands.md, each from where its facts stand:
the programs' tables of options, the headers' comments, the documents.

Usage: pages.py SOURCE DATE OUT TOOL [BENCH]        OUT/man/manN/, OUT/bash/, OUT/zsh/, OUT/commands.md
"""
import pathlib
import re
import sys

import completion
import headers
import mdoc
import programs


def variables(text, title):
    """The rows of the table in this section of docs/environment.md."""
    rows = re.search(r"(?:^\|.*\n)+", mdoc.sections(text, [title]), flags=re.M).group()
    return [mdoc.cells(line) for line in rows.splitlines()]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def document(source, file, titles, name, number, what, also, date):
    """A page made of a document, whole or of some of its sections."""
    text = (source / "docs" / file).read_text(encoding="utf-8")
    if titles:
        body = mdoc.from_markdown(mdoc.sections(text, titles))
    else:
        body = [mdoc.section("Description"), *mdoc.from_markdown(text)]
    return mdoc.page(name, number, [name], what, [*body, mdoc.section("See also"), *also], date)


def main(source, date, out, tool, bench=None):
    source, out = pathlib.Path(source), pathlib.Path(out)
    environment = (source / "docs/environment.md").read_text(encoding="utf-8")
    library, drop_in = (variables(environment, title) for title in ("The library", "The drop-in"))
    man = headers.pages([source / "include" / name for name in ("clgemm.h", "clgemm_cl.h")], library, date)

    tools = [programs.Command(tool, ["clgemm"])]
    man["clgemm.1"] = programs.page(tools[0], "devices, programs and tuning of libclgemm", library + drop_in[2:],
                                    [".Xr clgemm-bench 1 ,", ".Xr libclgemm 3 ,",
                                     ".Xr clgemm-tuning 5 ,", ".Xr libclgemm_blas 7"], date)
    if bench:
        tools.append(programs.Command(bench, ["clgemm-bench"]))
        man["clgemm-bench.1"] = programs.page(tools[1], "measures libclgemm beside other libraries", library,
                                              [".Xr clgemm 1 ,", ".Xr libclgemm 3"], date)
    man["clgemm-tuning.5"] = document(
        source, "tuning.md", ["Places", "Which row a problem gets", "Format"], "clgemm-tuning", 5,
        "measured parameters of libclgemm", [".Xr clgemm 1 ,", ".Xr libclgemm 3"], date)
    man["libclgemm_blas.7"] = document(
        source, "drop-in.md", None, "libclgemm_blas", 7, "programs that call a BLAS, through OpenCL",
        [".Xr clgemm 1 ,", ".Xr libclgemm 3 ,", ".Xr clgemm-tuning 5"], date)

    for name, text in man.items():
        path = out / "man" / f"man{name[-1]}" / name
        if text in man:
            path.unlink(missing_ok=True)
            path.symlink_to(text)
        else:
            write(path, text)
    for program in tools:
        write(out / "bash" / program.words[0], completion.bash(program))
        write(out / "zsh" / f"_{program.words[0]}", completion.zsh(program))
    write(out / "commands.md", programs.markdown(tools))


if __name__ == "__main__":
    main(*sys.argv[1:])
