#!/usr/bin/env python3
"""Exchanges tensors with NumPy or PyTorch, through DLPack capsules and .npz archives.

    exchange.py LIBRARY.so numpy|torch

Exits 77 (skipped) where the package is not installed. The capsules are made here with ctypes: what
a binding for Python would do.
"""

import ctypes
import gc
import os
import sys
import tempfile

SKIPPED = 77
POINTER, INT64 = ctypes.c_void_p, ctypes.c_int64
DTYPES = {"bool": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "uint8": 6, "uint16": 7,
          "uint32": 8, "uint64": 9, "float16": 10, "bfloat16": 11, "float32": 12, "float64": 13,
          "complex64": 14, "complex128": 15}


def declare(owner, name, result, *arguments):
    function = getattr(owner, name)
    function.restype, function.argtypes = result, arguments
    return function


class Transmute:
    def __init__(self, path):
        library = ctypes.CDLL(path)
        self.new = declare(library, "tm_new", POINTER, ctypes.c_int, ctypes.c_int,
                           ctypes.POINTER(INT64))
        self.data = declare(library, "tm_data", POINTER, POINTER)
        self.mutable_data = declare(library, "tm_mutable_data", POINTER, POINTER)
        self.dtype_of = declare(library, "tm_dtype_of", ctypes.c_int, POINTER)
        self.ndim = declare(library, "tm_ndim", ctypes.c_int, POINTER)
        self.shape = declare(library, "tm_shape", ctypes.POINTER(INT64), POINTER)
        self.strides = declare(library, "tm_strides", ctypes.POINTER(INT64), POINTER)
        self.release = declare(library, "tm_release", None, POINTER)
        self.to_dlpack = declare(library, "tm_to_dlpack", POINTER, POINTER)
        self.from_dlpack = declare(library, "tm_from_dlpack", POINTER, POINTER)
        self.message = declare(library, "tm_error_message", ctypes.c_char_p)
        self.npz_open = declare(library, "tm_npz_open", POINTER, ctypes.c_char_p)
        self.npz_load = declare(library, "tm_npz_load", POINTER, POINTER, ctypes.c_char_p)
        self.npz_close = declare(library, "tm_npz_close", None, POINTER)
        self.npz_save = declare(library, "tm_npz_save", ctypes.c_int, ctypes.c_char_p, ctypes.c_int,
                                ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(POINTER),
                                ctypes.c_bool)

    def made(self, pointer):
        assert pointer, self.message().decode()
        return pointer


new_capsule = declare(ctypes.pythonapi, "PyCapsule_New", ctypes.py_object, POINTER, ctypes.c_char_p,
                      POINTER)
get_pointer = declare(ctypes.pythonapi, "PyCapsule_GetPointer", POINTER, ctypes.py_object,
                      ctypes.c_char_p)
set_name = declare(ctypes.pythonapi, "PyCapsule_SetName", ctypes.c_int, ctypes.py_object,
                   ctypes.c_char_p)
NAME, USED = ctypes.create_string_buffer(b"dltensor"), ctypes.create_string_buffer(b"used_dltensor")


class Capsule:
    """What numpy.from_dlpack asks for."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, stream=None):
        return self.capsule

    def __dlpack_device__(self):
        return (1, 0)


def give(tm, x):
    """A capsule of x, as another library takes it."""
    return new_capsule(tm.made(tm.to_dlpack(x)), ctypes.cast(NAME, ctypes.c_char_p), None)


def take(tm, capsule):
    """A transmute tensor of another library's capsule."""
    x = tm.made(tm.from_dlpack(get_pointer(capsule, b"dltensor")))
    assert set_name(capsule, ctypes.cast(USED, ctypes.c_char_p)) == 0
    return x


def iota(tm, dtype, size):
    """A (2, 3) tensor whose bytes count from 0, of 0 and 1 for bool."""
    x = tm.made(tm.new(DTYPES[dtype], 2, (INT64 * 2)(2, 3)))
    count = bytes(k % 2 if dtype == "bool" else k for k in range(6 * size))
    ctypes.memmove(tm.mutable_data(x), count, len(count))
    return x, count


def check_numpy(tm):
    import numpy as np
    for dtype in DTYPES:
        if dtype in ("bfloat16", "bool"):  # NumPy 1.24's DLPack has neither
            continue
        x, count = iota(tm, dtype, np.dtype(dtype).itemsize)
        array = np.from_dlpack(Capsule(give(tm, x)))
        assert array.dtype == dtype and array.shape == (2, 3) and array.tobytes() == count
        assert array.ctypes.data == tm.data(x)
        tm.release(x)
        gc.collect()
        assert array.tobytes() == count  # the array holds the memory
        del array

        theirs = np.frombuffer(bytearray(count), dtype).reshape(2, 3)[:, ::-1]
        y = take(tm, theirs.__dlpack__())
        assert tm.dtype_of(y) == DTYPES[dtype] and tm.data(y) == theirs.ctypes.data
        assert tm.shape(y)[:2] == [2, 3] and tm.strides(y)[:2] == [3, -1]
        references = sys.getrefcount(theirs)
        tm.release(y)
        assert sys.getrefcount(theirs) == references - 1  # the deleter was called
    with tempfile.TemporaryDirectory() as directory:
        check_npz(tm, np, os.path.join(directory, "x.npz"))


def check_npz(tm, np, path):
    for compressed in (False, True):
        names = [d for d in DTYPES if d != "bfloat16"]
        made = [iota(tm, d, np.dtype(d).itemsize) for d in names]
        status = tm.npz_save(path.encode(), len(names),
                             (ctypes.c_char_p * len(names))(*[n.encode() for n in names]),
                             (POINTER * len(names))(*[x for x, _ in made]), compressed)
        assert status == 0, tm.message().decode()
        with np.load(path) as archive:
            assert archive.files == names
            for name, (x, count) in zip(names, made):
                assert archive[name].dtype == name and archive[name].shape == (2, 3)
                assert archive[name].tobytes() == count
                tm.release(x)
        save = np.savez_compressed if compressed else np.savez
        theirs = np.asfortranarray(np.arange(12.0).reshape(3, 4))
        save(path, a=theirs)
        archive = tm.made(tm.npz_open(path.encode()))
        x = tm.made(tm.npz_load(archive, b"a"))
        tm.npz_close(archive)
        assert ctypes.string_at(tm.data(x), 96) == theirs.tobytes()
        tm.release(x)


def check_torch(tm):
    import torch
    from torch.utils import dlpack
    for dtype in DTYPES:
        if dtype in ("uint16", "uint32", "uint64", "bool"):  # not in PyTorch 1.13, or not its DLPack
            continue
        kind = getattr(torch, dtype)
        size = torch.empty((), dtype=kind).element_size()
        x, count = iota(tm, dtype, size)
        tensor = dlpack.from_dlpack(give(tm, x))
        assert tensor.dtype == kind and tuple(tensor.shape) == (2, 3)
        assert tensor.data_ptr() == tm.data(x)
        tm.release(x)
        assert ctypes.string_at(tensor.data_ptr(), len(count)) == count
        del tensor

        theirs = torch.zeros((3, 2), dtype=kind).t()
        y = take(tm, dlpack.to_dlpack(theirs))
        assert tm.dtype_of(y) == DTYPES[dtype] and tm.data(y) == theirs.data_ptr()
        assert tm.shape(y)[:2] == [2, 3] and tm.strides(y)[:2] == [1, 2]
        del theirs
        gc.collect()
        assert ctypes.string_at(tm.data(y), len(count)) == bytes(len(count))
        tm.release(y)


def main():
    path, package = sys.argv[1:]
    try:
        __import__(package)
    except ImportError:
        print(f"skipped: {package} is not installed")
        sys.exit(SKIPPED)
    {"numpy": check_numpy, "torch": check_torch}[package](Transmute(path))
    print(f"exchanged with {package}")


main()
