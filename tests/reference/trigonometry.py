#!/usr/bin/env python3
"""Writes tests/data/reference/trigonometry.txt; see reference.py."""

import numpy as np
from reference import Reference, binary, unary

ref = Reference("trigonometry", "NumPy 1.24")
LOW_HIGH = {"arcsin": (-1, 1), "arccos": (-1, 1), "arctanh": (-0.9, 0.9), "arccosh": (1, 4)}
for function in "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh".split():
    op = function.replace("arc", "a")
    low, high = LOW_HIGH.get(function, (None, None))
    unary(ref, op, getattr(np, function), "f32 f64", 1e-13, low, high)
    unary(ref, op, getattr(np, function), "c64 c128", 1e-13)
    if low is None:
        unary(ref, op, getattr(np, function), "i32", 1e-13, -3, 4)
large = np.array([1e5, -1e10, 1e22, 123456.789])
for op in ("sin", "cos", "tan"):
    ref.case(op, [large], [getattr(np, op)(large)], 1e-13)
    ref.case(op, [large.astype(np.float32)], [getattr(np, op)(large.astype(np.float32))], 2e-6)
zeros = np.array([0.0, -0.0, 0.0, -0.0, 1, -1, np.inf, -np.inf])
ref.case("atan2", [zeros[:, None], zeros], [np.arctan2(zeros[:, None], zeros)], 1e-15)
binary(ref, "atan2", np.arctan2, "f32 f64 f16 i32", 1e-13)
binary(ref, "hypot", np.hypot, "f32 f64 f16 i32", 1e-13)
ref.write()
