#!/usr/bin/env python3
"""Writes tests/data/reference/activations.txt; see reference.py."""

import numpy as np
import torch
import torch.nn.functional as F
from reference import Reference

ref = Reference("activations", "PyTorch 1.13")
CASES = (
    ("gelu", F.gelu, {}), ("gelu", F.gelu, {"approximate": "tanh"}), ("silu", F.silu, {}),
    ("elu", F.elu, {}), ("elu", F.elu, {"alpha": 0.25}), ("selu", F.selu, {}),
    ("softplus", F.softplus, {}), ("softplus", F.softplus, {"beta": 3, "threshold": 2.5}),
    ("leaky_relu", F.leaky_relu, {}), ("leaky_relu", F.leaky_relu, {"negative_slope": 0.2}),
    ("relu6", F.relu6, {}), ("hardsigmoid", F.hardsigmoid, {}), ("hardswish", F.hardswish, {}),
    ("mish", F.mish, {}), ("softsign", F.softsign, {}), ("logsigmoid", F.logsigmoid, {}),
    ("threshold", F.threshold, {"threshold": 0.5, "value": -2}),
)
for op, function, options in CASES:
    for dtype, rtol in (("f32", 4e-6), ("f64", 1e-12)):
        x = 3 * ref.array((3, 5), dtype)
        text = [f"{k}={v!r}" for k, v in options.items()]
        ref.case(op, [x] + text, [function(torch.from_numpy(x), **options).numpy()], rtol, rtol)
x = 3 * ref.array((3, 5), "f32")
ref.case("hardtanh", [x], [F.hardtanh(torch.from_numpy(x)).numpy()])
ref.case("hardtanh", [x, "min=-0.5", "max=2"], [F.hardtanh(torch.from_numpy(x), -0.5, 2.0).numpy()])
ref.write()
