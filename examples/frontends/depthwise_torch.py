"""Depthwise convolutions with channels last on a GPU: kernels of Hone's rest beside cuDNN's, through torch.

    python depthwise_torch.py --csv=depthwise.csv
    python depthwise_torch.py --type=bf16 --windows=3 --relu

Both sides run in turns, as graphs of launches over operands that exceed the L2 cache, each with results of its own,
and are compared with a convolution in f32. The share of the bus is that of all images and results at --bus. `--relu`
adds a bias and ReLU to both.
"""

import argparse
import collections
import csv
import math
import pathlib
import statistics
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "python"))  # unless the wheel is installed
from hone_torch import interface, linalg  # noqa: E402

Depthwise = collections.namedtuple("Depthwise", "images size channels window step type")
SIZES = {32: 112, 64: 112, 128: 56, 256: 28, 512: 14, 1024: 14}  # of images, by channels
COLUMNS = "images size channels window step type hone_us torch_us ratio of_bus launches error allowed".split()
NAMES = {"f16": "float16", "bf16": "bfloat16"}


def out_size(conv):
    return (conv.size - 1) // conv.step + 1


def shapes_of(conv):
    """Of the image, the filters and the result."""
    image, out = ((conv.images, size, size, conv.channels) for size in (conv.size, out_size(conv)))
    return image, (conv.window, conv.window, conv.channels), out


def text_of(conv, relu):
    image, filters, out = shapes_of(conv)
    shapes = [image, filters] + [(conv.channels,)] * relu
    writer = linalg.Buffers("main", [(shape, conv.type, interface.strides_of(shape)) for shape in shapes])
    x, weights, *bias = writer.arguments
    pad = conv.window // 2
    x = writer.pad(x, [0, pad, pad, 0])
    result = writer.convolve(x, weights, (conv.step, conv.step), (1, 1), is_depthwise=True)
    if relu:
        result = writer.map("f32", lambda s, a, b: s.max(s.add(a, b), s.constant(0.0)), result, *bias)
    return writer.finish([writer.convert(result, conv.type)])


def spec_of(conv, options):
    from hone_torch import op

    image, filters, _ = shapes_of(conv)
    shapes = [image, filters] + [(conv.channels,)] * options.relu
    layouts = tuple((tuple(range(len(shape))), interface.strides_of(shape), ()) for shape in shapes)
    return op.Spec(text_of(conv, options.relu), layouts, NAMES[conv.type], options.pipeline, "").dump()


def measured(conv, options):
    import torch
    from hone_torch import measure, op

    device, dtype = torch.device(options.device), getattr(torch, NAMES[conv.type])
    image, filters, out = shapes_of(conv)
    tensors = [torch.randn(shape, device=device, dtype=dtype) for shape in (image, filters)]
    tensors += [torch.randn(conv.channels, device=device, dtype=dtype)] * options.relu
    launch = op.launch_of(spec_of(conv, options), op.arch_of(device))
    # torch has the filters outermost; its own order is made once.
    own = tensors[1].permute(2, 0, 1).unsqueeze(1).contiguous()

    def convolve(x, weights, bias=None):
        result = torch.nn.functional.conv2d(x.permute(0, 3, 1, 2), weights, bias, conv.step, conv.window // 2,
                                            1, conv.channels)  # fmt: skip
        return (result.relu_() if options.relu else result).permute(0, 2, 3, 1)

    sides = {"hone": lambda c: launch(c, out, []), "torch": lambda c: convolve(c[0], own, *c[2:])}
    exact = convolve(tensors[0].float(), own.float(), *(each.float() for each in tensors[2:]))
    scale = exact.std()
    error, allowed = (measure.largest_difference(f(tensors), exact).div(scale).item() for f in sides.values())
    copies, kept = measure.copies_of(tensors), {}

    def call(name, at):
        kept[name, at] = sides[name](copies[at])  # each copy has a result of its own

    calls = {name: [lambda n=name, i=i: call(n, i) for i in range(len(copies))] for name in sides}
    times = measure.in_turns(calls, device, seconds=options.seconds)
    hone_us, torch_us = (statistics.median(each) for each in times.values())
    bus_us = 2 * (math.prod(image) + math.prod(out)) / options.bus * 1e6
    count = launch.function.lowered.count("call @honeLaunch")
    return [*conv, f"{hone_us:.2f}", f"{torch_us:.2f}", f"{torch_us / hone_us:.3f}", f"{bus_us / hone_us:.3f}", count,
            f"{error:.2e}", f"{2 * allowed + 4 * torch.finfo(dtype).eps:.2e}"]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=128)
    parser.add_argument("--channels", default="32,64,128,256,512,1024")
    parser.add_argument("--size", type=int, help="rows and columns of an image; default: by channels")
    parser.add_argument("--windows", default="3,5,7")
    parser.add_argument("--steps", default="1,2")
    parser.add_argument("--type", choices=NAMES, default="f16")
    parser.add_argument("--relu", action="store_true")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--pipeline", default="rest=gpu", help="options of hone-pipeline")
    parser.add_argument("--seconds", type=float, default=0.2, help="of measurement for each convolution")
    parser.add_argument("--bus", type=float, default=4.3e12, help="bytes a second")
    parser.add_argument("--csv")
    options = parser.parse_args()
    import torch

    torch.backends.cudnn.benchmark = True
    channels, windows, steps = (list(map(int, each.split(","))) for each in (options.channels, options.windows,
                                                                             options.steps))  # fmt: skip
    rows = []
    for c in channels:
        for window in windows:
            for step in steps:
                conv = Depthwise(options.images, options.size or SIZES[c], c, window, step, options.type)
                rows.append(measured(conv, options))
                print(*rows[-1], sep="\t", flush=True)
    ratios, shares = ([float(row[at]) for row in rows] for at in (8, 9))
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    print(f"torch's time over Hone's: mean {mean:.3f}, smallest {min(ratios):.3f}, "
          f"won {sum(ratio > 1 for ratio in ratios)} of {len(rows)}")  # fmt: skip
    print(f"share of the bus: median {statistics.median(shares):.3f}, smallest {min(shares):.3f}")
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    if wrong := [row for row in rows if not float(row[11]) <= float(row[12])]:
        sys.exit(f"error: expected an error of at most {wrong[0][12]}, but got {wrong[0][11]} for {wrong[0][:6]}")


if __name__ == "__main__":
    main()
