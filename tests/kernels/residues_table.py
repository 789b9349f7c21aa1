#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints kernels/residues_table.h: what clg_residues' kernels need of their moduli, computed with whole numbers,
after it has checked the inequalities on which docs/accuracy.md relies."""

import struct
from fractions import Fraction
from math import gcd, log2, prod

MODULI = [256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199]
FEWER = MODULI[:-1]  # enough for NORMWISE from this k on, as in lib/gemm/residues/steps.c:
FEWER_FROM = 90
# For Gaussian integers x + iy: all their prime factors are 1 modulo 4, so each has a root r of -1, and (x + ry, x - ry)
# multiply element by element. They keep NORMWISE from this k on, with 2k for k.
GAUSSIAN = [241, 233, 229, 221, 205, 197, 193, 181, 173, 157, 149, 137, 113, 109]
GAUSSIAN_FROM = 14
PARTS = 3  # of the moduli: an integer is first reduced by the product of each part's
HIGH_BITS = 41  # of a weight's first double: with 7 bits of a residue and 4 of the sum, 52
LIMBS = 7  # words of 16 bits that a weight has
SLACK = 1.001  # subtracted from log2 P, of which 1 is for the half


def below(moduli):
    """Bits below a weight's highest ones."""
    return prod(moduli).bit_length() - HIGH_BITS


def highest(x, moduli):
    """The highest bits of x, as far below the product's highest bit as a weight's."""
    return x >> below(moduli) << below(moduli)


def exact(x):
    """x as a double's literal; it must be one."""
    assert Fraction(float(x)) == x
    return float(x).hex()


def parts(moduli):
    cuts = [len(moduli) * i // PARTS for i in range(PARTS + 1)]
    for begin, end in zip(cuts, cuts[1:]):
        yield begin, moduli[begin:end]


def fold(p):
    """For residue_of(): the bytes' weights, the bias of 2^31 and of a byte, and 1 / p as a float."""
    inverse = struct.unpack("i", struct.pack("f", 1 / p))[0]
    return f"(int4)({p}, {bytes_weights(p, 0)}, {bias(p, 31)}, {inverse})"


def upper_fold(p):
    """Of numbers with 64 bits: the weights of the upper four bytes, and the bias of 2^63 and of a byte."""
    return f"(int2)({bytes_weights(p, 4)}, {bias(p, 63)})"


def root(p):
    return next(r for r in range(2, p) if r * r % p == p - 1)


def root_fold(p):
    """The weights of both words of y in r y, and the bias of 2^63."""
    r = root(p)
    return f"(int4)({bytes_weights(p, 0, r)}, {bytes_weights(p, 4, r)}, {-(2**63 * r % p)}, 0)"


def bytes_weights(p, begin, factor=1):
    """factor 256^i mod p of four bytes. Sums of eight stay exact as floats, and their quotients by p, which are off by less
    than half of what they are from a tie, round right."""
    weights = [(factor * 256**i + p // 2) % p - p // 2 for i in range(8)]
    assert all(-128 <= w < 128 for w in weights)
    most = 2 * (sum(255 * abs(w) for w in weights) + 128 + p)
    assert most < 1 << 22 and most * 2.0**-23 < 1 / 4
    word = sum((w & 255) << 8 * i for i, w in enumerate(weights[begin : begin + 4]))
    return f"(int)0x{word:x}u"


def bias(p, bit):
    return 0x4B400000 + 128 - 2**bit % p


def weights(moduli, divisor=lambda p: 1):
    """What is 1 / divisor modulo p, and 0 modulo the others."""
    for p in moduli:
        others = prod(moduli) // p
        w = others * pow(others * divisor(p), -1, p)
        assert w * divisor(p) % p == 1 and all(w % q == 0 for q in moduli if q != p)
        yield w


def in_doubles(w, moduli):
    """A weight in two doubles: sums of their products with residues are exact in the first, and the rest is rounded
    far below a unit of what was rounded to integers before."""
    high = highest(w, moduli)
    assert high.bit_length() - below(moduli) <= HIGH_BITS
    return f"(double2)({exact(high)}, {float(w - high).hex()})"


def limbs(x):
    """x in words of 16 bits, the lowest first."""
    assert x < 1 << 16 * LIMBS
    return [x >> 16 * i & 65535 for i in range(LIMBS)]


def least_power(moduli):
    """T, with a row's norm: sqrt(P / 2) less SLACK."""
    return 2 ** ((log2(prod(moduli)) - SLACK) / 2)


def print_list(name, items):
    print(f"#define {name} \\")
    print(", \\\n".join("    " + item for item in items))


def print_weights(name, moduli, divisor=lambda p: 1):
    """In two doubles, and in words of 16 bits."""
    print_list(name, [in_doubles(w, moduli) for w in weights(moduli, divisor)])
    rows = [", ".join(map(str, limbs(w))) for w in weights(moduli, divisor)]
    print_list("LIMBS_OF_" + name, ["{" + row + "}" for row in rows])


def print_moduli(moduli):
    print_list("FOLDS", [fold(p) for p in moduli])
    print_list("UPPER_FOLDS", [upper_fold(p) for p in moduli])


def print_product(moduli, roots=False):
    """What follows from the product of these moduli."""
    p = prod(moduli)
    # Whole numbers: sums of residues, or of sums of two, times limbs in 32 bits, and packed numbers below 2^55.
    assert len(moduli) * 256 * 65535 < 1 << 31 and log2(least_power(moduli)) < 55
    print(f"#define LOG2_P {log2(p)!r}")
    print(f"#define P_INVERSE {(1 / p).hex()}")
    print(f"#define P_HIGH {exact(highest(p, moduli))}")
    print(f"#define P_LOW {float(p - highest(p, moduli)).hex()}")
    print("#define REDUCE_ALL(PART, MODULUS) \\")
    lines = []
    for begin, part in parts(moduli):
        product = prod(part)
        assert 1 << 20 < product < 1 << 40
        lines.append(f"    PART({exact(product)}, {(1 / product).hex()})")
        of_root = [f", {root(q)}" if roots else "" for q in part]
        lines += [f"    MODULUS({begin + i}, {q}, {(1 / q).hex()}{of_root[i]})" for i, q in enumerate(part)]
    print(" \\\n".join(lines))
    print(f"#define P_UPPER 0x{p >> 64:x}UL")
    print(f"#define P_LOWER 0x{p % 2**64:x}UL")
    print(f"#define LOG2_P_FLOAT {log2(p):.4f}f")
    print(f"#define P_INVERSE_80 {(2**80 / p).hex()}f")


def main():
    for moduli in MODULI, GAUSSIAN:
        assert all(gcd(p, q) == 1 for i, p in enumerate(moduli) for q in moduli[:i])
        assert max(moduli) <= 256 and len(moduli) <= 16
    assert HIGH_BITS + 8 + 4 <= 53  # of a sum of two residues
    # NORMWISE: 2 sqrt(k) / T stays below k u, from k = 1 on, or from FEWER_FROM on.
    assert 2 / least_power(MODULI) < 2**-53
    assert 2 / least_power(FEWER) < FEWER_FROM**0.5 * 2**-53 * (1 - 2**-20)
    assert 2 / least_power(GAUSSIAN) < (2 * GAUSSIAN_FROM) ** 0.5 * 2**-53 * (1 - 2**-20)
    print("/* SPDX-License-Identifier: Apache-2.0")
    print(" * The moduli of clg_residues, and what follows from them. tests/kernels/residues_table.py wrote this. */")
    print("#ifndef MODULI")
    print(f"#define MODULI {len(MODULI)} /* or {len(FEWER)}, without the last one; GAUSSIAN: {len(GAUSSIAN)} others */")
    print("#endif")
    print("/* FOLDS: modulus, weights of a sum's bytes, and the inverse (residue_of()). UPPER_FOLDS: of numbers with 64 bits,")
    print(" * the weights of the upper bytes. P is the product of the moduli. REDUCE_ALL: a part's product and its inverse; then")
    print(" * each of its moduli with its number and inverse. WEIGHTS: in two doubles, and in words of 16 bits, as has P; log2 P")
    print(" * is rounded by less than the slack; 2^80 / P. GAUSSIAN: roots of -1, and what they make of the second parts' bytes;")
    print(" * weights of sums, x, and of differences, y. */")
    print(f"#define LIMBS {LIMBS}")
    print("#if GAUSSIAN")
    print_moduli(GAUSSIAN)
    print_list("ROOT_FOLDS", [root_fold(p) for p in GAUSSIAN])
    print_product(GAUSSIAN, True)
    print_weights("WEIGHTS", GAUSSIAN, lambda p: 2)
    print_weights("WEIGHTS_Y", GAUSSIAN, lambda p: 2 * root(p))
    print("#else")
    print_moduli(MODULI)
    print(f"#if MODULI == {len(MODULI)}")
    print_product(MODULI)
    print_weights("WEIGHTS", MODULI)
    print("#else")
    print_product(FEWER)
    print_weights("WEIGHTS", FEWER)
    print("#endif")
    print("#endif")


main()
