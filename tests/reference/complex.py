#!/usr/bin/env python3
"""Writes tests/data/reference/complex.txt; see reference.py."""

import numpy as np
from reference import Reference, unary

ref = Reference("complex", "NumPy 1.24")
for op in ("conj", "real", "imag"):
    unary(ref, op, lambda x: np.asarray(getattr(np, op)(x)), "c64 c128 f16 f32 f64 i8 i32 i64 u8 u64")
unary(ref, "angle", np.angle, "c64 c128 f32 f64 i32", 1e-13)
ref.write()
