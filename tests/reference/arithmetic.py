#!/usr/bin/env python3
"""Writes tests/data/reference/arithmetic.txt; see reference.py."""

import numpy as np
from reference import Reference

ref = Reference("arithmetic", "NumPy 1.24")
for dtype in ("u8", "i32", "i64", "f32", "f64"):
    a, b = ref.array((2, 3), dtype), ref.array((3,), dtype)
    ref.case("add", [a, b], [a + b])
    ref.case("sub", [a, b], [a - b])
    ref.case("mul", [a, b], [a * b])
    ref.case("maximum", [a, b], [np.maximum(a, b)])
ref.write()
