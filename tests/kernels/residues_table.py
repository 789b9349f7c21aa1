#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints kernels/residues_table.h: what clg_residues' kernels need of their moduli, computed with whole numbers,
after it has checked the inequalities on which docs/accuracy.md relies."""

import struct
from fractions import Fraction
from math import gcd, log2, prod

MODULI = [256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199]
PARTS = 3  # of the moduli: an integer is first reduced by the product of each part's
HIGH_BITS = 41  # of a weight's first double: with 7 bits of a residue and 4 of the sum, 52
LIMBS = 7  # words of 16 bits that a weight has
HALF = 28  # bits of the lower part of a number that is packed
SLACK = 1.001  # subtracted from log2 P, of which 1 is for the half

P = prod(MODULI)


def highest(x):
    """The highest bits of x, as far below P's highest bit as a weight's."""
    below = P.bit_length() - HIGH_BITS
    return x >> below << below


def exact(x):
    """x as a double's literal; it must be one."""
    assert Fraction(float(x)) == x
    return float(x).hex()


def parts():
    cuts = [len(MODULI) * i // PARTS for i in range(PARTS + 1)]
    for begin, end in zip(cuts, cuts[1:]):
        yield begin, MODULI[begin:end]


def fold(p):
    """For residue_of(): the bytes' weights 256^i mod p, the bias of 2^31 and of a byte, and 1 / p as a float."""
    weights = [(256**i + p // 2) % p - p // 2 for i in range(4)]
    assert all(-128 <= w < 128 for w in weights) and sum(255 * abs(w) for w in weights) < 1 << 17
    word = sum((w & 255) << 8 * i for i, w in enumerate(weights))
    inverse = struct.unpack("i", struct.pack("f", 1 / p))[0]
    return f"(int4)({p}, (int)0x{word:x}u, {0x4B400000 + 128 - 2**31 % p}, {inverse})"


def weights():
    """P / p times its inverse modulo p, in two doubles: sums of their products with residues are exact in the first,
    and the rest is rounded far below a unit of what was rounded to integers before."""
    for p in MODULI:
        w = P // p * pow(P // p, -1, p)
        assert w % p == 1 and all(w % q == 0 for q in MODULI if q != p)
        assert highest(w).bit_length() - (P.bit_length() - HIGH_BITS) <= HIGH_BITS
        yield f"(double2)({exact(highest(w))}, {float(w - highest(w)).hex()})"


def limbs(x):
    """x in words of 16 bits, the lowest first."""
    assert x < 1 << 16 * LIMBS
    return [x >> 16 * i & 65535 for i in range(LIMBS)]


def halves(p):
    """2^HALF modulo p, from -128 to 127: for whole numbers in two parts."""
    return (2**HALF + p // 2) % p - p // 2


def main():
    assert all(gcd(p, q) == 1 for i, p in enumerate(MODULI) for q in MODULI[:i])
    assert max(MODULI) == 256 and len(MODULI) <= 16
    assert HIGH_BITS + 7 + 4 <= 53
    # Whole numbers: sums of residues times limbs, a packed number's parts, and a part times 2^HALF, in 32 bits.
    assert len(MODULI) * 128 * 65535 < 1 << 31 and (log2(P) - SLACK) / 2 < 2 * HALF - 1 and 128 * 128 + (1 << HALF) < 1 << 31
    # NORMWISE: 2 sqrt(k) / T with T = sqrt(P / 2) 2^(-SLACK / 2 + 1 / 2) stays below k u from k = 1 on.
    assert 2 / 2 ** ((log2(P) - SLACK) / 2) < 2**-53
    print("/* SPDX-License-Identifier: Apache-2.0")
    print(" * The moduli of clg_residues, and what follows from them. tests/kernels/residues_table.py wrote this. */")
    print(f"#define MODULI {len(MODULI)}")
    print(f"#define LOG2_P {log2(P)!r}")
    print(f"#define P_INVERSE {(1 / P).hex()}")
    print(f"#define P_HIGH {exact(highest(P))}")
    print(f"#define P_LOW {float(P - highest(P)).hex()}")
    print("\n/* A part's product and its inverse; then each of its moduli with its number and inverse. */")
    print("#define REDUCE_ALL(PART, MODULUS) \\")
    lines = []
    for begin, moduli in parts():
        product = prod(moduli)
        assert 1 << 20 < product < 1 << 40
        lines.append(f"    PART({exact(product)}, {(1 / product).hex()})")
        lines += [f"    MODULUS({begin + i}, {p}, {(1 / p).hex()})" for i, p in enumerate(moduli)]
    print(" \\\n".join(lines))
    print("\n#define FOLDS \\")
    print(", \\\n".join("    " + fold(p) for p in MODULI))
    print("\n#define WEIGHTS \\")
    print(", \\\n".join("    " + w for w in weights()))
    print("\n/* The same by whole numbers: weights and P in words of 16 bits, and the weights of upper parts. */")
    print(f"#define LIMBS {LIMBS}")
    print(f"#define HALF {HALF}")
    print(f"#define P_UPPER 0x{P >> 64:x}UL")
    print(f"#define P_LOWER 0x{P % 2**64:x}UL")
    print(f"#define LOG2_P_FLOAT {log2(P):.4f}f /* rounded down by less than the slack */")
    print(f"#define P_INVERSE_80 {(2**80 / P).hex()}f /* 2^80 / P */")
    print("#define UPPER_WEIGHTS " + ", ".join(str(halves(p)) for p in MODULI))
    print("#define LIMBS_OF_WEIGHTS \\")
    rows = [P // p * pow(P // p, -1, p) for p in MODULI]
    print(", \\\n".join("    {" + ", ".join(map(str, limbs(w))) + "}" for w in rows))


main()
