#!/usr/bin/env python3
"""Writes tests/data/reference/sorting.txt; see reference.py."""

import numpy as np
from reference import Reference

ref = Reference("sorting", "NumPy 1.24")
for dtype in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "b8"):
    x = ref.array((3, 8), dtype)
    order, down = x.argsort(1, kind="stable"), np.argsort(-x.astype("f8"), 0, kind="stable")
    ref.case("sort", [x, "1"], [np.sort(x, 1)])
    ref.case("argsort", [x], [order])
    ref.case("sort_with_indices", [x, "0", "True"], [np.take_along_axis(x, down, 0), down])
    top = np.argsort(-x.astype("f8"), 1, kind="stable")[:, :3]
    ref.case("topk", [x, "3"], [np.take_along_axis(x, top, 1), top])
    ref.case("kthvalue", [x, "4"], [np.sort(x, 1)[:, 3], order[:, 3]])
ref.write()
