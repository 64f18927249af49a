"""Checks that small graphs are timed as a whole, with and without Hone's kernels. A line a check."""

import torch
from torch import nn

import hone_torch
from hone_torch import graphs

WIDTHS = iter(range(32, 1024, 16))  # Inductor keeps graphs, so each check has another one


def layers(count):
    width = next(WIDTHS)
    return nn.Sequential(*(nn.Linear(width, width) for _ in range(count)))


def compile_and_run(model, x=None, **options):
    torch._dynamo.reset()
    hone_torch.report(clear=True)
    x = torch.randn(16, model[0].in_features) if x is None else x
    with torch.no_grad():
        result = torch.compile(model, backend=hone_torch.backend, options={"hone.min_gain": -2.0}, **options)(x)
        torch.testing.assert_close(result, model(x))
    return hone_torch.report()


def with_gain(gain, model, **options):
    """The report if each graph has this gain; and how many were timed."""
    calls, own = [], graphs.gain_of

    def gain_of(*arguments):
        calls.append(arguments)
        return gain

    graphs.gain_of = gain_of
    try:
        return compile_and_run(model, **options), len(calls)
    finally:
        graphs.gain_of = own


def describe(name, report, timed):
    print(f"{name}: {len(report.taken)} taken, {len(report.left)} left, {timed} timed")


def measured():
    """A graph is timed once; the next compilation finds the record."""
    model, compared, own = layers(2), [], graphs.compare

    def compare(*arguments):
        compared.append(own(*arguments))
        return compared[-1]

    graphs.compare = compare
    compile_and_run(model)
    with torch._inductor.config.patch(force_disable_caches=True):
        compile_and_run(model)
    print("measured:", len(compared), "right" if compared[0].get("ratio", 0) > 0 else compared[0])


def strides():
    """Both sides give results in the strides of the model, so a copy of Hone's result is timed, too."""
    found, own = [], graphs.compiled

    def compiled(module, inputs, patches):
        function = own(module, inputs, patches)
        found.append(graphs.call(function, inputs)[0].stride())
        return function

    graphs.compiled = compiled
    compile_and_run(nn.Sequential(nn.Conv2d(8, 16, 3), nn.ReLU()).eval(), torch.randn(2, 8, 10, 10))
    print("strides:", *found)


slower = with_gain(-2.0, layers(2))
describe("slower", *slower)
print("reason:", slower[0].left[0].reason)
describe("faster", *with_gain(1.1, layers(2)))
describe("unknown", *with_gain(None, layers(2)))
describe("large", *with_gain(-2.0, layers(graphs.MAX_GROUPS + 1)))
describe("open", *with_gain(-2.0, layers(2), dynamic=True))
measured()
strides()
