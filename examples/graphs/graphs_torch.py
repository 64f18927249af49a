#!/usr/bin/env python3
"""Two layers of relational graph networks: one function of Hone's beside a loop of torch over relations.

    python graphs_torch.py rgcn rgat hgt --graph=AIFB --products=tf32x3 --csv=graphs.csv

Both sides are of f32 and run in turns as CUDA graphs. With --runtime-indices there is a third side, whose
edges are arguments: it sorts the index on the device in each call. The loop is also timed with pyg_lib's product of
segments, where it is installed. Errors are norms of the difference to f64, over the norm of the result.
Without a GPU there are no times.
"""

import argparse
import csv
import pathlib
import sys

import torch

import graphs

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "frontends"))
from blocks_torch import hone_torch, time_graphs  # noqa: E402

interface = hone_torch.interface

try:
    import pyg_lib
except ImportError:
    pyg_lib = None

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Arguments(graphs.Module):
    """A module whose matrices are its arguments as they are."""

    def matrices(self, *shape):
        return self.argument(*shape)


class Torch:
    """The layers in torch. The graph is on the device; the ends of relations and types are numbers."""

    def __init__(self, graph, has_segments=False):
        self.graph, self.has_segments = graph, has_segments
        self.source, self.target = (torch.tensor(each, device=DEVICE) for each in (graph.source, graph.target))
        self.ends, self.type_ends = [0, *graph.ends], [0, *graph.type_ends]
        self.pointers = {id(each): torch.tensor(each) for each in (self.ends, self.type_ends)}

    def ragged(self, rows, matrices, ends, index=None):
        rows = rows if index is None else rows[index]
        if self.has_segments:
            return pyg_lib.ops.segment_matmul(rows, self.pointers[id(ends)], matrices)
        parts = zip(ends, ends[1:], matrices)
        return torch.cat([rows[begin:end] @ matrix for begin, end, matrix in parts if end > begin])

    def softmax(self, scores):
        top = scores.new_full((self.graph.nodes,), -1e30).index_reduce_(0, self.target, scores, "amax")
        powers = (scores - top[self.target]).exp()
        return powers / scores.new_zeros(self.graph.nodes).index_add_(0, self.target, powers)[self.target]

    def sums(self, rows, weights, into):
        return into.index_add(0, self.target, rows * weights[:, None])

    def rgcn(self, h, matrices, weights, own):
        if self.has_segments:
            return self.sums(self.ragged(h, matrices, self.ends, self.source), weights, h @ own).relu()
        sums = h @ own
        for begin, end, matrix in zip(self.ends, self.ends[1:], matrices):
            if end > begin:
                rows = (h[self.source[begin:end]] @ matrix) * weights[begin:end, None]
                sums.index_add_(0, self.target[begin:end], rows)
        return sums.relu()

    def rgat(self, h, matrices, of_target, of_source):
        rows, other = (self.ragged(h, matrices, self.ends, index) for index in (self.source, self.target))
        left, right = self.ragged(other, of_target, self.ends), self.ragged(rows, of_source, self.ends)
        weights = self.softmax(torch.nn.functional.leaky_relu(left + right, 0.2)[:, 0])
        return self.sums(rows, weights, h.new_zeros(self.graph.nodes, rows.shape[1])).relu()

    def hgt(self, h, *matrices):
        keys, queries, values = (self.ragged(h, each, self.type_ends) for each in matrices[:3])
        of_keys, of_values = (
            self.ragged(x, each, self.ends, self.source) for x, each in zip((keys, values), matrices[3:5])
        )
        weights = self.softmax((of_keys * queries[self.target]).sum(1) * of_keys.shape[1] ** -0.5)
        sums = self.sums(of_values, weights, h.new_zeros(self.graph.nodes, of_values.shape[1]))
        return self.ragged(sums.relu(), matrices[5], self.type_ends)

    def run(self, model, arguments):
        """With the arguments of the module, in its order."""
        h, *rest = arguments
        count = len(rest) // 2
        for own in (rest[:count], rest[count:]):
            h = getattr(self, model)(h, *own)
        return h


class Hone:
    def __init__(self, graph, model, widths, products, options, has_indices=False):
        module = Arguments(graph, products, has_indices)
        result = graphs.write(module, model, widths)
        self.indices = [torch.tensor(each, dtype=torch.int32, device=DEVICE) for each in module.indices]
        self.shapes = [each.shape for each in module.arguments[len(self.indices) :]]
        self.out_shape = result.shape
        types = tuple((each.shape, each.element) for each in (*module.arguments, result))
        options += f" f32={products}" if products else ""
        arch, options = ("native", f"rest=gpu {options}") if DEVICE == "cuda" else ("host", options)
        self.function = interface.compile(module.text(model, result), model, types, arch, options)
        self.work = self.function.host_work()
        self.launches = self.function.lowered.count("call @honeLaunch")

    def run(self, arguments):
        out = arguments[0].new_empty(self.out_shape)
        if DEVICE == "cpu":
            self.function([each.data_ptr() for each in (*self.indices, *arguments, out)])
            return out
        scratch = torch.empty(self.function.workspace, dtype=torch.uint8, device=out.device)
        pointers = [each.data_ptr() for each in (*self.indices, *arguments, out)]
        self.function(pointers, torch.cuda.current_stream().cuda_stream, scratch.data_ptr())
        return out


def draw(shape):
    """Matrices are small as those of a model are."""
    values = torch.randn(shape, device=DEVICE)
    return values * shape[-2] ** -0.75 if len(shape) == 3 or len(shape) == 2 and shape[0] == shape[1] else values


def measure(model, name, options):
    graph = graphs.Graph(*graphs.GRAPHS[name], options.divide, options.seed)
    widths = list(map(int, options.widths.split(",")))
    functions = {"hone": Hone(graph, model, widths, options.products, options.options)}
    if options.runtime_indices:
        functions["runtime"] = Hone(graph, model, widths, options.products, options.options, has_indices=True)
    torch.manual_seed(0)
    arguments = [draw(shape) for shape in functions["hone"].shapes]
    loop = Torch(graph)
    sides = {side: lambda hone=hone: hone.run(arguments) for side, hone in functions.items()}
    sides["loop"] = lambda: loop.run(model, arguments)
    if pyg_lib:
        segments = Torch(graph, has_segments=True)
        sides["pyg_lib"] = lambda: segments.run(model, arguments)
    exact = loop.run(model, [each.double() for each in arguments])
    errors = {side: ((f().double() - exact).norm() / exact.norm()).item() for side, f in sides.items()}
    timed = {side: lambda _, f=f: f() for side, f in sides.items()}
    times = time_graphs(timed, None, rounds=15, launches=10) if DEVICE == "cuda" else {}
    for side in sides:
        row = [model, name, options.divide, "-".join(map(str, widths)), options.products or "exact", side]
        row += [f"{each:.1f}" for each in times.get(side, ())] or [""] * 3
        row.append(f"{errors[side]:.2e}")
        hone = functions.get(side)
        row += [hone.launches, len(hone.work)] if hone else ["", ""]
        yield row


COLUMNS = "model graph divide widths products side us us_min us_max error launches host_work".split()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", choices=graphs.LAYERS)
    parser.add_argument("--graph", action="append", choices=graphs.GRAPHS, required=True)
    parser.add_argument("--divide", type=int, default=1, help="a graph with 1/N of the nodes and edges")
    parser.add_argument("--widths", default="64,64,64")
    parser.add_argument("--products", default="", help="how products of f32 may be computed: tf32x3 or tf32")
    parser.add_argument("--options", default="", help="further ones of hone-pipeline")
    parser.add_argument("--runtime-indices", action="store_true", help="also edges as arguments")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--csv", type=pathlib.Path)
    options = parser.parse_args()
    rows = [COLUMNS]
    print(",".join(COLUMNS))
    for name in options.graph:
        for model in options.models:
            for row in measure(model, name, options):
                rows.append(row)
                print(",".join(map(str, row)), flush=True)
            if DEVICE == "cuda":
                torch.cuda.empty_cache()
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
