"""Random programs of products and of the ops around them, from a seed.

A program grows statement by statement. Each statement takes values of the pool that fit, and
adds its result; the values that no statement took are the function's results.
"""

import random

from program_builder import Builder, Value

FLOATS = ("f16", "bf16", "f32")
EXTENTS = (1, 1, 2, 3, 5, 8, 15, 16, 17, 33, 40, 64, 72, 100)


class Program(Builder):
    def __init__(self, seed):
        self.random = random.Random(seed)
        super().__init__()
        self.pool, self.ranges = [], []
        self.m = self.random.choice([None, None, 1, 2, 7, 19, 64, 65])
        k = self.extent()
        self.first = self.argument(["M" if self.m else self.extent(), k],
                                   self.random.choice(FLOATS))
        self.pool.append(self.first)

    def extent(self):
        return self.random.choice(EXTENTS)

    def take(self, *elements, rank=None):
        fitting = [v for v in self.pool if v.element in elements and
                   (rank is None or len(v.shape) == rank)]
        # Recent values more often: programs are chains with branches.
        return self.random.choice(fitting[-3:] if self.random.random() < 0.7 else fitting) \
            if fitting else None

    # ---- Statements: each returns a value, or None where no value fits -----------------

    def product(self):
        left = self.take(*FLOATS, rank=2)
        if not left:
            return None
        if left.element == "f32" and self.random.random() < 0.6:
            left = self.casted(left, self.random.choice(("f16", "bf16")))
        n, k = self.extent(), left.shape[1]
        if k == "M":
            return None
        turned = self.random.random() < 0.5
        right = self.argument([n, k] if turned else [k, n], left.element)
        return self.scaled(self.multiplied(left, right, n, turned), 1.0 / max(1, k) ** 0.5)

    def batched(self):
        value = self.take("f16", "bf16", rank=3)
        if not value or "M" in value.shape[1:]:
            return None
        batch, rows, k = value.shape
        n = self.extent()
        right = self.argument([batch, k, n], value.element)
        out = self.filled([batch, rows, n], "f32", 0)
        result = Value(self.name(), out.shape, "f32")
        self.line(f"{result.name} = linalg.batch_matmul ins({value.name}, {right.name} : "
                  f"{value.type}, {right.type}) outs({out.name} : {out.type}) -> {out.type}")
        self.used.add(value.name)
        return self.scaled(result, 1.0 / max(1, k) ** 0.5)

    def integers(self):
        m, k, n = self.extent(), self.extent(), self.extent()
        left, right = self.argument([m, k], "i8"), self.argument([k, n], "i8")
        out = self.filled([m, n], "i32", 0)
        return self.generic([left, right], [(0, 2), (2, 1)], out, [
            "%x = arith.extsi %i0 : i8 to i32", "%y = arith.extsi %i1 : i8 to i32",
            "%p = arith.muli %x, %y : i32", "%s = arith.addi %o, %p : i32",
            "linalg.yield %s : i32"], out_map=(0, 1), reduces=(2,), rank=3)

    def bias(self):
        value = self.take(*FLOATS)
        if not value or value.shape[-1] == "M":
            return None
        row = self.argument([value.shape[-1]], value.element)
        rank = len(value.shape)
        return self.elementwise([value, row], value.element, [
            f"%r = arith.addf %i0, %i1 : {value.element}", f"linalg.yield %r : {value.element}"],
            [range(rank), (rank - 1,)])

    def unary(self):
        value = self.take(*FLOATS)
        if not value:
            return None
        t = value.element
        kind = self.random.choice(("relu", "tanh", "erf", "neg", "square", "sigmoid", "abs"))
        zero, one = self.constant(0, t), self.constant(1, t)
        body = {
            "relu": [f"%r = arith.maximumf %i0, {zero} : {t}"],
            "tanh": [f"%r = math.tanh %i0 : {t}"],
            "erf": [f"%r = math.erf %i0 : {t}"],
            "neg": [f"%r = arith.negf %i0 : {t}"],
            "abs": [f"%r = math.absf %i0 : {t}"],
            "square": [f"%x = math.tanh %i0 : {t}", f"%r = arith.mulf %x, %x : {t}"],
            "sigmoid": [f"%n = arith.negf %i0 : {t}", f"%e = math.exp %n : {t}",
                        f"%s = arith.addf %e, {one} : {t}", f"%r = arith.divf {one}, %s : {t}"],
        }[kind]
        return self.elementwise([value], t, body + [f"linalg.yield %r : {t}"])

    def binary(self):
        left = self.take(*FLOATS)
        others = [v for v in self.pool if left and v.shape == left.shape and
                  v.element == left.element]
        if not others:
            return None
        op = self.random.choice(("addf", "subf", "mulf", "maximumf", "minimumf"))
        return self.elementwise([left, self.random.choice(others)], left.element, [
            f"%r = arith.{op} %i0, %i1 : {left.element}", f"linalg.yield %r : {left.element}"])

    def cast(self):
        value = self.take(*FLOATS)
        return value and self.casted(value, self.random.choice(FLOATS))

    def mask(self):
        """A mask of an argument, so that no rounding decides it."""
        shape = self.random.choice(self.pool).shape
        given = self.argument(shape, "i32")
        zero = self.constant(0, "i32")
        return self.elementwise([given], "i1", [
            f"%r = arith.cmpi sgt, %i0, {zero} : i32", "linalg.yield %r : i1"])

    def both_masks(self):
        left = self.take("i1")
        others = [v for v in self.pool if left and v.element == "i1" and v.shape == left.shape]
        if not others:
            return None
        op = self.random.choice(("andi", "ori", "xori"))
        return self.elementwise([left, self.random.choice(others)], "i1", [
            f"%r = arith.{op} %i0, %i1 : i1", "linalg.yield %r : i1"])

    def select(self):
        mask = self.take("i1")
        values = [v for v in self.pool if mask and v.element in FLOATS and v.shape == mask.shape]
        if not values:
            return None
        value = self.random.choice(values)
        other = self.constant(self.random.choice((0, -1, 2)), value.element)
        return self.elementwise([mask, value], value.element, [
            f"%r = arith.select %i0, %i1, {other} : {value.element}",
            f"linalg.yield %r : {value.element}"])

    def causal(self):
        value = self.take(*FLOATS, rank=2)
        if not value:
            return None
        t, zero = value.element, self.constant(0, value.element)
        return self.elementwise([value], t, [
            "%x = linalg.index 0 : index", "%y = linalg.index 1 : index",
            "%c = arith.cmpi ule, %y, %x : index",
            f"%r = arith.select %c, %i0, {zero} : {t}", f"linalg.yield %r : {t}"])

    def reduce(self):
        value = self.take(*FLOATS)
        if not value or len(value.shape) < 2:
            return None
        rank, axis = len(value.shape), self.random.randrange(len(value.shape))
        rest = [i for i in range(rank) if i != axis]
        value = self.casted(value, "f32")
        op, start = self.random.choice((("addf", 0.0), ("maximumf", -1e30)))
        out = self.filled([value.shape[i] for i in rest], "f32", start)
        reduced = self.generic([value], [range(rank)], out, [
            f"%r = arith.{op} %i0, %o : f32", "linalg.yield %r : f32"],
            out_map=rest, reduces=(axis,), rank=rank)
        if self.random.random() < 0.3:
            return reduced
        return self.elementwise([value, reduced], "f32", [
            "%r = arith.subf %i0, %i1 : f32", "linalg.yield %r : f32"], [range(rank), rest])

    def softmax(self):
        value = self.take(*FLOATS)
        if not value or len(value.shape) < 2:
            return None
        value = self.casted(value, "f32")
        rank = len(value.shape)
        rest = list(range(rank - 1))
        shape = value.shape[:-1]
        top = self.generic([value], [range(rank)], self.filled(shape, "f32", -1e30), [
            "%r = arith.maximumf %i0, %o : f32", "linalg.yield %r : f32"],
            out_map=rest, reduces=(rank - 1,), rank=rank)
        power = self.elementwise([value, top], "f32", [
            "%d = arith.subf %i0, %i1 : f32", "%r = math.exp %d : f32",
            "linalg.yield %r : f32"], [range(rank), rest])
        total = self.generic([power], [range(rank)], self.filled(shape, "f32", 0), [
            "%r = arith.addf %i0, %o : f32", "linalg.yield %r : f32"],
            out_map=rest, reduces=(rank - 1,), rank=rank)
        return self.elementwise([power, total], "f32", [
            "%r = arith.divf %i0, %i1 : f32", "linalg.yield %r : f32"], [range(rank), rest])

    def transpose(self):
        value = self.take(*FLOATS, "i1", rank=2)
        if not value:
            return None
        out = self.empty(value.shape[::-1], value.element)
        return self.generic([value], [(1, 0)], out, [f"linalg.yield %i0 : {value.element}"])

    def stack(self):
        """Two values of a shape, one after the other in a new first dimension."""
        first = self.take(*FLOATS, "i1", rank=2)
        others = [v for v in self.pool if first and v.shape == first.shape and
                  v.element == first.element]
        if not others or "M" in first.shape[1:]:
            return None
        into = self.empty((2,) + first.shape, first.element)
        sizes = ", ".join("%m" if s == "M" else str(s) for s in first.shape)
        for i, value in enumerate((first, self.random.choice(others))):
            result = Value(self.name(), into.shape, into.element)
            self.line(f"{result.name} = tensor.insert_slice {value.name} into {into.name}"
                      f"[{i}, 0, 0] [1, {sizes}] [1, 1, 1] : {value.type} into {into.type}")
            self.used.add(value.name)
            into = result
        return into

    def slice(self):
        value = self.take(*FLOATS, "i1", "i32")
        if not value:
            return None
        offsets, sizes, steps, shape = [], [], [], []
        for extent in value.shape:
            if extent == "M":
                offset, size, step = 0, "%m", 1
                shape.append("M")
            else:
                step = self.random.choice((1, 1, 2))
                offset = self.random.randrange(extent)
                size = self.random.randint(1, (extent - offset + step - 1) // step)
                shape.append(size)
            offsets.append(offset), sizes.append(size), steps.append(step)
        result = Value(self.name(), shape, value.element)
        spell = lambda numbers: f"[{', '.join(map(str, numbers))}]"
        self.line(f"{result.name} = tensor.extract_slice {value.name}{spell(offsets)} "
                  f"{spell(sizes)} {spell(steps)} : {value.type} to {result.type}")
        self.used.add(value.name)
        return result

    def pad(self):
        value = self.take(*FLOATS, rank=2)
        if not value or value.shape[1] == "M":
            return None
        low, high = self.random.randrange(3), self.random.randrange(1, 9)
        result = Value(self.name(), (value.shape[0], value.shape[1] + low + high), value.element)
        zero = self.constant(0, value.element)
        self.line(f"{result.name} = tensor.pad {value.name} low[0, {low}] high[0, {high}] {{")
        self.line("^bb0(%x: index, %y: index):")
        self.line(f"  tensor.yield {zero} : {value.element}")
        self.line(f"}} : {value.type} to {result.type}")
        self.used.add(value.name)
        return result

    def reshape(self):
        value = self.take(*FLOATS, "i1", rank=3)
        if value and "M" not in value.shape:
            a, b, c = value.shape
            result = Value(self.name(), (a * b, c), value.element)
            self.line(f"{result.name} = tensor.collapse_shape {value.name} [[0, 1], [2]] : "
                      f"{value.type} into {result.type}")
        else:
            value = self.take(*FLOATS, "i1", rank=2)
            if not value or "M" in value.shape:
                return None
            a, b = value.shape
            heads = self.random.choice([h for h in (1, 2, 3, 4, 5, 8) if b % h == 0])
            result = Value(self.name(), (a, heads, b // heads), value.element)
            self.line(f"{result.name} = tensor.expand_shape {value.name} [[0], [1, 2]] "
                      f"output_shape [{a}, {heads}, {b // heads}] : "
                      f"{value.type} into {result.type}")
        self.used.add(value.name)
        return result

    def gather(self):
        value = self.take(*FLOATS, rank=2)
        if not value or value.shape[0] == "M":
            return None
        rows = self.extent()
        table = self.argument([rows], self.random.choice(("i32", "i64")))
        self.ranges.append((len(self.arguments) - 1, 0, value.shape[0] - 1))
        out = self.empty((rows, value.shape[1]), value.element)
        self.used.add(value.name)
        return self.generic([table], [(0,)], out, [
            f"%x = arith.index_cast %i0 : {table.element} to index",
            "%y = linalg.index 1 : index",
            f"%r = tensor.extract {value.name}[%x, %y] : {value.type}",
            f"linalg.yield %r : {value.element}"])

    def loop(self):
        value = self.take(*FLOATS, rank=2)
        if not value or value.shape[1] == "M":
            return None
        value = self.casted(value, "f16")
        n, steps = value.shape[1], self.random.choice((1, 2, 3))
        weights = self.argument([n, n], "f16")
        low, high, step = (self.constant(i, "index") for i in (0, steps, 1))
        result = Value(self.name(), value.shape, "f16")
        self.line(f"{result.name} = scf.for %step = {low} to {high} step {step} "
                  f"iter_args(%x = {value.name}) -> ({value.type}) {{")
        self.used.add(value.name)
        inside = Value("%x", value.shape, "f16")
        sums = self.multiplied(inside, weights, n, turned=False)
        small = self.casted(self.scaled(sums, 0.5 / max(1, n) ** 0.5), "f16")
        self.line(f"scf.yield {small.name} : {small.type}")
        self.line("}")
        return result

    # ---- The whole ---------------------------------------------------------------------

    def draw(self):
        statements = [self.product] * 5 + [self.batched] * 3 + [
            self.integers, self.bias, self.bias, self.unary, self.unary, self.binary, self.cast,
            self.mask, self.mask, self.both_masks, self.both_masks, self.select, self.select,
            self.causal, self.reduce, self.reduce, self.softmax, self.transpose, self.transpose,
            self.stack, self.stack, self.slice, self.slice, self.pad, self.reshape,
            self.reshape, self.gather, self.loop]
        if self.m:
            self.line("%zero_index = arith.constant 0 : index")
            self.line(f"%m = tensor.dim {self.first.name}, %zero_index : {self.first.type}")
        self.pool.append(self.product())
        for _ in range(self.random.randint(2, 8)):
            value = self.random.choice(statements)()
            if value:
                self.pool.append(value)
        results = [v for v in self.pool[1:] if v.name not in self.used] or [self.pool[-1]]
        arguments = ", ".join(f"{a.name}: {a.type}" for a in self.arguments)
        types = ", ".join(v.type for v in results)
        text = [f"// {self.options()}", f"func.func @main({arguments}) -> ({types}) {{"]
        text += self.lines
        text += [f"  return {', '.join(v.name for v in results)} : {types}", "}", ""]
        return "\n".join(text)

    def options(self):
        options = [f"--range={i}:{low}:{high}" for i, low, high in self.ranges]
        dynamic = sum(a.shape.count("M") for a in self.arguments)
        if dynamic:
            options.append("--dims=" + ",".join([str(self.m)] * dynamic))
        return " ".join(options)
