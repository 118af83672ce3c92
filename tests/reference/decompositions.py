"""Reference values for matrix factorisations, by NumPy.

Eigenvectors and singular vectors are unique up to a factor, so that values alone are compared here;
the vectors are judged by the products they must give (ops/samples/decompositions.c).
"""

import numpy as np

from reference import Reference

ref = Reference("decompositions", "NumPy")
WIDE = {"f32": np.float64, "f64": np.float64, "c64": np.complex128, "c128": np.complex128}
REAL = {"f32": np.float32, "f64": np.float64, "c64": np.float32, "c128": np.float64}
COMPLEX = {"f32": np.complex64, "f64": np.complex128, "c64": np.complex64, "c128": np.complex128}


def case(op, args, expected, dtype):
    unit = 1e-5 if REAL[dtype] is np.float32 else 1e-12
    largest = max([1.0] + [float(np.abs(e).max()) for e in expected if e.size])
    ref.case(op, args, expected, rtol=unit, atol=unit * largest)


for dtype in WIDE:
    for shape in ((3, 3), (4, 2), (2, 4), (2, 3, 3), (1, 1), (0, 3)):
        x = ref.array(shape, dtype)
        s = np.linalg.svd(x.astype(WIDE[dtype]), compute_uv=False)
        case("svdvals", [x], [s.astype(REAL[dtype])], dtype)
        # The signs are those of Householder's reflections, which LAPACK states.
        for mode in ("reduced", "complete"):
            q, r = np.linalg.qr(x.astype(WIDE[dtype]), mode)
            case("qr", [x, f"mode='{mode}'"], [q.astype(x.dtype), r.astype(x.dtype)], dtype)
    for upper in (False, True):
        for shape in ((3, 3), (2, 4, 4), (1, 1), (0, 0)):
            x = ref.array(shape, dtype)
            w = np.linalg.eigvalsh(x.astype(WIDE[dtype]), "U" if upper else "L")
            case("eigvalsh", [x, f"upper={upper}"], [w.astype(REAL[dtype])], dtype)
    # In no order; but those of a triangular matrix come as they stand on the diagonal.
    x = np.triu(ref.array((4, 4), dtype))
    case("eigvals", [x], [np.linalg.eigvals(x.astype(WIDE[dtype])).astype(COMPLEX[dtype])], dtype)
    x = np.array([[1, -2], [3, 0.5]]).astype(x.dtype)  # a conjugate pair
    if x.dtype.kind == "f":
        case("eigvals", [x], [np.linalg.eigvals(x.astype(WIDE[dtype])).astype(COMPLEX[dtype])], dtype)
    # What is unique of the vectors: that there are so many of them.
    empty = np.empty((2, 0, 0), x.dtype)
    w, v = np.linalg.eigh(empty)
    case("eigh", [empty], [w, v], dtype)
    case("eig", [empty], [w.astype(COMPLEX[dtype]), v.astype(COMPLEX[dtype])], dtype)
    case("svd", [empty], list(np.linalg.svd(empty)), dtype)
    case("svd", [np.empty((0, 2), x.dtype), "full_matrices=False"],
         [np.empty((0, 0), x.dtype), np.empty(0, REAL[dtype]), np.empty((0, 2), x.dtype)], dtype)
    b = ref.array((2, 3, 3), dtype).astype(WIDE[dtype])
    spd = (b @ b.conj().swapaxes(-1, -2) + 3 * np.eye(3)).astype(x.dtype)
    l = np.linalg.cholesky(spd.astype(WIDE[dtype])).astype(x.dtype)
    case("cholesky", [spd], [l], dtype)
    case("cholesky", [spd, "upper=True"], [l.conj().swapaxes(-1, -2)], dtype)
ref.write()
