"""Random programs of products next to gathers, and of three factors, from a seed."""

import random
import sys

from program_builder import Builder, Value

EXTENTS = (1, 2, 3, 5, 8, 17, 24)


class Reordered(Builder):
    def __init__(self, seed):
        self.random = random.Random(seed)
        super().__init__()
        self.ranges = []

    def extent(self):
        return self.random.choice(EXTENTS)

    def coin(self):
        return self.random.random() < 0.5

    def start(self, shape, element):
        """Zeros, a number, or the elements of an argument."""
        kind = self.random.choice(("zero", "zero", "number", "dense", "argument"))
        if kind == "dense":
            return self.dense(shape, element)
        if kind != "argument":
            return self.filled(shape, element, 0 if kind == "zero" else 3)
        return self.doubled(self.argument(shape, element))

    def dense(self, shape, element):
        value = Value(self.name(), shape, element)
        number = "0" if element[0] == "i" else "0.0"
        self.line(f"{value.name} = arith.constant dense<{number}> : {value.type}")
        return value

    def doubled(self, value):
        """No argument, which a destination would change."""
        t = value.element
        return self.elementwise([value], t, [f"%r = arith.add{'i' if t[0] == 'i' else 'f'} "
                                             f"%i0, %i0 : {t}", f"linalg.yield %r : {t}"])

    def product(self, left, n):
        """With the columns of a matrix, into f32 or i32."""
        k, sum_type = left.shape[1], "i32" if left.element == "i32" else "f32"
        right = self.argument([k, n], left.element)
        out = self.start([left.shape[0], n], sum_type)
        result = Value(self.name(), out.shape, sum_type)
        self.line(f"{result.name} = linalg.matmul ins({left.name}, {right.name} : {left.type}, "
                  f"{right.type}) outs({out.name} : {out.type}) -> {out.type}")
        return result

    def index(self, rows, low, high):
        """Numbers from low to high: constants, of which some repeat, or an argument."""
        element = self.random.choice(("i32", "i64"))
        if self.coin():
            value = Value(self.name(), [rows], element)
            numbers = [self.random.randint(low, high) for _ in range(rows)]
            self.line(f"{value.name} = arith.constant dense<{numbers}> : {value.type}")
            return value
        self.ranges.append((len(self.arguments), low, high))
        return self.argument([rows], element)

    def gathered(self, value, rows):
        """Rows of `value`, in one of the ways in which frontends compute the numbers."""
        last, spelling = value.shape[0] - 1, self.random.choice(("plain", "negative", "clamped",
                                                                 "inside", "asserted"))
        low = -value.shape[0] if spelling == "negative" else -4 if spelling == "clamped" else 0
        index = self.index(rows, low, last + 4 if spelling == "clamped" else last)
        t, c = index.element, {n: self.constant(n, "index") for n in (0, last, last + 1)}
        read = [f"%x = arith.index_cast %i0 : {t} to index"]
        inputs, maps, number = [index], [(0,)], "%x"
        if spelling == "negative":
            read += [f"%n = arith.cmpi slt, %x, {c[0]} : index",
                     f"%p = arith.addi %x, {c[last + 1]} : index",
                     "%y = arith.select %n, %p, %x : index"]
            number = "%y"
        elif spelling == "clamped":
            read += [f"%p = arith.maxsi %x, {c[0]} : index",
                     f"%y = arith.minsi %p, {c[last]} : index"]
            number = "%y"
        elif spelling == "inside":
            read = ["%at = linalg.index 0 : index",
                    f"%e = tensor.extract {index.name}[%at] : {index.type}",
                    f"%x = arith.index_cast %e : {t} to index"]
            inputs, maps = [], []
        elif spelling == "asserted":
            read += [f"%n = arith.cmpi sge, %x, {c[0]} : index", 'cf.assert %n, "below 0"']
        out = self.empty((rows, value.shape[1]), value.element)
        return self.generic(inputs, maps, out, read + [
            "%column = linalg.index 1 : index",
            f"%r = tensor.extract {value.name}[{number}, %column] : {value.type}",
            f"linalg.yield %r : {value.element}"])

    def between(self, value):
        """An op on each element, with a row, with a matrix, or none."""
        kind = self.random.choice(("none", "none", "relu", "dense", "row", "matrix"))
        if value.element == "i32" or kind == "none":
            return value
        t = value.element
        if kind == "relu":
            zero = self.constant(0, t)
            return self.elementwise([value], t, [f"%r = arith.maximumf %i0, {zero} : {t}",
                                                 f"linalg.yield %r : {t}"])
        if kind == "dense":
            zeros, result = self.dense(value.shape, t), Value(self.name(), value.shape, t)
            self.line(f"{result.name} = arith.maximumf {value.name}, {zeros.name} : {value.type}")
            return result
        other = self.argument(value.shape[1:] if kind == "row" else value.shape, t)
        return self.elementwise([value, other], t, [
            f"%r = arith.addf %i0, %i1 : {t}", f"linalg.yield %r : {t}"],
            [(0, 1), (1,) if kind == "row" else (0, 1)])

    def gather_first(self):
        element = self.random.choice(("f16", "bf16", "f32", "i32"))
        x = self.argument([self.extent(), self.extent()], element)
        rows = self.between(self.gathered(x, self.extent()))
        return [self.between(self.product(rows, self.extent()))]

    def product_first(self):
        element = self.random.choice(("f16", "bf16", "f32", "i32"))
        x = self.argument([self.extent(), self.extent()], element)
        sums = self.between(self.product(x, self.extent()))
        rows = self.gathered(sums, self.extent())
        return [rows, sums] if self.random.random() < 0.2 else [self.between(rows)]

    def clause(self):
        """A product of rows of an index, some out of range, with groups or without."""
        s, r, k, n = (self.extent() for _ in range(4))
        groups = self.random.choice((0, 0, 3, 5))
        a = self.argument([s, k], "f16")
        b = self.argument(([groups] if groups else []) + [k, n], "f16")
        index = self.index(r, -2, s + 1)
        ends = self.index(groups, -2, r + 3) if groups else None
        while ends and ends.element != "i32":
            ends = self.index(groups, -2, r + 3)
        read = not groups and self.random.random() < 0.3
        out = self.doubled(self.argument([r, n], "f32")) if read else self.empty([r, n], "f32")
        result = Value(self.name(), out.shape, "f32")
        ragged = f"ragged({ends.name} : {ends.type}) " if groups else ""
        self.line(f"{result.name} = hone.matmul ins({a.name}, {b.name} : {a.type}, {b.type}) "
                  f"outs({out.name} : {out.type}) {ragged}gather({index.name} : {index.type}) "
                  f"init({'read' if read else 'zero'}) acc(f32) -> {out.type}")
        return [self.between(result)]

    def factors(self):
        """Two products in a row, from either side. A rounding in between would move."""
        m, k, n, p = (self.extent() for _ in range(4))
        element = self.random.choice(("f32", "i32"))
        inner = self.generic_product(self.argument([m, k], element),
                                     self.argument([k, n], element), (0, 2), (2, 1))
        if self.coin():
            return [self.generic_product(inner, self.argument([n, p], element), (0, 2), (2, 1))]
        return [self.generic_product(self.argument([m, p], element), inner, (2, 0), (2, 1))]

    def generic_product(self, left, right, left_map, right_map):
        t = left.element
        dims = dict(zip(left_map + right_map, left.shape + right.shape))
        out = self.filled([dims[0], dims[1]], t, 0)
        return self.generic([left, right], [left_map, right_map], out, [
            f"%p = arith.mul{t[0]} %i0, %i1 : {t}", f"%s = arith.add{t[0]} %o, %p : {t}",
            f"linalg.yield %s : {t}"], out_map=(0, 1), reduces=(2,), rank=3)

    def draw(self):
        results = self.random.choice((self.gather_first, self.product_first, self.clause,
                                      self.factors))()
        arguments = ", ".join(f"{a.name}: {a.type}" for a in self.arguments)
        types = ", ".join(v.type for v in results)
        options = " ".join(f"--range={i}:{low}:{high}" for i, low, high in self.ranges)
        return "\n".join([f"// {options}", f"func.func @main({arguments}) -> ({types}) {{",
                          *self.lines,
                          f"  return {', '.join(v.name for v in results)} : {types}", "}", ""])


if __name__ == "__main__":
    print("// -----\n".join(Reordered(f"0-{case}").draw() for case in range(int(sys.argv[1]))))
