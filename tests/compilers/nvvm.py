#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes PTX of LLVM's code by libNVVM, the optimiser of NVIDIA's own compilers. It takes the code of
a recent clang only for Blackwell, so the PTX is changed to what older devices have.

Usage: nvvm.py LIBNVVM IN.ll OUT.ptx"""
import ctypes
import re
import sys

VERSION = "!nvvmir.version = !{!99999}\n!99999 = !{i32 2, i32 0, i32 3, i32 2}\n"
WIDE = r"((?:ld|st)\.global\S*)\.v4(\.\w64)\s+(.*);"  # an access of 32 bytes


def optimise(library, text):
    code = (re.sub(r"^!nvvmir\.version = .*\n", "", text, flags=re.MULTILINE) + VERSION).encode()
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = (ctypes.c_char_p * 1)(b"-arch=compute_120")
    library.nvvmCreateProgram(ctypes.byref(program))
    library.nvvmAddModuleToProgram(program, code, ctypes.c_size_t(len(code)), b"kernel")
    failed = library.nvvmCompileProgram(program, 1, options)
    what = "ProgramLog" if failed else "CompiledResult"
    getattr(library, f"nvvmGet{what}Size")(program, ctypes.byref(size))
    out = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvvmGet{what}")(program, out)
    if failed:
        sys.exit(out.value.decode())
    return out.value.decode()


def halve(found):
    """Two accesses of 16 bytes."""
    operation, kind, operands = found.groups()
    names = re.search(r"\{(.*)\}", operands).group(1).split(", ")
    place, offset = re.search(r"\[(%\w+)(?:\+(-?\d+))?\]", operands).groups("0")
    halves = []
    for i in (0, 2):
        pair, at = f"{{{names[i]}, {names[i + 1]}}}", f"[{place}+{int(offset) + 8 * i}]"
        halves.append(f"{operation}.v2{kind} " + (f"{pair}, {at};" if operation[0] == "l" else f"{at}, {pair};"))
    return "\n\t".join(halves)


def main():
    library = ctypes.CDLL(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        ptx = optimise(library, file.read())
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        file.write(re.sub(WIDE, halve, ptx))


if __name__ == "__main__":
    main()
