"""The NumPy contestant of the throughput benchmark; throughput.h has the protocol.

Each op is the natural call on the whole batch, which is moved in front as a view; results that a
call can write into are kept from run to run, and the heap keeps its pages.
"""
import ctypes
import mmap
import sys
import time

libc = ctypes.CDLL(None)
for option, value in ((-4, 0), (-1, 2**31 - 1), (-2, 64 << 20)):  # no mmap, no trim, top pad
    libc.mallopt(option, value)

import numpy as np  # noqa: E402  (its memory must come from the heap set up above)

ARENA_OUT, ARENA_SIZE = 2 << 30, 4 << 30
DTYPES = {"f": np.float32, "i": np.int64, "c": np.complex64}


class Kept:
    """Results that are written again at each run."""

    def __init__(self):
        self.arrays = []
        self.next = 0

    def like(self, x, shape=None, dtype=None):
        if self.next == len(self.arrays):
            if shape is None:  # in x's own layout
                self.arrays.append(np.empty_like(x, dtype=dtype))
            else:
                self.arrays.append(np.empty(shape, dtype or x.dtype))
        self.next += 1
        return self.arrays[self.next - 1]


def addcmul(k, arg, x, y, z):
    out = np.multiply(y, z, out=k.like(x))
    return np.add(x, out, out=out)


def mul_add(k, arg, x, y, z):
    out = np.multiply(x, y, out=k.like(x))
    return np.add(out, z, out=out)


def matmul(k, arg, x, y):
    if x.ndim == 3 and y.ndim == 3:
        return np.matmul(x, y, out=k.like(x, x.shape[:2] + y.shape[2:]))
    if x.ndim == 3 and SHARED[1]:  # a matrix or a vector for all
        return np.matmul(x, y, out=k.like(x, x.shape[:2] + y.shape[1:]))
    if x.ndim == 2 and y.ndim == 2:  # one matrix, rows of vectors
        return np.matmul(y, x.T, out=k.like(y, (y.shape[0], x.shape[0])))
    if x.ndim == 2:
        return np.matmul(x, y, out=k.like(y))
    return np.matmul(x, y[..., None], out=k.like(x, x.shape[:2] + (1,)))[..., 0]


def softmax(k, arg, x):
    out = np.subtract(x, x.max(-1, keepdims=True), out=k.like(x))
    np.exp(out, out=out)
    return np.divide(out, out.sum(-1, keepdims=True), out=out)


def log_softmax(k, arg, x):
    out = np.subtract(x, x.max(-1, keepdims=True), out=k.like(x))
    s = np.exp(out, out=k.like(x)).sum(-1, keepdims=True)
    return np.subtract(out, np.log(s), out=out)


def layer_norm(k, arg, x):
    out = np.subtract(x, x.mean(-1, keepdims=True), out=k.like(x))
    var = np.square(out, out=k.like(x)).mean(-1, keepdims=True)
    return np.divide(out, np.sqrt(var + np.float32(1e-5)), out=out)


def reduction(f, dtype=None):
    def run(k, arg, x):
        axis = x.ndim - 1 if arg == -1 else 1
        shape = tuple(n for i, n in enumerate(x.shape) if i != axis)
        return f(x, axis=axis, out=k.like(x, shape, dtype))

    return run


def transpose(k, arg, x):
    out = k.like(x, (x.shape[0], x.shape[2], x.shape[1]))
    np.copyto(out, x.swapaxes(1, 2))
    return out


def sort(k, arg, x):
    out = k.like(x)
    np.copyto(out, x)
    out.sort(axis=-1)
    return out


def sort_with_indices(k, arg, x):
    order = np.argsort(x, axis=-1, kind="stable")
    return np.take_along_axis(x, order, -1), order


def topk(k, arg, x):
    some = np.argpartition(x, x.shape[-1] - arg, axis=-1)[..., -arg:]
    values = np.take_along_axis(x, some, -1)
    order = np.argsort(-values, axis=-1)
    return np.take_along_axis(values, order, -1), np.take_along_axis(some, order, -1)


OPS = {
    "addcmul": addcmul,
    "mul_add": mul_add,
    "exp": lambda k, arg, x: np.exp(x, out=k.like(x)),
    "matmul": matmul,
    "softmax": softmax,
    "log_softmax": log_softmax,
    "layer_norm": layer_norm,
    "sum": reduction(np.sum),
    "mean": reduction(np.mean),
    "amax": reduction(np.max),
    "argmax": reduction(np.argmax, np.int64),
    "triu": lambda k, arg, x: np.triu(x),
    "transpose": transpose,
    "concat": lambda k, arg, x, y: np.concatenate(
        (x, y), axis=1, out=k.like(x, (x.shape[0], x.shape[1] + y.shape[1]) + x.shape[2:])
    ),
    "gather": lambda k, arg, x, index: np.take_along_axis(x, index, -1),
    "cholesky": lambda k, arg, x: np.linalg.cholesky(x),
    "solve": lambda k, arg, x, y: np.linalg.solve(x, y[..., None])[..., 0],
    "inv": lambda k, arg, x: np.linalg.inv(x),
    "det": lambda k, arg, x: np.linalg.det(x),
    "eigh": lambda k, arg, x: np.linalg.eigh(x),
    "svd": lambda k, arg, x: np.linalg.svd(x, full_matrices=False),
    "qr": lambda k, arg, x: np.linalg.qr(x),
    "sort": sort,
    "argsort": lambda k, arg, x: np.argsort(x, axis=-1, kind="stable"),
    "sort_with_indices": sort_with_indices,
    "topk": topk,
    "fft": lambda k, arg, x: np.fft.fft(x),
}
COMPARED = {"eigh": (0,), "svd": (1,)}  # vectors are free in sign

np.ones(1 << 27, np.float32)  # the heap's pages are there from the beginning
arena = mmap.mmap(int(sys.argv[1]), ARENA_SIZE)
SHARED = []


def open_row(words):
    """The op as a function of nothing, its name and the batch."""
    op, arg, count = words[4], int(words[5]), int(words[6])
    if op not in OPS:
        return None
    inputs, offset, at, batch = [], 0, 7, 1
    SHARED.clear()
    for _ in range(count):
        dtype, axis, ndim = DTYPES[words[at]], int(words[at + 1]), int(words[at + 2])
        shape = [int(n) for n in words[at + 3 : at + 3 + ndim]]
        at += 3 + ndim
        size = int(np.prod(shape))
        x = np.frombuffer(arena, dtype, size, offset).reshape(shape).copy()
        offset += -(-x.nbytes // 4096) * 4096
        SHARED.append(axis < 0)
        if axis >= 0:
            batch = shape[axis]
            x = np.moveaxis(x, axis, 0)
        inputs.append(x)
    kept = Kept()

    def run():
        kept.next = 0
        return OPS[op](kept, arg, *inputs)

    return run, op, batch


def check(run, op, batch):
    results = run()
    if not isinstance(results, tuple):
        results = (results,)
    parts = []
    for i in COMPARED.get(op, range(len(results))):
        x = np.ascontiguousarray(results[i])
        if np.iscomplexobj(x):
            x = x.astype(np.complex64).view(np.float32)
        parts.append(x.reshape(batch, -1).astype(np.float32))
    out = np.concatenate(parts, axis=1)
    np.frombuffer(arena, np.float32, out.size, ARENA_OUT)[:] = out.ravel()
    return out.size


row = None
for line in sys.stdin:
    words = line.split()
    try:
        if words[0] == "open":
            row = None
            row = open_row(words)
            if row:
                row[0]()
            print("ok" if row else "no none", flush=True)
        elif words[0] == "check":
            print("ok", check(*row), flush=True)
        elif words[0] == "time":
            run = row[0]
            repeats = int(words[1])
            start = time.perf_counter_ns()
            for _ in range(repeats):
                run()
            print("ok", time.perf_counter_ns() - start, flush=True)
        else:
            print("ok", flush=True)
    except Exception as error:  # the coordinator shows it
        print("no", str(error).split("\n")[0], flush=True)
