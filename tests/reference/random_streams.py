"""Reference values for the random family: Philox 4x32-10 written down a second time, here in Python.

Not named random.py, which would stand before the standard module. First held against the known answers of Random123 (kat_vectors, philox4x32 with 10 rounds). The recipes
are those of docs/design.md, "Random numbers"; logarithms and the like are the host's.
"""

import math

import numpy as np
from reference import Reference

MASK = 0xFFFFFFFF


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & MASK, (a >> 32) ^ c[3] ^ k[1], a & MASK]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c


assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert philox([MASK] * 4, [MASK] * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
assert philox([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], [0xA4093822, 0x299F31D0]) == \
    [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]


class Stream:
    def __init__(self, seed, call=0):
        self.key, self.call = [seed & MASK, seed >> 32], call

    def block(self, i):
        return philox([i & MASK, i >> 32, self.call & MASK, self.call >> 32], self.key)

    def word(self, e):
        return self.block(e // 4)[e % 4]

    def half(self, i, which):
        b = self.block(i)
        return b[2 * which + 1] << 32 | b[2 * which]

    def unit(self, e, wide):
        return (self.half(e // 2, e % 2) >> 11) / 2.0**53 if wide else (self.word(e) >> 8) / 2.0**24

    def open(self, e, wide):
        return ((self.half(e // 2, e % 2) >> 12) + 0.5) / 2.0**52 if wide else \
            (self.word(e) + 0.5) / 2.0**32

    def normal(self, e, wide):
        first = e - e % 2
        if wide:
            u1 = ((self.half(first // 2, 0) >> 12) + 0.5) / 2.0**52
            u2 = (self.half(first // 2, 1) >> 11) / 2.0**53
        else:
            u1, u2 = (self.word(first) + 0.5) / 2.0**32, self.word(first + 1) / 2.0**32
        turn = math.cos if e % 2 == 0 else math.sin
        return math.sqrt(-2 * math.log(u1)) * turn(2 * math.pi * u2)

    def below(self, i, range_):
        b = self.block(i)
        return sum(w << 32 * k for k, w in enumerate(b)) * range_ >> 128


def with_halves(stream, weights, num):
    sums = np.cumsum(np.asarray(weights, float))
    return [int(np.argmax(sums > stream.unit(s, True) * sums[-1])) for s in range(num)]


def without(stream, weights, num):
    keys = [(-math.log(stream.open(i, True)) / w, i) for i, w in enumerate(weights) if w > 0]
    return [i for _, i in sorted(keys)[:num]]


def permutation(stream, n):
    a = list(range(n))
    for i in range(n - 1, 0, -1):
        j = stream.below(i, i + 1)
        a[i], a[j] = a[j], a[i]
    return a


ref = Reference("random", "an independent Philox 4x32-10 in Python, checked against Random123's known answers")
for seed, call in ((7, 0), (7, 5), (1 << 40 | 3, 2)):
    gen = f"generator=gen({seed}, {call})"
    s, n = Stream(seed, call), 11
    for dtype in (np.float32, np.float64):
        wide, name = dtype == np.float64, np.dtype(dtype).name
        rtol = 1e-13 if wide else 1e-6
        args = [f"({n},)", f"dtype={name}", gen]
        made = lambda f: [np.array([f(e) for e in range(n)], dtype)]
        ref.case("rand", args, made(lambda e: s.unit(e, wide)))
        ref.case("uniform", ["-3", "5"] + args, made(lambda e: -3 + 8 * s.unit(e, wide)))
        ref.case("randn", args, made(lambda e: s.normal(e, wide)), rtol=rtol, atol=rtol)
        ref.case("normal", ["2", "0.5"] + args, made(lambda e: 2 + 0.5 * s.normal(e, wide)),
                 rtol=rtol, atol=rtol)
        ref.case("exponential", ["2"] + args, made(lambda e: -math.log(s.open(e, wide)) / 2),
                 rtol=rtol)
        ref.case("bernoulli.shape", ["0.3"] + args, made(lambda e: s.unit(e, True) < 0.3))
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        ref.case("randint", ["3", "100", f"({n},)", f"dtype={name}", gen],
                 [np.array([3 + s.below(e, 97) for e in range(n)], name)])
    ref.case("randint", ["-9223372036854775808", "9223372036854775807", "(5,)", gen],
             [np.array([s.below(e, 2**64 - 1) - 2**63 for e in range(5)], np.int64)])
    ref.case("randperm", ["13", gen], [np.array(permutation(s, 13), np.int64)])
    weights = np.array([1, 0, 3, 0.5, 2], np.float32)
    ref.case("multinomial", [weights, "20", "True", gen],
             [np.array(with_halves(s, weights, 20), np.int64)])
    ref.case("multinomial", [weights, "4", "False", gen], [np.array(without(s, weights, 4), np.int64)])
    p, x = np.array([0.1, 0.5, 0.9, 1], np.float32), np.array([1, -2, 4, 8], np.float32)
    ref.case("bernoulli", [p, gen], [np.array([s.unit(e, True) < p[e] for e in range(4)], np.float32)])
    ref.case("dropout", [x, "0.5", "True", gen],
             [np.array([2 * x[e] if s.unit(e, True) < 0.5 else 0 for e in range(4)], np.float32)])
ref.write()
