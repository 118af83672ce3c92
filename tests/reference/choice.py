#!/usr/bin/env python3
"""Writes tests/data/reference/choice.txt; see reference.py."""

import numpy as np
from reference import DTYPES, Reference

ref = Reference("choice", "NumPy 1.24")
for dtype in "b8 i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128".split():
    cond, a, b = ref.array((2, 3), "b8"), ref.array((3,), dtype), ref.array((2, 1), dtype)
    number = a.dtype.type(1)
    ref.case("where", [cond, a, b], [np.where(cond, a, b)])
    if dtype != "b8":
        ref.case("where.scalar", [cond, a, 1], [np.where(cond, a, number)])
        ref.case("where.rscalar", [cond, 1, b], [np.where(cond, number, b)])
    if a.dtype.kind in "iuf":
        low, high, x = a.dtype.type(2), a.dtype.type(5), ref.array((2, 3), dtype)
        ref.case("clamp", [x, 2, 5], [np.clip(x, low, high)])
        ref.case("clamp", [x, "max=5"], [np.minimum(x, high)])
        ref.case("clamp.tensor", [x, a, b], [np.minimum(np.maximum(x, a), b)])
        ref.case("clamp.tensor", [x, a], [np.maximum(x, a)])
cond = ref.array((5,), "b8")
ref.case("where.scalars", [cond, 2, -1], [np.where(cond, 2, -1)])
ref.case("where.scalars", [cond, 2.5, 3], [np.where(cond, DTYPES["f32"].type(2.5), DTYPES["f32"].type(3))])
ref.write()
