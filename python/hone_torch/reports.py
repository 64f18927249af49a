"""The products of compiled graphs: those that run as Hone's kernels, and the others with reasons."""

import dataclasses

from . import interface

GRAPHS = []


@dataclasses.dataclass
class Entry:
    """A product, or an op with products inside that has no kernel of Hone's."""

    op: str  # with its fused neighbours, if it was taken
    shape: str
    reason: str
    hone_us: float = None
    torch_us: float = None
    error: float = None  # of Hone's result, in units of torch's own error


@dataclasses.dataclass
class Graph:
    taken: list = dataclasses.field(default_factory=list)
    left: list = dataclasses.field(default_factory=list)


class Report(list):
    """One Graph for each graph that was compiled in this process. Graphs that come whole from
    Inductor's cache are not compiled, so they are not here."""

    @property
    def taken(self):
        return [entry for graph in self for entry in graph.taken]

    @property
    def left(self):
        return [entry for graph in self for entry in graph.left]

    def __str__(self):
        lines = []
        for word, entries in (("hone", self.taken), ("inductor", self.left)):
            for entry in entries:
                times = f", {entry.hone_us:.1f} us and {entry.torch_us:.1f}" if entry.hone_us else ""
                lines.append(f"{word}: {entry.shape} {entry.op}: {entry.reason}{times}")
        return "\n".join([*lines, f"{len(self.taken)} products by Hone, {len(self.left)} by Inductor"])


def report(clear=False):
    """What became of the products of all graphs that were compiled so far."""
    result = Report(GRAPHS)
    if clear:
        GRAPHS.clear()
    return result


def first_line(error):
    """Of a message of the compiler's, the line that has the cause."""
    lines = str(error).splitlines() or [type(error).__name__]
    if isinstance(error, interface.Error):
        lines = [line.partition("error: ")[2] for line in lines if "error: " in line] or lines
    return lines[0]
