#!/usr/bin/env python3
"""Writes tests/data/reference/reductions.txt; see reference.py."""

import numpy as np
import scipy.special
from reference import Reference

ref = Reference("reductions", "NumPy 1.24, SciPy 1.10")
INTS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
SHAPE = (2, 3, 4)


def wide(x):
    return np.uint64 if x.dtype == np.uint64 else np.int64


for dtype in INTS:
    x = ref.array(SHAPE, dtype)
    ref.case("sum", [x], [x.sum(dtype=wide(x))])
    ref.case("prod", [x, "axis=(1,)"], [x.prod(1, dtype=wide(x))])
    ref.case("sum.dtype", [x, "float64", "axis=(0,2)"], [x.sum((0, 2), dtype=np.float64)])
    ref.case("prod.dtype", [x, "int32", "axis=(2,)"], [x.prod(2, dtype=np.int32)])
    ref.case("mean.dtype", [x, "float32"], [x.mean(dtype=np.float32)], 1e-6)
    ref.case("amax", [x, "axis=(0,)"], [x.max(0)])
    ref.case("amin", [x, "axis=(-1,)", "keepdims=True"], [x.min(-1, keepdims=True)])
    ref.case("argmax", [x, "axis=1"], [x.argmax(1)])
    ref.case("argmin", [x], [x.argmin()])
    ref.case("aminmax", [x, "axis=(1,)"], [x.min(1), x.max(1)])
    ref.case("all", [x, "axis=(2,)"], [x.all(2)])
    ref.case("any", [x, "axis=(0,1)"], [x.any((0, 1))])
    ref.case("count_nonzero", [x, "axis=(0,)"], [np.count_nonzero(x, axis=0)])
for dtype, rtol in (("f32", 1e-6), ("f64", 1e-14), ("c64", 1e-6), ("c128", 1e-14)):
    x = ref.array(SHAPE, dtype)
    ref.case("sum", [x, "axis=(0,2)"], [x.sum((0, 2))], rtol, rtol)
    ref.case("prod", [x, "axis=(1,)", "keepdims=True"], [x.prod(1, keepdims=True)], rtol, rtol)
    ref.case("mean", [x, "axis=(-1,)"], [x.mean(-1)], rtol, rtol)
    ref.case("mean", [x], [x.mean()], rtol, rtol)
    ref.case("count_nonzero", [x], [np.int64(np.count_nonzero(x))])
    ref.case("any", [x], [x.any()])
for dtype, rtol in (("f32", 1e-6), ("f64", 1e-14)):
    x = ref.array(SHAPE, dtype)
    y = x.copy()
    y[1, 2, 3] = np.nan
    for z in (x, y):
        ref.case("amax", [z, "axis=(0,)"], [z.max(0)])
        ref.case("amin", [z, "axis=(1,2)"], [z.min((1, 2))])
        ref.case("argmax", [z, "axis=2", "keepdims=True"], [z.argmax(2, keepdims=True)])
        ref.case("argmin", [z, "axis=0"], [z.argmin(0)])
        ref.case("max_with_indices", [z, "axis=1"], [z.max(1), z.argmax(1)])
        ref.case("min_with_indices", [z], [z.min(-1), z.argmin(-1)])
    ref.case("logsumexp", [x, "axis=(0,1)"], [scipy.special.logsumexp(x, (0, 1))], rtol, rtol)
    ref.case("logsumexp", [x * 500], [scipy.special.logsumexp(x * 500)], rtol)
    for order in (0, 1, 2, 3, 0.5, -1, np.inf, -np.inf):
        text = {np.inf: "inf", -np.inf: "-inf"}.get(order, repr(float(order)))
        ref.case("vector_norm", [x, "axis=(1,)", f"ord={text}"],
                 [np.linalg.norm(x, order, 1).astype(x.dtype)], 10 * rtol)
h = ref.array(SHAPE, "f16")
ref.case("sum", [h, "axis=(0,)"], [h.sum(0, dtype=np.float32).astype(np.float16)])
ref.case("mean", [h], [h.mean(dtype=np.float32).astype(np.float16)])
ref.case("amax", [h, "axis=(1,)"], [h.max(1)])
ref.write()
