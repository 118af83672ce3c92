#!/usr/bin/env python3
"""Writes tests/data/reference/arithmetic.txt; see reference.py."""

import numpy as np
from reference import Reference, binary

ref = Reference("arithmetic", "NumPy 1.24")
for dtype in ("u8", "i32", "i64", "f32", "f64"):
    a, b = ref.array((2, 3), dtype), ref.array((3,), dtype)
    ref.case("add", [a, b], [a + b])
    ref.case("sub", [a, b], [a - b])
    ref.case("mul", [a, b], [a * b])
    ref.case("maximum", [a, b], [np.maximum(a, b)])
for op in ("minimum", "fmax", "fmin"):
    binary(ref, op, getattr(np, op), "i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64", number=2)
nans = np.array([np.nan, 1, -np.inf, np.inf])
for op in ("maximum", "minimum", "fmax", "fmin"):
    ref.case(op, [nans[:, None], nans], [getattr(np, op)(nans[:, None], nans)])
ref.write()
