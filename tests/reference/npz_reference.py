#!/usr/bin/env python3
"""Writes tests/data/npz: .npz archives made by NumPy, and what np.load makes of ours.

    npz_reference.py             writes the archives (Debian 12: /usr/bin/python3, NumPy 1.24)
    npz_reference.py --read FILE prints "NAME DTYPE SHAPE SUM" of every member, as NumPy reads it

Every archive holds ints = arange(12, int32) of shape (3, 4) in Fortran order, text-free floats =
[0.5, -1.5] and an empty bool array; zip64.npz has its numbers in zip64 records although they fit.
"""

import os
import struct
import sys
import zipfile

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "npz")


def main():
    import numpy as np
    if len(sys.argv) == 3 and sys.argv[1] == "--read":
        with np.load(sys.argv[2]) as archive:
            for name in archive.files:
                x = archive[name]
                print(name, x.dtype, x.shape, x.sum())
        return
    os.makedirs(DATA, exist_ok=True)
    with open(os.path.join(DATA, "README.md"), "w") as file:
        file.write(f"Written by tests/reference/npz_reference.py with NumPy {np.__version__}.\n")
    arrays = {"ints": np.asfortranarray(np.arange(12, dtype=np.int32).reshape(3, 4)),
              "floats": np.array([0.5, -1.5]), "empty": np.zeros((0, 2), bool)}
    np.savez(os.path.join(DATA, "stored.npz"), **arrays)
    np.savez_compressed(os.path.join(DATA, "deflated.npz"), **arrays)
    np.savez(os.path.join(DATA, "none.npz"))
    with zipfile.ZipFile(os.path.join(DATA, "comment.npz"), "w") as archive:
        archive.comment = b"a comment"
        archive.write(os.path.join(DATA, "README.md"), "note.txt")
        for name in arrays:
            with zipfile.ZipFile(os.path.join(DATA, "stored.npz")) as stored:
                archive.writestr(name + ".npy", stored.read(name + ".npy"), zipfile.ZIP_DEFLATED)
    # The same with every number of the end record in a zip64 one.
    with open(os.path.join(DATA, "stored.npz"), "rb") as file:
        plain = file.read()
    end = plain.rindex(b"PK\5\6")
    count, size, at = struct.unpack("<HII", plain[end + 10:end + 20])
    end64 = struct.pack("<IQHHIIQQQQ", 0x06064b50, 44, 45, 45, 0, 0, count, count, size, at)
    locator = struct.pack("<IIQI", 0x07064b50, 0, end, 1)
    full = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 0)
    with open(os.path.join(DATA, "zip64.npz"), "wb") as file:
        file.write(plain[:end] + end64 + locator + full)
    zipfile.ZipFile(os.path.join(DATA, "zip64.npz")).testzip()


if __name__ == "__main__":
    main()
