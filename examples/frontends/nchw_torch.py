"""Drawn convolutions with channels before rows and columns, as frontends write them: by Hone and by cuDNN.

    python nchw_torch.py --number=24 --seed=1 --type=f16 --csv=nchw.csv
    python nchw_torch.py --type=f32                  # by permission as tf32, on both sides
    python nchw_torch.py --lower=h200                # compiles alone: launches

Images and results have one or two dimensions after the channels. Hone's side is one function, which transposes both.
cuDNN, with torch.backends.cudnn.benchmark, computes in this layout, and in channels last with torch's transposes; its
better time counts. Filters are in the order that each side prefers. All sides run in turns, on a GPU as graphs of
launches over operands that exceed the L2 cache. Errors are in deviations of the result in f64; twice torch's own and
four roundings are allowed: with f32, of tf32, which cuDNN does not always use.
"""

import collections
import math
import random
import statistics

import comparing

Conv = collections.namedtuple("Conv", "images channels size filters window step pad")
SIDES = "hone nchw last".split()
TIMES = [f"{side}_{name}" for side in SIDES for name in ("us", "min", "max")]
COLUMNS = [*"seed type images channels size filters window step pad gflop".split(), *TIMES,
           *"ratio launches error allowed".split()]  # fmt: skip


def out_of(conv):
    return tuple((size + 2 * conv.pad - conv.window) // conv.step + 1 for size in conv.size)


def work_of(conv):
    return 2 * conv.images * math.prod(out_of(conv)) * conv.filters * conv.channels * conv.window ** len(conv.size)


def drawn(options):
    draw, found = random.Random(options.seed), []
    low, high = (float(each) for each in options.flops.split(","))
    while len(found) < options.number:
        window, is_line = draw.choice((1, 3, 3, 5, 7)), draw.random() < 0.25
        size = (draw.choice((64, 197, 500, 1500, 3000)),) if is_line else (draw.choice((7, 14, 28, 31, 56, 64, 112)),) * 2
        conv = Conv(draw.choice((1, 4, 8, 16, 32, 64)), 8 * draw.randint(2, 48), size, 8 * draw.randint(2, 48), window,
                    draw.choice((1, 1, 1, 2)), draw.choice((0, window // 2)))  # fmt: skip
        if min(out_of(conv)) > 1 and low <= work_of(conv) <= high:
            found.append(conv)
    return found


def shapes_of(conv):
    """Of the image, of the filters with channels last, and of the result."""
    windows = (conv.window,) * len(conv.size)
    return ((conv.images, conv.channels, *conv.size), (conv.filters, *windows, conv.channels),
            (conv.images, conv.filters, *out_of(conv)))  # fmt: skip


def text_of(conv, element):
    image, filters, _ = shapes_of(conv)
    writer = comparing.writer_of([image, filters], element)
    x, weights = writer.arguments
    count = len(conv.size)
    x = writer.transpose(x, (0, *range(2, count + 2), 1))
    x = writer.pad(x, [0, *[conv.pad] * count, 0])
    result = writer.convert(writer.convolve(x, weights, (conv.step,) * count, (1,) * count), element)
    return writer.finish([writer.transpose(result, (0, count + 1, *range(1, count + 1)))])


def lower(convs, options):
    from hone_torch import interface

    counts = collections.Counter()
    for conv in convs:
        pipeline = interface.pipeline(options.lower, options.pipeline)
        lowered, _ = interface.session().run(text_of(conv, options.type), pipeline)
        counts[lowered.count("call @honeLaunch")] += 1
    for count, convolutions in sorted(counts.items()):
        print(f"{convolutions} of {len(convs)} convolutions: {count} launches")


def convolve(x, weights, conv):
    import torch

    by_rank = (torch.nn.functional.conv1d, torch.nn.functional.conv2d)
    return by_rank[len(conv.size) - 1](x, weights, None, conv.step, conv.pad)


def measured(conv, options):
    import torch

    image, filters, out = shapes_of(conv)
    dtype = getattr(torch, comparing.NAMES[options.type])
    x, weights = (torch.randn(shape, device=options.device, dtype=dtype) for shape in (image, filters))
    weights /= math.prod(filters[1:]) ** 0.5
    launch = comparing.launch_of(text_of(conv, options.type), [image, filters], options.type, options)
    outer = weights.permute(0, -1, *range(1, weights.dim() - 1))  # as torch spells them, with channels last in memory
    own = outer.contiguous()

    def by_last(tensors):
        # A line is an image of one row, whose channels can be last.
        image = tensors[0] if x.dim() == 4 else tensors[0].unsqueeze(2)
        image = image.contiguous(memory_format=torch.channels_last)
        if x.dim() == 4:
            return convolve(image, outer, conv).contiguous()
        result = torch.nn.functional.conv2d(image, outer.unsqueeze(2), None, (1, conv.step), (0, conv.pad))
        return result.contiguous().squeeze(2)

    sides = {"hone": lambda tensors: launch([tensors[0], weights], out, []),
             "nchw": lambda tensors: convolve(tensors[0], own, conv), "last": by_last}  # fmt: skip
    exact = convolve(x.double(), own.double(), conv)
    error, allowed = comparing.errors_of({name: sides[name] for name in ("hone", "nchw")}, [x], exact)
    if options.type == "f32" and x.is_cuda:
        allowed = f"{float(allowed) + 4 * 2**-10:.2e}"
    times = list(comparing.times_of(sides, [x], options))
    hone, *cudnn = (statistics.median(each) for each in times)
    count = launch.function.lowered.count("call @honeLaunch")
    turns = comparing.turns_of(times)
    size = "x".join(map(str, conv.size))
    return [options.seed, options.type, *conv._replace(size=size), f"{work_of(conv) / 1e9:.2f}", *turns,
            f"{min(cudnn) / hone:.3f}", count, error, allowed]  # fmt: skip


def main():
    parser = comparing.parser_of(__doc__, seconds=0.3)
    parser.add_argument("--number", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--flops", default="2e8,1e11", help="minimum and maximum of one convolution")
    parser.add_argument("--type", choices=comparing.NAMES, default="f16")
    parser.add_argument("--lower", metavar="ARCH", help="compile for an arch, and run nothing")
    options = parser.parse_args()
    options.pipeline += " f32=tf32" * (options.type == "f32")
    convs = drawn(options)
    if options.lower:
        lower(convs, options)
        return
    import torch

    torch.backends.cudnn.benchmark = torch.backends.cudnn.allow_tf32 = True
    rows = []
    for conv in convs:
        rows.append(measured(conv, options))
        print(*rows[-1], sep="\t", flush=True)
    comparing.write(options.csv, COLUMNS, rows)
    ratios = [float(row[COLUMNS.index("ratio")]) for row in rows]
    print("cuDNN's better time over Hone's: mean", comparing.summary(ratios))
    comparing.refuse_errors(rows, names=9)


if __name__ == "__main__":
    main()
