"""KernelBench's problems: torch eager, torch.compile, and Hone inside Inductor.

    python -m hone_torch.kernelbench CHECKOUT --out=results.jsonl --types=f32,f16 --part=1/4
    python -m hone_torch.kernelbench --show=results.jsonl

First several processes compile, which fills the caches; then one measures, each problem in turns
of CUDA graphs. A run goes on where the file of results ends. Classes of accuracy are columns of
their own: f32 (exact), f32:tf32x3, and f32:tf32, which torch has as `high`.
"""

import argparse
import concurrent.futures as futures
import contextlib
import gc
import importlib.util
import json
import math
import multiprocessing
import os
import pathlib
import signal
import statistics
import sys
import time
from concurrent.futures.process import BrokenProcessPool

from .tables import done_in, show, write_csv

PROBLEMS = {
    "products": {
        1: (*range(1, 19), 97),
        2: (9, 12, 14, 18, 22, 28, 29, 30, 33, 37, 39, 40, 41, 45, 51, 53, 55, 56, 59, 62, 63, 64, 66, 68, 70, 75, 76,
            80, 81, 84, 86, 88, 94, 95, 97, 98, 99),
        3: (1, 2, 3, 28, 31, 43, 44, 50),
    },
    # Those with forward convolutions of one or two dimensions.
    "convolutions": {
        1: (50, 55, 56, 62, 63, 67, 76, 80, *range(82, 88)),
        2: (1, 4, 17, 21, 25, 31, 32, 35, 46, 52, 54, 57, 65, 67, 69, 71, 73, 82, 85, 87, 92),
        3: (*range(4, 28), 29, 30, 32, 45),
    },
    "all": {1: range(1, 101), 2: range(1, 101), 3: range(1, 51)},
}  # fmt: skip
# A column's type, torch's precision of f32 (exact for convolutions, too, if it is the highest), and the options of the
# backend.
CLASSES = {
    "f16": ("float16", "highest", {}),
    "bf16": ("bfloat16", "highest", {}),
    "f32": ("float32", "highest", {}),
    "f32:tf32x3": ("float32", "highest", {"hone.f32": "tf32x3"}),
    "f32:tf32": ("float32", "high", {}),
}
TOLERANCES = {"float32": 1e-4, "float16": 1e-2, "bfloat16": 1e-2}  # KernelBench's


def tasks_of(args):
    """(level, file, class), those of this part: every N-th, and bf16 of every third problem."""
    part, parts = (int(number) for number in args.part.split("/"))
    tasks = []
    for level, numbers in PROBLEMS[args.problems].items():
        folder = pathlib.Path(args.checkout) / "KernelBench" / f"level{level}"
        files = {int(path.name.split("_")[0]): path for path in folder.glob("*.py")}
        tasks += [(level, str(files[number])) for number in numbers if number in files]
    if not tasks:
        sys.exit(f"error: expected problems in '{args.checkout}/KernelBench/level1' to 3, but got none")
    tasks = [task for i, task in enumerate(tasks) if i % parts == part - 1]
    if args.only:
        wanted = {*args.only.split(",")}
        names = [(task, name_of(task[1]).split("_")[0]) for task in tasks]
        tasks = [task for task, number in names if wanted & {number, f"{task[0]}/{number}"}]
    return [
        (level, path, each)
        for each in args.types.split(",")
        for i, (level, path) in enumerate(tasks)
        if each != "bf16" or i % 3 == 0
    ]


def name_of(path):
    return pathlib.Path(path).stem


# ---- One problem -------------------------------------------------------------------------------


class Expired(Exception):
    pass


@contextlib.contextmanager
def limit(seconds):
    def expire(*_):
        raise Expired(f"expected an end within {seconds} s, but got none")

    signal.signal(signal.SIGALRM, expire)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


class Problem:
    """A problem's model and inputs, in a type."""

    def __init__(self, path, which, device, more):
        import torch

        name, precision, options = CLASSES[which]
        self.options = {**options, **more}
        self.torch, self.device, self.dtype = torch, device, getattr(torch, name)
        torch.set_float32_matmul_precision(precision)
        torch.backends.cudnn.allow_tf32 = precision != "highest"
        torch._dynamo.reset()
        spec = importlib.util.spec_from_file_location(name_of(path), path)
        self.module = importlib.util.module_from_spec(spec)
        torch.manual_seed(0)
        with torch.device(device):
            spec.loader.exec_module(self.module)
            self.model = self.module.Model(*self.module.get_init_inputs()).to(device).eval().to(self.dtype)

    def inputs(self, seed):
        self.torch.manual_seed(seed)
        with self.torch.device(self.device):
            given = self.module.get_inputs()
        return [self.cast(each, self.dtype) for each in given]

    def cast(self, x, dtype):
        if not self.torch.is_tensor(x):
            return x
        return x.to(self.device, dtype if x.is_floating_point() else x.dtype)

    def compile(self, side, measure=True):
        if side == "inductor":
            return self.torch.compile(self.model, dynamic=False)
        import hone_torch

        options = {**self.options, "hone.measure": measure}
        return self.torch.compile(self.model, backend=hone_torch.backend, dynamic=False, options=options)


def first(result):
    return result if not isinstance(result, (tuple, list)) else result[0]


def prepare(task, device, more):
    """Fills the caches of both compilers."""
    level, path, which = task
    with contextlib.suppress(Exception), limit(240):
        problem = Problem(path, which, device, more)
        with problem.torch.no_grad():
            inputs = problem.inputs(0)
            for side, measure in (("hone", False), ("hone", "prepare"), ("inductor", None)):
                problem.compile(side, measure)(*inputs)
        del problem, inputs
    free_memory(device)


def evaluate(task, device, seconds, more, has_other_shapes):
    """The record of a problem."""
    level, path, which = task
    record = {"level": level, "name": name_of(path), "class": which}
    try:
        with limit(180):
            problem = Problem(path, which, device, more)
            with problem.torch.no_grad():
                record |= run(problem, seconds, has_other_shapes)
    except Exception as error:  # the next problem runs
        record["error"] = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"[:300]
    problem = None
    free_memory(device)
    return record


def free_memory(device):
    import torch

    torch._dynamo.reset()
    gc.collect()
    if device == "cuda":
        torch.cuda.empty_cache()


def run(problem, seconds, has_other_shapes):
    import hone_torch

    torch, record, inputs = problem.torch, {}, problem.inputs(0)
    functions, want = {}, first(problem.model(*inputs))
    for side in ("inductor", "hone"):
        hone_torch.report(clear=True)
        begin = time.perf_counter()
        compiled = problem.compile(side)
        got = first(compiled(*inputs))
        record[f"{side}_compile_s"] = round(time.perf_counter() - begin, 2)
        record[f"{side}_right"] = is_close(torch, got, want, problem)
        functions[side] = captured(torch, compiled, inputs, problem.device)
    report = hone_torch.report()
    record["taken"] = [[each.shape, each.op, each.hone_us, each.torch_us, each.error] for each in report.taken]
    record["left"] = [[each.shape, each.op, each.reason, each.hone_us, each.torch_us] for each in report.left]
    functions["eager"] = captured(torch, problem.model, inputs, problem.device)
    record |= in_turns(torch, functions, seconds, problem.device)
    del functions, got, want
    record |= strict(problem, compiled)
    if has_other_shapes:
        record["other_shapes"] = is_right_for_halves(problem, compiled)
    return record


def is_close(torch, got, want, problem):
    """KernelBench's rule; products of tf32 have the tolerance of f16."""
    tolerance = TOLERANCES[str(problem.dtype).removeprefix("torch.")]
    if torch.get_float32_matmul_precision() != "highest":
        tolerance = 1e-2
    return bool(torch.allclose(got.float(), want.float(), rtol=tolerance, atol=tolerance))


def is_right_for_halves(problem, function):
    """On half of the rows of every input; None where the model takes no such inputs."""
    torch = problem.torch
    inputs = problem.inputs(4)
    halves = [each[: (len(each) + 1) // 2] if torch.is_tensor(each) and each.dim() else each for each in inputs]
    try:
        want = first(problem.model(*halves))
    except RuntimeError:
        return None
    return is_close(torch, first(function(*halves)), want, problem)


def strict(problem, function):
    """Three seeds against the model in f64, in memory that holds NaN: an error of at most twice
    torch's own. The errors are norms."""
    torch, worst, own_worst = problem.torch, 0.0, 0.0
    try:
        for seed in (1, 2, 3):
            inputs = problem.inputs(seed)
            wide = [problem.cast(each, torch.float64) for each in inputs]
            reference = first(problem.model.double()(*wide))
            problem.model.to(problem.dtype)  # exact: f64 has all numbers of the type
            del wide
            own = first(problem.model(*inputs)).double()
            poison = [torch.full((1 << bits,), math.nan, device=problem.device) for bits in range(10, 28, 2)]
            del poison
            ours = first(function(*inputs)).double()
            scale = reference.norm().clamp_min(1e-30)
            errors = [((each - reference).norm() / scale).item() for each in (ours, own)]
            worst, own_worst = max(worst, errors[0]), max(own_worst, errors[1])
            if not math.isfinite(errors[0]) and math.isfinite(errors[1]):
                worst = math.inf
            del reference, own, ours
        step = torch.finfo(problem.dtype).eps / 8
        if torch.get_float32_matmul_precision() != "highest":
            step = 2.0**-9
        return {"error": None, "hone_error": worst, "torch_error": own_worst,
                "strict": not math.isfinite(own_worst) or worst <= 2 * own_worst + step}  # fmt: skip
    except torch.OutOfMemoryError:
        problem.model.to(problem.dtype)
        torch.cuda.empty_cache()
        return {"strict": None}


def captured(torch, function, inputs, device):
    """A CUDA graph of a call; the call itself on a CPU, and where it cannot be captured."""
    if device == "cpu":
        return lambda: function(*inputs)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    try:
        with torch.cuda.stream(stream):
            for _ in range(2):
                function(*inputs)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                kept = function(*inputs)
        torch.cuda.synchronize()
        return Replay(graph, (kept, function))
    except Exception:
        torch.cuda.synchronize()
        return lambda: function(*inputs)


class Replay:
    def __init__(self, graph, kept):
        self.graph, self.kept = graph, kept

    def __call__(self):
        self.graph.replay()


def in_turns(torch, functions, seconds, device):
    """Medians of microseconds, and of the ratios of a turn."""
    times = {side: [] for side in functions}
    begin = time.perf_counter()
    while len(times["hone"]) < 5 or (time.perf_counter() - begin < seconds and len(times["hone"]) < 200):
        order = list(functions)
        at = len(times["hone"]) % len(order)
        for side in order[at:] + order[:at]:  # a side after one that takes much power is slower
            times[side].append(time_of(torch, functions[side], device))
    record = {f"{side}_us": round(statistics.median(each[1:]), 2) for side, each in times.items()}
    for side in ("eager", "inductor"):
        ratios = [theirs / ours for theirs, ours in zip(times[side][1:], times["hone"][1:])]
        record[f"of_{side}"] = round(statistics.median(ratios), 4)
    return record | {"is_graph": all(isinstance(function, Replay) for function in functions.values())}


def time_of(torch, function, device):
    if device == "cpu":
        begin = time.perf_counter()
        function()
        return (time.perf_counter() - begin) * 1e6
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    function()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1000


# ---- All problems ------------------------------------------------------------------------------


def pool(count):
    return futures.ProcessPoolExecutor(count, multiprocessing.get_context("spawn"))


def prepare_all(tasks, args, deadline):
    executor = pool(args.jobs)
    pending = [executor.submit(prepare, task, args.device, args.more) for task in tasks]
    done, _ = futures.wait(pending, timeout=min(deadline, args.prepare_seconds))
    print(f"prepared {len(done)} of {len(tasks)} in {time.monotonic() - args.begin:.0f} s", flush=True)
    for process in list(executor._processes.values()):
        process.kill()
    executor.shutdown(wait=False, cancel_futures=True)


def evaluate_all(tasks, args, deadline):
    executor = pool(1)
    for task in tasks:
        if time.monotonic() - args.begin > deadline:
            break
        try:
            given = (args.device, args.turns, args.more, args.other_shapes)
            record = executor.submit(evaluate, task, *given).result()
        except BrokenProcessPool:
            record = {"level": task[0], "name": name_of(task[1]), "class": task[2], "error": "the process ended"}
            executor = pool(1)
        with open(args.out, "a") as file:
            file.write(json.dumps(record) + "\n")
    for process in list(executor._processes.values()):
        process.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", nargs="?", help="a checkout of KernelBench")
    parser.add_argument("--out", default="kernelbench.jsonl")
    parser.add_argument("--types", default="f16,f32,f32:tf32x3", help=f"of {', '.join(CLASSES)}")
    parser.add_argument("--problems", default="products", choices=PROBLEMS)
    parser.add_argument("--part", default="1/1", help="I/N: every N-th problem, from the I-th")
    parser.add_argument("--only", default="", help="problems, as LEVEL/NUMBER or NUMBER")
    parser.add_argument("--jobs", type=int, default=min(16, os.cpu_count()), help="processes that compile")
    parser.add_argument("--seconds", type=float, default=1e9, help="no problem starts later")
    parser.add_argument("--prepare-seconds", type=float, default=1e9, help="the limit of compiling ahead; 0 for none")
    parser.add_argument("--turns", type=float, default=0.3, help="seconds of turns for a problem")
    parser.add_argument("--other-shapes", action="store_true", help="also compile for half of the rows")
    parser.add_argument("--database", help="measured schedules for Hone's kernels")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--show", help="print the tables of a file, and measure nothing")
    parser.add_argument("--csv", help="with --show: also write a table")
    args = parser.parse_args()
    if args.show:
        if args.csv:
            write_csv(done_in(args.show), args.csv)
        return show(args.show, CLASSES)
    if not args.checkout:
        parser.error("expected a checkout of KernelBench, but got none; or use --show=FILE")
    args.begin = time.monotonic()
    args.more = {"hone.database": args.database} if args.database else {}
    done = {(each["level"], each["name"], each["class"]) for each in done_in(args.out)}
    tasks = [task for task in tasks_of(args) if (task[0], name_of(task[1]), task[2]) not in done]
    if args.prepare_seconds:
        prepare_all(tasks, args, args.seconds)
    evaluate_all(tasks, args, args.seconds)
    show(args.out, CLASSES)


if __name__ == "__main__":
    main()
