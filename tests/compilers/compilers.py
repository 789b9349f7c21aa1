#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the programs of personas' plans for devices that are not there, by the compilers of
their vendors: none may spill registers, nor keep an array in memory.

    amd     clang for amdgcn with ROCm's device libraries; its assembly has notes
    intel   ocloc, Intel's own compiler; the binary has notes. Where registers do not suffice, it
            compiles again without unrolling, and sums are in memory: a scratch size without a spill
    nvidia  clang for nvptx64 with libclc, or with tests/kernels/nvptx.h for tensor cores, and NVIDIA's
            assembler. What spills then, which is mostly clang's fault, is compiled again by libNVVM,
            the optimiser of NVIDIA's own compilers, and its code counts

Nor may more or fewer groups share a compute unit than the costs tell apart (groups.py). What is
known to do so is listed in known.txt and groups.txt: architecture, kernel, options, and how many
programs, which may only become fewer. A run compiles a drawn part; with CLGEMM_TEST_LONG all, and --write
lists what it finds. Results are kept in CACHE for later runs. --list prints each program: its
architecture, kernel, work-items, registers, spilled ones (NVIDIA: bytes), bytes of scratch, waves,
SIMD width, groups of a unit by the compiler and as planned, and options.

Usage: compilers.py amd|intel|nvidia PROGRAMS-PROGRAM CACHE OCLOC [--write] [--list]"""
import collections
import concurrent.futures
import glob
import hashlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import groups

HERE = os.path.dirname(os.path.abspath(__file__))
NVPTX = f"{HERE}/../kernels/nvptx.h"
NVVM = f"{HERE}/nvvm.py"
DRAWN = 32  # programs of a vendor in a short run
CLANG = "clang-19"  # the first that knows gfx942, gfx1201 and sm_90
PTXAS = shutil.which("ptxas") or os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/bin/ptxas"
ROCM = next(iter(glob.glob("/usr/lib/*/amdgcn/bitcode")), "")
LIBCLC = "/usr/lib/clc/nvptx64--nvidiacl.bc"
CUDA = os.path.dirname(os.path.dirname(os.path.realpath(PTXAS)))
LIBNVVM = next(iter(glob.glob(f"{CUDA}/nvvm/lib64/libnvvm.so*") + glob.glob(f"{CUDA}/lib/libnvvm.so*")), "")
OPENCL = ["-x", "cl", "-cl-std=CL1.2", "-w", "-O3", "-Xclang", "-finclude-default-header"]
# Options that say how matrices lie, not what a kernel keeps in registers.
READING = r"-D([A-Z_]*ALONG_(?:K|ROWS)|UPPER|[ABC]_|VEC|EDGE|SMALL|LONG_INDEX|BATCH|ELEMENT|RUN_|GRAIN_|CONJ_A)\S*"


class Failed(Exception):
    """A compiler refused a program, or says nothing about it."""


def run(command, folder=None, **environment):
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def number(pattern, text, default=None):
    found = re.search(pattern, text, re.MULTILINE)
    if not found and default is None:
        raise Failed(f"no {pattern} in: {text[-2000:]}")
    return int(found.group(1)) if found else default


def clang(target, libraries, options, source, out, folder):
    for library in libraries:
        target += ["-Xclang", "-mlink-builtin-bitcode", "-Xclang", library]
    status, log = run([CLANG, *OPENCL, *target, *options, "-S", source, "-o", out], folder)
    if status:
        raise Failed(log)
    with open(f"{folder}/{out}", encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Amd:
    """gfx906 and others."""

    def __init__(self, _):
        self.version = run([CLANG, "--version"])[1] if shutil.which(CLANG) and ROCM else None

    @staticmethod
    def mine(architecture):
        return architecture.startswith("gfx")

    @staticmethod
    def compile(program, text, folder):
        architecture, _, options, _ = program
        version = architecture[3:]
        lanes = "off" if len(version) > 3 else "on"  # from gfx1010 on SIMD groups of 32
        names = ["opencl", "ocml", "ockl", "oclc_daz_opt_off", "oclc_unsafe_math_off"]
        names += ["oclc_finite_only_off", "oclc_correctly_rounded_sqrt_on"]
        names += ["oclc_abi_version_500", f"oclc_wavefrontsize64_{lanes}"]
        if os.path.exists(f"{ROCM}/oclc_isa_version_{version}.bc"):
            names.append(f"oclc_isa_version_{version}")
        else:  # newer than the libraries, of which this constant is missing
            major, minor, step = int(version[:-2]), int(version[-2], 16), int(version[-1], 16)
            text = f"""__constant const int __oclc_ISA_version = {major * 1000 + minor * 100 + step};
{text}"""
        write(f"{folder}/in.cl", text)
        libraries = [f"{ROCM}/{name}.bc" for name in names]
        target = ["-target", "amdgcn-amd-amdhsa", f"-mcpu={architecture}", "-nogpulib"]
        notes = clang(target, libraries, options.split(), "in.cl", "out.s", folder)
        return [
            number(r"^ *\.vgpr_count: *(\d+)", notes),
            number(r"^ *\.vgpr_spill_count: *(\d+)", notes),
            number(r"^ *\.private_segment_fixed_size: *(\d+)", notes),
            number(r"^; Occupancy: (\d+)", notes),
            number(r"^ *\.wavefront_size: *(\d+)", notes),
        ]


class Intel:
    """skl (Gen9), tgllp (Xe-LP), dg2 (Xe-HPG), pvc (Xe-HPC)."""

    def __init__(self, ocloc):
        self.ocloc = f"{ocloc}/usr/bin/ocloc"  # unpacked, so that it is no platform here
        self.libraries = next(iter(glob.glob(f"{ocloc}/usr/lib/*-linux-gnu")), "")
        made_by = f"{self.libraries}/libigc.so.1"
        self.version = None
        if os.path.exists(made_by) and os.path.exists(self.ocloc):
            self.version = f"{os.path.realpath(made_by)} {os.stat(made_by).st_size}"

    @staticmethod
    def mine(architecture):
        return not Amd.mine(architecture) and not Nvidia.mine(architecture)

    def compile(self, program, text, folder):
        architecture, _, options, _ = program
        write(f"{folder}/in.cl", text)
        command = [self.ocloc, "compile", "-file", "in.cl", "-device", architecture]
        command += ["-internal_options", "-cl-intel-allow-zebin"]  # the format with notes
        command += ["-options", f"-cl-std=CL1.2 -w {options}"]
        status, log = run(command, folder, LD_LIBRARY_PATH=self.libraries)
        binaries = glob.glob(f"{folder}/*.bin")
        if status or not binaries:
            raise Failed(log)
        with open(binaries[0], "rb") as file:
            notes = file.read().decode("latin-1")
        notes = notes[notes.rindex("kernels:\n") :]
        memory = re.search(r"per_thread_memory_buffers:\n(.*?)\n[a-z]", notes, re.DOTALL)
        sizes = re.findall(r" size: *(\d+)", memory.group(1)) if memory else []
        return [
            number(r"grf_count: *(\d+)", notes),
            number(r"spilled around (\d+)", log, 0),
            sum(int(size) for size in sizes),
            0,
            number(r"simd_size: *(\d+)", notes),
        ]


class Nvidia:
    """sm_75 and others. PTX is changed as lib/program/rewrite.c changes it."""

    def __init__(self, _):
        self.version = None
        if shutil.which(CLANG) and shutil.which(PTXAS) and os.path.exists(LIBCLC) and LIBNVVM:
            self.version = run([CLANG, "--version"])[1] + run([PTXAS, "--version"])[1]
            for path in (NVPTX, NVVM):
                with open(path, encoding="utf-8") as file:
                    self.version += file.read()

    @staticmethod
    def mine(architecture):
        return architecture.startswith("sm_")

    @staticmethod
    def assemble(architecture, items, most, folder):
        architecture += "a" if architecture == "sm_90" else ""
        with open(f"{folder}/out.ptx", encoding="utf-8") as file:
            ptx = file.read().replace("//@ ", "")
        ptx = re.sub(r"^\.target.*", f".target {architecture}", ptx, flags=re.MULTILINE)
        ptx = re.sub(r"^\.version.*", ".version 9.0", ptx, flags=re.MULTILINE)
        ptx = re.sub(r"(\.entry [^)]*\))", rf"\1\n.reqntid {items}, 1, 1", ptx)
        write(f"{folder}/out.ptx", ptx)
        command = [PTXAS, "-arch", architecture, "-v", "-o", "out.cubin", "out.ptx"]
        command += [f"-maxrregcount={option.split('=')[1]}" for option in most]
        # Tiles of more than 48 KiB are an error to it, but not to the driver.
        _, log = run(command, folder)
        return [
            number(r"Used (\d+) registers", log),
            number(r"(\d+) bytes spill stores", log) + number(r"(\d+) bytes spill loads", log),
            number(r"(\d+) bytes stack frame", log),
            0,
            32,
        ]

    @classmethod
    def compile(cls, program, text, folder):
        architecture, source, options, items = program
        options = options.split()
        most = [option for option in options if option.startswith("-cl-nv-maxrregcount=")]
        options = [option for option in options if option not in most]
        known = "sm_75" if architecture == "sm_75" else "sm_80"
        target = ["-target", "nvptx64-nvidia-nvcl", "-Xclang", "-target-cpu", "-Xclang", known]
        target += ["-Xclang", "-target-feature", "-Xclang", "+ptx70"]
        libraries = [LIBCLC]
        if source in ("residues", "tensor", "tensor_mma", "tensor_skinny"):
            target += ["-include", NVPTX]
            libraries = []
        write(f"{folder}/in.cl", text)
        clang([*target], libraries, options, "in.cl", "out.ptx", folder)
        result = cls.assemble(architecture, items, most, folder)
        if spills(program, result):
            options += ["-emit-llvm", "-Xclang", "-disable-llvm-passes"]
            clang(target, libraries, options, "in.cl", "in.ll", folder)
            status, log = run([sys.executable, "-B", NVVM, LIBNVVM, "in.ll", "out.ptx"], folder)
            if status:
                raise Failed(log)
            result = cls.assemble(architecture, items, most, folder)
        return result


class Cache:
    """What became of programs in this and earlier runs: a line of JSON each, by a hash of all that
    it depends on."""

    def __init__(self, path, compiler):
        self.common = compiler.version + inspect.getsource(type(compiler)) + inspect.getsource(clang)
        self.path, self.lock = path, threading.Lock()
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.known, self.used = {}, {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.known = dict(json.loads(line) for line in file if line.endswith("]\n"))

    def find(self, text, make):
        key = hashlib.sha256((self.common + text).encode()).hexdigest()
        result = self.known.get(key)
        if result is None:
            result = make()
            with self.lock, open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps([key, result]) + "\n")
        self.used[key] = result
        return result

    def forget_unused(self):
        write(self.path, "".join(json.dumps(item) + "\n" for item in self.used.items()))


def spills(_, result):
    return result[1] or result[2]


# Faults, and where those that are known are listed.
LISTS = {"known.txt": spills, "groups.txt": groups.differ}


def read_known(name, mine):
    """The rows of a list for this vendor, and the lines for others."""
    rows, others = {}, []
    with open(f"{HERE}/{name}", encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if line.startswith("#") or not mine(words[0]):
                others.append(line)
            else:
                rows[" ".join(words[:-1])] = int(words[-1])
    return rows, others


def write_known(name, rows, others):
    heads = [line for line in others if line.startswith("#")]
    lines = [line for line in others if not line.startswith("#")]
    lines += [f"{row} {count}\n" for row, count in rows.items()]
    write(f"{HERE}/{name}", "".join(heads + sorted(lines)))


def judge(name, found, known, everything):
    """What a list does not allow, or no longer needs."""
    for row, count in sorted(found.items()):
        if count > known.get(row, 0):
            yield f"{name}: {count}, {known.get(row, 0)} known: {row}"
    for row, count in sorted(known.items()):
        if everything and found.get(row, 0) < count:
            yield f"{name}: {found.get(row, 0)}, {count} known, lower that: {row}"


def check_list(name, results, mine, everything, rewrites):
    """Rewrites a list, or returns what is wrong by it."""
    found = collections.Counter(
        " ".join([program[0], program[1], *re.sub(READING, "", program[2]).split()])
        for program, result in results.items()
        if LISTS[name](program, result)
    )
    known, others = read_known(name, mine)
    if rewrites:
        write_known(name, found, others)
        return []
    return list(judge(name, found, known, everything))


def print_summary(results):
    for architecture in sorted({program[0] for program in results}):
        all_of = [result for program, result in results.items() if program[0] == architecture]
        bad = [result for result in all_of if result[1] or result[2]]
        print(
            f"{architecture}: {len(all_of)} compiled, {len(bad)} spill or have arrays in memory, "
            f"at most {max(r[1] for r in all_of)} spilled, {max(r[2] for r in all_of)} bytes"
        )


def main():
    vendor, programs, cache, ocloc = sys.argv[1], *map(os.path.abspath, sys.argv[2:5])
    rewrites, lists = "--write" in sys.argv, "--list" in sys.argv
    everything = rewrites or bool(os.environ.get("CLGEMM_TEST_LONG"))
    seed = os.environ.get("CLGEMM_TEST_SEED", "20111")
    compiler = {"amd": Amd, "intel": Intel, "nvidia": Nvidia}[vendor](ocloc)
    if compiler.version is None:
        print("SKIP: its compiler, or a library for it, is missing (cmake/setup.sh)")
        return 77
    cache = Cache(f"{cache}/{vendor}.json", compiler)

    with tempfile.TemporaryDirectory() as folder:
        lines = subprocess.run(
            [programs, folder], stdout=subprocess.PIPE, text=True, check=True
        ).stdout.splitlines()
        texts = {}
        for path in glob.glob(f"{folder}/*.cl"):
            with open(path, encoding="utf-8") as file:
                texts[os.path.basename(path)[:-3]] = file.read()
    drawn = [line for line in lines if compiler.mine(line.split("\t")[0])]
    count = len(drawn)
    drawn.sort(key=lambda line: hashlib.sha256((seed + line).encode()).digest())
    if not everything:
        drawn = drawn[:DRAWN]

    def one(line):
        program = line.split("\t")[:4]
        text = texts[program[1]]

        def make():
            with tempfile.TemporaryDirectory() as folder:
                return compiler.compile(program, text, folder)

        try:
            return cache.find("\t".join(program) + f"\n{text}", make)
        except Failed as failure:
            raise Failed(f"{line}\n{failure}") from failure

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = {tuple(line.split("\t")): result for line, result in zip(drawn, pool.map(one, drawn))}

    if lists:
        for program, result in sorted(results.items()):
            architecture, source, options, items, planned = program[:5]
            of_unit = f"{groups.compiled(program, result)}/{planned}" if planned != "0" else "-"
            print(architecture, source, items, *result, of_unit, options)
    print_summary(results)
    print(f"{len(results)} of {count} programs compiled, seed {seed}")
    if everything:
        cache.forget_unused()
    faults = []
    for name in LISTS:
        faults += check_list(name, results, compiler.mine, everything, rewrites)
    print("\n".join(faults))
    return 1 if faults or not results else 0


if __name__ == "__main__":
    sys.exit(main())
