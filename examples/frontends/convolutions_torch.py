"""Convolutions of f16 with channels last on a GPU: kernels of Hone's beside cuDNN's, through torch.

    python convolutions_torch.py resnet50 --batch=32 --csv=resnet50.csv
    python convolutions_torch.py drawn --number=30 --seed=1 --relu
    python convolutions_torch.py resnet50 --list      # names for hone bench gemm --shapes; needs no torch

`hone bench gemm` searches a schedule for each and times it in turns with a build's choice. cuDNN runs before and after
it, with torch.backends.cudnn.benchmark; the faster time counts. On both sides graphs of launches are timed, over
operands that together exceed the L2 cache. `--relu` adds a bias and ReLU to both.
"""

import argparse
import collections
import csv
import math
import os
import random
import subprocess
import tempfile

import comparing

Conv = collections.namedtuple("Conv", "images size channels filters window step pad")
CACHE = 260e6  # bytes, five times the L2 cache


def out_size(conv):
    return (conv.size + 2 * conv.pad - conv.window) // conv.step + 1


def extents(conv):
    """M, N and K of the product."""
    return conv.images * out_size(conv) ** 2, conv.filters, conv.channels * conv.window**2


def name_of(conv):
    image = f"{conv.images}x{conv.size}x{conv.size}x{conv.channels}"
    steps = f":{conv.step}:{conv.pad}" if conv.pad else f":{conv.step}" if conv.step > 1 else ""
    return f"conv:{image}:{conv.filters}x{conv.window}x{conv.window}{steps}"


def resnet50(options):
    """{convolution: how often it occurs}; without the first layer, whose three channels are no 16 bytes."""
    found, size, channels = collections.Counter(), 56, 64
    for stage, blocks in enumerate((3, 4, 6, 3)):
        width = 64 << stage
        for block in range(blocks):
            step = 2 if stage and block == 0 else 1
            found[Conv(options.batch, size, channels, width, 1, 1, 0)] += 1
            found[Conv(options.batch, size, width, width, 3, step, 1)] += 1
            if block == 0:
                found[Conv(options.batch, size, channels, 4 * width, 1, step, 0)] += 1
            size //= step
            found[Conv(options.batch, size, width, 4 * width, 1, 1, 0)] += 1
            channels = 4 * width
    return found


def drawn(options):
    draw, found = random.Random(options.seed), collections.Counter()
    while len(found) < options.number:
        window = draw.choice((1, 3, 3, 5, 7))
        conv = Conv(
            draw.choice((1, 4, 8, 16, 32, 64)),
            draw.choice((7, 13, 14, 27, 28, 31, 56, 64, 96, 112)),
            8 * draw.randint(2, 64),
            8 * draw.randint(2, 64),
            window,
            draw.choice((1, 1, 1, 2)),
            draw.choice((0, window // 2)),
        )
        m, n, k = extents(conv)
        if out_size(conv) > 1 and 1e8 < 2 * m * n * k < 2e11:
            found[conv] = 1
    return found


def by_cudnn(convs, relu):
    """Microseconds of each, the median of eleven graphs."""
    import torch

    torch.backends.cudnn.benchmark = True
    times = {}
    for conv in convs:
        m, n, k = extents(conv)
        size = 2 * (conv.images * conv.size**2 * conv.channels + n * k + m * n)
        sets = max(2, min(16, math.ceil(CACHE / size)))
        half, last = {"device": "cuda", "dtype": torch.half}, torch.channels_last
        image, filters = ((conv.images, conv.channels, conv.size), (n, conv.channels, conv.window))
        images = [torch.randn(*image, conv.size, **half).to(memory_format=last) for _ in range(sets)]
        weights = [(torch.randn(*filters, conv.window, **half) / k**0.5).to(memory_format=last) for _ in range(sets)]
        bias, step, pad = torch.randn(n, **half), (conv.step, conv.step), (conv.pad, conv.pad)

        def launch(at):
            if relu:
                return torch.cudnn_convolution_relu(images[at], weights[at], bias, step, pad, (1, 1), 1)
            return torch.nn.functional.conv2d(images[at], weights[at], None, step, pad)

        results, launches, samples = [launch(at) for at in range(sets)], max(sets, 16), []
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for at in range(launches):
                results[at % sets] = launch(at % sets)
        for _ in range(11):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            graph.replay()
            end.record()
            torch.cuda.synchronize()
            samples.append(start.elapsed_time(end) * 1e3 / launches)
        times[conv] = sorted(samples)[5]
    return times


def by_hone(convs, options):
    """{convolution: {mode: row}} of hone bench gemm, whose rival is a build's choice."""
    with tempfile.TemporaryDirectory() as folder:
        shapes, table = os.path.join(folder, "shapes.txt"), os.path.join(folder, "bench.csv")
        with open(shapes, "w", encoding="utf-8") as file:
            file.write("".join(name_of(conv) + "\n" for conv in convs))
        command = ["hone", "bench", "gemm", f"--shapes=@{shapes}", "--layouts=nt", f"--search=tune:{options.trials}"]
        command += ["--baselines=guess", "--rounds=7", f"--csv={table}", *options.hone]
        subprocess.run(command + ["--epilogue=bias+relu"] * options.relu, stdout=subprocess.DEVNULL, check=False)
        with open(table, encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["status"] == "ok" and row["protocol"] == "device"]
    found = collections.defaultdict(dict)
    names = {name_of(conv): conv for conv in convs}
    for row in rows:
        found[names[row["types"].split()[-1]]][row["programmatic"]] = row
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=("resnet50", "drawn"))
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--number", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trials", type=int, default=48)
    parser.add_argument("--relu", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--csv")
    parser.add_argument("--hone", action="append", default=[], help="a further option of hone bench gemm")
    options = parser.parse_args()
    convs = {"resnet50": resnet50, "drawn": drawn}[options.set](options)
    if options.list:
        print(*map(name_of, convs), sep="\n")
        return
    before, ours, after = by_cudnn(convs, options.relu), by_hone(convs, options), by_cudnn(convs, options.relu)
    lines, sums = [], [0.0, 0.0]
    for conv, count in convs.items():
        if set(ours[conv]) != {"on", "off"}:
            print(f"{name_of(conv)}: no kernel of Hone's ran")
            continue
        cudnn, time, off = min(before[conv], after[conv]), *(float(ours[conv][mode]["us"]) for mode in ("on", "off"))
        built = float(ours[conv]["on"]["base_us"] or "nan")
        lines.append([name_of(conv), count, time, off, built, round(cudnn, 3), cudnn / time, cudnn / off, cudnn / built])
        sums = [sums[0] + count * cudnn, sums[1] + count * time]
        print(f"{name_of(conv):36} {count:2} Hone {time:8.2f} us, cuDNN {cudnn:8.2f} us, ratio {cudnn / time:.3f}", flush=True)
    for name, at in (("tuned", 6), ("tuned, without programmatic launch", 7), ("built", 8)):
        print(f"{name}: ratio {comparing.summary([line[at] for line in lines])}")
    print(f"sum of times: cuDNN {sums[0]:.0f} us, Hone {sums[1]:.0f} us, ratio {sums[0] / sums[1]:.3f}")
    columns = "name count hone_us hone_off_us built_us cudnn_us".split()
    comparing.write(options.csv, columns, [line[:6] for line in lines])


if __name__ == "__main__":
    main()
