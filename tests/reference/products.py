#!/usr/bin/env python3
"""Writes tests/data/reference/products.txt; see reference.py."""

import numpy as np
from reference import BF16, Reference

ref = Reference("products", "NumPy 1.24")
RTOL = {"f32": 1e-6, "f64": 1e-14, "c64": 1e-6, "c128": 1e-14}
SHAPES = (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((2, 1, 2, 3), (3, 3, 2)))
for dtype in ("f32", "f64", "c64", "c128", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"):
    tolerance = RTOL.get(dtype, 0)
    for a, b in SHAPES:
        x1, x2 = ref.array(a, dtype), ref.array(b, dtype)
        ref.case("matmul", [x1, x2], [x1 @ x2], tolerance, tolerance)
# Sizes that BLAS is called for, and integers that wrap.
for dtype in ("f32", "f64", "c64", "c128"):
    tolerance = 4 * RTOL[dtype]
    for a, b in (((3, 19), (19, 18)), ((19,), (19, 18)), ((18, 19), (19,)), ((19,), (19,))):
        x1, x2 = ref.array(a, dtype), ref.array(b, dtype)
        ref.case("matmul", [x1, x2], [x1 @ x2], tolerance, tolerance)
for dtype, high in (("i8", 127), ("u8", 255), ("i16", 32767), ("u16", 65535), ("u32", 2**31 - 1)):
    x1, x2 = ref.array((2, 5), dtype, 0, high), ref.array((5, 5), dtype, 0, high)
    ref.case("matmul", [x1, x2], [x1 @ x2])
# 16-bit floats: in float32, rounded once. NumPy would round each product, so it is given float32.
x1, x2 = ref.array((3, 7), "f16"), ref.array((7, 5), "f16")
wide = x1.astype(np.float32) @ x2.astype(np.float32)
ref.case("matmul", [x1, x2], [wide.astype(np.float16)], 1e-3, 1e-3)
x1, x2 = BF16(x1), BF16(x2)
ref.case("matmul", [x1, x2], [BF16(x1.values @ x2.values)], 8e-3, 8e-3)
# Mixed dtypes.
for a, b in (("i8", "u8"), ("u16", "i64"), ("i32", "f32"), ("f32", "f64"), ("f32", "c64"),
             ("f64", "c64")):
    x1, x2 = ref.array((2, 3), a), ref.array((3, 2), b)
    want = x1 @ x2
    ref.case("matmul", [x1, x2], [want.astype(np.float32) if a == "i32" else want], 1e-6, 1e-6)
ref.write()
