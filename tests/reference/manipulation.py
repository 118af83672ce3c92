"""Reference values for ops that move, repeat and pad elements, by NumPy and (pad) PyTorch."""

import numpy as np
import torch

from reference import Reference

ref = Reference("manipulation", "NumPy and PyTorch")


def ints(values):
    return f"({','.join(map(str, values))})" if isinstance(values, tuple) else str(values)


def case(op, x, words, expected):
    ref.case(op, [x] + words, [expected])


for shape, dtype, source, destination in (((2, 3), "f32", 0, 1), ((2, 3, 4), "i16", (0, 2), (-1, 0)),
                                          ((2, 1, 3), "c64", (2, 0, 1), (0, 1, 2)), ((0, 2), "f64", 1, 0),
                                          ((2, 3, 2, 2), "u8", -1, 1)):
    x = ref.array(shape, dtype)
    case("moveaxis", x, [ints(source), ints(destination)], np.moveaxis(x, source, destination))
for shape, dtype in (((2, 3), "f32"), ((2, 2, 3), "b8"), ((3, 0), "f64")):
    x = ref.array(shape, dtype)
    case("matrix_transpose", x, [], np.swapaxes(x, -1, -2))
for shape, dtype, axis in (((2,), "f32", 0), ((2, 3), "i64", (0, -1)), ((), "c128", (1, 0)), ((3, 2), "u32", (1, 3))):
    x = ref.array(shape, dtype)
    case("expand_dims", x, [ints(axis)], np.expand_dims(x, axis))
for shape, dtype, to in (((2,), "f32", (3, 2)), ((2, 1), "i8", (2, 2, 3)), ((), "c64", (2,)), ((1, 2), "f64", (0, 2))):
    x = ref.array(shape, dtype)
    case("broadcast_to", x, [ints(to)], np.broadcast_to(x, to))
for shape, dtype, axis in (((5,), "f32", None), ((2, 3), "i32", 0), ((2, 3, 2), "c64", (-1, 0)), ((2, 3), "u16", None),
                           ((0, 2), "f64", 1), ((), "b8", None)):
    x = ref.array(shape, dtype)
    case("flip", x, [] if axis is None else [f"axis={ints(axis)}"], np.flip(x, axis))
for shape, dtype, start, end in (((2, 3), "f32", 0, -1), ((2, 3, 2), "i16", 1, 2), ((2, 3, 2), "c128", 0, 1),
                                 ((), "f64", 0, -1), ((2, 0, 3), "f32", -2, -1)):
    x = ref.array(shape, dtype)
    case("flatten", x, [str(start), str(end)], torch.tensor(x).flatten(start, end).numpy())
for shape, dtype, axis, sizes in (((6,), "f32", 0, (2, 3)), ((2, 4), "i64", -1, (-1, 2)), ((0, 2), "f64", 0, (3, 0))):
    x = ref.array(shape, dtype)
    case("unflatten", x, [str(axis), ints(sizes)], torch.tensor(x).unflatten(axis, sizes).numpy())
for shape, dtype, shift, axis in (((5,), "f32", 2, None), ((2, 3), "i32", -4, None), ((3, 2, 2), "f64", 7, None),
                                  ((3, 4), "c64", (1, -2), (0, 1)), ((3, 4), "u8", 5, -1), ((2, 3), "i8", 1, (1, 0)),
                                  ((4,), "f32", (1, 2), (0, 0)), ((0, 3), "f32", 2, 0), ((), "f32", 3, None)):
    x = ref.array(shape, dtype)
    words = [ints(shift)] + ([] if axis is None else [ints(axis)])
    case("roll", x, words, np.roll(x, shift, axis))
for shape, dtype, times in (((2,), "f32", (3,)), ((2, 2), "i16", (2,)), ((2, 1), "c64", (2, 1, 2)), ((), "f64", (2, 2)),
                            ((2, 3), "b8", (2, 1)), ((2,), "f32", (0,)), ((0, 2), "u64", (2, 2))):
    x = ref.array(shape, dtype)
    case("tile", x, [ints(times)], np.tile(x, times))
for shape, dtype, times, axis in (((3,), "f32", 2, None), ((2, 3), "i64", 3, 1), ((2, 2), "c128", 2, 0),
                                  ((2, 2), "u8", 2, None), ((), "f64", 2, None), ((2, 3), "f32", 0, -1)):
    x = ref.array(shape, dtype)
    case("repeat", x, [str(times)] + ([] if axis is None else [str(axis)]), np.repeat(x, times, axis))
for shape, dtype, times, axis in (((3,), "f32", [2, 0, 1], None), ((2, 3), "i64", [1, 3, 2], 1), ((2, 2), "c64", [0, 2], 0),
                                  ((2, 2), "f64", [2, 1, 0, 3], None), ((2, 3), "i16", [2], -1)):
    x, repeats = ref.array(shape, dtype), np.array(times, np.int64)
    ref.case("repeat.tensor", [x, repeats] + ([] if axis is None else [str(axis)]), [np.repeat(x, repeats, axis)])
for shape, dtype, pad, mode, value in (((3,), "f32", (1, 2), "constant", 0), ((2, 3), "i32", (1, 0, 0, 2), "constant", 7),
                                       ((3, 4), "f64", (-1, 2, 1, -2), "constant", 1.5), ((2, 2, 2), "c64", (1, 1), "constant", 0),
                                       ((2, 3, 4), "f64", (3, 1), "reflect", 0), ((2, 3, 4), "f32", (2, 1), "circular", 0),
                                       ((2, 3, 4), "f32", (5, 1), "replicate", 0), ((1, 2, 3, 4), "f32", (2, 1, 0, 2), "reflect", 0),
                                       ((1, 2, 3, 2), "f64", (2, 1, 3, 2), "circular", 0),
                                       ((1, 2, 3, 2), "f32", (4, 1, 3, 0), "replicate", 0)):
    x = ref.array(shape, dtype)
    words = [ints(pad), f"'{mode}'"] + ([str(value)] if mode == "constant" else [])
    y = torch.nn.functional.pad(torch.tensor(x), pad, mode=mode, **({"value": value} if mode == "constant" else {}))
    ref.case("pad", [x] + words, [y.numpy()])
for shape, dtype, pairs, mode in (((4,), "i8", ((2, 3),), "reflect"), ((3, 2), "u16", ((1, 0), (1, 1)), "reflect"),
                                  ((3, 2), "c128", ((2, 0), (0, 3)), "edge"), ((3, 2), "b8", ((3, 1), (1, 2)), "wrap")):
    x = ref.array(shape, dtype)
    pad = tuple(n for pair in reversed(pairs) for n in pair)
    ref.case("pad", [x, ints(pad), f"'{mode}'"], [np.pad(x, pairs, mode=mode)])
ref.write()
