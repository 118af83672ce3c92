#!/usr/bin/env python3
"""Writes tests/data/reference/exponential.txt; see reference.py."""

import numpy as np
from reference import Reference, binary, unary
from scipy import special

ref = Reference("exponential", "NumPy 1.24 and SciPy 1.10")
FLOATS, COMPLEX = "f32 f64 f16 i32 u8", " c64 c128"
unary(ref, "expm1", np.expm1, "f32 f64 f16 i32" + COMPLEX, 1e-13)
unary(ref, "exp2", np.exp2, FLOATS + COMPLEX, 1e-13)
for op in ("log1p", "log2", "log10"):
    unary(ref, op, getattr(np, op), FLOATS, 1e-13, low=1)
    unary(ref, op, getattr(np, op), COMPLEX, 1e-13)
unary(ref, "square", np.square, "f32 f64 f16 i8 i16 i32 i64 u8 u16 u32 u64")
unary(ref, "square", np.square, COMPLEX, 1e-13)
unary(ref, "rsqrt", lambda x: x.dtype.type(1) / np.sqrt(x), FLOATS + COMPLEX, 1e-13, low=1)
unary(ref, "reciprocal", lambda x: x.dtype.type(1) / x, FLOATS + COMPLEX, 1e-13, low=1)
unary(ref, "cbrt", np.cbrt, "f32 f64 i32", 1e-13)
unary(ref, "erf", special.erf, "f32 f64 i32", 1e-13)
unary(ref, "erfc", special.erfc, "f32 f64", 1e-13)
binary(ref, "logaddexp", np.logaddexp, "f32 f64 f16 i32", 1e-13)
tiny = np.array([1e-300, -1e-18, 3e-9, 700, -745, 0.1])
ref.case("expm1", [tiny], [np.expm1(tiny)], 1e-14)
ref.case("log1p", [abs(tiny)], [np.log1p(abs(tiny))], 1e-14)
far = np.array([0.1, 3, 9, 25, -1, -6])
ref.case("erfc", [far], [special.erfc(far)], 1e-12)
ref.write()
