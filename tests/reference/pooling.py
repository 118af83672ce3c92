"""Reference values for pooling, by PyTorch."""

import numpy as np
import torch
import torch.nn.functional as F

from reference import Reference

ref = Reference("pooling", "PyTorch")


def words(options):
    return [f"{k}={v!r}".replace(" ", "").replace(",)", ")") for k, v in options.items()]


def case(op, shape, dtype, **options):
    x = ref.array(shape, dtype)
    call = {"max_pool2d_with_indices": F.max_pool2d_with_indices}.get(op) or getattr(F, op)
    y = call(torch.from_numpy(x), **options)
    ys = [v.numpy() for v in (y if isinstance(y, tuple) else (y,))]
    mean = op.startswith("avg")
    ref.case(op, [x] + words(options), ys, rtol=(1e-6 if dtype == "f32" else 1e-14) if mean else 0,
             atol=(1e-6 if dtype == "f32" else 1e-15) if mean else 0)


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
ref.write()
