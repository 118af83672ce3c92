#!/usr/bin/env python3
"""Writes tests/data/reference/scans.txt; see reference.py."""

import numpy as np
from reference import Reference

ref = Reference("scans", "NumPy 1.24")
for dtype in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "b8"):
    x = ref.array((3, 4), dtype)
    wide = np.uint64 if dtype == "u64" else np.int64
    ref.case("cumsum", [x, "1"], [x.cumsum(1, dtype=wide)])
    ref.case("cumprod", [x, "0"], [x.cumprod(0, dtype=wide)])
    ref.case("cumsum.dtype", [x, "-2", "int16"], [x.cumsum(0, dtype=np.int16)])
    ref.case("cumprod.dtype", [x, "1", "float64"], [x.cumprod(1, dtype=np.float64)])
    if dtype != "b8":
        ref.case("diff", [x], [np.diff(x)])
for dtype, rtol in (("f32", 1e-6), ("f64", 1e-14), ("c64", 1e-6), ("c128", 1e-14)):
    x, y = ref.array((3, 4), dtype), ref.array((3, 1), dtype)
    ref.case("cumsum", [x, "0"], [x.cumsum(0)], rtol, rtol)
    ref.case("cumprod", [x, "-1"], [x.cumprod(-1)], rtol, rtol)
    ref.case("diff", [x, "axis=0", "n=2"], [np.diff(x, 2, 0)], rtol, rtol)
    ref.case("diff", [x, "prepend=" + ref.text(y), "append=" + ref.text(y)],
             [np.diff(x, prepend=y, append=y)], rtol, rtol)
ref.write()
