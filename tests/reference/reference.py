"""Expected values from an independent library, as files that the tests read.

A script tests/reference/FAMILY.py, run with a Python that has NumPy 1.24, SciPy 1.10 and PyTorch 1.13
(Debian 12: /usr/bin/python3), writes tests/data/reference/FAMILY.txt:

    from reference import Reference, text
    import numpy as np

    ref = Reference("trigonometry", "NumPy")          # who computed the expected values
    x = ref.array((2, 3), "f32")                       # reproducible numbers in [-2, 2)
    ref.case("sin", [x], [np.sin(x)], rtol=1e-6)
    ref.case("sum", [x, "axis=(0,)", "keepdims=True"], [x.sum(0, keepdims=True)], rtol=1e-6)
    ref.write()

Arguments are arrays, lists of arrays, or text in the language of include/transmute/law.h; results are
arrays or, for a Scalar, Python numbers; a list of arrays is an output that is a list. An array is
written by its dtype, so give results the dtype that transmute is to return. NumPy has no bfloat16:
wrap the float32 values in BF16(values).

A line of a file is: op TAB arguments TAB expected TAB rtol TAB atol. With rtol and atol 0 the bits
must be equal (a NaN equals a NaN).
"""

import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = {"bool": "b8", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8",
         "uint16": "u16", "uint32": "u32", "uint64": "u64", "float16": "f16", "float32": "f32",
         "float64": "f64", "complex64": "c64", "complex128": "c128"}
DTYPES = {short: np.dtype(name) for name, short in NAMES.items()}


class BF16:
    """float32 values that stand for bfloat16 ones, rounded to nearest even."""

    def __init__(self, values):
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
        rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
        self.values = rounded.astype(np.uint32).view(np.float32).reshape(np.shape(values))


def number(v):
    """A number in as few digits as read back to the same one."""
    if isinstance(v, (bool, np.bool_)):
        return "1" if v else "0"
    if isinstance(v, (int, np.integer)):
        return str(int(v))
    if isinstance(v, (complex, np.complexfloating)):
        imag = number(v.imag)
        return number(v.real) + (imag if imag[0] == "-" else "+" + imag) + "j"
    if np.isnan(v):
        return "nan"
    if np.isinf(v):
        return "inf" if v > 0 else "-inf"
    return np.format_float_scientific(v, trim="-") if abs(v) >= 1e16 or 0 < abs(v) < 1e-4 else \
        np.format_float_positional(v, trim="-")


def text(x):
    """An argument or a result in the language of samples."""
    if isinstance(x, str):
        return x
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(text(v) for v in x) + "]"
    if isinstance(x, (bool, int, float, complex)) and not isinstance(x, np.generic):
        return repr(x).strip("()")
    name, values = ("bf16", x.values) if isinstance(x, BF16) else (None, np.asarray(x))
    name = name or NAMES[values.dtype.name]
    sizes = ",".join(map(str, values.shape))
    if values.size == 0:
        return f"{name}[{sizes}]"
    return f"{name}[{sizes}]{{{' '.join(number(v) for v in values.ravel())}}}"


class Reference:
    def __init__(self, family, source, seed=0):
        self.family, self.source, self.lines = family, source, []
        self.random = np.random.RandomState(seed)

    def array(self, shape, dtype="f32", low=None, high=None):
        """Reproducible values in [low, high): by default [-2, 2), integers -9..9 (unsigned 0..9)."""
        d = DTYPES[dtype]
        if d.kind == "b":
            return self.random.randint(0, 2, shape).astype(bool)
        if d.kind in "iu":
            low = (0 if d.kind == "u" else -9) if low is None else low
            return self.random.randint(low, 10 if high is None else high, shape).astype(d)
        low, high = -2 if low is None else low, 2 if high is None else high
        # Few digits keep the files small and readable.
        draw = lambda: np.round(self.random.uniform(low, high, shape), 3)
        return np.asarray(draw() + 1j * draw() if d.kind == "c" else draw()).astype(d)

    text = staticmethod(text)

    def case(self, op, args, expected, rtol=0.0, atol=0.0):
        fields = [op, ", ".join(text(a) for a in args), ", ".join(text(e) for e in expected),
                  repr(float(rtol)), repr(float(atol))]
        assert not any("\t" in f or "\n" in f for f in fields)
        self.lines.append("\t".join(fields))

    def write(self):
        path = os.path.join(HERE, "..", "data", "reference", self.family + ".txt")
        with open(path, "w") as f:
            f.write(f"# Written by tests/reference/{self.family}.py; expected values by {self.source}.\n")
            f.write("\n".join(self.lines) + "\n")


def unary(ref, op, function, dtypes, rtol=None, low=None, high=None):
    """Cases of a function of one element. Integers are given to it as float32."""
    for dtype in dtypes.split():
        x = ref.array((2, 3), dtype, low, high)
        single = x.astype(np.float32) if rtol and x.dtype.kind in "iu" else x
        ref.case(op, [x], [function(single)], tolerance(single, rtol))


def binary(ref, op, function, dtypes, rtol=None, low=None, high=None, number=1.25):
    """Cases of a function of two elements: of tensors that broadcast, and of a tensor and a number,
    which for integers without rtol is a whole one."""
    for dtype in dtypes.split():
        a, b = ref.array((2, 3), dtype, low, high), ref.array((3,), dtype, low, high)
        whole = a.dtype.kind in "iu"
        single = [v.astype(np.float32) if rtol and whole else v for v in (a, b)]
        s = int(round(number)) if whole and not rtol else number
        t = single[0].dtype.type(s)
        wanted = tolerance(single[0], rtol)
        ref.case(op, [a, b], [function(*single)], wanted)
        ref.case(op + ".scalar", [a, s], [function(single[0], t)], wanted)
        ref.case(op + ".rscalar", [s, b], [function(t, single[1])], wanted)


def tolerance(x, rtol):
    """`rtol` holds for float64; the other dtypes have theirs."""
    return {"float16": 2e-3, "float32": 2e-6, "complex64": 4e-6}.get(x.dtype.name, rtol) if rtol else 0.0
