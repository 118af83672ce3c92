"""Reference values for tensors of given numbers, by NumPy."""

import numpy as np

from reference import DTYPES, Reference

ref = Reference("creation", "NumPy")
NAMES = {short: d.name for short, d in DTYPES.items()}

for shape, dtype in (((2, 3), "f32"), ((), "i8"), ((0, 2), "c64"), ((2,), "b8")):
    words = [f"({','.join(map(str, shape))})"]
    to = [f"dtype={NAMES[dtype]}"]
    ref.case("zeros", words + to, [np.zeros(shape, DTYPES[dtype])])
    ref.case("ones", words + to, [np.ones(shape, DTYPES[dtype])])
    ref.case("full", words + ["3"] + to, [np.full(shape, 3, DTYPES[dtype])])
    x = ref.array(shape, dtype)
    ref.case("zeros_like", [x], [np.zeros_like(x)])
    ref.case("ones_like", [x], [np.ones_like(x)])
    ref.case("full_like", [x, "2"], [np.full_like(x, 2)])
    ref.case("full_like", [x, "-1.5", "float64"], [np.full_like(x, -1.5, np.float64)])
for start, stop, step, dtype in ((0, 7, 2, "i64"), (5, -4, -3, "i16"), (0.5, 3.25, 0.5, "f64"), (3, 3, 1, "f32")):
    ref.case("arange", [str(start), str(stop), str(step), f"dtype={NAMES[dtype]}"],
             [np.arange(start, stop, step, DTYPES[dtype])])
for start, stop, num, dtype in ((0, 1, 7, "f64"), (2.5, -3, 10, "f32"), (1, 4, 1, "f64"), (0, 5, 0, "f32"),
                                (0.1, 0.7, 4, "f16"), (1 + 2j, -1j, 5, "c128")):
    for endpoint in (True, False):
        words = [str(v).strip("()") for v in (start, stop)] + [str(num), str(endpoint), f"dtype={NAMES[dtype]}"]
        y = np.linspace(start, stop, num, endpoint)
        ref.case("linspace", words, [y.astype(DTYPES[dtype])], rtol=0 if dtype == "f16" else 1e-6 if dtype == "f32" else 4e-16,
                 atol=0 if dtype == "f16" else 4e-16)
for start, stop, num, base, dtype in ((0, 3, 5, 10.0, "f64"), (-2, 2.5, 6, 2.0, "f32"), (1, 0, 3, 0.5, "f64")):
    for endpoint in (True, False):
        words = [str(start), str(stop), str(num), str(endpoint), f"base={base}", f"dtype={NAMES[dtype]}"]
        ref.case("logspace", words, [np.logspace(start, stop, num, endpoint, base).astype(DTYPES[dtype])],
                 rtol=1e-6 if dtype == "f32" else 1e-14)
for rows, columns, k, dtype in ((3, None, 0, "f32"), (2, 4, 1, "i32"), (4, 2, -2, "c64"), (3, 3, 5, "b8"), (0, 2, 0, "f64")):
    words = [str(rows)] + ([] if columns is None else [str(columns)]) + [f"k={k}", f"dtype={NAMES[dtype]}"]
    ref.case("eye", words, [np.eye(rows, columns, k, DTYPES[dtype])])
for rows, columns, k in ((3, 3, 0), (2, 5, 1), (5, 2, -1), (4, 3, -6), (3, 4, 9), (0, 2, 0), (6, 4, 2)):
    words = [str(rows), str(columns), str(k)]
    ref.case("tril_indices", words, [np.array(np.tril_indices(rows, k, columns), np.int64)])
    ref.case("triu_indices", words, [np.array(np.triu_indices(rows, k, columns), np.int64)])
ref.write()
