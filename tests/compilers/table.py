#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of docs/personas.md: what vendors' compilers make of the kernel that is chosen on
each persona for products of 4096 cubed, beside CLBlast's kernel with its parameters for that device.
No device is needed, and no time is measured.

CLBLAST is a clone of CLBlast, NVDISASM a folder with NVIDIA's disassembler; what is not there is
fetched. None of CLBlast's text gets into the page.

Usage: table.py PROGRAMS-PROGRAM OCLOC CLBLAST NVDISASM PAGE"""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile
import textwrap

import compilers
import groups
import loops

BEGIN, END = "<!-- table.py -->\n", "<!-- table.py: end -->\n"
# What AMD's and Intel's devices are called in CLBlast's database, where that is not what the persona
# reports.
NAMES = {
    "amd-rx580": "AMD Radeon RX 580",
    "amd-radeonvii": "AMD Radeon VII",
    "amd-680m": "AMD Radeon(TM) Graphics",
    "amd-rx6900xt": "AMD Radeon RX 6900 XT",
    "amd-rx7900xtx": "Radeon RX 7900 XTX",
    "amd-rx9070xt": "AMD Radeon RX 9070 XT",
    "intel-gen9": "Intel(R) HD Graphics 530",
    "intel-uhd": "Intel(R) UHD Graphics",
    "intel-arc-a770": "Intel(R) Arc(TM) A770 Graphics",
    "nvidia-rtx3080": "NVIDIA GeForce RTX 3080",
    "nvidia-a100": "A100-PCIE-40GB",
}
VENDORS = {"Intel(R) Corporation": "Intel", "NVIDIA Corporation": "NVIDIA"}  # else AMD
# gfx803: src/utilities/device_mapping.hpp; gfx906: what later drivers report.
ALIASES = {"gfx803": "Fiji", "gfx906": "gfx906:sramecc+:xnack-"}
SOURCES = ["common", "level3/level3", *(f"level3/xgemm_part{part}" for part in range(1, 5))]
STACK = 16  # bytes in memory that are no array: a variable that must not be cached
# Two multiply-adds of floats in an instruction: packed on CDNA, dual on RDNA 3 and 4.
TWOFOLD = ("gfx90a", "gfx94", "gfx11", "gfx12")


class CLBlast:
    def __init__(self, folder):
        self.folder = folder
        git = ["git", "-C", folder, "describe", "--tags", "--always"]
        self.version = subprocess.run(git, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        self.text = "".join(
            re.search(r'R"\((.*)\)"', self.read(f"kernels/{name}.opencl"), re.DOTALL).group(1)
            for name in SOURCES
        )

    def read(self, path):
        with open(f"{self.folder}/src/{path}", encoding="utf-8") as file:
            return file.read()

    def parameters(self, type_name, vendor, architecture, device):
        """As the library finds them: by device, else by architecture, else by vendor."""
        text = self.read(f"database/kernels/xgemm/xgemm_{64 if type_name == 'F64' else 32}.hpp")
        names = re.findall(r'"(\w+)"', re.search(r"\{(\"GEMMK\".*?)\}", text).group(1))
        start = text.index(f'kDeviceTypeGPU, "{vendor}"')
        text = text[start : text.index("\n    },\n", start)]
        rows = {}
        for part in re.split(r"\n        \{ ", text)[1:]:
            head = re.match(r'"(.*?)"', part).group(1)
            for row in re.finditer(r'\{ (?:Name\{"(.*?) *"\}|kDeviceNameDefault) *, Params\{(.*?)\}', part):
                rows[head, row.group(1)] = dict(zip(names, map(int, row.group(2).split(","))))
        head = architecture if (architecture, None) in rows else "default"
        return rows.get((head, device)) or rows[head, None]

    def program(self, row):
        """A program as compilers take them, its text, and multiply-adds and bytes of a tile for a
        work-item."""
        vendor = VENDORS.get(row["vendor"], "AMD")
        architecture = row["device"] if vendor == "AMD" else ""
        if vendor == "NVIDIA":
            architecture = f"SM{row['program'][0][3:-1]}.{row['program'][0][-1]}"
        p = self.parameters(row["type"], vendor, ALIASES.get(architecture, architecture),
                            NAMES.get(row["persona"], row["device"]))
        head = {"PRECISION": 64 if row["type"] == "F64" else 32, "ROUTINE_GEMM": "", **p}
        if vendor != "Intel":  # AMD's and NVIDIA's drivers inline all functions
            head.update(USE_INLINE_KEYWORD=1, inline="static __attribute__((always_inline))")
        if vendor == "AMD":
            head.update(USE_CL_MAD=1, USE_STAGGERED_INDICES=1)
        if vendor != "AMD" and row["type"] == "F32":
            head.update(USE_SUBGROUP_SHUFFLING=1)
            head["SUBGROUP_SHUFFLING_" + ("INTEL" if vendor == "Intel" else "NVIDIA_POST_VOLTA")] = 1
        text = "".join(f"#define {name} {value}\n" for name, value in head.items()) + self.text
        if vendor == "Intel":
            text = "#pragma OPENCL EXTENSION cl_intel_subgroups : enable\n" + text
        rows, columns, depth = p["MWG"], p["NWG"], p["KWG"] * p["KREG"]
        items = p["MDIMC"] * p["NDIMC"]
        sums = rows * columns // items
        size = 8 if row["type"] == "F64" else 4
        own = (rows // p["MDIMC"], columns // p["NDIMC"])
        read = [tile / items if in_local else mine
                for tile, in_local, mine in zip((rows, columns), (p["SA"], p["SB"]), own)]
        local = size * p["KWG"] * (rows * p["SA"] + columns * p["SB"])
        name = f"{rows}x{columns}x{depth} by {items}"
        program = [row["program"][0], "clblast", "", str(items)]
        return program, text, name, sums, sums * depth, size * depth * sum(read), local


def ours(row, texts):
    program = row["program"]
    of = lambda name: groups.option(name, program[2], 1) or 1
    items = int(program[3])
    sums = of("TILE_M") * of("TILE_N") // (of("WG_M") * of("WG_N"))
    size = 8 if row["type"] == "F64" else 4
    fmas = sums * of("TILE_K") / of("WG_K")
    read = size * of("TILE_K") * (of("TILE_M") + of("TILE_N")) / items
    name = f"{of('TILE_M')}x{of('TILE_N')}x{of('TILE_K')} by {items}"
    return program[:4], texts[program[1]], name, sums, fmas, read, groups.local_bytes(*program[1:3])


class Compiled:
    """What a compiler made of a program."""

    def __init__(self, row, program, tools):
        source, text, self.name, self.sums, fmas, read, local = program
        architecture = self.architecture = source[0]
        compiler = next(c for c in tools["compilers"] if c.mine(architecture))
        with tempfile.TemporaryDirectory() as folder:
            self.result = compiler.compile(source, text, folder)
            ops = self.assembly(compiler, tools["nvdisasm"], folder)
        planned = source + ["0", *row["program"][5:]]
        self.groups = groups.held(planned, self.result, local)
        self.waves = self.groups * -(-int(source[3]) // self.result[4])
        self.loop, parts = loops.main_loop(ops, fmas, read) or (None, [])
        self.clocks = None
        if self.loop and architecture.startswith("gfx"):
            self.clocks = loops.clocks(parts, architecture)
        kept = self.loop and not self.result[1]
        self.expected = self.share_of_peak(row) if kept else None

    def spills(self):
        return self.result[1] or self.result[2] > STACK

    def assembly(self, compiler, nvdisasm, folder):
        if isinstance(compiler, compilers.Nvidia):
            return loops.nvidia_ops(loops.disassemble(nvdisasm, self.architecture, folder))
        path = f"{folder}/out.s"
        if isinstance(compiler, compilers.Intel):
            simd = f"*simd{self.result[4]}_*.asm"
            path = max(glob.glob(f"{folder}/{simd}"), key=os.path.getmtime)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if isinstance(compiler, compilers.Amd):
            return loops.amd_ops(text)
        wide = self.architecture == "pvc"
        return loops.intel_ops(text, self.result[4], 16 if wide else 8, 64 if wide else 32)

    def share_of_peak(self, row):
        """What the arithmetic units and local memory allow if waves hide all waits. The cache of
        global memory has half of local memory's rate (lib/gemm/estimate.c), and is the same memory
        but on AMD's."""
        loop, lanes, amd = self.loop, row["lanes"], self.architecture.startswith("gfx")
        if self.architecture.startswith("sm_"):
            if loop.fmas > loop.count:
                return None  # tensor cores have a rate of their own
            busy = loop.count / 128
        else:
            issued = 128 if self.architecture.startswith("gfx1") else 64 if amd else row["floats"]
            busy = loop.fmas / lanes + (loop.busy - loop.fmas) / issued
            if row["type"] == "F32" and self.architecture.startswith(TWOFOLD):
                lanes, busy = 2 * issued, loop.busy / issued
        read = max(loop.local, 2 * loop.memory) if amd else loop.local + 2 * loop.memory
        return loop.fmas / lanes / max(loop.fmas / lanes, busy, read / row["rate"])


PERCENT = 0.01


def number(value, digits, unit=1):
    return "-" if value is None else f"{value / unit:.{digits}f}"


def cells(compiled):
    loop, spilled = compiled.loop, compiled.result[1]
    return [
        compiled.name,
        str(compiled.result[0]),
        f"{compiled.result[2]} B" if spilled == 0 and compiled.result[2] > STACK else f"{spilled}",
        str(compiled.waves),
        number(loop and loop.fmas / loop.count, 0, PERCENT),
        number(loop and loop.local / loop.fmas, 2),
        number(compiled.clocks and compiled.clocks / loop.fmas, 1),
        number(compiled.expected, 0, PERCENT),
    ]


MORE = "a work-item keeps more sums, which need fewer bytes for each multiply-add"
WHY = {
    "registers": (MORE, "the next tile is on its way in registers"),
    "waves": (MORE, "local memory holds two tiles, or groups are larger than what is left"),
    "FMAs": ("a work-item keeps fewer sums", "the next tile is copied between the multiply-adds"),
    "bytes": ("a work-item keeps fewer sums", "CLBlast's reads past local memory"),
    "clocks": "a wave alone waits for local memory, where others would go on",
    "peak": "for the reasons of FMAs and bytes",
}


def better(mine, theirs):
    """The columns in which CLBlast's kernel is better, and why."""
    a, b = mine.loop, theirs.loop
    more, fewer = mine.sums > theirs.sums, mine.sums < theirs.sums
    if mine.spills() and not theirs.spills():
        yield "spilled", "`tests/compilers/known.txt` lists them"
    if mine.result[0] > theirs.result[0]:
        yield "registers", WHY["registers"][not more]
    if mine.waves < theirs.waves:
        yield "waves", WHY["waves"][not more]
    if a and b and a.fmas / a.count < b.fmas / b.count - 0.005:
        yield "FMAs", WHY["FMAs"][not fewer]
    if a and b and a.local / a.fmas > b.local / b.fmas + 0.005:
        yield "bytes", WHY["bytes"][not fewer or b.local < a.local / 2]
    if a and b and mine.clocks and theirs.clocks and mine.clocks / a.fmas > theirs.clocks / b.fmas + 0.05:
        yield "clocks", WHY["clocks"]
    if mine.expected and theirs.expected and mine.expected < theirs.expected - 0.005:
        yield "peak", WHY["peak"]


def read_rows(lines):
    """Those of personas; one of an architecture's that have the same program."""
    seen = set()
    for line in lines:
        words = line.split("\t")
        if (words[1], *words[6:]) in seen:
            continue
        seen.add((words[1], *words[6:]))
        if words[1] == "F32":
            floats = float(words[4])
        yield {
            **dict(zip(["persona", "type", "device", "vendor"], words)),
            "lanes": float(words[4]),
            "floats": floats,
            "rate": float(words[5]),
            "program": words[6:],
        }


HEAD = """
| {} | tile by work-items | registers | spilled | waves | FMAs | bytes | clocks | peak |
|---|---|---|---|---|---|---|---|---|
"""


def table(rows, tools, texts, clblast):
    def one(row):
        return Compiled(row, ours(row, texts), tools), Compiled(row, clblast.program(row), tools)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(zip(rows, pool.map(one, rows)))
    reasons = {}
    for kind, title in (("F32", "floats"), ("F64", "doubles")):
        yield HEAD.format(title)
        for row, (mine, theirs) in results:
            if row["type"] == kind:
                tiles, *pairs = zip(cells(mine), cells(theirs))
                pairs = [" / ".join(tiles), *map("/".join, pairs)]
                yield f"| {row['persona']} | {' | '.join(pairs)} |\n"
                for found in better(mine, theirs):
                    reasons.setdefault(found, []).append(f"{row['persona']} {title[:-1]}")
    yield f"\nCLBlast {clblast.version} is better in these columns:\n\n"
    for (column, reason), names in sorted(reasons.items()):
        text = f"{column}: {reason} ({len(names)} of {len(rows)}"
        text += f": {', '.join(names)})" if len(names) < len(rows) / 6 else ")"
        yield textwrap.fill(text, 120, initial_indent="- ", subsequent_indent="  ",
                            break_on_hyphens=False) + "\n"


def fetch(folder, *command):
    if not os.path.isdir(folder):
        subprocess.run([*command, folder], check=True)


def main():
    programs, ocloc, clblast, nvdisasm, page = sys.argv[1:]
    fetch(clblast, "git", "clone", "-q", "https://github.com/CNugteren/CLBlast")
    pip = [sys.executable, "-m", "pip", "install", "-q", "nvidia-cuda-nvdisasm", "--target"]
    fetch(nvdisasm, *pip)
    nvdisasm = glob.glob(f"{nvdisasm}/**/nvdisasm", recursive=True)[0]
    os.chmod(nvdisasm, 0o755)
    os.environ.update(IGC_ShaderDumpEnable="1", IGC_DumpToCurrentDir="1")  # Intel's assembly
    kinds = [compilers.Amd, compilers.Intel, compilers.Nvidia]
    tools = {"compilers": [kind(os.path.abspath(ocloc)) for kind in kinds], "nvdisasm": nvdisasm}
    if not all(compiler.version for compiler in tools["compilers"]):
        sys.exit("a compiler is missing: tests/run installs them, but ptxas is CUDA's")
    with tempfile.TemporaryDirectory() as scratch:
        lines = compilers.run([programs, scratch, "--squares"])[1].splitlines()
        texts = {}
        for path in glob.glob(f"{scratch}/*.cl"):
            with open(path, encoding="utf-8") as file:
                texts[os.path.basename(path)[:-3]] = file.read()
    with open(page, encoding="utf-8") as file:
        text = file.read()
    head, rest = text.split(BEGIN)
    written = "".join(table(list(read_rows(lines)), tools, texts, CLBlast(clblast)))
    compilers.write(page, head + BEGIN + written + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
