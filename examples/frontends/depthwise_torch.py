"""Depthwise convolutions with channels last on a GPU: kernels of Hone's rest beside cuDNN's, through torch.

    python depthwise_torch.py --csv=depthwise.csv
    python depthwise_torch.py --type=bf16 --windows=3 --relu

Both sides run in turns, as graphs of launches over operands that exceed the L2 cache, each with results of its own,
and are compared with a convolution in f32. The share of the bus is that of all images and results at --bus. `--relu`
adds a bias and ReLU to both.
"""

import collections
import math
import statistics

import comparing

Depthwise = collections.namedtuple("Depthwise", "images size channels window step type")
SIZES = {32: 112, 64: 112, 128: 56, 256: 28, 512: 14, 1024: 14}  # of images, by channels
TIMES = [f"{side}_{name}" for side in ("hone", "torch") for name in ("us", "min", "max")]
COLUMNS = [*"images size channels window step type".split(), *TIMES, *"ratio of_bus launches error allowed".split()]


def out_size(conv):
    return (conv.size - 1) // conv.step + 1


def shapes_of(conv):
    """Of the image, the filters and the result."""
    image, out = ((conv.images, size, size, conv.channels) for size in (conv.size, out_size(conv)))
    return image, (conv.window, conv.window, conv.channels), out


def inputs_of(conv, relu):
    image, filters, _ = shapes_of(conv)
    return [image, filters] + [(conv.channels,)] * relu


def text_of(conv, relu):
    writer = comparing.writer_of(inputs_of(conv, relu), conv.type)
    x, weights, *bias = writer.arguments
    pad = conv.window // 2
    x = writer.pad(x, [0, pad, pad, 0])
    result = writer.convolve(x, weights, (conv.step, conv.step), (1, 1), is_depthwise=True)
    if relu:
        result = writer.map("f32", lambda s, a, b: s.max(s.add(a, b), s.constant(0.0)), result, *bias)
    return writer.finish([writer.convert(result, conv.type)])


def measured(conv, options):
    import torch

    dtype = getattr(torch, comparing.NAMES[conv.type])
    image, _, out = shapes_of(conv)
    inputs = inputs_of(conv, options.relu)
    tensors = [torch.randn(shape, device=options.device, dtype=dtype) for shape in inputs]
    launch = comparing.launch_of(text_of(conv, options.relu), inputs, conv.type, options)
    # torch has the filters outermost; its own order is made once.
    own = tensors[1].permute(2, 0, 1).unsqueeze(1).contiguous()

    def convolve(x, weights, bias=None):
        result = torch.nn.functional.conv2d(x.permute(0, 3, 1, 2), weights, bias, conv.step, conv.window // 2,
                                            1, conv.channels)  # fmt: skip
        return (result.relu_() if options.relu else result).permute(0, 2, 3, 1)

    sides = {"hone": lambda c: launch(c, out, []), "torch": lambda c: convolve(c[0], own, *c[2:])}
    exact = convolve(tensors[0].float(), own.float(), *(each.float() for each in tensors[2:]))
    errors = comparing.errors_of(sides, tensors, exact)
    times = list(comparing.times_of(sides, tensors, options, keeps_results=True))
    hone_us, torch_us = (statistics.median(each) for each in times)
    bus_us = 2 * (math.prod(image) + math.prod(out)) / options.bus * 1e6
    count = launch.function.lowered.count("call @honeLaunch")
    return [*conv, *comparing.turns_of(times), f"{torch_us / hone_us:.3f}", f"{bus_us / hone_us:.3f}", count, *errors]


def main():
    parser = comparing.parser_of(__doc__, seconds=0.2)
    parser.add_argument("--images", type=int, default=128)
    parser.add_argument("--channels", default="32,64,128,256,512,1024")
    parser.add_argument("--size", type=int, help="rows and columns of an image; default: by channels")
    parser.add_argument("--windows", default="3,5,7")
    parser.add_argument("--steps", default="1,2")
    parser.add_argument("--type", choices=comparing.NAMES, default="f16")
    parser.add_argument("--relu", action="store_true")
    parser.add_argument("--bus", type=float, default=4.3e12, help="bytes a second")
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
    ratios, shares = ([float(row[COLUMNS.index(name)]) for row in rows] for name in ("ratio", "of_bus"))
    print("torch's time over Hone's: mean", comparing.summary(ratios))
    print(f"share of the bus: median {statistics.median(shares):.3f}, smallest {min(shares):.3f}")
    comparing.write(options.csv, COLUMNS, rows)
    comparing.refuse_errors(rows, names=6)


if __name__ == "__main__":
    main()
