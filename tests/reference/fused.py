#!/usr/bin/env python3
"""Writes tests/data/reference/fused.txt; see reference.py."""

import numpy as np
from reference import DTYPES, Reference

ref = Reference("fused", "NumPy 1.24")
for dtype, rtol in (("f32", 2e-6), ("f64", 1e-13), ("c64", 4e-6), ("c128", 1e-13)):
    a, b, c = (ref.array(shape, dtype) for shape in ((2, 3), (3,), (2, 1)))
    w = ref.array((2, 3), dtype.replace("c64", "f32").replace("c128", "f64"), 0, 1)
    ref.case("lerp", [a, b, w], [a + w * (b - a)], rtol, rtol)
    ref.case("lerp.scalar", [a, b, 0.75], [a + DTYPES[dtype].type(0.75) * (b - a)], rtol, rtol)
    c += np.sign(c.real)
    ref.case("addcmul", [a, b, c], [a + b * c], rtol, rtol)
    ref.case("addcmul", [a, b, c, "value=-0.5"], [a + DTYPES[dtype].type(-0.5) * b * c], rtol, rtol)
    ref.case("addcdiv", [a, b, c], [a + b / c], rtol, rtol)
    ref.case("addcdiv", [a, b, c, "value=-0.5"], [a + DTYPES[dtype].type(-0.5) * b / c], rtol, rtol)
for dtype in "i8 i16 i32 i64 u8 u16 u32 u64".split():
    a, b, c = (ref.array(shape, dtype) for shape in ((2, 3), (3,), (2, 1)))
    ref.case("addcmul", [a, b, c, 3], [(a + b * c * a.dtype.type(3)).astype(a.dtype)])
ref.write()
