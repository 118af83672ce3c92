#!/usr/bin/env python3
"""Writes tests/data/reference/{normalize,losses,distances,attention}.txt; see reference.py."""

import numpy as np
import torch
import torch.nn.functional as F
from reference import Reference

SOURCE = "PyTorch 1.13"
t = torch.from_numpy


def n(x):
    return x.numpy()


ref = Reference("normalize", SOURCE)
for dtype, rtol in (("f32", 2e-6), ("f64", 1e-13)):
    x = ref.array((2, 3, 4), dtype)
    w, b = ref.array((4,), dtype), ref.array((4,), dtype)
    w34, c, d = ref.array((3, 4), dtype), ref.array((3,), dtype), ref.array((3,), dtype)
    for axis in (0, 1, -1):
        ref.case("softmax", [x, str(axis)], [n(torch.softmax(t(x), axis))], rtol, rtol)
        ref.case("log_softmax", [x, str(axis)], [n(torch.log_softmax(t(x), axis))], rtol, rtol)
    ref.case("layer_norm", [x, "4", w, b], [n(F.layer_norm(t(x), (4,), t(w), t(b)))], rtol, rtol)
    ref.case("layer_norm", [x, "(3,4)", "eps=0.1"], [n(F.layer_norm(t(x), (3, 4), eps=0.1))], rtol, rtol)
    rms = x / np.sqrt((x.astype("f8") ** 2).mean((1, 2), keepdims=True) + 0.01) * w34
    ref.case("rms_norm", [x, "(3,4)", w34, "0.01"], [rms.astype(x.dtype)], rtol, rtol)
    rms = x / np.sqrt((x.astype("f8") ** 2).mean(2, keepdims=True) + np.finfo(x.dtype).eps)
    ref.case("rms_norm", [x, "4"], [rms.astype(x.dtype)], rtol, rtol)
    ref.case("group_norm", [x, "3", c, d], [n(F.group_norm(t(x), 3, t(c), t(d)))], rtol, rtol)
    ref.case("group_norm", [x, "1"], [n(F.group_norm(t(x), 1))], rtol, rtol)
    mean, var = ref.array((3,), dtype), ref.array((3,), dtype, 0.5, 2)
    ref.case("batch_norm", [x, mean, var, c, d],
             [n(F.batch_norm(t(x), t(mean), t(var), t(c), t(d)))], rtol, rtol)
    ref.case("batch_norm", [x, "training=True"],
             [n(F.batch_norm(t(x), None, None, training=True))], rtol, rtol)
ref.write()

ref = Reference("losses", SOURCE)
for dtype, rtol in (("f32", 2e-6), ("f64", 1e-13)):
    x, y = ref.array((3, 4), dtype), ref.array((3, 4), dtype)
    p, q = ref.array((3, 4), dtype, 0, 1), ref.array((3, 4), dtype, 0, 1)
    w, cw = ref.array((3, 4), dtype, 0, 2), ref.array((4,), dtype, 0, 2)
    z, zw = ref.array((2, 4, 3), dtype), ref.array((4,), dtype, 0, 2)
    labels = np.array([3, 0, 2])
    grid = np.array([[0, 1, 2], [3, 1, 0]])
    for how in ("mean", "sum", "none"):
        r = f"reduction='{how}'"
        ref.case("mse_loss", [x, y, r], [n(F.mse_loss(t(x), t(y), reduction=how))], rtol)
        ref.case("l1_loss", [x, y, r], [n(F.l1_loss(t(x), t(y), reduction=how))], rtol)
        ref.case("smooth_l1_loss", [x, y, r, "beta=0.7"],
                 [n(F.smooth_l1_loss(t(x), t(y), reduction=how, beta=0.7))], rtol)
        ref.case("huber_loss", [x, y, r, "delta=0.7"],
                 [n(F.huber_loss(t(x), t(y), reduction=how, delta=0.7))], rtol)
        ref.case("binary_cross_entropy", [p, q, w, r],
                 [n(F.binary_cross_entropy(t(p), t(q), t(w), reduction=how))], 5e-6 if dtype == "f32" else rtol)
        ref.case("binary_cross_entropy_with_logits", [x, q, w, r],
                 [n(F.binary_cross_entropy_with_logits(t(x), t(q), t(w), reduction=how))], rtol)
        ref.case("nll_loss", [x, labels, cw, "0", r],
                 [n(F.nll_loss(t(x), t(labels), t(cw), ignore_index=0, reduction=how))], rtol)
        ref.case("cross_entropy", [x, labels, cw, r],
                 [n(F.cross_entropy(t(x), t(labels), t(cw), reduction=how))], rtol)
        ref.case("cross_entropy", [z, grid, zw, "1", r, "label_smoothing=0.2"],
                 [n(F.cross_entropy(t(z), t(grid), t(zw), ignore_index=1, reduction=how,
                                    label_smoothing=0.2))], rtol)
        ref.case("cross_entropy", [x, q, cw, r, "label_smoothing=0.1"],
                 [n(F.cross_entropy(t(x), t(q), t(cw), reduction=how, label_smoothing=0.1))], rtol)
ref.write()

ref = Reference("distances", SOURCE)
for dtype, rtol in (("f32", 5e-6), ("f64", 1e-13)):
    x, y = ref.array((2, 3, 4), dtype), ref.array((5, 4), dtype)
    for power in (0.0, 1.0, 1.5, 2.0, 3.0, np.inf):
        ref.case("cdist", [x, y, str(power)], [n(torch.cdist(t(x), t(y), power))], rtol, rtol)
    z = ref.array((2, 3, 4), dtype)
    for axis in (0, 1, -1):
        ref.case("cosine_similarity", [x, z, str(axis)],
                 [n(F.cosine_similarity(t(x), t(z), axis))], rtol, rtol)
ref.write()

ref = Reference("attention", "NumPy 1.24 from the formula")
for dtype, rtol in (("f32", 5e-6), ("f64", 1e-13)):
    q, k, v = (ref.array((2, 3, 4), dtype), ref.array((2, 5, 4), dtype), ref.array((2, 5, 2), dtype))
    mask, add = ref.array((3, 5), "b8"), ref.array((2, 3, 5), dtype)
    mask[:, 0] = True

    def attend(scores):
        e = np.exp(scores - scores.max(-1, keepdims=True))
        return ((e / e.sum(-1, keepdims=True)) @ v.astype("f8")).astype(v.dtype)

    scores = q.astype("f8") @ k.astype("f8").swapaxes(1, 2)
    op = "scaled_dot_product_attention"
    ref.case(op, [q, k, v], [attend(scores / 2)], rtol, rtol)
    ref.case(op, [q, k, v, "scale=0.3"], [attend(scores * 0.3)], rtol, rtol)
    ref.case(op, [q, k, v, mask], [attend(np.where(mask, scores / 2, -np.inf))], rtol, rtol)
    ref.case(op, [q, k, v, add], [attend(scores / 2 + add)], rtol, rtol)
    ref.case(op, [q, k, v, "is_causal=True"],
             [attend(np.where(np.tri(3, 5, dtype=bool), scores / 2, -np.inf))], rtol, rtol)
ref.write()
