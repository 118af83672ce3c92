#!/usr/bin/env python3
"""Writes tests/data/reference/logical.txt; see reference.py."""

import numpy as np
from reference import DTYPES, Reference

ref = Reference("logical", "NumPy 1.24")
for dtype in "b8 i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128".split():
    x = np.array([0, 1, 0, 3]).astype(DTYPES[dtype])
    if x.dtype.kind in "fc":
        x[3] = np.nan
    ref.case("logical_not", [x], [np.logical_not(x)])
    for op in ("logical_and", "logical_or", "logical_xor"):
        function = getattr(np, op)
        ref.case(op, [x[:, None], x], [function(x[:, None], x)])
        ref.case(op + ".scalar", [x, 2], [function(x, 2)])
        ref.case(op + ".rscalar", [0.5, x], [function(0.5, x)])
ref.write()
