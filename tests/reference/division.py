#!/usr/bin/env python3
"""Writes tests/data/reference/division.txt; see reference.py."""

import numpy as np
from reference import Reference, binary

ref = Reference("division", "NumPy 1.24")
SIGNED, UNSIGNED = "i8 i16 i32 i64", "u8 u16 u32 u64"
for op in ("floor_divide", "remainder", "fmod"):
    function = getattr(np, op)
    binary(ref, op, function, UNSIGNED, low=1, number=3)
    binary(ref, op, function, "f32 f64", number=-0.75)
    for dtype in SIGNED.split():
        a, b = ref.array((2, 5), dtype), 2 * ref.array((5,), dtype, -4, 4) + 1  # odd, so never 0
        ref.case(op, [a, b], [function(a, b)])
        ref.case(op + ".scalar", [a, -3], [function(a, a.dtype.type(-3))])
        ref.case(op + ".rscalar", [-7, b], [function(a.dtype.type(-7), b)])
    values = np.array([0, -0.0, 1, -1, 2.5, -7, np.inf, -np.inf, np.nan])
    a, b = np.meshgrid(values, values)
    if op == "floor_divide":  # NumPy's quotient of an infinity is NaN, the Array API's an infinity
        a, b = a[:, :6], b[:, :6]
    with np.errstate(all="ignore"):
        ref.case(op, [a, b], [function(a, b)])
        a, b = a.astype(np.float32), b.astype(np.float32)
        ref.case(op, [a, b], [function(a, b)])
ref.write()
