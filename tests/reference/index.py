"""Expected values of index and index_put, by NumPy. index.gather's coordinates are NumPy's columns."""

import numpy as np

from reference import Reference

ref = Reference("index", "NumPy")


def parts(key, tensors):
    """The key as what NumPy's x[...] takes."""
    rest, items = list(tensors), []
    for word in key.split(","):
        word = word.strip()
        if word == "T":
            items.append(rest.pop(0))
        elif word:
            bounds = [int(b) if b.strip() else None for b in word.split(":")] if ":" in word else None
            items.append({"...": Ellipsis, "None": None}[word] if word in ("...", "None")
                         else slice(*bounds) if bounds else int(word))
    assert not rest
    return tuple(items)


def quoted(key):
    return "'" + key + "'"


def read(x, key, *tensors):
    args = [x, quoted(key)] + ([list(tensors)] if tensors else [])
    ref.case("index", args, [np.array(x[parts(key, tensors)])])
    if not tensors:
        ref.case("index.view", [x, quoted(key)], [np.array(x[parts(key, tensors)])])
    elif all(t.dtype != bool for t in tensors):
        ref.case("index.gather", args, [np.array(x[parts(key, tensors)])])


def write(x, key, values, *tensors):
    for op in "index_put", "index_put_":
        out = x.copy()
        out[parts(key, tensors)] = values
        ref.case(op, [x, quoted(key), list(tensors), values], [out])
        if x.dtype != bool:
            out = x.copy()
            np.add.at(out, parts(key, tensors), values)
            ref.case(op, [x, quoted(key), list(tensors), values, "accumulate=True"], [out])


def ints(values, dtype=np.int64):
    return np.array(values, dtype)


cube = ref.array((3, 4, 2), "i16")
four = ref.array((2, 3, 2, 4), "f32")
mask2 = np.array([[1, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0]], bool)
mask3, mask4 = np.array([1, 0, 1], bool), np.array([0, 1, 1, 0], bool)
a, b, c = ints([2, 0, -1]), ints([1, -4, 3], np.int8), ints([[0], [1]], np.uint8)
s = ints(1, np.int32)

# Without tensors
for key in ["", "1", "-1, 2", "1, 2, 0", ":", "::2", "::-1", "2:0:-1", "-2:", ":-1", "5:", ":-9",
            "9::-2", "1:2, ..., None", "None, 1, None, ::-1", "..., 0", "0, ..., 0, 1", "...,",
            ":, 1:1", ":, -1:-5:-3, 1:", "..., ::3, :", "None, None", "-3, -4:-1, ::-1"]:
    read(cube, key)
for dtype in "b8 u64 f16 f64 c64".split():
    read(ref.array((4, 3), dtype), "::-2, None, 1:")
read(ref.array((), "f32"), "...")
read(ref.array((), "f32"), "None, ...")
read(ref.array((0, 3), "f32"), "::-1, 1")

# By tensors, together and apart
for key, tensors in [("T", [a]), ("T", [s]), ("T", [c]), ("T, T", [a, b]), ("T, T", [c, b]), ("T, T", [s, b]),
                     ("T, 1", [a]), ("1, T", [b]), (":, T", [b]), ("..., T", [c]), ("T, ..., T", [a, c]),
                     ("T, :, T", [a, c]), ("0, :, T", [c]), ("T, :, 0", [a]), (":, T, 1", [b]), ("::-1, T", [b]),
                     ("None, T", [a]), ("T, None, T", [a, b]), ("None, T, T, None", [a, b]),
                     (":, None, T, T", [b, s]), ("T, T, T", [a, b, c]), ("1:, T, ::-1", [b]),
                     ("T, 3:0:-2, T", [a, s]), ("T", [ints([])]), ("T, T", [ints([[]]), c]), ("-1, T, -1", [b])]:
    read(cube, key, *tensors)
for key, tensors in [(":, T, T, :", [a, s]), (":, T, :, T", [a, b]), (":, T, ..., T", [a, b]), ("T, :, :, T", [s, b]),
                     (":, T, None, T", [a, s]), ("1, :, T", [c]), ("0, T, :, 1", [a]), (":, T, 0, 1:3", [a]),
                     ("..., T, :", [c]), (":, T, ..., T, :", [a, s])]:
    read(four, key, *tensors)
for dtype in "b8 u8 i64 f16 f64 c128".split():
    read(ref.array((4, 3), dtype), "T, 1:", ints([3, 0, -4], np.int16))
read(ref.array((3, 0), "f32"), "T", a)

# By masks, alone and with others
for key, tensors in [("T", [mask2]), ("T", [mask3]), (":, T", [mask4]), ("T, T", [mask3, mask4]), ("T, 1", [mask3]),
                     ("T, T", [mask2, s]), ("T, T", [mask2, c[1]]), ("T, T", [mask3, ints([1, 2])]),
                     ("T, :, T", [mask3, c[:, 0]]), ("T, T, T", [mask3, mask4, c]), ("1, T", [mask4]),
                     ("::-1, T, None", [mask4]), ("T, None, T", [mask3, mask4]), ("T", [~mask2]),
                     ("T", [np.zeros((3, 4), bool)]), ("T", [np.array(True)]), ("T", [np.array(False)]),
                     ("T, T", [np.array(True), a]), ("T, :, T", [a, np.array(True)]), ("None, T, 1", [mask3]),
                     ("T", [np.ones((3, 4, 2), bool)]), ("..., T", [np.array([False, True])])]:
    read(cube, key, *tensors)
read(ref.array((0, 2), "f32"), "T", np.zeros((0,), bool))

# Coordinates
where = ref.random.randint(-2, 2, (5, 2))
pairs = np.stack([ref.random.randint(-3, 3, 4), ref.random.randint(-4, 4, 4)], -1)
ref.case("index.gather", [cube, "'T'", [pairs], "(0,)"], [cube[pairs[:, 0], pairs[:, 1]]])
ref.case("index.gather", [four, "'T, :, T'", [ints([1, 0, 1, 1, 0]), where], "(1,)"],
         [four[ints([1, 0, 1, 1, 0]), :, where[:, 0], where[:, 1]]])

# Writing
x = ref.array((3, 4), "i32")
write(x, "1", ref.array((4,), "i32"))
write(x, "::-2, 1:3", ref.array((2, 1), "i32"))
write(x, "None, ..., -1", ref.array((1, 3), "i32"))
write(x, "T", ref.array((3, 4), "i32"), a)
write(x, "T", ref.array((4,), "i32"), ints([0, 0, 0]))
write(x, "T, T", ref.array((3,), "i32"), a, b)
write(x, "T, T", ref.array((2, 3), "i32"), ints([[0], [2]]), b)
write(x, "T, T", ref.array((2, 1), "i32"), ints([[2], [2]]), ints([1, 1, 3]))
write(x, ":, T", ref.array((3, 5), "i32"), ints([3, 1, 1, 0, 3]))
write(x, "1:, T", ref.array((), "i32"), c)
write(x, "T", ref.array((), "i32"), mask2)
write(x, "T", ref.array((3,), "i32"), mask2)
write(x, ":, T", ref.array((3, 2), "i32"), mask4)
write(x, "T, T", ref.array((2,), "i32"), mask3, mask4)
write(x, "T, 1", ref.array((2,), "i32"), mask3)
write(x, "T", ref.array((1, 4), "i32"), np.zeros((3,), bool))
write(x, "T", ref.array((1, 3, 4), "i32"), np.array(True))
write(four, "T, :, T", ref.array((3, 3, 4), "f32"), ints([0, 1, 1]), ints([1, 0, 0]))
for dtype in "b8 i8 u16 u64 f64 c64 c128".split():
    write(ref.array((4, 3), dtype), "T, 1:", ref.array((3, 2), dtype), ints([3, 0, 3], np.int16))
write(ref.array((2,), "f16"), "T", ref.array((5,), "f16"), ints([1, 0, 1, 1, 0]))

ref.write()
