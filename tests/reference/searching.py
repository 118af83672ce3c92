#!/usr/bin/env python3
"""Writes tests/data/reference/searching.txt; see reference.py."""

import numpy as np
from reference import Reference

ref = Reference("searching", "NumPy 1.24")
for dtype in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"):
    x, y = np.sort(ref.array((9,), dtype)), ref.array((3, 4), dtype)
    unsorted = ref.array((9,), dtype)
    order = unsorted.argsort(kind="stable")
    for side in ("left", "right"):
        ref.case("searchsorted", [x, y, f"'{side}'"], [np.searchsorted(x, y, side)])
        ref.case("searchsorted", [unsorted, y, f"'{side}'", order],
                 [np.searchsorted(unsorted, y, side, order)])
    ref.case("bucketize", [y, x], [np.searchsorted(x, y)])
    ref.case("bucketize", [y, x, "True"], [np.searchsorted(x, y, "right")])
    ref.case("isin", [y, x], [np.isin(y, x)])
    ref.case("isin", [y, x, "True"], [np.isin(y, x, invert=True)])
ref.write()
