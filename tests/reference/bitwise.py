#!/usr/bin/env python3
"""Writes tests/data/reference/bitwise.txt; see reference.py."""

import numpy as np
from reference import DTYPES, Reference, binary

ref = Reference("bitwise", "NumPy 1.24")
INTEGERS = "i8 i16 i32 i64 u8 u16 u32 u64"
for op in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    binary(ref, op, getattr(np, op), INTEGERS, number=5)
    a, b = ref.array((6,), "b8"), ref.array((6,), "b8")
    ref.case(op, [a, b], [getattr(np, op)(a, b)])
for dtype in INTEGERS.split():
    x = ref.array((5,), dtype)
    ref.case("bitwise_not", [x], [np.invert(x)])
    d = DTYPES[dtype]
    x = np.array([1, 2, 100, np.iinfo(d).max, np.iinfo(d).min], d)
    counts = np.array([0, 1, 3, 8 * d.itemsize - 1, 8 * d.itemsize, 100], d)
    for op, function in (("bitwise_left_shift", np.left_shift), ("bitwise_right_shift", np.right_shift)):
        ref.case(op, [x, counts[:, None]], [function(x, counts[:, None])])
        ref.case(op + ".scalar", [x, 3], [function(x, d.type(3))])
        ref.case(op + ".rscalar", [77, counts], [function(d.type(77), counts)])
b = np.array([True, False])
ref.case("bitwise_not", [b], [np.invert(b)])
ref.write()
