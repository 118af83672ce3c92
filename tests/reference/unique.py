#!/usr/bin/env python3
"""Writes tests/data/reference/unique.txt; see reference.py."""

import numpy as np
from reference import Reference

ref = Reference("unique", "NumPy 1.24")
for dtype in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "b8"):
    x = ref.array((3, 5), dtype) if dtype[0] != "f" else ref.array((3, 5), "i8").astype("f" + str(int(dtype[1:]) // 8))
    values, index, inverse, counts = np.unique(x, True, True, True)
    inverse = inverse.reshape(x.shape)
    ref.case("unique_values", [x], [values])
    ref.case("unique_counts", [x], [values, counts])
    ref.case("unique_inverse", [x], [values, inverse])
    ref.case("unique_all", [x], [values, index, inverse, counts])
ref.write()
