"""Bodies of elementwise ops of linalg as text: scalar ops on one type.

Arithmetic on f16 and bf16 is done in f32 and rounded once an op, as torch and XLA do.
"""

import contextlib
import struct

from .interface import Error

FLOATS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}


def wide(dtype):
    """The type that arithmetic on `dtype` is done in."""
    return "f32" if FLOATS.get(dtype) == 16 else dtype


def literal(value, dtype):
    """A scalar as MLIR spells it. Floating-point numbers are given by their bits, which are exact."""
    if dtype not in FLOATS:
        return str(int(value))
    if dtype == "f64":
        return "0x%016X" % struct.unpack("<Q", struct.pack("<d", value))[0]
    with contextlib.suppress(OverflowError):
        return "0x%08X" % struct.unpack("<I", struct.pack("<f", value))[0]
    return "0x7F800000" if value > 0 else "0xFF800000"


class Scalars:
    """The body of an elementwise op: each method writes one scalar op and names its result."""

    FLOAT_OPS = {
        "add": "arith.addf", "sub": "arith.subf", "mul": "arith.mulf", "div": "arith.divf",
        "max": "arith.maximumf", "min": "arith.minimumf", "neg": "arith.negf",
        "exp": "math.exp", "tanh": "math.tanh", "erf": "math.erf", "rsqrt": "math.rsqrt",
        "sqrt": "math.sqrt", "log": "math.log", "abs": "math.absf", "sin": "math.sin", "cos": "math.cos",
        "pow": "math.powf",
    }  # fmt: skip
    INTEGER_OPS = {"add": "arith.addi", "sub": "arith.subi", "mul": "arith.muli", "max": "arith.maxsi",
                   "min": "arith.minsi"}  # fmt: skip

    def __init__(self, function, dtype):
        self.function, self.dtype, self.lines = function, dtype, []

    def write(self, text):
        name = self.function.fresh()
        self.lines.append(f"    {name} = {text}")
        return name

    def __getattr__(self, op):
        table = self.FLOAT_OPS if self.dtype in FLOATS else self.INTEGER_OPS
        if op not in table:
            raise Error(f"expected a scalar op that the exporter has on {self.dtype}, but got '{op}'")
        return lambda *operands: self.write(f"{table[op]} {', '.join(operands)} : {self.dtype}")

    def constant(self, value):
        return self.write(f"arith.constant {literal(value, self.dtype)} : {self.dtype}")

    def convert(self, name, source, to):
        """Between the types of elements; integers are signed."""
        if source == to:
            return name
        if (source, to) == ("i8", "i1"):  # epilogues have no i1 but that of a comparison
            return self.write(f"arith.cmpi ne, {name}, {self.write('arith.constant 0 : i8')} : i8")
        if source in FLOATS and to in FLOATS:
            if FLOATS[source] == FLOATS[to]:  # f16 and bf16
                return self.convert(self.convert(name, source, "f32"), "f32", to)
            op = "arith.extf" if FLOATS[source] < FLOATS[to] else "arith.truncf"
        elif to in FLOATS:
            op = "arith.uitofp" if source == "i1" else "arith.sitofp"
        elif source in FLOATS:
            op = "arith.fptosi"
        else:
            op = "arith.extui" if source == "i1" else "arith.extsi" if int(source[1:]) < int(to[1:]) else "arith.trunci"
        return self.write(f"{op} {name} : {source} to {to}")

    def compare(self, predicate, a, b):
        """eq, ne, lt, le, gt or ge."""
        if self.dtype in FLOATS:
            return self.write(f"arith.cmpf {'une' if predicate == 'ne' else 'o' + predicate}, {a}, {b} : {self.dtype}")
        sign = "" if predicate in ("eq", "ne") else "s"
        return self.write(f"arith.cmpi {sign}{predicate}, {a}, {b} : {self.dtype}")

    def select(self, condition, a, b):
        return self.write(f"arith.select {condition}, {a}, {b} : {self.dtype}")

    def sigmoid(self, x):
        one = self.constant(1.0)
        return self.div(one, self.add(one, self.exp(self.neg(x))))

    def log1p(self, x):
        """By Kahan's correction of log(1 + x), which is exact where the sum is."""
        one = self.constant(1.0)
        sum_ = self.add(one, x)
        rest, log = self.sub(sum_, one), self.log(sum_)
        near = self.select(self.compare("eq", rest, x), log, self.mul(x, self.div(log, rest)))
        return self.select(self.compare("eq", sum_, one), x, near)

    def expm1(self, x):
        """By the same correction of exp(x) - 1."""
        one, power = self.constant(1.0), self.exp(x)
        rest = self.sub(power, one)
        near = self.mul(rest, self.div(x, self.log(power)))
        for exact in (power, self.constant(-1.0)):  # large, and almost -1
            near = self.select(self.compare("eq", rest, exact), rest, near)
        return self.select(self.compare("eq", power, one), x, near)

    def power(self, x, exponent):
        """Of a number that is known now; small whole ones are products."""
        if exponent == int(exponent) and 1 <= exponent <= 4:
            result = x
            for _ in range(int(exponent) - 1):
                result = self.mul(result, x)
            return result
        if exponent == 0.5:
            return self.sqrt(x)
        if exponent == -0.5:
            return self.rsqrt(x)
        if exponent == -1:
            return self.div(self.constant(1.0), x)
        return self.pow(x, self.constant(exponent))
