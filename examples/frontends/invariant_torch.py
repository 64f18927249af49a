"""Products whose rows have the same bits in each batch: Hone's, and those of torch and Triton, bits and times.

    python invariant_torch.py --csv=bits.csv                     # rows one by one against rows in batches of each size
    python invariant_torch.py --price --csv=price.csv            # times in turns
    python invariant_torch.py --device=cpu --products=96x64 --rows=1-9,40

A product has all rows of A by B of N x K, whose lines are along K. Triton's is a persistent kernel with one tile for all
sizes, 128 x 128 x 64, three stages and eight warps, as servers use it to make batches invariant. It is left out where
Triton is not installed; on a CPU its interpreter needs TRITON_INTERPRET=1.
"""

import argparse
import math
import statistics

import comparing

# N and K of the linear layers of models that are served.
PRODUCTS = (
    "4096x4096,6144x4096,28672x4096,4096x14336,10240x8192,8192x8192,8192x28672,4608x3584,37888x3584,3584x18944,"
    "10240x5120,5120x8192,51200x5120,5120x25600,7168x5120,34816x5120,5120x17408,8192x5376,43008x5376,5376x21504,"
    "65536x5120,5120x32768,2112x7168,24576x1536,7168x16384,32768x512,5120x2880,3072x2048,16384x2048,2048x8192"
)
EVERY = "1-600,608,640,704,768,832,896,960,1024,1152,1280,1408,1536,1792,2048,2304,2560,3072,3584,4096,6144,8192"
BANDS = (("below 64", 1, 63), ("64 to 511", 64, 511), ("512 and more", 512, math.inf))
TILE = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP": 8, "num_stages": 3, "num_warps": 8}
DEFINITIONS = f"PRODUCTS: {PRODUCTS}; rows of bits: {EVERY}"


def rows_in(text):
    spans = (part.partition("-") for part in text.split(","))
    return [m for first, _, last in spans for m in range(int(first), int(last or first) + 1)]


# ---- Sides -------------------------------------------------------------------------------------


def hone_side(n, k, options):
    from hone_torch import interface, linalg, op
    import torch

    rows = linalg.Extent("rows")
    writer = linalg.Buffers("main", [((rows, k), options.type, (k, 1)), ((n, k), options.type, (k, 1))])
    text = writer.finish([writer.contract("mk,nk->mn", *writer.arguments, options.type)])
    inputs = (((0, 1), (k, 1), ()), ((0, 1), (k, 1), ()))
    options_ = f"numbers=invariant {options.pipeline}".strip()
    spec = op.Spec(text, inputs, comparing.NAMES[options.type], options_, "").dump()
    launch, is_read = op.launch_of(spec, op.arch_of(torch.device(options.device))), bool(writer.extents)
    return lambda a, b: launch([a, b], [a.shape[0], n], [a.shape[0]] if is_read else [])


def triton_kernel():
    import triton
    import triton.language as tl

    @triton.jit
    def persistent(a, b, c, m, n, k, WORKERS: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                   BLOCK_K: tl.constexpr, GROUP: tl.constexpr):  # fmt: skip
        down, across = tl.cdiv(m, BLOCK_M), tl.cdiv(n, BLOCK_N)
        for tile in tl.range(tl.program_id(0), down * across, WORKERS, flatten=True):
            band = tile // (GROUP * across)  # of GROUP rows of tiles, whose columns are walked together
            height = min(down - band * GROUP, GROUP)
            row = band * GROUP + tile % (GROUP * across) % height
            column = tile % (GROUP * across) // height
            i, j = row * BLOCK_M + tl.arange(0, BLOCK_M), column * BLOCK_N + tl.arange(0, BLOCK_N)
            inner = tl.arange(0, BLOCK_K)
            from_a = a + (i % m)[:, None].to(tl.int64) * k + inner[None, :]
            from_b = b + (j % n)[None, :].to(tl.int64) * k + inner[:, None]
            sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
            for step in range(tl.cdiv(k, BLOCK_K)):
                left = k - step * BLOCK_K
                x = tl.load(from_a, mask=inner[None, :] < left, other=0.0)
                y = tl.load(from_b, mask=inner[:, None] < left, other=0.0)
                sums = tl.dot(x, y, sums)
                from_a += BLOCK_K
                from_b += BLOCK_K
            to = c + i[:, None].to(tl.int64) * n + j[None, :]
            tl.store(to, sums.to(c.dtype.element_ty), mask=(i[:, None] < m) & (j[None, :] < n))

    return persistent


def triton_side(options):
    import torch

    try:
        kernel = triton_kernel()
    except ImportError as error:
        print(error)
        return {}
    is_gpu = options.device != "cpu"
    processors = torch.cuda.get_device_properties(0).multi_processor_count if is_gpu else 2

    def multiply(a, b):
        (m, k), n = a.shape, b.shape[0]
        c = torch.empty(m, n, device=a.device, dtype=a.dtype)
        tiles = math.ceil(m / TILE["BLOCK_M"]) * math.ceil(n / TILE["BLOCK_N"])
        kernel[(min(processors, tiles),)](a, b, c, m, n, k, WORKERS=processors, **TILE)
        return c

    return {"triton": multiply}


def sides_of(n, k, options):
    sides = {"hone": hone_side(n, k, options), "torch": lambda a, b: a @ b.t()}
    return {**sides, **options.triton}


# ---- Tables ------------------------------------------------------------------------------------


def drawn(shape, options):
    import torch

    return torch.randn(shape, device=options.device, dtype=getattr(torch, comparing.NAMES[options.type]))


def differing(side, pool, b, rows):
    """The values of products of drawn rows that are not those of the rows alone, and all values."""
    import torch

    alone = torch.cat([side(row, b) for row in pool.split(1)])
    wrong = torch.zeros((), dtype=torch.int64, device=pool.device)
    values = 0
    for m in rows:
        chosen = torch.randint(len(pool), (m,), device=pool.device)
        wrong += (side(pool[chosen], b) != alone[chosen]).sum()
        values += m * len(b)
    return int(wrong), values


def errors_of(sides, a, b):
    """Of Hone's side, and the largest one allowed."""
    two = {name: lambda t, f=sides[name]: f(*t) for name in ("hone", "torch")}
    return comparing.errors_of(two, (a, b), a.double() @ b.double().t())


def bits_of(n, k, options, rows):
    pool, b = drawn((options.pool, k), options), drawn((n, k), options)
    sides = sides_of(n, k, options)
    found = {name: differing(side, pool, b, rows) for name, side in sides.items()}
    cells = [found.get(name, ("-",))[0] for name in SIDES]
    yield [n, k, options.type, "differ", "all", found["hone"][1], *cells, "-", *errors_of(sides, pool, b)]


def prices_of(n, k, options, rows):
    sides, b = sides_of(n, k, options), drawn((n, k), options)
    calls = {name: lambda t, f=side: f(*t) for name, side in sides.items()}
    for m in rows:
        a = drawn((m, k), options)
        times = dict(zip(sides, comparing.times_of(calls, [a, b], options)))
        us = {name: statistics.median(each) for name, each in times.items()}
        spread = max((max(each) - min(each)) / us[name] for name, each in times.items())
        cells = [f"{us[name]:.2f}" if name in us else "-" for name in SIDES]
        yield [n, k, options.type, "us", m, m * n, *cells, f"{spread:.3f}", *errors_of(sides, a, b)]


SIDES = ("hone", "torch", "triton")
COLUMNS = ("n", "k", "type", "unit", "m", "values", *SIDES, "spread", "error", "allowed")


def summarize(rows, options):
    for rival in SIDES[1:]:
        known = [row for row in map(lambda row: dict(zip(COLUMNS, row)), rows) if row[rival] != "-"]
        if known and not options.price:
            shares = [100 * row[rival] / row["values"] for row in known]
            print(f"{rival}: {min(shares):.3f} to {max(shares):.3f} % of the values differ")
        for name, low, high in BANDS if options.price else ():
            ratios = [float(row[rival]) / float(row["hone"]) for row in known if low <= row["m"] <= high]
            if ratios:
                print(f"{rival}'s time over Hone's, {name} rows: {comparing.summary(ratios)}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=DEFINITIONS, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--products", default=PRODUCTS, help="NxK,...")
    parser.add_argument("--rows", help="M,M-M,...; default: every number to 600 and 21 more, or 7 for --price")
    parser.add_argument("--pool", type=int, default=600, help="different rows")
    parser.add_argument("--type", choices=comparing.NAMES, default="bf16")
    parser.add_argument("--price", action="store_true", help="times instead of bits")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--pipeline", default="", help="further options of hone-pipeline")
    parser.add_argument("--seconds", type=float, default=0.15, help="of measurement for each product and M")
    parser.add_argument("--csv")
    options = parser.parse_args()
    import torch

    torch.manual_seed(0)
    options.triton = triton_side(options)
    rows, found = rows_in(options.rows or ("1,16,64,256,512,1024,4096" if options.price else EVERY)), []
    measured = prices_of if options.price else bits_of
    for n, k in (map(int, each.split("x")) for each in options.products.split(",")):
        for row in measured(n, k, options, rows):
            found.append(row)
            print(*row, sep="\t", flush=True)
        comparing.write(options.csv, COLUMNS, found)
    summarize(found, options)
    comparing.refuse_errors(found, 5)
    if not options.price and any(row[COLUMNS.index("hone")] for row in found):
        parser.exit(1, "error: expected the bits of each row alone, but got others by Hone\n")


if __name__ == "__main__":
    main()
