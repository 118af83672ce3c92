"""Reference values for linear systems, inverses and determinants, by NumPy and SciPy."""

import numpy as np
import scipy.linalg

from reference import Reference

ref = Reference("solve", "NumPy and SciPy")
WIDE = {"f32": np.float64, "f64": np.float64, "c64": np.complex128, "c128": np.complex128}
REAL = {"f32": np.float32, "f64": np.float64, "c64": np.float32, "c128": np.float64}


def case(op, args, expected, dtype):
    """The largest element of a result sets the scale of what rounding may do to the others."""
    unit = 1e-5 if REAL[dtype] is np.float32 else 1e-12
    largest = max([1.0] + [float(np.abs(e).max()) for e in map(np.asarray, expected) if e.size])
    ref.case(op, args, expected, rtol=unit, atol=unit * largest)


def matrices(shape, dtype):
    """Square ones that are far from singular, and not symmetric."""
    x = ref.array(shape, dtype)
    return (x + 4 * np.eye(shape[-1])).astype(x.dtype)


def wide(x, dtype):
    return x.astype(WIDE[dtype])


for dtype in WIDE:
    # An x2 of one axis is a vector; any other is a stack of matrices, which broadcasts.
    for a_shape, b_shape in (((3, 3), (3,)), ((4, 4), (4, 2)), ((2, 3, 3), (3,)), ((2, 2, 2), (2, 1)),
                             ((2, 2), (3, 2, 2)), ((0, 0), (0, 2)), ((1, 1), (1, 3))):
        a, b = matrices(a_shape, dtype), ref.array(b_shape, dtype)
        y = wide(b[:, None] if b.ndim == 1 else b, dtype)
        leading = np.broadcast_shapes(a.shape[:-2], y.shape[:-2])
        y = np.linalg.solve(wide(a, dtype), np.broadcast_to(y, leading + y.shape[-2:]))
        case("solve", [a, b], [(y[..., 0] if b.ndim == 1 else y).astype(a.dtype)], dtype)
    for shape in ((1, 1), (3, 3), (2, 4, 4), (0, 2, 2), (0, 0)):
        x = matrices(shape, dtype)
        case("inv", [x], [np.linalg.inv(wide(x, dtype)).astype(x.dtype)], dtype)
        case("det", [x], [np.linalg.det(wide(x, dtype)).astype(x.dtype)], dtype)
        sign, log = np.linalg.slogdet(wide(x, dtype))
        case("slogdet", [x], [sign.astype(x.dtype), log.astype(REAL[dtype])], dtype)
    for shape in ((3, 3), (2, 4), (4, 2)):
        x = ref.array(shape, dtype)
        p, l, u = scipy.linalg.lu(wide(x, dtype))
        case("lu", [x], [m.astype(x.dtype) for m in (p, l, u)], dtype)
    a, b = matrices((3, 3), dtype), ref.array((3, 2), dtype)
    lu, pivots = scipy.linalg.lu_factor(wide(a, dtype))
    lu = lu.astype(a.dtype)
    case("lu_factor", [a], [lu, pivots.astype(np.int64)], dtype)
    for transpose in (False, True):
        y = scipy.linalg.lu_solve((wide(lu, dtype), pivots), wide(b, dtype), trans=int(transpose))
        case("lu_solve", [lu, pivots.astype(np.int64), b, f"transpose={transpose}"],
             [y.astype(a.dtype)], dtype)
    for upper in (False, True):
        for transpose in (False, True):
            for unit in (False, True):
                y = scipy.linalg.solve_triangular(wide(a, dtype), wide(b, dtype), lower=not upper,
                                                  trans=int(transpose), unit_diagonal=unit)
                case("triangular_solve", [a, b, f"upper={upper}", f"transpose={transpose}",
                                          f"unit_diagonal={unit}"], [y.astype(a.dtype)], dtype)
        factor = (np.triu if upper else np.tril)(a)
        np.fill_diagonal(factor, factor.diagonal().real)
        y = scipy.linalg.cho_solve((wide(factor, dtype), not upper), wide(b, dtype))
        case("cholesky_solve", [factor, b, f"upper={upper}"], [y.astype(a.dtype)], dtype)
    for a_shape, b_shape in (((4, 2), (4, 3)), ((2, 4), (2, 1)), ((5, 3), (5,)), ((3, 1), (3,))):
        a, b = ref.array(a_shape, dtype), ref.array(b_shape, dtype)
        y, _, rank, s = np.linalg.lstsq(wide(a, dtype), wide(b, dtype), rcond=None)
        off = np.sum(np.abs(wide(a, dtype) @ y - wide(b, dtype)) ** 2, axis=0)
        case("lstsq", [a, b], [y.astype(a.dtype), np.asarray(off).astype(REAL[dtype]),
                               np.int64(rank), s.astype(REAL[dtype])], dtype)
a, b = np.array([[1, 2], [2, 4], [3, 6.0]]), np.array([1, 0, 2.0])  # of rank 1
y, _, rank, s = np.linalg.lstsq(a, b, rcond=1e-6)
case("lstsq", [a, b, "rtol=1e-6"], [y, np.sum((a @ y - b) ** 2), np.int64(rank), s], "f64")
# Two dtypes
a, b = matrices((2, 2), "f32"), ref.array((2, 2), "c128")
case("solve", [a, b], [np.linalg.solve(a.astype(np.complex128), b)], "c128")
ref.write()
