#!/usr/bin/env python3
"""Writes tests/data/reference/statistics.txt; see reference.py. (A script named statistics.py would
hide Python's own module from NumPy.)"""

import numpy as np
from reference import Reference

ref = Reference("statistics", "NumPy 1.24")
for dtype, rtol in (("f32", 2e-6), ("f64", 1e-14)):
    x = ref.array((3, 4, 5), dtype)
    ref.case("var", [x], [x.var()], rtol)
    ref.case("var", [x, "axis=(0,2)", "correction=1"], [x.var((0, 2), ddof=1)], rtol)
    ref.case("std", [x, "axis=(1,)", "keepdims=True"], [x.std(1, keepdims=True)], rtol)
    ref.case("std", [x, "correction=1.5"], [x.std(ddof=1.5)], rtol)
    ref.case("median", [x], [np.median(x)], rtol)
    ref.case("median", [x, "axis=(0,2)"], [np.median(x, (0, 2))], rtol)
    ref.case("median", [x, "axis=(1,)", "keepdims=True"], [np.median(x, 1, keepdims=True)], rtol)
    for method in ("linear", "lower", "higher", "midpoint", "nearest"):
        for q in (0.0, 0.1, 0.5, 0.77, 1.0):
            ref.case("quantile", [x, repr(q), "axis=(0,)", f"method='{method}'"],
                     [np.quantile(x, q, 0, method=method).astype(x.dtype)], rtol, rtol)
    qs = np.array([[0.2, 0.4], [0.6, 0.9]])
    ref.case("quantile.tensor", [x, qs, "axis=(1,)", "keepdims=True"],
             [np.quantile(x, qs, 1, keepdims=True).astype(x.dtype)], rtol, rtol)
for dtype in ("i16", "u8", "i64"):
    x = ref.array((3, 4), dtype)
    ref.case("median", [x, "axis=(0,)"], [np.median(x, 0).astype(np.float32)], 1e-6)
    ref.case("quantile", [x, "0.3"], [np.quantile(x, 0.3).astype(np.float32)], 1e-6)
ref.write()
