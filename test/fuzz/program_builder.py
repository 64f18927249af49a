"""Text of linalg on tensors, written value by value."""


class Value:
    """An SSA value: its name, its extents (a number, or M, which the caller decides) and its
    element type."""

    def __init__(self, name, shape, element):
        self.name, self.shape, self.element = name, tuple(shape), element

    @property
    def type(self):
        extents = "".join(("?" if s == "M" else str(s)) + "x" for s in self.shape)
        return f"tensor<{extents}{self.element}>"


class Builder:
    """The lines of a function, and the values that some of them read."""

    def __init__(self):
        self.arguments, self.lines, self.used, self.count = [], [], set(), 0

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def argument(self, shape, element):
        value = Value(f"%a{len(self.arguments)}", shape, element)
        self.arguments.append(value)
        return value

    def line(self, text):
        self.lines.append("  " + text)

    def constant(self, number, element):
        name = self.name()
        text = str(number) if element[0] in "iu" or element == "index" else f"{float(number):e}"
        self.line(f"{name} = arith.constant {text} : {element}")
        return name

    def empty(self, shape, element):
        value = Value(self.name(), shape, element)
        sizes = ", ".join("%m" for s in shape if s == "M")
        self.line(f"{value.name} = tensor.empty({sizes}) : {value.type}")
        return value

    def filled(self, shape, element, number):
        empty, constant = self.empty(shape, element), self.constant(number, element)
        value = Value(self.name(), shape, element)
        self.line(f"{value.name} = linalg.fill ins({constant} : {element}) "
                  f"outs({empty.name} : {value.type}) -> {value.type}")
        return value

    def generic(self, inputs, maps, result, body, out_map=None, reduces=(), rank=None):
        """A linalg.generic of `inputs` (values) by `maps` (indices of loops) into `result`."""
        rank = rank or len(result.shape)
        loops = ", ".join(f"d{i}" for i in range(rank))
        spell = lambda m: f"affine_map<({loops}) -> ({', '.join(f'd{i}' for i in m)})>"
        out_map = range(rank) if out_map is None else out_map
        kinds = ", ".join('"reduction"' if i in reduces else '"parallel"' for i in range(rank))
        value = Value(self.name(), result.shape, result.element)
        names = [f"%i{i}" for i in range(len(inputs))] + ["%o"]
        arguments = ", ".join(f"{n}: {v.element}" for n, v in zip(names, inputs + [result]))
        ins = ""
        if inputs:
            ins = (f"ins({', '.join(v.name for v in inputs)} : "
                   f"{', '.join(v.type for v in inputs)}) ")
        all_maps = ", ".join(spell(m) for m in list(maps) + [out_map])
        self.line(f"{value.name} = linalg.generic {{indexing_maps = [{all_maps}], "
                  f"iterator_types = [{kinds}]}} {ins}outs({result.name} : {result.type}) {{")
        self.line(f"^bb0({arguments}):")
        for text in body:
            self.line("  " + text)
        self.line(f"}} -> {value.type}")
        self.used.update(v.name for v in inputs)
        return value

    def elementwise(self, inputs, element, body, maps=None):
        shape = inputs[0].shape
        maps = maps or [range(len(shape))] * len(inputs)
        return self.generic(inputs, maps, self.empty(shape, element), body)

    def casted(self, value, element):
        if value.element == element:
            return value
        width = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
        if value.element in ("f16", "bf16") and element in ("f16", "bf16"):
            value = self.casted(value, "f32")
        op = "arith.extf" if width[value.element] < width[element] else "arith.truncf"
        return self.elementwise([value], element, [
            f"%r = {op} %i0 : {value.element} to {element}", f"linalg.yield %r : {element}"])

    def scaled(self, value, factor):
        c = self.constant(factor, value.element)
        return self.elementwise([value], value.element, [
            f"%r = arith.mulf %i0, {c} : {value.element}", f"linalg.yield %r : {value.element}"])

    def multiplied(self, left, right, n, turned):
        """`left` by the n columns of `right`, or by its n rows, in sums of f32."""
        given = left.element
        body = [] if given == "f32" else [
            f"%x{i} = arith.extf %i{i} : {given} to f32" for i in (0, 1)]
        x, y = ("%i0", "%i1") if given == "f32" else ("%x0", "%x1")
        body += [f"%p = arith.mulf {x}, {y} : f32", "%s = arith.addf %o, %p : f32",
                 "linalg.yield %s : f32"]
        out = self.filled([left.shape[0], n], "f32", 0)
        return self.generic([left, right], [(0, 2), (1, 2) if turned else (2, 1)], out, body,
                            out_map=(0, 1), reduces=(2,), rank=3)
