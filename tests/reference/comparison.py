#!/usr/bin/env python3
"""Writes tests/data/reference/comparison.txt; see reference.py."""

import numpy as np
from reference import BF16, Reference, binary

ref = Reference("comparison", "NumPy 1.24")
NAMES = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
         "ge": np.greater_equal}
values = np.array([0, -0.0, 1, -1.5, np.inf, -np.inf, np.nan])
for op, function in NAMES.items():
    binary(ref, op, function, "i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64", number=1.25)
    ref.case(op, [values[:, None], values], [function(values[:, None], values)])
    ref.case(op, [BF16(values[:, None]), BF16(values)], [function(values[:, None], values)])
    if op in ("eq", "ne"):
        z = np.array([1 + 2j, 1 - 2j, complex(np.nan, 0), 0, complex(0, np.inf)])
        for dtype in (np.complex64, np.complex128):
            a = z.astype(dtype)
            ref.case(op, [a[:, None], a], [function(a[:, None], a)])
a = np.array([1, 1, 0, 0, np.inf, np.inf, np.nan, 1e10, -3])
b = np.array([1 + 1e-6, 1.1, 1e-9, 1e-7, np.inf, -np.inf, np.nan, 1.00001e10, -3.00001])
for args in ({}, {"rtol": 0.2}, {"atol": 0.5, "rtol": 0.0}, {"equal_nan": True}):
    ref.case("isclose", [a, b] + [f"{k}={v}" for k, v in args.items()], [np.isclose(a, b, **args)])
    c, d = a[~np.isinf(a)] + 1j, b[~np.isinf(a)] + 1j  # NumPy multiplies complex infinities to NaN
    ref.case("isclose", [c, d] + [f"{k}={v}" for k, v in args.items()], [np.isclose(c, d, **args)])
ref.write()
