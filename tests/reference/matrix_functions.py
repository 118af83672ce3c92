"""Reference values for functions of whole matrices, by NumPy and SciPy."""

import numpy as np
import scipy.linalg

from reference import Reference

ref = Reference("matrix_functions", "NumPy and SciPy")
WIDE = {"f32": np.float64, "f64": np.float64, "c64": np.complex128, "c128": np.complex128}
REAL = {"f32": np.float32, "f64": np.float64, "c64": np.float32, "c128": np.float64}


def case(op, args, expected, dtype):
    unit = 1e-5 if REAL[dtype] is np.float32 else 1e-12
    largest = max([1.0, float(np.abs(expected).max()) if np.size(expected) else 0])
    ref.case(op, args, [expected], rtol=unit, atol=unit * largest)


def of_rank(rank, rows, columns, dtype):
    x = ref.array((rows, rank), dtype) @ ref.array((rank, columns), dtype)
    return x.astype(REAL[dtype] if dtype[0] == "f" else x.dtype)


for dtype in WIDE:
    for shape in ((3, 3), (2, 3, 2), (2, 4), (0, 2)):
        x = ref.array(shape, dtype)
        y = x.astype(WIDE[dtype])
        for order in ("fro", "nuc"):
            for keepdims in (False, True):
                n = np.linalg.norm(y, order, axis=(-2, -1), keepdims=keepdims)
                case("matrix_norm", [x, f"ord='{order}'", f"keepdims={keepdims}"],
                     np.asarray(n).astype(REAL[dtype]), dtype)
        for order in (1, -1, 2, -2, np.inf, -np.inf):
            if x.size == 0:
                continue
            n = np.linalg.norm(y, order, axis=(-2, -1))
            case("matrix_norm.number", [x, f"ord={order}"], np.asarray(n).astype(REAL[dtype]), dtype)
        case("pinv", [x], np.linalg.pinv(y).astype(x.dtype), dtype)
        case("matrix_rank", [x], np.asarray(np.linalg.matrix_rank(y)).astype(np.int64)
             if x.size else np.int64(0), dtype)
    x = ref.array((3, 3), dtype)
    case("pinv", [x, "rtol=0.5"], np.linalg.pinv(x.astype(WIDE[dtype]), 0.5).astype(x.dtype), dtype)
    x, rtol = ref.array((2, 3, 2), dtype), np.array([0.9, 0.01], REAL[dtype])
    case("pinv.tensor", [x, rtol], np.linalg.pinv(x.astype(WIDE[dtype]), rtol).astype(x.dtype), dtype)
    s = np.linalg.svd(x.astype(WIDE[dtype]), compute_uv=False)
    case("matrix_rank.tensor", [x, rtol], (s > rtol[:, None] * s[:, :1]).sum(-1), dtype)
    case("matrix_rank", [of_rank(2, 4, 3, dtype)], np.int64(2), dtype)
    case("matrix_rank", [x, "rtol=0.9"], (s > 0.9 * s[:, :1]).sum(-1), dtype)
    x = ref.array((2, 3, 3), dtype)
    for n in (0, 1, 2, 5, -1, -3):
        y = np.linalg.matrix_power(x.astype(WIDE[dtype]) + (3 * np.eye(3) if n < 0 else 0), n)
        z = (x + 3 * np.eye(3)).astype(x.dtype) if n < 0 else x
        case("matrix_power", [z, n], y.astype(x.dtype), dtype)
    for scale in (0.01, 0.1, 0.5, 1, 4):  # a degree of the approximant each
        x = (scale * ref.array((3, 3), dtype)).astype(x.dtype)
        case("matrix_exp", [x], scipy.linalg.expm(x.astype(WIDE[dtype])).astype(x.dtype), dtype)
    x = ref.array((2, 2, 2), dtype)
    case("matrix_exp", [x], np.stack([scipy.linalg.expm(m.astype(WIDE[dtype])) for m in x])
         .astype(x.dtype), dtype)
ref.write()
