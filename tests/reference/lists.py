"""Reference values for ops that return lists, by NumPy and (chunk, split by size) PyTorch."""

import numpy as np
import torch

from reference import Reference

ref = Reference("lists", "NumPy and PyTorch")


def arrays(tensors):
    return [t.numpy() for t in tensors]


def words(axis):
    return [] if axis is None else [f"axis={axis}"]


for shape, dtype, axis in (((3,), "f32", None), ((2, 3), "i16", 1), ((2, 2, 3), "c64", -2), ((0, 2), "f64", None),
                           ((2, 0), "b8", 0), ((8, 1), "u32", 0)):
    x = ref.array(shape, dtype)
    at = 0 if axis is None else axis
    ref.case("unbind", [x] + words(axis), [[np.take(x, i, at) for i in range(x.shape[at])]])
for shape, dtype, size, axis in (((5,), "f32", 2, None), ((2, 6), "i64", 3, 1), ((4, 3), "u8", 9, -2),
                                 ((0, 3), "f64", 2, None), ((3, 2), "c128", 1, -1)):
    x = ref.array(shape, dtype)
    ref.case("split", [x, str(size)] + words(axis), [arrays(torch.tensor(x).split(size, axis or 0))])
for shape, dtype, sizes, axis in (((5,), "f32", (1, 0, 4), None), ((2, 6), "i32", (3, 2, 1), 1),
                                  ((3, 2), "b8", (3,), -2)):
    x = ref.array(shape, dtype)
    ref.case("split.sizes", [x, f"({','.join(map(str, sizes))})"] + words(axis),
             [np.split(x, np.cumsum(sizes)[:-1], axis or 0)])
for shape, dtype, chunks, axis in (((7,), "f32", 3, None), ((6,), "f64", 4, None), ((2, 5), "i8", 5, 1),
                                   ((2, 3), "c64", 9, -1), ((0, 2), "f32", 3, None)):
    x = ref.array(shape, dtype)
    ref.case("chunk", [x, str(chunks)] + words(axis), [arrays(torch.tensor(x).chunk(chunks, axis or 0))])
for shape, dtype, sections, axis in (((7,), "f32", 3, None), ((2,), "f64", 4, None), ((3, 5), "u16", 2, -1),
                                     ((0, 2), "f32", 3, None)):
    x = ref.array(shape, dtype)
    ref.case("tensor_split", [x, str(sections)] + words(axis), [np.array_split(x, sections, axis or 0)])
for parts in (((2,), (3, 1)), ((), (1, 2), (4, 1, 1)), ((0,), (2, 1)), ((3,),)):
    xs = [ref.array(shape, dtype) for shape, dtype in zip(parts, ("f32", "i32", "c128"))]
    ref.case("broadcast_arrays", [xs], [list(np.broadcast_arrays(*xs))])
for sizes, dtype in (((3, 2), "f32"), ((2, 3, 2), "i64"), ((4,), "f64"), ((0, 2), "f32")):
    xs = [ref.array((n,), dtype) for n in sizes]
    ref.case("meshgrid", [xs], [np.meshgrid(*xs)])
    ref.case("meshgrid", [xs, "indexing='ij'"], [np.meshgrid(*xs, indexing="ij")])
ref.write()
