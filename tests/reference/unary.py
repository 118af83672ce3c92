#!/usr/bin/env python3
"""Writes tests/data/reference/unary.txt; see reference.py."""

import numpy as np
from reference import Reference, unary
from scipy import special

ref = Reference("unary", "NumPy 1.24 and SciPy 1.10")
INTEGERS = " i8 i16 i32 i64 u8 u16 u32 u64"
for op in ("neg", "positive", "abs"):
    function = {"neg": np.negative, "positive": np.positive, "abs": np.abs}[op]
    unary(ref, op, function, "f16 f32 f64" + INTEGERS)
    unary(ref, op, function, "c64 c128", 1e-13)
unary(ref, "relu", lambda x: np.maximum(x, 0).astype(x.dtype), "f16 f32 f64" + INTEGERS)
for op in ("exp", "tanh"):
    unary(ref, op, getattr(np, op), "f16 f32 f64 i32 c64 c128", 1e-13)
for op in ("log", "sqrt"):
    unary(ref, op, getattr(np, op), "f16 f32 f64 u8", 1e-13, low=1)
    unary(ref, op, getattr(np, op), "c64 c128", 1e-13)
unary(ref, "sigmoid", special.expit, "f32 f64 i32", 1e-13)
wide = np.array([-700, -80, -20, -1e-5, 1e-5, 20, 80, 700])
for x in (wide, wide.astype(np.float32)):
    rtol = 1e-14 if x.dtype == np.float64 else 4e-7
    with np.errstate(all="ignore"):
        ref.case("exp", [x], [np.exp(x.astype(np.float64)).astype(x.dtype)], rtol, 1e-44)
        ref.case("log", [abs(x)], [np.log(abs(x))], rtol)
        ref.case("tanh", [x], [np.tanh(x)], rtol)
        ref.case("sigmoid", [x], [special.expit(x.astype(np.float64)).astype(x.dtype)], rtol, 1e-44)
ref.write()
