"""Reference values for pooling, by PyTorch."""

import numpy as np
import torch
import torch.nn.functional as F

from reference import BF16, Reference

ref = Reference("pooling", "PyTorch")


def words(options):
    return [f"{k}={v!r}".replace(" ", "").replace(",)", ")") for k, v in options.items()]


TOLERANCE = {"f32": 1e-6, "f64": 1e-14, "f16": 1e-3, "bf16": 8e-3}


def case(op, shape, dtype, **options):
    """16-bit floats are computed in float64 and rounded once."""
    half = dtype in ("f16", "bf16")
    x = BF16(ref.array(shape)) if dtype == "bf16" else ref.array(shape, dtype)
    given = np.asarray(x.values if dtype == "bf16" else x)
    y = getattr(F, op)(torch.from_numpy(given.astype(np.float64) if half else given), **options)
    ys = [v.numpy() for v in (y if isinstance(y, tuple) else (y,))]
    if half:
        ys[0] = BF16(ys[0].astype(np.float32)) if dtype == "bf16" else ys[0].astype(given.dtype)
    tolerance = TOLERANCE[dtype] if op.startswith("avg") else 0
    ref.case(op, [x] + words(options), ys, rtol=tolerance, atol=tolerance)


for dtype in ("f32", "f64"):
    case("avg_pool1d", (2, 7), dtype, kernel_size=3)
    case("avg_pool1d", (2, 2, 7), dtype, kernel_size=3, stride=2, padding=1, ceil_mode=True)
    case("avg_pool1d", (1, 6), dtype, kernel_size=4, stride=3, padding=2, count_include_pad=False)
    case("avg_pool2d", (2, 5, 6), dtype, kernel_size=2)
    case("avg_pool2d", (2, 1, 5, 6), dtype, kernel_size=(3, 2), stride=(2, 1), padding=(1, 0),
         ceil_mode=True)
    case("avg_pool2d", (1, 5, 6), dtype, kernel_size=3, stride=2, padding=1, ceil_mode=True,
         count_include_pad=False)
    case("avg_pool2d", (1, 4, 4), dtype, kernel_size=3, stride=2, padding=1, divisor_override=7)
    case("max_pool1d", (2, 7), dtype, kernel_size=3)
    case("max_pool1d", (2, 2, 9), dtype, kernel_size=3, stride=2, padding=1, dilation=2)
    case("max_pool1d", (1, 6), dtype, kernel_size=4, stride=3, ceil_mode=True)
    for op in ("max_pool2d", "max_pool2d_with_indices"):
        case(op, (2, 5, 6), dtype, kernel_size=2)
        case(op, (2, 1, 5, 6), dtype, kernel_size=(3, 2), stride=(2, 1), padding=(1, 0),
             ceil_mode=True)
        case(op, (1, 7, 7), dtype, kernel_size=3, stride=2, padding=1, dilation=(1, 2))
for dtype in ("f16", "bf16"):
    case("avg_pool1d", (2, 7), dtype, kernel_size=3, stride=2, padding=1)
    case("avg_pool2d", (1, 4, 5), dtype, kernel_size=(2, 3), count_include_pad=False, padding=1)
    case("max_pool1d", (2, 7), dtype, kernel_size=3, stride=2, padding=1, dilation=2)
    for op in ("max_pool2d", "max_pool2d_with_indices"):
        case(op, (1, 4, 5), dtype, kernel_size=2, ceil_mode=True)
ref.write()
