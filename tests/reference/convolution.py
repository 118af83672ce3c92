"""Reference values for convolutions, by PyTorch."""

import numpy as np
import torch
import torch.nn.functional as F

from reference import BF16, Reference

ref = Reference("convolution", "PyTorch")
# Sums of up to 20 terms of a few units; 16-bit results are rounded once.
TOLERANCE = {"f32": (2e-6, 4e-6), "f64": (1e-14, 1e-14), "c64": (4e-6, 1e-5), "c128": (1e-14, 2e-14),
             "f16": (1e-3, 1e-5), "bf16": (8e-3, 1e-5)}


def words(options):
    return [f"{k}={v!r}".replace(" ", "").replace(",)", ")") for k, v in options.items()]


def convolve(call, x, weight, bias=None, **options):
    """Of complex numbers, which not every one of PyTorch's takes, by their parts."""
    real = lambda v, w: call(torch.from_numpy(v.copy()), torch.from_numpy(w.copy()),
                             **options).numpy()
    if not np.iscomplexobj(x):
        y = real(x, weight)
    else:
        y = real(x.real, weight.real) - real(x.imag, weight.imag) + \
            1j * (real(x.real, weight.imag) + real(x.imag, weight.real))
    return y if bias is None else y + bias.reshape((-1,) + (1,) * (weight.ndim - 2))


def case(op, shapes, dtype, **options):
    """All is computed in float64 from the values as they are in their dtype."""
    arrays = [ref.array(s, "f32" if dtype == "bf16" else dtype) for s in shapes]
    if dtype == "bf16":
        arrays = [BF16(a) for a in arrays]
    wide = [np.asarray(a.values if dtype == "bf16" else a) for a in arrays]
    wide = [a.astype(np.complex128 if np.iscomplexobj(a) else np.float64) for a in wide]
    y = convolve(getattr(F, op.split(".")[0]), *wide, **options)
    y = BF16(y.astype(np.float32)) if dtype == "bf16" else y.astype(arrays[0].dtype)
    ref.case(op, arrays + words(options), [y], *TOLERANCE[dtype])


for dtype in ("f32", "f64", "c64", "c128", "f16", "bf16"):
    case("conv1d", [(2, 3, 6), (4, 3, 3), (4,)], dtype)
    case("conv1d", [(4, 7), (2, 2, 2)], dtype, stride=2, padding=1, dilation=3, groups=2)
    case("conv2d", [(2, 5, 4), (3, 2, 3, 2), (3,)], dtype, stride=(2, 1), padding=(1, 0))
    case("conv2d", [(2, 4, 3, 3), (4, 1, 2, 2)], dtype, padding=1, dilation=(1, 2), groups=4)
    case("conv3d", [(2, 3, 3, 2), (2, 2, 2, 1, 2), (2,)], dtype, padding=(0, 0, 1), stride=2)
    case("conv_transpose1d", [(2, 3, 4), (3, 2, 3), (2,)], dtype, stride=2)
    case("conv_transpose1d", [(4, 4), (4, 2, 2)], dtype, stride=3, padding=1, output_padding=2,
         groups=2, dilation=2)
    case("conv_transpose2d", [(2, 3, 2), (2, 3, 3, 2), (3,)], dtype, stride=(2, 1), padding=(1, 0),
         output_padding=(1, 0))
    case("conv_transpose2d", [(2, 2, 2, 2), (2, 1, 2, 2)], dtype, groups=2, dilation=(2, 1))
    case("conv_transpose3d", [(1, 2, 1, 3), (1, 2, 2, 1, 2), (2,)], dtype, stride=(1, 1, 2),
         output_padding=(0, 0, 1))
for dtype in ("f32", "f64", "c64"):
    case("conv1d.padding", [(2, 6), (3, 2, 4), (3,)], dtype, padding="same")
    case("conv1d.padding", [(2, 7), (2, 1, 2)], dtype, padding="same", dilation=3, groups=2)
    case("conv2d.padding", [(1, 1, 4, 3), (2, 1, 2, 3)], dtype, padding="same", dilation=(1, 2))
    case("conv2d.padding", [(2, 5, 4), (1, 2, 3, 2)], dtype, padding="valid", stride=2)
    case("conv3d.padding", [(1, 2, 3, 3), (1, 1, 2, 3, 2)], dtype, padding="same")
# A single window over one element, a window as large as all, a batch without elements.
for op, shapes in (("conv2d", [(1, 1, 1), (2, 1, 1, 1), (2,)]), ("conv1d", [(2, 5), (1, 2, 5)]),
                   ("conv_transpose2d", [(0, 2, 2, 2), (2, 1, 2, 2)])):
    case(op, shapes, "f32")
ref.write()
