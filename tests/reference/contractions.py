#!/usr/bin/env python3
"""Writes tests/data/reference/contractions.txt; see reference.py."""

import numpy as np
import torch
from reference import BF16, Reference

ref = Reference("contractions", "NumPy 1.24 (vecdot, einsum's sum over '...': PyTorch 1.13)")
RTOL = {"f32": 2e-6, "f64": 1e-14, "c64": 2e-6, "c128": 1e-14}
INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")

# Vectors.
for dtype in (*RTOL, *INTEGERS):
    tolerance = RTOL.get(dtype, 0)
    for n in (1, 7, 8, 37):
        x1, x2 = ref.array((n,), dtype), ref.array((n,), dtype)
        ref.case("dot", [x1, x2], [np.dot(x1, x2)], tolerance, tolerance)
    x1, x2 = ref.array((2, 3, 4), dtype), ref.array((3, 1), dtype)
    want = (np.conj(x1) * x2).sum(-2, dtype=x1.dtype)
    ref.case("vecdot", [x1, x2, "axis=-2"], [want], tolerance, tolerance)
    x1, x2 = ref.array((5,), dtype), ref.array((3, 5), dtype)
    want = (np.conj(x1) * x2).sum(-1, dtype=x1.dtype)
    ref.case("vecdot", [x1, x2], [want], tolerance, tolerance)
    x1, x2 = ref.array((3,), dtype), ref.array((4,), dtype)
    ref.case("outer", [x1, x2], [np.outer(x1, x2)], tolerance)
    for a, b in (((2, 2), (2, 3)), ((3,), (2, 2)), ((2, 1, 2), (2, 2))):
        x1, x2 = ref.array(a, dtype), ref.array(b, dtype)
        ref.case("kron", [x1, x2], [np.kron(x1, x2)], tolerance)
    for a, b in (((2, 3), (3,)), ((2, 3), (2, 2, 3)), ((3,), ())):
        x1, x2 = ref.array(a, dtype), ref.array(b, dtype)
        ref.case("inner", [x1, x2], [np.inner(x1, x2)], tolerance, tolerance)
x1, x2 = ref.array((3, 5), "c64"), ref.array((3, 5), "c64")
ref.case("vecdot", [x1, x2], [torch.linalg.vecdot(torch.tensor(x1), torch.tensor(x2)).numpy()],
         2e-6, 2e-6)

# Tensors.
for dtype in ("f32", "c128", "i16", "u64"):
    tolerance = RTOL.get(dtype, 0)
    for a, b, axes in (((2, 3, 4), (4, 3, 2), ((1, 2), (1, 0))), ((2, 3), (3, 4), ((1,), (0,))),
                       ((2, 3), (2, 3), ((-1, 0), (-1, 0))), ((2,), (3,), ((), ()))):
        x1, x2 = ref.array(a, dtype), ref.array(b, dtype)
        lists = ["(" + ",".join(map(str, each)) + ("," if len(each) == 1 else "") + ")"
                 for each in axes]
        ref.case("tensordot", [x1, x2, *lists], [np.tensordot(x1, x2, axes)], tolerance, tolerance)
    for a, b, n in (((2, 3, 4), (3, 4, 2), 2), ((2, 3), (3, 4), 1), ((2, 2), (3,), 0)):
        x1, x2 = ref.array(a, dtype), ref.array(b, dtype)
        ref.case("tensordot.n", [x1, x2, str(n)], [np.tensordot(x1, x2, n)], tolerance, tolerance)

# Einstein's notation.
EQUATIONS = (
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("kj,ji", (2, 3), (3, 4)),
    ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)), ("bij,bkj->ikb", (2, 2, 3), (2, 3, 3)),
    ("ij,ij->", (2, 3), (2, 3)), ("ij,kl->jl", (2, 3), (2, 2)), ("ii->i", (3, 3)), ("ii", (3, 3)),
    ("ijk->ki", (2, 3, 2)), ("iji->j", (2, 3, 2)), ("aBc", (2, 3, 2)), ("ab,Ab", (2, 3), (2, 3)),
    ("...ij,...jk->...ik", (3, 1, 2, 3), (2, 3, 2)), ("...i,i...", (2, 3), (3, 2)),
    ("i...,...", (2, 3), (3,)), ("...ii->...", (2, 3, 3)), ("ij,jk,kl->il", (2, 3), (3, 2), (2, 3)),
    ("ij,ik,il->jkl", (2, 3), (2, 2), (2, 2)), ("i,ij,j", (2,), (2, 3), (3,)),
    ("aab,bc,cc->a", (2, 2, 3), (3, 2), (2, 2)), ("i,,j->ij", (2,), (), (3,)),
    ("...a,...a,...->...", (2, 1, 3), (2, 3), (2, 2)))
for dtype in ("f32", "f64", "c64", "i8", "u32"):
    tolerance = 2 * RTOL.get(dtype, 0)
    for equation, *shapes in EQUATIONS:
        xs = [ref.array(shape, dtype) for shape in shapes]
        ref.case("einsum", [f"'{equation}'", xs], [np.asarray(np.einsum(equation, *xs))], tolerance,
                 tolerance)
x1, x2 = ref.array((2, 3, 4), "f32"), ref.array((3, 1), "f32")
want = torch.einsum("...i,...j->ij", torch.tensor(x1), torch.tensor(x2)).numpy()
ref.case("einsum", ["'...i,...j->ij'", [x1, x2]], [want], 4e-6, 4e-6)

# Matrices, added to something or not.
for dtype in (*RTOL, "i8", "i32", "u16"):
    tolerance = 2 * RTOL.get(dtype, 0)
    a, b, v = ref.array((2, 3), dtype), ref.array((3, 4), dtype), ref.array((3,), dtype)
    stack1, stack2 = ref.array((2, 2, 3), dtype), ref.array((2, 3, 1), dtype)
    ref.case("mv", [a, v], [a @ v], tolerance, tolerance)
    ref.case("mm", [a, b], [a @ b], tolerance, tolerance)
    ref.case("bmm", [stack1, stack2], [stack1 @ stack2], tolerance, tolerance)
    alpha, beta = (x1.dtype.type(k) for x1, k in ((a, 3), (a, 2)))
    for op, x, y, z in (("addmv", (2,), a, v), ("addmm", (4,), a, b), ("addmm", (2, 1), a, b),
                        ("baddbmm", (2, 1), stack1, stack2)):
        x = ref.array(x, dtype)
        ref.case(op, [x, y, z], [x + y @ z], tolerance, tolerance)
        ref.case(op, [x, y, z, "beta=2", "alpha=3"], [beta * x + alpha * (y @ z)], tolerance,
                 tolerance)

# 16-bit floats: in float32, rounded once.
x, a, b = ref.array((2, 4), "f16"), ref.array((2, 3), "f16"), ref.array((3, 4), "f16")
wide = [t.astype(np.float32) for t in (x, a, b)]
for convert, tolerance in ((lambda t: t.astype(np.float16), 1e-3), (BF16, 8e-3)):
    if convert is BF16:
        wide = [BF16(t).values for t in wide]
    x, a, b = (convert(t) for t in wide)
    wx, wa, wb = wide
    for op, args, want in (("mm", [a, b], wa @ wb), ("einsum", ["'ij,jk'", [a, b]], wa @ wb),
                           ("addmm", [x, a, b, "alpha=0.5"], wx + 0.5 * (wa @ wb)),
                           ("tensordot", [a, b, "(1,)", "(0,)"], wa @ wb),
                           ("kron", [a, b], np.kron(wa, wb))):
        ref.case(op, args, [convert(want.astype(np.float32))], tolerance, tolerance)
ref.write()
