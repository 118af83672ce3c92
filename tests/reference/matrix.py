#!/usr/bin/env python3
"""Writes tests/data/reference/matrix.txt; see reference.py."""

import numpy as np
from reference import Reference

ref = Reference("matrix", "NumPy 1.24")
for dtype in ("f32", "f64", "c64", "c128", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"):
    tolerance = {"f": 1e-6, "c": 1e-6}.get(dtype[0], 0)
    x = ref.array((2, 3, 4), dtype)
    wide = np.int64 if x.dtype.kind in "iu" and dtype != "u64" else x.dtype
    for offset in (0, 1, -2, 4):
        want = np.trace(x, offset, -2, -1, dtype=wide)
        ref.case("trace", [x, str(offset)], [want], tolerance, tolerance)
    x1, x2 = ref.array((2, 3), dtype), ref.array((4, 1, 3), dtype)
    ref.case("cross", [x1, x2], [np.cross(x1, x2)], tolerance, tolerance)
    x1, x2 = ref.array((3, 2), dtype), ref.array((3, 2), dtype)
    ref.case("cross", [x1, x2, "axis=-2"], [np.cross(x1, x2, axis=0)], tolerance, tolerance)
ref.write()
