"""Reference values for the Fourier transforms, by NumPy."""

import numpy as np

from reference import BF16, Reference

ref = Reference("fourier", "NumPy")
DTYPES = {"f32": (np.complex64, np.float32, 1e-6), "c64": (np.complex64, np.float32, 1e-6),
          "i32": (np.complex64, np.float32, 1e-6), "f16": (np.complex64, np.float32, 1e-6),
          "bf16": (np.complex64, np.float32, 1e-6), "f64": (np.complex128, np.float64, 1e-14),
          "c128": (np.complex128, np.float64, 1e-14)}


def case(op, shape, dtype, **options):
    x = BF16(ref.array(shape)) if dtype == "bf16" else ref.array(shape, dtype)
    values = x.values if dtype == "bf16" else x
    y = getattr(np.fft, op)(values.astype(np.complex128 if dtype[0] == "c" else np.float64),
                            **options)
    wide, real, tolerance = DTYPES[dtype]
    y = y.astype(wide if np.iscomplexobj(y) else real)
    words = [f"{k}={v!r}".replace(" ", "").replace(",)", ")") for k, v in options.items()]
    # Elements that cancel are as exact as the largest one.
    ref.case(op, [x] + words, [y], rtol=tolerance, atol=tolerance * float(abs(y).max()))


for op in ("fft", "ifft"):
    for n, dtype in ((1, "f32"), (6, "c64"), (13, "f64"), (16, "c128"), (35, "c64"), (47, "c128")):
        case(op, (n,), dtype)
    case(op, (3, 5), "c64", axis=0)
    case(op, (3, 5), "f64", n=8, norm="ortho")
    case(op, (2, 9), "c128", n=4, norm="forward")
    for dtype in ("i32", "f16", "bf16"):
        case(op, (7,), dtype)
for op, dtype, wide in (("rfft", "f32", "f64"), ("ihfft", "f32", "f64"), ("irfft", "c64", "c128"),
                        ("hfft", "c64", "c128")):
    for n in (2, 5, 9, 19):
        case(op, (n,), dtype)
        case(op, (n,), wide, n=n)
    case(op, (3, 5), dtype, axis=0, norm="ortho")
    case(op, (3, 5), wide, n=7, norm="forward")
    for half in ("f16", "bf16"):
        case(op, (6,), half)
for op, dtype, wide in (("fftn", "c64", "c128"), ("ifftn", "c64", "f64"), ("rfftn", "f32", "f64"),
                        ("irfftn", "c64", "c128")):
    case(op, (3, 4), dtype)
    case(op, (2, 3, 4), wide, axes=(0, 2))
    case(op, (2, 3, 4), dtype, axes=(-1, 0), norm="ortho")
    case(op, (3, 4), wide, s=(4, 3), axes=(1, 0), norm="forward")
    two = op[:-1] + "2"
    case(two, (2, 3, 4), dtype)
    case(two, (3, 4), wide, s=(5, 2), norm="ortho")
    for half in ("f16", "bf16"):
        case(op, (2, 3), half)
for op in ("fftfreq", "rfftfreq"):
    for n, d in ((1, 1.0), (6, 0.5), (7, 0.1)):
        ref.case(op, [str(n), str(d), "dtype=float64"], [getattr(np.fft, op)(n, d)], rtol=4e-16)
for op in ("fftshift", "ifftshift"):
    for shape, dtype, axes in (((5,), "f32", None), ((2, 3, 3), "i32", None), ((4, 3), "c128", (1,))):
        x = ref.array(shape, dtype)
        words = [] if axes is None else ["axes=(1)"]
        ref.case(op, [x] + words, [getattr(np.fft, op)(x, axes)])
ref.write()
