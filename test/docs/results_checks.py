"""Figures of docs/Results.md and README.md, computed from the measurements in data/: see checks.py."""

import math
import re
import sys

import results_frontends
import results_models
import results_numbers
from checks import README, RESULTS, sentence, table
from measurements import Data, mean, name_of, problem, quantile, spread, won

# ---- Columns ----------------------------------------------------------------------------

ALL, BELOW, MIDDLE, FROM = (0, math.inf), (0, 1e9), (1e9, 1e11), (1e11, math.inf)
CLASSES = {"below 1e9": BELOW, "1e9 to 1e11": MIDDLE, "from 1e11": FROM}
FINE = {"below 1e9": BELOW, "1e9 to 1e10": (1e9, 1e10), "1e10 to 1e11": (1e10, 1e11), "from 1e11": FROM}


def within(problems, part):
    return [one for one in problems if part[0] <= one.ops < part[1]]


def on(function):
    return lambda problems: function([one.on for one in problems])


def off(function):
    return lambda problems: function([one.off for one in problems])


RATIOS = {"number": len, "ratio": on(mean), "smallest": on(min), "won": on(won)}
RATIOS |= {"ratio, off": off(mean), "smallest, off": off(min)}
JUDGED = RATIOS | {"won, off": off(won)}
TYPES = {name: lambda some, part=part: on(mean)(within(some, part)) for name, part in CLASSES.items()}
TYPES_OFF = {name: lambda some, part=part: off(mean)(within(some, part)) for name, part in CLASSES.items()}
TYPES |= {"all": on(mean), "smallest": on(min), "won": on(won)}
TYPES_OFF |= {"all": off(mean), "smallest": off(min), "won": off(won)}
TYPES_BOTH = TYPES | {"all, off": off(mean), "smallest, off": off(min)}
FRONT = {"shapes": len, "ratio": on(mean), "won": on(won), "smallest": on(min)}
FRONT |= {"off": off(mean), "off, smallest": off(min)}


def classes(name, problems, parts=CLASSES):
    return {name + label: within(problems, part) for label, part in parts.items()}


# ---- Checks, section by section ---------------------------------------------------------


def new_shapes(data):
    heading, moves = "New shapes on an H100 and an H200", []
    for machine in ("h100", "h200"):
        rows = {}
        for build in ("built", "tuned"):
            for aligned, word in (True, "aligned"), (False, "not aligned"):
                first, second = data.runs(machine, build, aligned)
                parts = FINE if aligned and (machine, build) == ("h100", "built") else {}
                rows |= {f"{build}, {word}": first} | classes(f"{build}, {word}, ", first, parts)
                for part in [ALL, *parts.values()] if second else []:
                    before, after = within(first, part), within(second, part)
                    moves += [abs(way(mean)(after) / way(mean)(before) - 1) for way in (on, off)]
        yield from table(heading, machine.upper(), rows, JUDGED)
    numbers = [len(data.runs("h100", "tuned", aligned)[0]) for aligned in (True, False)]
    yield from sentence(heading, "{} shapes with extents that are multiples of 8 or 64, and {} with odd", *numbers)
    yield from sentence(heading, "moved the built kernels' means by at most {} %", 100 * max(moves))
    for aligned in (True, False):
        for one in data.runs("h100", "tuned", aligned)[0]:
            if one.on < 0.95:
                yield from sentence(heading, f"{name_of(one.shape)} {one.row['layout']} ({{}})", one.on)


def known_shapes(data):
    random = [one for one in data.judged if one.row["set"] == "drawn"]
    models = [one for one in data.judged if "-" in one.row["id"]]
    rows = classes("models, aligned, ", [one for one in models if one.aligned])
    rows["models, not aligned"] = [one for one in models if not one.aligned]
    rows["random, not aligned"] = [one for one in random if not one.aligned]
    yield from table("Models, and shapes that are not aligned", "shapes", rows, JUDGED)
    for one in data.judged:
        if one.on < 0.98:
            yield from sentence("Where Hone loses", name_of(one.shape) + " ({}", one.on)
        if one.shape in ((939, 1485, 21), (30, 11140, 24)):
            start = {939: "939x1485x21 ({:.3f}; off ", 30: "off, 30x11140x24 ("}[one.shape[0]]
            yield from sentence("Where Hone loses", start.format(one.on) + "{}", one.off)


def thousand(data):
    heading, rows = "A thousand shapes", {}
    if not (auto := data.campaign("cublaslt-auto")):
        return print(f"{heading}: no zstd, so the figures are not compared", file=sys.stderr)

    def count(mode, index, sign):
        return lambda some: sum(sign * one.row["won"][mode][index] > sign for one in some)

    columns = {"shapes": len, "ratio": on(mean), "arithmetic mean": on(lambda some: sum(some) / len(some))}
    columns |= {"smallest": on(min), "won": count("on", 0, 1), "lost": count("on", 2, -1), "off": off(mean)}
    columns |= {"smallest, off": off(min), "won, off": count("off", 0, 1), "lost, off": count("off", 2, -1)}
    parts = {"`cublaslt-auto`, below 1e9": BELOW, "1e9 to 1e11": MIDDLE, "from 1e11": FROM, "all": ALL}
    rows = {name: within(auto, part) for name, part in parts.items()}
    rows["`cublas`, all"] = data.campaign("cublas")
    yield from table(heading, "rival, 2MNK", rows, columns)
    spreads = [spread(row) for row in data.grid if (row["programmatic"], row["baseline"]) == ("on", "cublas")]
    yield from sentence(heading, "is {} % in the median, and {} % for", quantile(spreads, 0.5), quantile(spreads, 0.9))
    low = {name_of(one.shape): one for one in auto if one.on < 0.98}
    yield from sentence(heading, "{} shapes are below 0.98", len(low))
    for name in ("512x512x16384", "16384x16384x8192", "16384x12288x4096"):
        yield from sentence(heading, f"{name} ({{}})", low.pop(name).on)
    rest = [one.on for one in low.values()]
    yield from sentence(heading, "1024x256x12288 ({} to {})", min(rest), max(rest))
    worst = min(auto, key=lambda one: one.off)
    yield from sentence(heading, f"{name_of(worst.shape)} is at {{}}", worst.off)


def autotuner(data):
    heading, rows = "Against cuBLASLt's own autotuner", {}
    for name, layout in ("models", "nt"), ("drawn", "nt"), ("drawn", "nn"):
        some = data.bench(f"real-{name}", layout=layout)
        parts = {"all": ALL} | ({"from 1e11": FROM} if name == "models" else {})
        rows |= classes(f"{name}, {layout} | ", some, parts)
        for one in some:
            if one.on < 0.98:
                yield from sentence(heading, f"{name_of(one.shape)} {layout} ({{}})", one.on)
    yield from table(heading, "shapes", rows, RATIOS)
    walls = [data.bench("sample-wall", protocol=f"wall-{name}") for name in ("offline", "server")]
    figures = [[on(mean)(within(some, part)) for part in CLASSES.values()] + [on(min)(some)] for some in walls]
    calls = [row for row in data.sets if row["set"] == "sample-wall" and row["protocol"] == "wall-offline"]
    calls = [(problem(row, 0, 0), who) for row in calls for who in ("", "base_")]
    spreads = [[spread(one.row, who) for one, who in calls if within([one], part)] for part in CLASSES.values()]
    yield from sentence(heading, "launch, {} powers of two", len(walls[0]))
    yield from sentence(heading, "{}, {} and {} in the three classes (smallest {})", *figures[0])
    yield from sentence(heading, "{}, {} and {} at random intervals ({})", *figures[1])
    yield from sentence(heading, "the spread of calls is {}, {} and {} %", *(quantile(some, 0.5) for some in spreads))


def kernelbench(data, heading, path):
    """The table of KernelBench's problems in a file."""
    timed = [row for row in data.rows(path) if row["of_inductor"]]

    def over(rival, function):
        return lambda some: function([float(row[rival]) for row in some])

    def count(column):
        return lambda some: sum(row[column] == "True" for row in some)

    columns = {"problems": len, "over torch.compile": over("of_inductor", mean), "smallest": over("of_inductor", min)}
    columns |= {"won": over("of_inductor", won), "over eager": over("of_eager", mean)}
    columns |= {"right": count("hone_right"), "strict": count("strict")}
    columns |= {"by Hone": over("by_hone", sum), "products": over("products", sum)}
    rows = {name: [row for row in timed if row["class"] == name] for name in sorted({row["class"] for row in timed})}
    yield from table(heading, "class", rows, columns)


def in_torch(data):
    heading = "In torch"
    yield from kernelbench(data, heading, "h100/kernelbench.csv")
    yield from kernelbench(data, "Convolutions in torch", "h200/kernelbench.csv")
    errors = data.rows("h100/f32-errors.csv")
    shares = {way: [float(row[way]) / float(row["torch"]) for row in errors] for way in ("tf32x3", "exact")}
    text = "tf32x3 has {} to {} times torch's error (geometric mean {}), and exact products {} to {} times"
    low, high = ([function(shares[way]) for way in ("tf32x3", "exact")] for function in (min, max))
    yield from sentence(heading, text, low[0], high[0], mean(shares["tf32x3"]), low[1], high[1])


def builds(data):
    heading, shares = "Builds without measurements", {}
    for machine in ("h100", "h200"):
        for aligned, word in (True, "aligned"), (False, "not aligned"):
            runs = [data.runs(machine, build, aligned)[0] for build in ("built", "tuned")]
            built, tuned = ({one.shape: float(one.row["hone_us"]) for one in run} for run in runs)
            shares[f"{machine.upper()}, {word}"] = {shape: tuned[shape] / built[shape] for shape in built}
    values = {name: list(some.values()) for name, some in shares.items()}
    columns = {"number": len, "mean": mean, "smallest": min, "10th percentile": lambda some: quantile(some, 0.1)}
    for name, left_out in zip(values, ((), ("10th percentile",), (), ("10th percentile", "smallest"))):
        shown = {column: columns[column] for column in columns if column not in left_out}
        yield from table(heading, "machine, shapes", {name: values[name]}, shown)
    slow = {shape: 100 * (share - 1) for shape, share in shares["H100, aligned"].items() if share > 1.03}
    yield from sentence(heading, " and ".join(f"{name_of(shape)} ({{}} %)" for shape in slow), *slow.values())
    text = "{} (H100) and {} (H200) of a search's if aligned (smallest {}), and at {} and {} if not aligned (smallest"
    pairs = [(values["H100, " + word], values["H200, " + word]) for word in ("aligned", "not aligned")]
    front = [value for h100, h200 in pairs for value in (mean(h100), mean(h200), min(h100 + h200))]
    yield from sentence("Results", text + " {}", *front, page=README)
    if gains := data.gains():
        columns = {"problems": len, "gain, geometric mean": mean, "smallest": min}
        yield from table(heading, "types", gains, columns | {"90 of 100 below": lambda some: quantile(some, 0.9)})
        yield from sentence(heading, "{} drawn problems", len(gains["all"]))
    else:
        print(f"{heading}: no zstd, so the gains of searches are not compared", file=sys.stderr)


def epilogues(data):
    heading, spreads = "A fused epilogue", {}
    names = {"residual, f16": "f16:f16 residual", "residual, bf16": "bf16:bf16 residual"}
    names |= {name: "f16:f16 " + name for name in ("bias+gelu(tanh)", "bias+gelu(erf)", "bias+relu")}
    for name, types in names.items():
        plain, apart = (data.bench("epilogue", types=types, baseline=baseline) for baseline in ("plain", "separate"))
        for one, other in zip(plain, apart):
            title = "epilogue" if "residual" in types else "epilogue, f16"
            times = {name: (float(one.row["us"]), one.on, other.on)}
            yield from table(heading, title, times, {"x".join(map(str, one.shape)): lambda values: values})
            spreads[name, one.shape] = spread(one.row)
    residuals = [spreads.pop((f"residual, {kind}", (8192, 8192, 1024))) for kind in ("f16", "bf16")]
    yield from sentence(heading, "is {} % and {} % for the residuals of 8192x8192x1024", *residuals)
    yield from sentence(heading, "and at most {} % elsewhere", max(spreads.values()))


def types(data):
    heading, eight = "f32 by tensor cores", "f8E4M3FN:bf16"
    names = [("tf32x3", layout) for layout in ("nt", "nn", "tn")] + [("tf32", layout) for layout in ("nt", "nn", "tt")]
    rows = {f"`{kind}` {layout}": data.bench("types", types=f"{kind}:f32", layout=layout) for kind, layout in names}
    yield from table(heading, "products, layout", rows, TYPES_BOTH)
    square = [next(one for one in rows[name] if one.shape == (4096,) * 3) for name in ("`tf32x3` nt", "`tf32` nt")]
    texts = "{} us by `tf32x3` ({} TFLOP/s; cuBLASLt {} us)", "{} by `tf32` ({} TFLOP/s; {} us)"
    for one, text in zip(square, texts):
        time = float(one.row["us"])
        yield from sentence(heading, text, time, one.ops / time / 1e6, float(one.row["base_us"]))

    heading = "First choices of other types"
    kinds = {"`tf32`": "tf32:f32", "`tf32x3`": "tf32x3:f32", "f8E4M3FN to bf16": eight, "i8 to i32": "i8:i32"}
    rows = {name: data.bench("types-guess", types=kind) for name, kind in kinds.items()}
    yield from table(heading, "types", rows, TYPES_BOTH)
    worst = {name: {name_of(one.shape): one.on for one in some} for name, some in rows.items()}
    yield from sentence(heading, "577x1024x4096 (`tf32`, {})", worst["`tf32`"]["577x1024x4096"])
    values = [worst[name]["1x51200x5120"] for name in ("`tf32x3`", "`tf32`")]
    yield from sentence(heading, "1x51200x5120 (`tf32x3` {}, `tf32` {})", *values)

    kinds = {"f8E4M3FN": eight, "f8E4M3FN, `short`": "f8E4M3FN.short:bf16", "i8": "i8:i32"}
    rows = {name: data.bench("types", types=kind) for name, kind in kinds.items()}
    yield from table("8 bits", "types", rows, TYPES)
    yield from table("8 bits", "types", {f"{name}, off": some for name, some in rows.items()}, TYPES_OFF)


def batches(data):
    heading, lines = "Builds without measurements", {"aligned": [], "not aligned": [], "all": []}
    for row in data.sets:
        if row["set"] == "batches":
            aligned = int(row["n"]) % 8 == 0 and int(row["k"]) % 8 == 0
            for name in ("aligned" if aligned else "not aligned", "all"):
                lines[name].append(row)

    def over(function):
        return lambda some: function([float(row["ratio"]) for row in some])

    columns = {"products": len, "ratio": over(mean), "smallest": over(min), "won": over(won)}
    yield from table(heading, "lines", lines, columns)
    worst = min(lines["all"], key=lambda row: float(row["ratio"]))
    name = "x".join(worst[letter] for letter in "mnk")
    yield from sentence(heading, f"The smallest is {{}} times {name}", int(worst["types"].split("=")[1]))


def weights(data):
    heading, rows = "Weights of 8 bits", {"1 to 16": [], "32 to 128": [], "256 and more": []}
    spreads = []
    for layout in ("nt", "nn"):
        plain = {one.shape: one.row for one in data.bench("mixed-f16", layout=layout)}
        for one in data.bench("mixed", layout=layout):
            name = "1 to 16" if one.shape[0] <= 16 else "32 to 128" if one.shape[0] <= 128 else "256 and more"
            other = plain[one.shape]
            rows[name].append([float(other[column]) / float(one.row["us"]) for column in ("us", "base_us")])
            spreads.append(spread(one.row))

    def over(which, function):
        return lambda some: function([ratios[which] for ratios in some])

    columns = {"products": len, "over f16": over(0, mean), "smallest": over(0, min)}
    columns |= {"over cuBLASLt": over(1, mean), "smallest (2)": over(1, min), "won": over(1, won)}
    yield from table(heading, "rows", rows, columns)
    small = sum(each <= 3 for each in spreads)
    text = "spread is within 3 % for {} of the {} products, at most {} %"
    yield from sentence(heading, text, small, len(spreads), max(spreads))


def ranges(data):
    heading, rows = "The search, measured", {}
    for name, label in ("developed", "used in development"), ("drawn", "drawn by chance"):
        some = [(float(row["ratio"]), row["known"]) for row in data.rows("h200/ranges.csv") if row["set"] == name]
        rows[label] = [ratio for ratio, _ in some], [ratio for ratio, known in some if known == "no"]
    columns = {"values": lambda some: len(some[0]), "quality, smallest": lambda some: (mean(some[0]), min(some[0]))}
    columns |= {"not measured": lambda some: len(some[1]), "their quality": lambda some: (mean(some[1]), min(some[1]))}
    yield from table(heading, "four products each", rows, columns)
    worst = [row for row in data.rows("h200/ranges.csv") if float(row["ratio"]) < 0.88]
    values = [int(row["m"]) for row in worst] + [int(worst[0]["n"]), int(worst[0]["k"])]
    yield from sentence(heading, "The worst are {} and {} rows of {}x{}, below 0.88", *values)


def convolutions(data):
    heading, rows, first = "Convolutions", {}, {}
    for row in data.rows("h200/convolutions.csv"):
        if row["set"].startswith("channels first, "):
            first.setdefault(row["set"].split(", ")[1], []).append(row)
            continue
        if row["set"] == "depthwise":
            continue
        name = row["set"].replace("resnet50", "ResNet-50") + ", bias and ReLU" * (row["relu"] == "yes")
        rows.setdefault(f"{row['machine']}, {name}", []).append(row)

    def over(column, function):
        return lambda some: function([float(row["cudnn_us"]) / float(row[column]) for row in some if row[column]])

    def total(some, column):
        return sum(int(row["count"]) * float(row[column]) for row in some)

    columns = {"number": len, "ratio": over("hone_us", mean), "smallest": over("hone_us", min)}
    columns |= {"won": over("hone_us", won), "off": over("hone_off_us", mean), "smallest, off": over("hone_off_us", min)}
    columns |= {"sum": lambda some: total(some, "cudnn_us") / total(some, "hone_us")}
    columns |= {"built": over("built_us", mean), "smallest, built": over("built_us", min)}
    yield from table(heading, "machine, set", rows, columns)
    columns_first = {"number": len, "ratio": over("built_us", mean), "smallest": over("built_us", min)}
    yield from table(heading, "type", first, columns_first | {"won": over("built_us", won)})
    turns = [100 * (float(row["built_max"]) - float(row["built_min"])) / float(row["built_us"])
             for some in first.values() for row in some]  # fmt: skip
    yield from sentence(heading, "spread of a row's turns is {} %", quantile(turns, 0.5))
    front = {"f16, ResNet-50's convolutions with ReLU, against cuDNN": rows["H200, ResNet-50, bias and ReLU"]}
    names = {"shapes": "number", "off, smallest": "smallest, off"}
    front_columns = {name: columns[names.get(name, name)] for name in FRONT}
    yield from table("Results", "products", front, front_columns, page=README)
    for row in (row for some in rows.values() for row in some):
        if (ratio := float(row["cudnn_us"]) / float(row["hone_us"])) < 0.98:
            yield from sentence(heading, row["name"] + " ({}", ratio)


def grouped(data):
    heading, products = "Grouped products", {}
    for row in data.rows("h200/grouped.csv"):
        key = tuple(row[each] for each in ("set", "name", "order", "groups", "rows", "n", "k"))
        products.setdefault(key, {})[row["side"]] = row
    sets = {}
    for (which, _, order, _, rows, _, _), sides in products.items():
        name = f"models, {int(rows):,} rows" if which == "models" else f"drawn, {order}"
        for each in [name] + ["models, all"] * (which == "models"):
            sets.setdefault(each, []).append(sides)

    def over(rivals, function):
        def ratio(sides):
            return min(float(sides[each]["us"]) for each in rivals if each in sides) / float(sides["hone"]["us"])

        return lambda some: function([ratio(sides) for sides in some])

    both = ("grouped_mm", "loop")
    columns = {"products": len, "over grouped_mm": over(both[:1], mean), "smallest": over(both[:1], min)}
    columns |= {"over the better": over(both, mean), "smallest (2)": over(both, min), "won": over(both, won)}
    columns |= {"of the roof": lambda some: mean([float(sides["hone"]["of_roof"]) for sides in some])}
    yield from table(heading, "set", sets, columns)
    front = {"bf16, groups of experts, unmeasured, against torch": sets["models, all"]}
    names = {"shapes": "products", "ratio": "over the better", "smallest": "smallest (2)"}
    front_columns = {name: columns[names.get(name, name)] for name in ("shapes", "ratio", "won", "smallest")}
    yield from table("Results", "products", front, front_columns, page=README)


def searches(data):
    heading, rows = "The search, measured", data.rows("h200/searches.csv")
    ratios = [float(row["again_us"]) / float(row["us"]) for row in rows]
    far = sum(abs(math.log(ratio)) > math.log(1.02) for ratio in ratios)
    others = sum(row["same"] == "no" for row in rows)
    text = "{} of the second choices are another schedule, {} have a time that differs by more than 2 %"
    yield from sentence(heading, text, others, far)
    yield from sentence(heading, "the second times are {} of the first", mean(ratios))
    deep = [float(row["final_us"]) / float(row["deep_us"]) for row in rows if row["deep_us"]]
    text = "For {} of the shapes a further search of about 1,000 schedules follows, whose final has the first choice: it "
    text += "takes {} of the time of the new one, at most {}; {} stay"
    yield from sentence(heading, text, len(deep), mean(deep), max(deep), sum(ratio == 1 for ratio in deep))


def front_page(data):
    sets = {"f16, models, nt, searched": data.bench("real-models")}
    if grid := data.campaign("cublaslt-auto"):
        sets["f16, a grid, the better of nt and nn, searched"] = grid
    large = within(sets["f16, models, nt, searched"], FROM)
    yield from sentence("Results", "the largest products of models ({})", on(mean)(large), page=README)
    sets["f16, random, aligned, nt and nn, unmeasured"] = data.runs("h100", "built", True)[0]
    sets["the same, searched"] = data.runs("h100", "tuned", True)[0]
    sets["another draw, unmeasured"] = data.runs("h200", "built", True)[0]
    kinds = {"tf32": "tf32:f32", "f32 as three of tf32, against f32": "tf32x3:f32"}
    kinds |= {"f8E4M3FN to bf16": "f8E4M3FN:bf16", "i8 to i32": "i8:i32"}
    for name, kind in kinds.items():
        sets[f"{name}, nt, searched"] = data.bench("types", types=kind, layout="nt")
    yield from table("Results", "products", sets, FRONT, page=README)


def checks_of(root):
    data = Data(root)
    sections = (new_shapes, thousand, known_shapes, autotuner, in_torch, builds, batches, epilogues, types, weights, ranges)
    sections += (convolutions, grouped, searches, results_frontends.contractions, results_frontends.mixture)
    sections += (results_frontends.depthwise, results_frontends.graphs, results_models.adviser, results_models.kernels)
    sections += (results_models.writing,)
    sections += (results_numbers.numbers,)
    return [check for section in (*sections, front_page) for check in section(data)]
