"""Reference values for gather, scatter and take and their kin, by PyTorch and (take, take_along_axis,
put_along_axis, masked_select, accumulation in dtypes that PyTorch has not) NumPy."""

import numpy as np
import torch

from reference import Reference

ref = Reference("gather", "NumPy and PyTorch")
T = torch.tensor


def both(op, args, expected, **tolerance):
    """The op and its in-place form."""
    ref.case(op, args, [expected], **tolerance)
    name, dot, overload = op.partition(".")
    ref.case(name + "_" + dot + overload, args, [expected], **tolerance)


def one_of(dtype):
    return "True" if dtype == "b8" else "1"


def where(shape, size, dtype="i64"):
    return ref.array(shape, dtype, low=-size if dtype[0] == "i" else 0, high=size)


# Rows
for shape, dtype, axis, index in (((5,), "f32", 0, "i64"), ((2, 3, 4), "i16", 1, "i8"), ((3, 2), "c64", -1, "u8"),
                                  ((4, 2), "b8", 0, "i32"), ((2, 3), "f16", 1, "u64"), ((2, 2, 3), "u32", -2, "i64")):
    x = ref.array(shape, dtype)
    i = where((4,), shape[axis], index)
    taken = np.take(x, i.astype(np.int64), axis)
    ref.case("take", [x, i, f"axis={axis}"], [taken])
    ref.case("index_select", [x, str(axis), i], [taken])
x = ref.array((6,), "f64")
ref.case("take", [x, np.array([5, 0, -1])], [np.take(x, [5, 0, -1])])
ref.case("take", [x, np.zeros(0, np.int64)], [x[:0]])
weight = ref.array((4, 3), "f32")
for shape in (), (2,), (2, 3), (0, 2):
    i = where(shape, 4) % 4
    ref.case("embedding", [weight, i], [torch.nn.functional.embedding(T(i), T(weight)).numpy()])

# Points
for shape, dtype, axis, points in (((3, 4), "f32", 0, (2, 4)), ((3, 4), "i64", 1, (3, 6)), ((2, 3, 2), "c128", -2, (1, 5, 2)),
                                   ((5,), "u8", 0, (7,)), ((2, 2), "b8", 1, (2, 1))):
    x, i = ref.array(shape, dtype), where(points, shape[axis]) % shape[axis]
    ref.case("gather", [x, str(axis), i], [torch.gather(T(x), axis, T(i)).numpy()])
for shape, dtype, axis, points in (((3, 4), "f32", 0, (2, 4)), ((3, 4), "i16", -1, (1, 6)), ((2, 3, 2), "f16", 1, (2, 2, 1)),
                                   ((1, 4), "u64", 1, (3, 2))):
    x, i = ref.array(shape, dtype), where(points, shape[axis])
    ref.case("take_along_axis", [x, i, f"axis={axis}"], [np.take_along_axis(x, i, axis)])

# Writing to points. PyTorch leaves open which of several copies to one place stays, so these differ.
for dtype in "f32 i8 b8 c64 f64 i64".split():
    x, src = ref.array((3, 4), dtype), ref.array((3, 2), dtype)
    i = np.array([[0, 3], [2, 1], [1, 0]])
    both("scatter", [x, "1", i, src], T(x).scatter(1, T(i), T(src)).numpy())
    both("scatter.scalar", [x, "-1", i, one_of(dtype)], T(x).scatter(-1, T(i), 1).numpy())
    if dtype == "b8":
        continue
    again = np.array([[0, 3, 0, 3], [3, 3, 3, 3], [1, 0, 1, 2]])
    more = ref.array((3, 4), dtype)
    both("scatter_add", [x, "1", again, more], T(x).scatter_add(1, T(again), T(more)).numpy())
for dtype in "f32 i32 f64 u8".split():
    x, src = ref.array((4, 3), dtype), ref.array((3, 3), dtype)
    i = np.array([[0, 3, 0], [0, 1, 2], [3, 3, 0]])
    for reduce in "sum", "prod", "amax", "amin":
        for include in True, False:
            got = T(x).scatter_reduce(0, T(i), T(src), reduce, include_self=include).numpy()
            both("scatter_reduce", [x, "0", i, src, f"'{reduce}'", f"include_self={include}"], got)
for dtype in "u16 u64 c128".split():
    x, src, i = ref.array((2, 3), dtype), ref.array((2, 4), dtype), where((2, 4), 3)
    out = x.copy()
    np.add.at(out, (np.arange(2)[:, None], i), src)
    both("scatter_add", [x, "1", i % 3, src], out)
for dtype, axis, points in (("f32", 0, (2, 4)), ("i16", 1, (3, 2)), ("b8", -1, (1, 3)), ("f16", 0, (1, 1))):
    x, size = ref.array((3, 4), dtype), (3, 4)[axis]
    i = np.argsort(ref.random.rand(size))[:points[axis]] - size
    i = np.broadcast_to(i.reshape((-1, 1) if axis == 0 else (1, -1)), points)
    values = ref.array((points[0] if axis == 0 else 1, 1), dtype)
    out = x.copy()
    np.put_along_axis(out, i, values, axis)
    both("put_along_axis", [x, np.array(i), values, f"axis={axis}"], out)

# Writing to rows
for dtype in "f32 i64 b8 c64".split():
    x, source, i = ref.array((4, 3), dtype), ref.array((2, 3), dtype), np.array([3, 1])
    both("index_copy", [x, "0", i, source], T(x).index_copy(0, T(i), T(source)).numpy())
    both("index_fill", [x, "0", i, one_of(dtype)], T(x).index_fill(0, T(i), 1).numpy())
    one = np.asarray(source[0, 0])
    both("index_fill.tensor", [x, "1", np.array([2, 2]), one], T(x).index_fill(1, T([2, 2]), T(one)).numpy())
for dtype in "f32 i32 f64 u8 c64".split():
    x, source, i = ref.array((3, 4), dtype), ref.array((3, 3), dtype), np.array([3, 0, 3])
    both("index_add", [x, "1", i, source], T(x).index_add(1, T(i), T(source)).numpy())
    both("index_add", [x, "1", i, source, "alpha=2"], T(x).index_add(1, T(i), T(source), alpha=2).numpy())
for dtype in "f32 f64 i16".split():
    x, source, i = ref.array((3, 4), dtype), ref.array((3, 3), dtype), np.array([3, 0, 3])
    for reduce in "prod", "amax", "amin":
        for include in True, False:
            got = T(x).index_reduce(1, T(i), T(source), reduce, include_self=include).numpy()
            both("index_reduce", [x, "1", i, source, f"'{reduce}'", f"include_self={include}"], got)

# Masks
for dtype in "f32 i8 b8 u64 c128 f16".split():
    x = ref.array((2, 3), dtype)
    for shape in (2, 3), (3,), (2, 1), ():
        m = ref.array(shape, "b8") if shape else np.array(True)
        wide = np.broadcast_to(m, x.shape)
        one = x.dtype.type(1)
        ref.case("masked_fill", [x, m, one_of(dtype)], [np.where(wide, one, x)])
        ref.case("masked_fill.tensor", [x, m, np.asarray(one)], [np.where(wide, one, x)])
        ref.case("masked_select", [x, m], [x[wide]])
row = ref.array((3,), "f32")
m = np.array([[True, False, True], [False, False, True]])
ref.case("masked_select", [row, m], [np.broadcast_to(row, (2, 3))[m]])

# Others
for shape in (), (4,), (2, 3):
    x = where(shape, 5) % 5
    ref.case("one_hot", [x, "5"], [torch.nn.functional.one_hot(T(x), 5).numpy()])
    ref.case("one_hot", [x, "6", "float32"], [np.eye(6, dtype=np.float32)[x]])
for dtype, axis, index in (("f32", 0, 1), ("i16", -1, -4), ("c64", 1, 2)):
    x = ref.array((2, 3, 4), dtype)
    src = ref.array(np.take(x, 0, axis).shape, dtype)
    out = x.copy()
    np.moveaxis(out, axis, 0)[index] = src
    ref.case("select_scatter", [x, src, str(axis), str(index)], [out])
ref.write()
