# SPDX-License-Identifier: Apache-2.0
"""How many work-groups of a compiled program share a compute unit, or those units that share local
memory, and whether the costs expected so many."""
import re

# Numbers that the costs' model tells apart: one group waits alone, two overlap, and from three on
# all that a unit has is in use (lib/gemm/estimate.c). What more there are changes rounds only.
APART = 3
THREADS = {"sm_75": 1024, "sm_86": 1536, "sm_89": 1536, "sm_120": 1536}  # others 2048
RESERVED = 1024  # bytes of local memory that CUDA keeps for each group from sm_80 on
MULTISTAGE_PAD = 4  # elements, as kernels/multistage.cl has it
SIMDS = 4  # of AMD's compute unit, and of RDNA's pair of units
REGISTERS = 128  # of a thread of Intel's, unless the compiler doubles them


def option(name, options, default=0):
    found = re.search(rf"-D{name}=(\d+)", options)
    return int(found.group(1)) if found else default


def local_bytes(source, options):
    """Those of tiles of A and B, in the type that the kernel computes with."""
    size = 8 if "REAL=double" in options else 4
    pad = MULTISTAGE_PAD if source == "multistage" else option("PAD_LOCAL", options)
    rows = sum(
        option(f"TILE_{side}", options) + pad
        for side, operand in (("M", "A"), ("N", "B"))
        if not option(f"PRIVATE_{operand}", options)
    )
    return rows * option("TILE_K", options) * option("STAGES", options, 1) * size


def up(number, step):
    return -(-number // step) * step


def nvidia(architecture, items, result, registers):
    warps = up(items, 32) // 32
    of_registers = registers // (warps * 32 * up(result[0], 8))
    return min(of_registers, THREADS.get(architecture, 2048) // items)


def amd(architecture, items, result, registers):
    """As LLVM's AMDGPU backend has them: in what steps registers are given out, and how many waves a
    SIMD unit holds."""
    version, simd = architecture[3:], result[4]
    of_a_lane = registers // (SIMDS * simd)
    if len(version) > 3:
        step, most = (24 if of_a_lane == 1536 else 16), 16
    else:
        step, most = (8, 8) if version in ("90a", "942") else (4, 10)
    waves = min(of_a_lane // up(result[0], step), most)
    return SIMDS * waves // (up(items, simd) // simd)


def intel(architecture, items, result, registers):
    """A thread has its share of registers, whether it needs them or not."""
    bytes_of_one = 64 if architecture == "pvc" else 32
    threads = 4 * registers // (result[0] * bytes_of_one)
    return threads // (up(items, result[4]) // result[4])


def held(program, result, local):
    """Groups by what a compiler made of a program whose groups need so much local memory."""
    architecture, _, _, items, _, registers, all_local = program
    of = nvidia if architecture.startswith("sm_") else amd if architecture.startswith("gfx") else intel
    local += RESERVED if of is nvidia and architecture != "sm_75" else 0
    return min(of(architecture, int(items), result, int(registers)), int(all_local) // max(local, 1))


def compiled(program, result):
    return held(program, result, local_bytes(*program[1:3]))


def differ(program, result):
    """Whether the costs tell another number of groups apart than there is. Doubles have the rows of
    floats, and only a factor for their steps; what spills is a fault in itself."""
    planned, floats = int(program[4]), "REAL=double" not in program[2]
    if not planned or not floats or result[1] or result[2]:
        return False
    return min(planned, APART) != min(compiled(program, result), APART)
