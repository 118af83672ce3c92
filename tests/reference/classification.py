#!/usr/bin/env python3
"""Writes tests/data/reference/classification.txt; see reference.py."""

import numpy as np
from reference import BF16, Reference

ref = Reference("classification", "NumPy 1.24")
kinds = np.array([0, -0.0, 1.5, -1.5, np.nan, np.inf, -np.inf, 1e-7])
parts = np.array([complex(a, b) for a in kinds for b in kinds[3:7]])
for op in ("isnan", "isinf", "isfinite", "signbit"):
    function = getattr(np, op)
    for dtype in (np.float16, np.float32, np.float64):
        ref.case(op, [kinds.astype(dtype)], [function(kinds.astype(dtype))])
    ref.case(op, [BF16(kinds)], [function(kinds)])
    for dtype in "i8 i16 i32 i64 u8 u16 u32 u64".split():
        x = ref.array((5,), dtype)
        ref.case(op, [x], [x < 0 if op == "signbit" else function(x)])
    if op != "signbit":
        ref.case(op, [parts.astype(np.complex64)], [function(parts)])
        ref.case(op, [parts], [function(parts)])
        ref.case(op, [np.array([True, False])], [function(np.array([True, False]))])
ref.write()
