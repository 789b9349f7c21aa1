#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Manual pages and completion, which are made from option tables and headers, compared with the help, the
library and mandoc.

Usage: check.py PART PAGES LIBRARY TOOL BENCH        77: a program that is needed is missing

lint       mandoc accepts every page, and the pages to which they refer exist
functions  every exported function has a page, which shows its declaration
options    every option in a command's help is on its page and is completed by bash and zsh; hidden ones are not
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

part, pages, library, tool, bench = sys.argv[1], pathlib.Path(sys.argv[2]), *sys.argv[3:]
faults = []


def need(program):
    if not shutil.which(program):
        print(f"{program} is missing")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options).stdout


def check_lint():
    need("mandoc")
    there = {path.name for path in pages.glob("man/man*/*")}
    if len(there) < 30:
        faults.append(f"only {len(there)} pages")
    for line in run("mandoc", "-T", "lint", *sorted(pages.glob("man/man*/*"))).splitlines():
        missing = re.search(r"referenced manual not found: Xr (\S+) (\d)", line)
        if not missing or ".".join(missing.groups()) not in there:
            faults.append(line)


def check_functions():
    names = re.findall(r" T (clgemm_\w+)(?:@.*)?$", run("nm", "-D", "--defined-only", library), flags=re.M)
    if len(names) < 20:
        faults.append(f"only {names} are exported")
    for name in names:
        page = pages / "man/man3" / f"{name}.3"
        if not page.exists() or f".Fo {name}\n" not in page.read_text(encoding="utf-8"):
            faults.append(f"{name} has no page")


def complete_by_bash(words):
    """The completions that bash offers for the last, empty word."""
    return set(run("bash", "--norc", "-c", """compopt() { :; }
        source "$0"; COMP_WORDS=("$@" ""); COMP_CWORD=$#; "_${1//-/_}"; printf '%s\\n' "${COMPREPLY[@]}" """,
                   pages / "bash" / words[0], *words).split())


def complete_by_zsh(words):
    """The completions that zsh's own functions would get; stand-ins replace them."""
    told = run("zsh", "-f", "-c", """_arguments() { print -rl -- "$@" }
        _describe() { print -rl -- "${(P@)2}" }
        file=$1; shift; words=("$@" ""); CURRENT=$#words; source $file""", "zsh",
               pages / "zsh" / f"_{words[0]}", *words)
    return set(re.findall(r"^\*?(-[\w-]+)\[", told, flags=re.M)) | set(re.findall(r"^(\w+):", told, flags=re.M))


def commands(file, words):
    """The help of each subcommand, or of the command itself if it has none."""
    listed = re.findall(r"^  ([a-z]+)  ", run(file, *words[1:], "-h"), flags=re.M)
    below = [[*words, name] for name in listed]
    for shell, offered in ("bash", complete_by_bash(words)), ("zsh", complete_by_zsh(words)):
        if below and not set(listed) <= offered:
            faults.append(f"{shell} does not complete {words} with {set(listed) - offered}")
    return [leaf for each in below for leaf in commands(file, each)] or [words]


def check_options():
    need("zsh")
    count = 0
    for file, name in (tool, "clgemm"), (bench, "clgemm-bench"):
        page = (pages / "man/man1" / f"{name}.1").read_text(encoding="utf-8")
        parts = re.split(r"^\.S[hs] (?=clgemm)", page.replace(".Sh CLGEMM", ".Sh clgemm"), flags=re.M)
        for words in commands(file, [name]):
            options = set(re.findall(r"^  (?:-\w, )?(--[\w-]+)|^  (-\w),", run(file, *words[1:], "-h"), flags=re.M))
            options = {option for pair in options for option in pair if option}
            if "--help" not in options:
                faults.append(f"the help of {words} has no options")
            count += len(options)
            about = page if len(words) == 1 else next(
                p for p in parts if p.partition("\n")[0].lower() == " ".join(words))
            paged = {"-" + flag for line in re.findall(r"^\.It (Fl .*)", about, flags=re.M)
                     for flag in re.findall(r"Fl (\S+)", line)}
            for where, offered in (("its page", paged), ("bash", complete_by_bash(words)),
                                   ("zsh", complete_by_zsh(words))):
                offered = {option for option in offered if option.startswith("--")}
                wanted = {option for option in options if option.startswith("--")}
                if wanted - offered:
                    faults.append(f"{where} of {words} lacks {sorted(wanted - offered)}")
                if offered - wanted:
                    faults.append(f"{where} of {words} has {sorted(offered - wanted)}, which the help lacks")
    if count < 80:
        faults.append(f"only {count} options are found")
    for option, offered in ("--type", {"s", "d", "h", "bf16", "c", "z"}), ("--layout", {"row", "col"}):
        if complete_by_bash(["clgemm-bench", option]) != offered:
            faults.append(f"bash does not complete {option} with {offered}")


{"lint": check_lint, "functions": check_functions, "options": check_options}[part]()
sys.exit("\n".join(faults) or 0)
