#!/usr/bin/env python3
"""Writes tests/data/reference/rounding.txt; see reference.py."""

import numpy as np
from reference import BF16, Reference, binary, unary

ref = Reference("rounding", "NumPy 1.24")
halves = np.array([-2.5, -1.5, -0.5, -0.0, 0.5, 1.5, 2.5, np.nan, np.inf, -np.inf])
for op, function in (("floor", np.floor), ("ceil", np.ceil), ("round", np.round), ("trunc", np.trunc),
                     ("sign", np.sign)):
    unary(ref, op, function, "f16 f32 f64")
    for dtype in (np.float16, np.float32, np.float64):
        ref.case(op, [halves.astype(dtype)], [function(halves.astype(dtype))])
    ref.case(op, [BF16(halves)], [BF16(function(halves))])
    for dtype in "i8 i16 i32 i64 u8 u16 u32 u64".split():
        x = ref.array((5,), dtype)
        ref.case(op, [x], [np.sign(x) if op == "sign" else x])
unary(ref, "round", np.round, "c64 c128")
unary(ref, "sign", lambda z: z / abs(z), "c64 c128", 1e-13)
binary(ref, "copysign", np.copysign, "f16 f32 f64")
binary(ref, "nextafter", np.nextafter, "f16 f32 f64")
# Without -0: of two equal numbers NumPy's float16 gives the first, C and the Array API the second.
edges = np.array([0, 1, -1, 2, 65504, np.inf, -np.inf, np.nan, 6e-8, 6.1e-5], np.float16)
for op in ("copysign", "nextafter"):
    a, b = np.meshgrid(edges, edges)
    with np.errstate(all="ignore"):
        ref.case(op, [a, b], [getattr(np, op)(a, b)])
ref.write()
