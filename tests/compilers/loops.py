# SPDX-License-Identifier: Apache-2.0
"""The main loop of a compiled product: the instructions that a work-item executes for one tile of A
and B, counted in the compilers' assembly. No time is measured."""
import collections
import math
import os
import re
import subprocess

import compilers

# fmas: multiply-adds of a work-item. busy: instructions of the arithmetic units, which Intel's
# execute in parts. local, memory: bytes that a work-item reads from local and from global memory.
Op = collections.namedtuple("Op", "text count fmas busy local memory", defaults=[0] * 5)
# What else there is: a label, whose block the compiler may tell what follows; a branch; an end.
Label = collections.namedtuple("Label", "name after", defaults=[None])
Branch = collections.namedtuple("Branch", "target always text")
End = collections.namedtuple("End", "")


def plus(left, right, times=1):
    return Op(left.text, *(a + times * b for a, b in zip(left[1:], right[1:])))


# ---- Assembly ----


def amd_ops(text):
    for line in text[: text.index("\t.section\t.rodata")].splitlines():
        label = re.match(r"(\.LBB\w+):", line)
        if label:
            yield Label(label.group(1))
            continue
        op = re.match(r"\t([a-z]\w+)\s*([^;]*)", line)
        if not op:
            continue
        name, operands = op.group(1), op.group(2).strip()
        if name.startswith(("s_branch", "s_cbranch")):
            yield Branch(operands, name == "s_branch", line)
        elif name == "s_endpgm":
            yield End()
        else:
            fmas = len(re.findall(r"v_(?:dual_)?(?:fma|fmac|mac|mad|fmaak|fmamk)_f(?:32|64)", line))
            fmas += 2 * name.startswith("v_pk_fma_f32")
            width = re.search(r"_(?:b|dwordx?|u)(\d*)(?:_\w*)?$", name)
            size = int(width.group(1) or 1) if width else 0
            size = size * 4 if "dword" in name else size // 8
            reads_local = name.startswith(("ds_read", "ds_load"))
            twice = "read2" in name or "load_2addr" in name
            reads = name.startswith(("global_load", "flat_load"))
            yield Op(line, 1, fmas, name.startswith("v_"), reads_local * size * (1 + twice), reads * size)


def nvidia_ops(text):
    for line in text.splitlines():
        label = re.match(r"(\.L_x_\d+):", line)
        if label:
            yield Label(label.group(1))
            continue
        op = re.match(r"\s+/\*[0-9a-f]+\*/\s+(@!?U?P\w+\s+)?([A-Z][\w.]*)([^;]*);", line)
        if not op:
            continue
        condition, name, operands = op.groups()
        target = re.search(r"\.L_x_\d+", operands)
        if name.startswith("BRA") and target:
            yield Branch(target.group(0), not condition and not re.match(r"\s+!?U?P\d", operands), line)
        elif name == "EXIT" and not condition:
            yield End()
        elif name != "NOP":
            fmas = 2 if name.startswith("FFMA2") else name.startswith(("FFMA", "DFMA"))
            if name.startswith("DMMA"):  # a product of 32 work-items: DMMA.884, DMMA.16x8x4
                fmas = math.prod(map(int, re.findall("16|8|4", name))) // 32
            width = re.search(r"\.(64|128)\b", name)
            size = int(width.group(1)) // 8 if width else 4
            reads = name.startswith(("LDG.", "LDGSTS."))
            yield Op(line, 1, int(fmas), 1, name.startswith("LDS") * size, reads * size)


def intel_ops(text, simd, lanes, register):
    """An instruction for a part of the SIMD group counts as that part, but not as less than `lanes`.
    `register`: its bytes."""
    for line in text.splitlines():
        block = re.match(r"// (B\d+): .*Succs:\{(.*)\}", line)
        if block:
            yield Label(block.group(1), re.findall(r"B\d+", block.group(2)))
            continue
        op = re.match(r"(?:\([^)]*\))?\s+([a-z][\w.]*)\s+\((\d+)\|M\d+\)([^/]*)(.*)", line)
        if not op:
            continue
        name, width, operands, comment = op.groups()
        sends = name.startswith(("send", "load", "store", "sync", "goto", "join"))
        fmas = name.startswith(("mad", "mac")) and re.search(r":d?f\b", operands) is not None
        size = re.search(r"rd:(\d+)", comment) or re.search(r"^\s+r\d+:(\d+)\s+\[", operands)
        reads = "scratch" not in comment and (name.startswith("load") or " read" in comment)
        local = ".slm" in name or re.search(r"0x[0-9A-F]+FE\b", operands) is not None
        size = int(size.group(1)) * register / simd if size and reads else 0
        busy = 0 if sends else max(int(width), lanes) / simd
        yield Op(line, 1, int(width) / simd * fmas, busy, size * local, size * (not local))


# ---- Loops ----


class Graph:
    def __init__(self, items):
        self.blocks, self.next, labels = [[]], [[]], {}
        for item in items:
            if isinstance(item, Label):
                self.start(falls=item.after is None)
                labels[item.name] = len(self.blocks) - 1
                self.next[-1] += item.after or []
            elif isinstance(item, Branch):
                self.blocks[-1].append(Op(item.text, 1))
                self.next[-1].append(item.target)
                self.start(falls=not item.always)
            elif isinstance(item, End):
                self.start(falls=False)
            else:
                self.blocks[-1].append(item)
        self.next = [[labels.get(n, n) for n in after if n in labels or isinstance(n, int)]
                     for after in self.next]
        self.next[-1] = [n for n in self.next[-1] if n < len(self.blocks)]

    def start(self, falls):
        if falls:
            self.next[-1].append(len(self.blocks))
        self.blocks.append([])
        self.next.append([])

    def loops(self, blocks, barred=()):
        """The loops of these blocks: sets of blocks that reach each other, though not through edges
        to barred blocks."""
        def reached(first):
            found, todo = set(), [first]
            while todo:
                new = {n for n in self.next[todo.pop()] if n in blocks and n not in barred} - found
                found |= new
                todo += new
            return found

        reach = {block: reached(block) for block in blocks}
        found = {frozenset(n for n in reach[b] if b in reach[n]) for b in blocks if b in reach[b]}
        return sorted(found, key=min)

    def turn(self, loop, memory=0):
        """What one turn of a loop executes: the ops of its blocks, and its inner loops. Of all ways
        through it the one with most multiply-adds, then with about these bytes from memory, then
        with fewest instructions: a whole tile, not one at an edge."""
        entries = {n for b, after in enumerate(self.next) if b not in loop for n in after} & loop
        inner = self.loops(loop, entries)
        inside = {block: blocks for blocks in inner for block in blocks}
        known = {}

        def ways(block):
            """The best ways from here to an edge that closes the loop, by their bytes: multiply-adds
            and instructions as a rank, ops, inner loops."""
            part = inside.get(block, frozenset([block]))
            if part in known:
                return known[part]
            known[part] = best = {}
            after = {n for b in part for n in self.next[b]}
            rests = [(0, ((0, 0), [], []))] if after & entries else []
            for n in after & loop - part - entries:
                rests += ways(n).items()
            ops = [op for b in sorted(part) for op in self.blocks[b]]
            more = total(ops)
            for read, (rank, rest, loops) in rests:
                new = (rank[0] + more.fmas, rank[1] - more.count)
                if read + more.memory not in best or new > best[read + more.memory][0]:
                    plain, turns = ([], [part]) if part in inner else (ops, [])
                    best[read + more.memory] = (new, plain + rest, turns + loops)
            return best

        found = [way for entry in entries for way in ways(entry).items()]
        return max(found, key=lambda way: (way[1][0][0], -abs(way[0] - memory), way[1][0][1]))[1][1:]


def total(ops):
    sums = Op("")
    for op in ops:
        sums = plus(sums, op)
    return sums


def main_loop(items, fmas, memory):
    """The main loop's sums, and its parts: ops, and how often a turn executes them; None if they are
    not known. `fmas`: a work-item's multiply-adds of a tile, by which the turns of an inner loop are
    known. `memory`: its bytes of a tile."""
    graph = Graph(items)
    best, best_fmas = None, 0
    for loop in graph.loops(set(range(len(graph.blocks)))):
        ops, inner = graph.turn(loop, memory)
        parts = [graph.turn(blocks)[0] for blocks in inner]
        around, within = total(ops), total(op for part in parts for op in part)
        if around.fmas + within.fmas <= best_fmas:
            continue
        best_fmas = around.fmas + within.fmas
        turns = max(1, (fmas - around.fmas) / within.fmas) if within.fmas else 1
        whole = plus(around, within, turns)
        # How often a loop without multiply-adds turns is not known; a turn has whole tiles.
        known = all(total(part).fmas for part in parts) and round(whole.fmas) % round(fmas) == 0
        best = (whole, [(ops, 1)] + [(part, turns) for part in parts]) if known else None
    return best


def clocks(parts, architecture):
    """Clocks of one wave for the parts by llvm-mca, or None where it does not know them."""
    tool = "llvm-mca-19"

    def of(ops, times):
        # Private memory ends the program.
        text = [op.text.split(";")[0] for op in ops if not re.match(r"\t(s_c?branch|buffer|scratch)", op.text)]
        text = "\n".join(text)
        command = [tool, "-mtriple=amdgcn", f"-mcpu={architecture}", f"-iterations={times}"]
        done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, check=False)
        found = re.search(r"Total Cycles: *(\d+)", done.stdout)
        return int(found.group(1)) if found else None

    sums = 0
    for ops, turns in parts:
        few, more = (of(ops, 10), of(ops, 20)) if ops else (0, 0)
        if few is None or more is None:
            return None
        sums += turns * (more - few) / 10
    return sums


def disassemble(nvdisasm, architecture, folder):
    """NVIDIA's assembly. Its assembler refuses tiles of more than 48 KiB, unless their size is the
    launch's."""
    binary = os.path.join(folder, "out.cubin")
    if not os.path.exists(binary):
        with open(f"{folder}/out.ptx", encoding="utf-8") as file:
            text = file.read()
        arrays = re.findall(r"^\s*(\.shared .*)\[\d+\];", text, re.MULTILINE)
        text = re.sub(r"^\s*\.shared .*\[\d+\];", "", text, flags=re.MULTILINE)
        of_launch = "".join(f".extern {array}[];\n" for array in arrays)
        compilers.write(f"{folder}/out.ptx", re.sub(r"(\.visible )?\.entry", rf"{of_launch}\g<0>", text, count=1))
        architecture += "a" if architecture == "sm_90" else ""
        command = [compilers.PTXAS, "-arch", architecture, "-o", binary, f"{folder}/out.ptx"]
        compilers.run(command)
    return compilers.run([nvdisasm, "-c", binary])[1]
