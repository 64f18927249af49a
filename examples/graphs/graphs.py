#!/usr/bin/env python3
"""Writes two layers of a relational graph network, on a drawn graph of the size of a data set, as MLIR.

usage: graphs.py rgcn|rgat|hgt AIFB|MUTAG|BGS|AM [--divide=N] [--widths=IN,HIDDEN,OUT]
                 [--by=groups|relations] [--products=tf32x3|tf32] [--runtime-indices] [--seed=N]

The graph is constant in the module; features and weights are arguments. With `--runtime-indices` the
sources and targets of edges are arguments, too, before the others. `--divide` makes a graph with 1/N of
the nodes and edges. With `--by=relations`, RGCN has a product of all nodes for each relation, and
gathers its rows, as frontends write it; otherwise one ragged product has the edges as rows.
"""

import argparse
import bisect
import random
import typing

# Nodes, edges and relations with their reverses, and types of nodes.
GRAPHS = {
    "AIFB": (8285, 66371, 91, 7),
    "MUTAG": (23644, 172098, 47, 5),
    "BGS": (333845, 2166243, 207, 27),
    "AM": (881680, 5668682, 267, 7),
}


class Value(typing.NamedTuple):
    name: str
    shape: tuple
    element: str = "f32"

    @property
    def type(self):
        return f"tensor<{''.join(f'{each}x' for each in self.shape)}{self.element}>"


class Graph:
    """Edges in the order of their relations. Some nodes and relations have many edges, most have few."""

    def __init__(self, nodes, edges, relations, types, divide, seed):
        draw = random.Random(seed).random
        self.nodes, self.edges = nodes // divide, edges // divide
        self.relations, self.types = relations, types
        relation = sorted(int(relations * draw() ** 2) for _ in range(self.edges))
        self.ends = [bisect.bisect(relation, each) for each in range(relations)]
        self.source = [int(self.nodes * draw() ** 3) for _ in range(self.edges)]
        self.target = [int(self.nodes * draw() ** 2) for _ in range(self.edges)]
        self.type_ends = sorted(int(self.nodes * draw()) for _ in range(types - 1)) + [self.nodes]


class Module:
    """The lines of a function. `indices` are the values of its first arguments."""

    def __init__(self, graph, products="", has_indices=False):
        self.graph, self.lines, self.arguments, self.count = graph, [], [], 0
        self.products = f"products({products}) " if products else ""
        self.indices = [graph.source, graph.target] if has_indices else []
        self.source, self.target = (
            self.argument(graph.edges, element="i32") if has_indices else self.numbers(each)
            for each in (graph.source, graph.target)
        )
        self.ends, self.type_ends = (self.numbers(each) for each in (graph.ends, graph.type_ends))

    def name(self, text):
        """The name of a result."""
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def result(self, text, shape, element="f32"):
        """The result of an op, whose type is appended."""
        kind = Value("", shape, element).type
        return Value(self.name(f"{text} {kind}"), shape, element)

    def scalar(self, number):
        return self.name(f"arith.constant {number} : f32")

    def numbers(self, values):
        return self.result(f"arith.constant dense<{values}> :", (len(values),), "i32")

    def argument(self, *shape, element="f32"):
        self.arguments.append(Value(f"%a{len(self.arguments)}", shape, element))
        return self.arguments[-1]

    def matrices(self, *shape):
        """An argument, made small as those of a model are: `hone run` draws numbers of variance 1."""
        value, loops = self.argument(*shape), ", ".join("ijk"[: len(shape)])
        body = [f"%r = arith.mulf %e0, {self.scalar(shape[-2] ** -0.75)} : f32", "%r"]
        return self.generic([value], [loops] * 2, self.empty(*shape), body, loops)

    def empty(self, *shape):
        return self.result("tensor.empty() :", shape)

    def filled(self, shape, number="0.0"):
        out = self.empty(*shape)
        return self.result(f"linalg.fill ins({self.scalar(number)} : f32) outs({out.name} : {out.type}) ->", shape)

    def part(self, value, begin, *sizes):
        """A slice of the first dimension, which is dropped if `sizes` has one less."""
        rank = len(value.shape)
        offsets, taken = [begin] + [0] * (rank - 1), [1] * (rank - len(sizes)) + list(sizes)
        return self.result(f"tensor.extract_slice {value.name}{offsets} {taken} {[1] * rank} : {value.type} to", sizes)

    def generic(self, inputs, maps, out, body, loops="i, j", sums=()):
        """`inputs` have elements %e0, %e1, ..., and `out` has %o; the last line of `body` names the result."""
        kinds = ", ".join('"reduction"' if each in sums else '"parallel"' for each in loops.split(", "))
        spelled = ", ".join(f"affine_map<({loops}) -> ({each})>" for each in maps)
        elements = ", ".join(f"%e{i}: {each.element}" for i, each in enumerate(inputs))
        names, types = ", ".join(each.name for each in inputs), ", ".join(each.type for each in inputs)
        head = f"linalg.generic {{indexing_maps = [{spelled}], iterator_types = [{kinds}]}}"
        lines = [f"{head} ins({names} : {types})", f"      outs({out.name} : {out.type}) {{"]
        lines += [f"  ^bb0({elements}, %o: f32):", *(f"    {line}" for line in body[:-1])]
        return self.result("\n".join([*lines, f"    linalg.yield {body[-1]} : f32", "  } ->"]), out.shape)

    def product(self, a, b):
        out = self.filled((a.shape[0], b.shape[-1]))
        text = f"linalg.matmul ins({a.name}, {b.name} : {a.type}, {b.type}) outs({out.name} : {out.type}) ->"
        return self.result(text, out.shape)

    def ragged(self, a, b, ends, index=None):
        out = self.empty((index or a).shape[0], b.shape[-1])
        rows = f"gather({index.name} : {index.type}) " if index else ""
        text = f"hone.matmul ins({a.name}, {b.name} : {a.type}, {b.type}) outs({out.name} : {out.type}) "
        return self.result(f"{text}ragged({ends.name} : {ends.type}) {rows}init(zero) acc(f32) {self.products}->", out.shape)

    def scatter(self, rows, to, into, weights=None, maximum=False):
        words, kind = (f"weights {weights.name} ", f", {weights.type}") if weights else ("", "")
        words += "max " if maximum else ""
        text = f"hone.scatter_rows {rows.name} to {to.name} {words}into {into.name} : {rows.type}, {to.type}{kind} into"
        return self.result(text, into.shape)

    def gather(self, rows, index):
        return self.generic([index], ["i", "i, j"], self.empty(index.shape[0], rows.shape[1]), [
            "%r = arith.index_cast %e0 : i32 to index", "%c = linalg.index 1 : index",
            f"%x = tensor.extract {rows.name}[%r, %c] : {rows.type}", "%x"])  # fmt: skip

    def relu(self, x):
        body = [f"%r = arith.maximumf %e0, {self.scalar('0.0')} : f32", "%r"]
        return self.generic([x], ["i, j"] * 2, self.empty(*x.shape), body)

    def with_target(self, column, rows, body):
        """Of a column, and %m, the element of `rows` at each edge's target."""
        extract = ["%t = arith.index_cast %e1 : i32 to index", "%c = linalg.index 1 : index",
                   f"%m = tensor.extract {rows.name}[%t, %c] : {rows.type}"]  # fmt: skip
        maps, out = ["i, j", "i", "i, j"], self.empty(*column.shape)
        return self.generic([column, self.target], maps, out, extract + body)

    def softmax(self, scores):
        """Of a column, over the edges of each target; in one dimension."""
        nodes = self.graph.nodes
        top = self.scatter(scores, self.target, self.filled((nodes, 1), "-1.0e30"), maximum=True)
        powers = self.with_target(scores, top, ["%d = arith.subf %e0, %m : f32", "%r = math.exp %d : f32", "%r"])
        totals = self.scatter(powers, self.target, self.filled((nodes, 1)))
        parts = self.with_target(powers, totals, ["%r = arith.divf %e0, %m : f32", "%r"])
        return self.result(f"tensor.collapse_shape {parts.name} [[0, 1]] : {parts.type} into", parts.shape[:1])

    def text(self, name, result):
        arguments = ", ".join(f"{each.name}: {each.type}" for each in self.arguments)
        head = f"func.func @{name}({arguments}) -> {result.type} {{"
        return "\n".join([head, *self.lines, f"  return {result.name} : {result.type}", "}", ""])


def rgcn(module, h, width, by):
    """relu(h W + sum over edges of weight * h[source] W[relation])."""
    graph = module.graph
    matrices = module.matrices(graph.relations, h.shape[1], width)
    weights = module.argument(graph.edges)
    sums = module.product(h, module.matrices(h.shape[1], width))
    if by == "groups":
        rows = module.ragged(h, matrices, module.ends, module.source)
        return module.relu(module.scatter(rows, module.target, sums, weights))
    for relation, (begin, end) in enumerate(zip([0] + graph.ends, graph.ends)):
        if end == begin:
            continue
        source, target = (module.numbers(each[begin:end]) for each in (graph.source, graph.target))
        rows = module.product(h, module.part(matrices, relation, *matrices.shape[1:]))
        weight = module.part(weights, begin, end - begin)
        sums = module.scatter(module.gather(rows, source), target, sums, weight)
    return module.relu(sums)


def rgat(module, h, width, by):
    """Rows of sources weighed by a softmax over leaky(z[target] a + z[source] b), z = h W[relation]."""
    graph = module.graph
    matrices = module.matrices(graph.relations, h.shape[1], width)
    of_target, of_source = (module.matrices(graph.relations, width, 1) for _ in range(2))
    rows = module.ragged(h, matrices, module.ends, module.source)
    other = module.ragged(h, matrices, module.ends, module.target)
    left = module.ragged(other, of_target, module.ends)
    right = module.ragged(rows, of_source, module.ends)
    scores = module.generic([left, right], ["i, j"] * 3, module.empty(graph.edges, 1), [
        "%s = arith.addf %e0, %e1 : f32", f"%l = arith.mulf %s, {module.scalar('0.2')} : f32",
        "%r = arith.maximumf %s, %l : f32", "%r"])  # fmt: skip
    sums = module.filled((graph.nodes, width))
    return module.relu(module.scatter(rows, module.target, sums, module.softmax(scores)))


def hgt(module, h, width, by):
    """Rows of values weighed by a softmax over key . query; nodes have matrices by their types."""
    graph = module.graph
    keys, queries, values = (
        module.ragged(h, module.matrices(graph.types, h.shape[1], width), module.type_ends) for _ in range(3)
    )
    of_keys, of_values = (
        module.ragged(x, module.matrices(graph.relations, width, width), module.ends, module.source)
        for x in (keys, values)
    )
    scale, out = module.scalar(width**-0.5), module.filled((graph.edges, 1))
    scores = module.generic([of_keys, module.target], ["i, k", "i", "i, j"], out, [
        "%t = arith.index_cast %e1 : i32 to index", "%c = linalg.index 2 : index",
        f"%q = tensor.extract {queries.name}[%t, %c] : {queries.type}", f"%k = arith.mulf %e0, {scale} : f32",
        "%p = arith.mulf %k, %q : f32", "%s = arith.addf %o, %p : f32", "%s"], "i, j, k", ("k",))  # fmt: skip
    sums = module.scatter(of_values, module.target, module.filled((graph.nodes, width)), module.softmax(scores))
    return module.ragged(module.relu(sums), module.matrices(graph.types, width, width), module.type_ends)


LAYERS = {"rgcn": rgcn, "rgat": rgat, "hgt": hgt}


def write(module, model, widths, by="groups"):
    h = module.argument(module.graph.nodes, widths[0])
    for width in widths[1:]:
        h = LAYERS[model](module, h, width, by)
    return h


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=LAYERS)
    parser.add_argument("graph", choices=GRAPHS)
    parser.add_argument("--divide", type=int, default=1)
    parser.add_argument("--widths", default="64,64,64")
    parser.add_argument("--by", choices=("groups", "relations"), default="groups")
    parser.add_argument("--products", default="", help="how ragged products of f32 may be computed")
    parser.add_argument("--runtime-indices", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.runtime_indices and options.by == "relations":
        parser.error("expected --by=groups with --runtime-indices, but got relations; use one of both")
    graph = Graph(*GRAPHS[options.graph], options.divide, options.seed)
    module = Module(graph, options.products, options.runtime_indices)
    result = write(module, options.model, list(map(int, options.widths.split(","))), options.by)
    print(module.text(options.model, result), end="")


if __name__ == "__main__":
    main()
