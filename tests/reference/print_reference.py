#!/usr/bin/env python3
"""Writes tests/data/print and tests/data/npy: what NumPy prints, and .npy files good and bad.

Run it with a Python that has NumPy 1.24 (Debian 12: /usr/bin/python3). The same NumPy version gives
the same files, byte for byte; the tests only read what is committed.

    print_reference.py [--fuzz DIRECTORY COUNT SEED]

print/NAME.npy with print/NAME.txt: an array and NumPy's print of it, without the last newline.
NumPy has no bfloat16, so print/bf16_*.npy hold its bit patterns as uint16, and the text is that of
their float32 values with digits found here with exact fractions.

print/options.txt: prints of those arrays with options. A line of fields between tabs, the name of
the array's file, the number of lines that follow and are the text, then OPTION=VALUE as in
numpy.set_printoptions. bfloat16 appears with floatmode=fixed alone, where the digits are those of
the exact value, so that NumPy prints the float32 values as they should be.

npy/good_*.npy load; npy/good_*.expect.npy is the same array as numpy.save writes it by default.
npy/bad_*.npy must be refused as malformed, npy/dtype_*.npy for their dtype.

With --fuzz, COUNT random print cases go to DIRECTORY instead.
"""

import os
import shutil
import struct
import sys
from fractions import Fraction

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
COMPLEXES = {"c64": np.complex64, "c128": np.complex128}
INTS = {f"{k}{8 * s}": np.dtype(f"{k}{s}").type for k in "iu" for s in (1, 2, 4, 8)}

PROVENANCE = """Written by tests/reference/print_reference.py with NumPy {numpy}.
The script's opening comment says what the names mean.
"""


# -- bfloat16 -------------------------------------------------------------------------------------

def bf16_value(bits):
    """The float32 that a bfloat16's bits stand for."""
    return np.array(int(bits) << 16, np.uint32).view(np.float32)[()]


def bf16_digits(x):
    """The shortest decimal that reads back as a bfloat16, the nearest of them: its digits, as an
    integer, and the power of ten that the first of them counts. x is finite and not 0."""
    magnitude = int(np.float32(x).view(np.uint32)) >> 16 & 0x7FFF
    exact = Fraction(float(bf16_value(magnitude)))
    below = Fraction(float(bf16_value(magnitude - 1)))
    above = (Fraction(float(bf16_value(magnitude + 1))) if magnitude + 1 < 0x7F80
             else 2 * exact - below)
    low, high = (exact + below) / 2, (exact + above) / 2
    even = magnitude % 2 == 0
    exponent = 0
    while Fraction(10) ** exponent > exact:
        exponent -= 1
    while Fraction(10) ** (exponent + 1) <= exact:
        exponent += 1
    for digits in range(1, 12):
        unit = Fraction(10) ** (exponent - digits + 1)
        first = exact // unit
        fits = [n for n in (first, first + 1)
                if low < n * unit < high or (even and n * unit in (low, high))]
        if fits:
            best = min(fits, key=lambda n: (abs(n * unit - exact), n % 2))
            if best == 10 ** digits:
                return best // 10, exponent + 1
            return best, exponent
    raise AssertionError


def bf16_scientific(x, precision=None, unique=True, trim="k", sign=False, pad_left=None,
                    exp_digits=None, min_digits=None):
    """numpy.format_float_scientific, as far as printing an array needs it."""
    digits, exponent = bf16_digits(x) if x != 0 else (0, 0)
    text = str(digits)
    if min_digits is not None and len(text) < min_digits + 1 and x != 0:
        # More digits than x needs are those of its exact value. Python's format rounds exactly.
        exact, power = f"{abs(float(x)):.{min_digits}e}".split("e")
        text, exponent = exact.replace(".", ""), int(power)
    text = text.ljust((min_digits or 0) + 1, "0")
    assert len(text) <= precision + 1
    mark = "-" if np.signbit(x) else "+" if sign else ""
    power = f"{'-' if exponent < 0 else '+'}{abs(exponent):0{exp_digits or 2}d}"
    return (mark + text[0]).rjust(pad_left or 0) + "." + text[1:] + "e" + power


def bf16_positional(x, precision=None, fractional=True, unique=True, trim="k", sign=False,
                    pad_left=None, pad_right=None, min_digits=None):
    """numpy.format_float_positional, as far as printing an array needs it."""
    whole, part = "0", ""
    if x != 0:
        digits, exponent = bf16_digits(x)
        if min_digits == 0 and len(str(digits)) < exponent + 1:
            # The units are asked for: the exact value's, not zeros.
            digits = int(abs(float(x)))
            exponent = len(str(digits)) - 1
        exact = Fraction(digits) * Fraction(10) ** (exponent - len(str(digits)) + 1)
        whole = str(exact // 1)
        part = f"{float(exact % 1):.8f}"[2:].rstrip("0")
    mark = "-" if np.signbit(x) else "+" if sign else ""
    return (mark + whole).rjust(pad_left or 0) + "." + part.ljust(pad_right or 0)


def bf16_text(bits):
    """What is printed for an array of bfloat16 bits: NumPy's print of the float32 values, with the
    digits of bfloat16."""
    exact = np.array([bf16_value(b) for b in bits.ravel()], np.float32).reshape(bits.shape)
    if bits.ndim == 0:
        if not np.isfinite(exact) or exact == 0:
            return str(exact)
        digits, exponent = bf16_digits(exact)
        short = float(Fraction(digits) * Fraction(10) ** (exponent - len(str(digits)) + 1))
        return str(np.float64(np.copysign(short, exact)))
    printer = np.core.arrayprint
    kept = printer.dragon4_scientific, printer.dragon4_positional
    printer.dragon4_scientific, printer.dragon4_positional = bf16_scientific, bf16_positional
    try:
        return str(exact)
    finally:
        printer.dragon4_scientific, printer.dragon4_positional = kept


# -- Values ---------------------------------------------------------------------------------------

def random_bits(rng, dtype, size):
    itemsize = np.dtype(dtype).itemsize
    return np.frombuffer(rng.bytes(itemsize * size), dtype)


def float_values(rng, dtype, size):
    """`size` floats of one of several tempers."""
    temper = rng.integers(0, 14)
    info = np.finfo(dtype)
    if temper == 0:
        v = random_bits(rng, dtype, size)
        v = np.where(np.isfinite(v), v, dtype(1)) if rng.random() < 0.6 else v
    elif temper == 1:
        v = rng.standard_normal(size)
    elif temper == 2:
        v = np.round(rng.uniform(-100, 100, size), int(rng.integers(0, 5)))
    elif temper == 3:
        v = rng.integers(-1000, 1000, size).astype(np.float64)
    elif temper == 4:  # powers of two and their neighbours: uneven gaps
        v = np.ldexp(1.0, rng.integers(-20, 24, size))
        v = np.nextafter(v.astype(dtype), dtype(rng.choice([0, 1e4])))
    elif temper == 5:
        v = 10.0 ** rng.integers(-6, 9, size)
    elif temper == 6:  # around the thresholds 1e8, 1e-4, 1000
        edge = rng.choice([1e8, 1e-4, 1000.0, 99999999.0, 1e16, 65504.0])
        v = np.full(size, edge).astype(dtype)
        v = np.where(rng.random(size) < 0.5, v, np.nextafter(v, dtype(rng.choice([0, 6e4]))))
        v = np.where(rng.random(size) < 0.3, dtype(1), v)
    elif temper == 7:
        v = rng.standard_normal(size) * float(info.tiny)
    elif temper == 8:
        v = np.full(size, rng.choice([0.0, -0.0, 1.0, 0.1]))
    elif temper == 9:
        v = rng.uniform(0.5, 2, size) * 10.0 ** rng.uniform(-3, 3)
    elif temper == 10:
        v = rng.choice([0.0, -0.0, 0.5, -1.25, 1e-5, 123456.789], size)
    elif temper == 11:
        v = np.full(size, rng.choice([np.nan, np.inf, -np.inf]))
    elif temper == 12:
        v = rng.integers(-2 ** 31, 2 ** 31, size) / 2.0 ** rng.integers(0, 40)
    else:
        v = rng.uniform(1, 1000, size).round(1)
    with np.errstate(over="ignore", under="ignore"):
        v = np.array(v, dtype)
    if temper not in (0, 11) and rng.random() < 0.3:
        for special in rng.choice([np.nan, np.inf, -np.inf, -np.nan], int(rng.integers(1, 4))):
            if size:
                v[rng.integers(0, size)] = special
    return v


def int_values(rng, dtype, size):
    info = np.iinfo(dtype)
    temper = rng.integers(0, 4)
    if temper == 0:
        return random_bits(rng, dtype, size)
    if temper == 1:
        return rng.integers(0, 10, size).astype(dtype)
    if temper == 2:
        return rng.choice(np.array([info.min, info.max, 0, 1], dtype), size)
    return (rng.integers(-50, 50, size) if info.min < 0 else rng.integers(0, 50, size)).astype(dtype)


def values(rng, name, size):
    if name == "bool":
        return rng.random(size) < 0.5
    if name in INTS:
        return int_values(rng, INTS[name], size)
    if name in FLOATS:
        return float_values(rng, FLOATS[name], size)
    if name in COMPLEXES:
        dtype = np.dtype(COMPLEXES[name])
        out = np.empty(size, dtype)
        real = np.float32 if name == "c64" else np.float64
        out.real = float_values(rng, real, size)
        out.imag = float_values(rng, real, size)
        return out
    v = float_values(rng, np.float32, size)
    return (v.view(np.uint32) >> 16).astype(np.uint16)


SMALL = [(), (), (1,), (2,), (3,), (5,), (8,), (11,), (17,), (30,), (2, 3), (3, 1), (1, 4), (4, 4),
         (3, 12), (2, 25), (2, 2, 2), (1, 1, 1), (2, 3, 4), (2, 1, 3, 2), (1, 2, 1, 2, 2), (1,) * 8]
LARGE = [(1001,), (1000,), (8, 126), (143, 7), (6, 167), (501, 2), (3, 7, 48), (1, 1001),
         (7, 7, 7, 3), (2, 2, 7, 36)]
EMPTY = [(0,), (0, 3), (3, 0), (2, 0, 4), (0, 0)]
NAMES = ["bool", "bf16", *INTS, *FLOATS, *COMPLEXES]


# -- Options --------------------------------------------------------------------------------------

def random_options(rng):
    """Some of NumPy's print options; edgeitems and linewidth are positive, as transmute has them."""
    choices = {
        "precision": [0, 1, 2, 3, 5, 7, 12, 17, 20, 40],
        "threshold": [1, 4, 10, 100, 10 ** 6],
        "edgeitems": [1, 2, 4, 7],
        "linewidth": [1, 20, 40, 74, 76, 120, 10 ** 6],
        "suppress": [True],
        "nanstr": ["NaN", "n", "not a number", "-- "],
        "infstr": ["Inf", "oo", "infinity", " i"],
        "sign": ["-", "+", " "],
        "floatmode": ["fixed", "unique", "maxprec", "maxprec_equal"],
    }
    weight = {"precision": 0.6, "suppress": 0.5, "sign": 0.5, "floatmode": 0.7}
    return {key: values[rng.integers(0, len(values))] for key, values in choices.items()
            if rng.random() < weight.get(key, 0.25)}


def options_case(name, array, options):
    """A record of options.txt."""
    if name.startswith("bf16"):
        options = {**options, "floatmode": "fixed"}
        array = (array.astype(np.uint32) << 16).view(np.float32)
    with np.printoptions(**options):
        text = str(array)
    fields = [f"{name}.npy", str(text.count("\n") + 1)]
    fields += [f"{key}={int(value) if value is True else value}" for key, value in options.items()]
    return "\t".join(fields) + "\n" + text + "\n"


def write_options(directory):
    """Options for the arrays that stand in the directory already."""
    rng = np.random.default_rng(20241)
    names = sorted(file[:-4] for file in os.listdir(directory) if file.endswith(".npy"))
    with open(os.path.join(directory, "options.txt"), "w") as file:
        for name in names:
            array = np.load(os.path.join(directory, name + ".npy"))
            if array.ndim == 0 and name.startswith("bf16"):
                continue  # a lone number has the shortest digits, which are not float32's
            times = 1 if array.ndim == 0 or array.size == 0 or array.dtype.kind in "iub" else 2
            for _ in range(times):
                record = options_case(name, array, random_options(rng))
                if len(record) < 1000:
                    file.write(record)


def write_chosen_options(directory):
    """Options that were chosen, not drawn, behind those that stand in the file already."""
    with open(os.path.join(directory, "options.txt"), "a") as file:
        for name, options in [
                ("f64_extremes", {"precision": 1100, "floatmode": "fixed"}),
                ("f64_extremes", {"precision": 1100, "floatmode": "maxprec_equal"}),
                ("f64_0d_tiny", {"precision": 1100, "floatmode": "fixed"}),
                ("f16_padding", {"precision": 1100, "floatmode": "fixed", "suppress": True}),
                ("f64_padding", {"precision": 1100, "floatmode": "fixed", "suppress": True}),
                ("f32_padding", {"precision": 200, "floatmode": "maxprec_equal", "suppress": True})]:
            array = np.load(os.path.join(directory, name + ".npy"))
            file.write(options_case(name, array, options))
        # Small numbers as fractions: none of their digits is within the precision, or some are.
        for name, dtype in FLOATS.items():
            for scale in (1e-7, 1e-5, 1e-2):
                label = f"{name}_small_{scale:g}"
                array = (np.array([-7, 0.5, 1.5, 4.999, 5, 5.001, 9.9999, 0, 49.5]) * scale).astype(dtype)
                np.save(os.path.join(directory, label + ".npy"), array)
                with open(os.path.join(directory, label + ".txt"), "w") as text:
                    text.write(str(array))
                for precision in (0, 2, 5, 8):
                    for mode in ("fixed", "maxprec", "maxprec_equal", "unique"):
                        file.write(options_case(label, array, {
                            "precision": precision, "suppress": True, "floatmode": mode}))


# -- Writing --------------------------------------------------------------------------------------

def add_case(directory, name, array):
    text = bf16_text(array) if name.startswith("bf16") else str(array)
    np.save(os.path.join(directory, name + ".npy"), array)
    with open(os.path.join(directory, name + ".txt"), "w") as file:
        file.write(text)


def add_random(directory, rng, name, label, shapes):
    shape = shapes[rng.integers(0, len(shapes))]
    array = values(rng, name, int(np.prod(shape, dtype=int))).reshape(shape)
    add_case(directory, f"{name}_{label}", array)


def hand_made():
    """Arrays that were chosen, not drawn."""
    tiny = {"f16": 2.0 ** -24, "f32": 2.0 ** -149, "f64": 5e-324}
    for name, dtype in FLOATS.items():
        info = np.finfo(dtype)
        for label, value in [("max", info.max), ("min", info.min), ("tiny", tiny[name]),
                             ("normal", info.tiny), ("1e16", 1e16), ("below_1e16", 9.999e15),
                             ("1e-4", 1e-4), ("below_1e-4", 9.9e-5), ("third", 1 / 3),
                             ("negzero", -0.0), ("nan", np.nan), ("neginf", -np.inf)]:
            with np.errstate(over="ignore"):
                yield f"{name}_0d_{label}", np.array(value, dtype)
        yield f"{name}_1e-4", np.array([1e-4], dtype)
        yield f"{name}_ratio_1000", np.array([1, 1000], dtype)
        yield f"{name}_ratio_1000.5", np.array([1, 1000.5], dtype)
        yield f"{name}_ratio_1001", np.array([1, 1001], dtype)
        yield f"{name}_extremes", np.array([info.max, tiny[name], -info.tiny, 0], dtype)
        yield f"{name}_carry", np.array([0.999999999, 9.99999999, 99.9999999], dtype)
        yield f"{name}_padding", np.array([1e-5, 1 / 3, 1], dtype)
        yield f"{name}_nan_narrow", np.array([1, np.nan, 2], dtype)
        yield f"{name}_inf_exp", np.array([[1e-7, np.inf], [-np.inf, 3]], dtype)
    # A ratio that is above 1000 but not once it is rounded to float16.
    yield "f16_ratio_rounds_down", np.array([0.1, 100.0], np.float16)
    yield "f16_ratio_overflows", np.array([6e-3, 65504], np.float16)
    for k in range(-3, 4):  # powers of two, where the gap below is half the gap above
        yield f"f32_pow2_{k + 3}", np.ldexp(np.float32(1), np.arange(13 * k, 13 * k + 8)).astype("f4")
    yield "f64_hidden_large", np.where(np.arange(1001) == 500, 1e20, 1.0)
    yield "f64_pow2", np.array([2.0 ** -44, 2.0 ** 89, 9007199254740993.0])
    for re in (0.0, -0.0, 1.5, np.nan, -np.inf, 1e16):
        for im in (-0.0, 2.0, np.nan, -np.inf, 1e-5):
            for name, dtype in COMPLEXES.items():
                if (re in (0.0, 1.5)) or name == "c64":
                    label = f"{name}_0d_{re}_{im}".replace("-", "m")
                    yield label, np.array(complex(re, im), dtype)
    yield "c128_padded_imag", np.array([1 + 2j, 1 + 2.125j, 1 - 20.5j])
    yield "c128_one_exp", np.array([1e10 + 1j, 2 + 3j])
    yield "i64_extremes", np.array([[-2 ** 63, 2 ** 63 - 1], [0, -1]])
    yield "u64_extremes", np.array([2 ** 64 - 1, 0], np.uint64)
    yield "bool_0d_true", np.array(True)
    yield "bool_0d_false", np.array(False)
    yield "i64_deep", np.arange(2 ** 11).reshape((2,) * 11)[:1, :1, :1, :1, :1, :1]
    yield "i64_ndim32", np.ones((1,) * 32, np.int64)
    yield "i64_wide_word", np.full((1,) * 31 + (12,), -2 ** 63)
    yield "f64_edge_7", np.arange(2100.0).reshape(7, 300)
    yield "f64_edge_6", np.arange(2100.0).reshape(6, 350)
    for label, bits in [("ones", [0x3F80, 0x3F81, 0x3F7F]), ("max", [0x7F7F, 0xFF7F, 0x0001]),
                        ("special", [0x7F80, 0xFF80, 0x7FC0, 0x0000, 0x8000]),
                        ("pi", [0x4049, 0x402E]), ("exact", [0x4B80, 0x3F80])]:
        yield f"bf16_{label}", np.array(bits, np.uint16)
        yield f"bf16_0d_{label}", np.array(bits[0], np.uint16)


def write_print(directory):
    for name, array in hand_made():
        add_case(directory, name, array)
    rng = np.random.default_rng(20231)
    for name in NAMES:
        floating = name in FLOATS or name in COMPLEXES or name == "bf16"
        for k in range(14 if floating else 4):
            add_random(directory, rng, name, f"small_{k:02}", SMALL)
        for k in range(5 if floating else 1):
            # Long arrays with few bits per element: the files are to stay small.
            add_random(directory, rng, name, f"large_{k:02}", LARGE if name != "c128" else LARGE[:2])
        add_random(directory, rng, name, "empty", EMPTY)


# -- .npy files -----------------------------------------------------------------------------------

def raw(version, header, data=b"", length=None, magic=b"\x93NUMPY"):
    if isinstance(header, str):
        header = header.encode("latin1")
    length = len(header) if length is None else length
    size = struct.pack("<H" if version[0] == 1 else "<I", length)
    return magic + bytes(version) + size + header + data


def dict_header(descr="'<f8'", fortran="False", shape="(3,)"):
    return f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}     \n"


def good_files():
    rng = np.random.default_rng(7)
    for name in NAMES:
        if name == "bf16":
            continue
        array = values(rng, name, 24).reshape(2, 3, 4)
        yield f"{name}", array, None, (1, 0)
        yield f"{name}_fortran", np.asfortranarray(array), None, (1, 0)
        if array.dtype.itemsize > 1:
            yield f"{name}_big", array.astype(array.dtype.newbyteorder(">")), None, (1, 0)
    cube = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
    yield "v2", cube, None, (2, 0)
    yield "v3", cube, None, (3, 0)
    yield "v2_fortran_big", np.asfortranarray(cube.astype(">i4")), None, (2, 0)
    yield "c128_fortran_big", np.asfortranarray((cube + 1j * cube[::-1]).astype(">c16")), None, (1, 0)
    yield "fortran_long", np.asfortranarray(np.arange(9000, dtype=np.uint16).reshape(90, 100)), None, (1, 0)
    yield "0d", np.array(2.5), None, (1, 0)
    yield "fortran_1d", np.arange(5.0), raw((1, 0), dict_header(fortran="True", shape="(5,)"),
                                            np.arange(5.0).tobytes()), None
    yield "empty", np.zeros((0, 3), np.float32), None, (1, 0)
    yield "empty_fortran", np.zeros((3, 0), np.float32), raw(
        (1, 0), dict_header("'<f4'", "True", "(3, 0)")), None
    yield "ndim32", np.full((1,) * 32, 7, np.int8), None, (1, 0)
    three = np.array([1.0, 2.0, 3.0])
    data = three.tobytes()
    yield "trailing", three, raw((1, 0), dict_header(), data + b"more bytes"), None
    yield "key_order", three, raw((1, 0), "{'shape':(3,),'descr':'<f8','fortran_order':False}", data), None
    yield "spaces", three, raw(
        (1, 0), "  {\n 'shape' : ( 3 , ) ,\t\"fortran_order\" : False , \"descr\" :'<f8' } \n", data), None
    yield "python2_long", three, raw((1, 0), dict_header(shape="(3L,)"), data), None
    yield "native", three, raw((1, 0), dict_header("'=f8'"), data), None
    yield "bar", three, raw((1, 0), dict_header("'|f8'"), data), None
    yield "no_order", three, raw((1, 0), dict_header("'f8'"), data), None
    yield "odd_bool", np.array([True, False, True]), raw(
        (1, 0), dict_header("'|b1'"), b"\x01\x00\x7f"), None


def bad_files():
    data = np.array([1.0, 2.0, 3.0]).tobytes()
    full = raw((1, 0), dict_header(), data)
    yield "empty", b""
    for cut in (3, 6, 7, 8, 9, 10, 30, len(full) - len(data) - 1, len(full) - len(data),
                len(full) - 1):
        yield f"cut_{cut:03}", full[:cut]
    yield "cut_v2_length", raw((2, 0), dict_header(), data)[:11]
    yield "magic", raw((1, 0), dict_header(), data, magic=b"\x94NUMPY")
    yield "text", b"1.0 2.0 3.0\n"
    yield "zip", b"PK\x03\x04" + bytes(60)
    yield "version_0", raw((1, 0), dict_header(), data).replace(b"NUMPY\x01", b"NUMPY\x00")
    yield "version_4", raw((4, 0), dict_header(), data)
    yield "version_1_1", raw((1, 1), dict_header(), data)
    yield "length_beyond", raw((1, 0), dict_header(), data, length=60000)
    yield "length_4g", raw((2, 0), dict_header(), data, length=0xFFFFFFFF)
    yield "length_0", raw((1, 0), "", data)
    yield "length_long", raw((2, 0), dict_header() + " " * 20000, data)
    yield "fortran_cut", raw((1, 0), dict_header(fortran="True", shape="(3, 2)"), data)
    for label, shape in [
            ("lying", "(4,)"), ("lying_2d", "(1000, 1000)"), ("huge", "(1000000000000,)"),
            ("overflow", "(4611686018427387904, 4)"), ("overflow_wraps", "(4294967296, 4294967296)"),
            ("overflow_empty", "(0, 4611686018427387904, 4)"), ("beyond_64", "(18446744073709551617,)"),
            ("very_long", "(" + "9" * 500 + ",)"), ("negative", "(-3,)"), ("negative_two", "(-1, -3)"),
            ("number", "3"), ("no_comma", "(3)"), ("list", "[3]"), ("float", "(3.0,)"),
            ("string", "('3',)"), ("none", "None"), ("open", "(3,"), ("commas", "(,)"),
            ("two_commas", "(3,,)"), ("no_separator", "(1 3)"), ("bool", "(True,)"),
            ("ndim33", "(" + "1, " * 33 + ")"), ("ndim3000", "(" + "1, " * 3000 + ")")]:
        yield f"shape_{label}", raw((1, 0), dict_header(shape=shape), data)
    for label, fortran in [("number", "0"), ("none", "None"), ("string", "'False'"),
                           ("case", "false"), ("longer", "Falsehood"), ("call", "f()")]:
        yield f"fortran_{label}", raw((1, 0), dict_header(fortran=fortran), data)
    for label, descr in [("number", "8"), ("none", "None"), ("open", '"<f8'), ("escape", "'\\x3cf8'"),
                         ("nul", "'<f8\0'"), ("long", "'" + "f" * 200 + "'")]:
        yield f"descr_{label}", raw((1, 0), dict_header(descr), data)
    for label, header in [
            ("garbage", bytes(range(256))), ("list", "['<f8', False, (3,)]\n"), ("nothing", "{}\n"),
            ("not_closed", "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), \n"),
            ("missing_key", "{'descr': '<f8', 'shape': (3,), }\n"),
            ("extra_key", "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'x': 1, }\n"),
            ("twice", "{'descr': '<f8', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}\n"),
            ("no_colon", "{'descr' '<f8', 'fortran_order': False, 'shape': (3,), }\n"),
            ("no_comma", "{'descr': '<f8' 'fortran_order': False, 'shape': (3,), }\n"),
            ("key_number", "{1: '<f8', 'fortran_order': False, 'shape': (3,), }\n"),
            ("text_after", dict_header().rstrip() + " + 1\n"),
            ("nul_after", dict_header().rstrip() + "\0\n"),
            ("two_dicts", dict_header().rstrip() * 2), ("nested", "{" * 5000)]:
        yield f"header_{label}", raw((1, 0), header, data)


def dtype_files():
    for label, descr in [
            ("object", "'|O'"), ("structured", "[('a', '<f8'), ('b', '<i4')]"), ("subarray", "('<f8', (2,))"),
            ("unicode", "'<U3'"), ("bytes", "'|S5'"), ("void", "'|V8'"), ("datetime", "'<M8[ns]'"),
            ("longdouble", "'<f16'"), ("complex256", "'<c32'"), ("int128", "'<i16'"), ("empty", "''"),
            ("order_only", "'<'"), ("unknown", "'<q9'")]:
        yield label, raw((1, 0), dict_header(descr), bytes(96))


def write_npy(directory):
    def write(name, content):
        with open(os.path.join(directory, name), "wb") as file:
            file.write(content)

    for name, array, content, version in good_files():
        path = os.path.join(directory, f"good_{name}.npy")
        if content is None:
            with open(path, "wb") as file:
                np.lib.format.write_array(file, array, version=version)
        else:
            write(f"good_{name}.npy", content)
        loaded = np.load(path)
        assert loaded.tobytes() == array.tobytes() or name == "odd_bool", name
        native = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("=")).reshape(array.shape)
        np.save(os.path.join(directory, f"good_{name}.expect.npy"), native)
    for name, content in bad_files():
        write(f"bad_{name}.npy", content)
    for name, content in dtype_files():
        write(f"dtype_{name}.npy", content)


def fresh(directory):
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    with open(os.path.join(directory, "README.md"), "w") as file:
        file.write(PROVENANCE.format(numpy=np.__version__))
    return directory


def main():
    np.seterr(all="ignore")
    if len(sys.argv) == 5 and sys.argv[1] == "--fuzz":
        directory = fresh(sys.argv[2])
        rng = np.random.default_rng(int(sys.argv[4]))
        for k in range(int(sys.argv[3])):
            name = NAMES[rng.integers(0, len(NAMES))]
            shapes = SMALL if rng.random() < 0.9 else LARGE
            add_random(directory, rng, name, f"{k:06}", shapes)
        write_options(directory)
        return
    assert np.__version__.startswith("1.24"), "the expected texts are those of NumPy 1.24"
    directory = fresh(os.path.join(DATA, "print"))
    write_print(directory)
    write_options(directory)
    write_chosen_options(directory)
    write_npy(fresh(os.path.join(DATA, "npy")))


if __name__ == "__main__":
    main()
