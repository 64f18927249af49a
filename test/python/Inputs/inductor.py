"""Checks torch.compile(backend="hone") on a device: results, gradients, shapes, threads, streams,
devices, and the report. A line a check.

usage: inductor.py cpu|cuda
"""

import copy
import os
import pathlib
import sys
import tempfile

import torch
import torch.nn.functional as F
from torch import nn

import hone_torch
from compiling import DEVICE, MEASURE_ALL, TAKE_ALL, check, compiled, draw, error, mlp, ops, pairs
from hone_torch import measure, op, ragged
from workers import ddp, streams, threads


def inference():
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        model, x = mlp(dtype), draw(8, 16, 64, dtype=dtype)
        with torch.no_grad():
            exact = copy.deepcopy(model).double()(x.double())
            ours = compiled(model)(x)
            ratio = error(ours, model(x), exact)
        report = hone_torch.report()
        check(f"{dtype}", ratio < 2, f"{len(report.taken)} taken, {len(report.left)} left")


def epilogues():
    """Groups end where a value leaves them; other ops are Inductor's."""
    x, w, v, r = (draw(32, 32) / 4 for _ in range(4))
    b, last = draw(32), torch.tensor([-1, 3], device=DEVICE)
    cases = {
        "chain": lambda: F.gelu(torch.addmm(b, x, w), approximate="tanh") * 2,
        "residual": lambda: r + x @ w,
        "reshaped": lambda: (x @ w).view(4, 8, 32) + r.view(4, 8, 32),
        "gate": lambda: F.silu(x @ w) * (x @ v),
        "two readers": lambda: (F.relu(x @ w), (x @ w).sum()),
        "around": lambda: (lambda y: y + y.sum(0))(x @ w),
        "second product": lambda: (x @ w + 1) @ v,
        "transposed": lambda: x.t() @ w.t() + (x @ v.t()).t(),
        "mish": lambda: F.mish(x @ w),
        "elu": lambda: F.elu(x @ w),
        "leaky": lambda: F.hardtanh(F.leaky_relu(x @ w), -0.5, 0.5),
        "mask": lambda: torch.where(r > 0, x @ w, 0.0),
        "slices": lambda: torch.cat([x, x], 1)[:, 8:40] @ w[:, ::2],
        "gather": lambda: F.relu(x[b.argsort() // 2] @ w),
        "any index": lambda: x[last] @ w,
        "gather read twice": lambda: (lambda y: y @ w + y)(x[b.argsort()]),
        "batches": lambda: (x.view(4, 8, 32) @ w.view(4, 32, 8)) * 0.5,
    }
    for what, case in cases.items():
        with torch.no_grad():
            ours, theirs = compiled(case)(), case()
        for a, b_ in pairs(ours, theirs):
            torch.testing.assert_close(a, b_, rtol=2e-4, atol=2e-4)
        print(f"{what}: {ops()}")


def dynamic():
    model = mlp()
    function = compiled(model, dynamic=True)
    worst = 0
    with torch.no_grad():
        for batch in (3, 17, 64, 200):
            x = draw(batch, 5, 64)
            worst = max(worst, (function(x) - model(x)).abs().max().item())
    shapes = [entry.shape for entry in hone_torch.report().taken]
    check("dynamic m", worst < 1e-4, f"{len(shapes)} taken, {sum('s' in shape for shape in shapes)} of open extents")


def backward():
    model, x = mlp(), draw(32, 64)
    model(x).square().sum().backward()
    wanted = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    compiled(model)(x).square().sum().backward()
    right = all(torch.allclose(p.grad, w, rtol=1e-3, atol=1e-3) for p, w in zip(model.parameters(), wanted))
    check("backward", right, f"{len(hone_torch.report().taken)} taken in {len(hone_torch.report())} graphs")


def amp():
    model, x = mlp(), draw(32, 64)
    function = compiled(model)
    with torch.autocast(DEVICE, torch.bfloat16):
        ours, theirs = function(x), model(x)
    ours.float().sum().backward()
    check("amp", torch.allclose(ours, theirs, rtol=3e-2, atol=3e-2) and model[0].weight.grad is not None,
          f"{ours.dtype} {len(hone_torch.report().taken)} taken")  # fmt: skip


def modes():
    model, x = mlp(torch.bfloat16), draw(8, 64, dtype=torch.bfloat16)
    function = compiled(model, take={**TAKE_ALL, "hone.mode": "reduce-overhead"})
    with torch.no_grad():
        right = all(torch.allclose(function(x), model(x), rtol=3e-2, atol=3e-2) for _ in range(4))
    check("reduce-overhead", right, f"{len(hone_torch.report().taken)} taken")


def measured():
    """With the measurement a product is Hone's or Inductor's, and the report has both times."""
    model, x = mlp(), draw(64, 64)
    with torch.no_grad():
        right = torch.allclose(compiled(model, take=MEASURE_ALL)(x), model(x), rtol=1e-4, atol=1e-4)
        taken = hone_torch.report().taken
        compiled(model, take={"hone.min_gain": 1e9})(x)
    left = hone_torch.report().left
    timed = all(entry.hone_us and entry.torch_us for entry in (*taken, *left))
    check("measured", right and timed, f"{len(taken)} taken, then {len(left)} left")
    special = torch.tensor([torch.inf, -torch.inf, torch.nan, 1.0, 2.0], dtype=torch.float64)
    near = measure.largest_difference(special.half(), special).item()
    far = [measure.largest_difference(special[i : i + 1], special[3:4], 1).item() for i in (0, 2, 4)]
    print("differences:", near, far)


def groups():
    """Groups of rows by a matrix each, and their gradients: one such product, and one of groups of columns."""
    ends = torch.tensor([5, 5, 40, 48], dtype=torch.int32, device=DEVICE)
    inputs = [draw(*shape, dtype=torch.bfloat16) for shape in ((48, 32), (4, 32, 64), (48, 64))]

    def results(function, dtype=torch.bfloat16):
        x, w, gradient = (each.detach().to(dtype).requires_grad_() for each in inputs)
        y = function(x, w)
        y.backward(gradient)
        return y.detach(), x.grad, w.grad

    def experts(x, w):
        return F.silu(F.grouped_mm(x, w, offs=ends))

    theirs, exact = results(experts), results(lambda x, w: F.silu(ragged.in_slices(x, w, ends)), torch.float64)
    ratio = max(map(error, results(compiled(experts, take=MEASURE_ALL)), theirs, exact))
    taken = hone_torch.report().taken
    check("groups", ratio < 2, f"{len(taken)} taken, {sum(bool(entry.hone_us) for entry in taken)} measured")

    scores, (x, w, _) = draw(48), inputs
    with torch.no_grad():
        sides = [lambda x, w, f=f: f(x[scores.argsort() // 2], w, offs=ends) for f in (F.grouped_mm, ragged.in_slices)]
        results = compiled(sides[0], take=MEASURE_ALL)(x, w), sides[0](x, w), sides[1](x.double(), w.double())
    check("groups of an index", error(*results) < 2, f"{len(hone_torch.report().taken)} taken")


def padded():
    """Zeros around factors are not multiplied, and no call of a kernel copies an argument."""
    x, w, b = draw(33, 61), draw(57, 61), draw(57)

    def zeros(tensor, *sizes):
        return F.pad(tensor, sizes)

    cases = {
        "columns": lambda: (x @ zeros(w.t(), 0, 7))[:, :57],
        "columns of all": lambda: torch.addmm(zeros(b, 0, 7), zeros(x, 0, 3), zeros(w.t(), 0, 7, 0, 3))[:, :57] * 2,
        "rows": lambda: (zeros(x, 0, 0, 0, 7) @ w.t())[:33],
        "sums": lambda: zeros(x, 0, 3) @ zeros(w.t(), 0, 0, 0, 3),
        "batches": lambda: torch.bmm(zeros(x[None], 0, 3, 0, 7), zeros(w.t()[None], 0, 7, 0, 3))[:, :33, :57],
        "one side": lambda: zeros(x, 3, 0) @ zeros(w.t(), 0, 0, 3, 0),
        "read": lambda: x @ zeros(w.t(), 0, 7),
        "read twice": lambda: (lambda y: (y[:, :57], y.sum()))(x @ zeros(w.t(), 0, 7)),
    }
    right, copies, lay_out = True, [], op.lay_out

    def counted(tensor, strides):
        result = lay_out(tensor, strides)
        copies.append(result[0].data_ptr() != tensor.data_ptr())
        return result

    op.lay_out = counted
    for what, case in cases.items():
        for take in ({"hone.min_gain": 1e9}, TAKE_ALL):
            with torch.no_grad():
                ours, theirs = compiled(case, take)(), case()
            for a, b_ in pairs(ours, theirs):
                right &= torch.allclose(a, b_, rtol=2e-4, atol=2e-4)
        print(f"{what}: {', '.join(f'{entry.shape} {entry.op}' for entry in hone_torch.report().taken)}")
    op.lay_out = lay_out
    check("padded", right, f"{sum(copies)} arguments copied")


def refused():
    """Inductor runs the rest, and the report names it."""
    a = torch.ones(8, 8, dtype=torch.float64, device=DEVICE)
    x, w = draw(1, 3, 8, 8), draw(3, 4, 3, 3)
    with torch.no_grad():
        compiled(lambda: a @ a)()
        print("f64:", hone_torch.report().left[0].reason)
        compiled(lambda: F.conv_transpose2d(x, w))()
    print("convolution:", hone_torch.report().left[0].reason)
    print(str(hone_torch.report()).splitlines()[-1])


def errors():
    for what, options in (("option", {"hone.f23": "exact"}), ("word", {"hone.f32": "f64"})):
        try:
            compiled(mlp(), take=options)(draw(2, 64))
        except Exception as failure:
            print(f"{what}: {[line for line in str(failure).splitlines() if 'expected' in line][0]}")
    spec = first_spec("h100" if DEVICE == "cpu" else "host")
    a = draw(16, 16)
    for what, inputs in (("device", [a, a]), ("devices", [a, a.to("meta")])):
        try:
            op.product(inputs, [16, 16], [], spec)
        except hone_torch.interface.Error as failure:
            print(f"{what}: {failure}")


def first_spec(arch=""):
    from hone_torch import inductor

    tensor = ((16, 16), (16, 1), torch.float32)
    spec = op.spec_of(inductor.spec_of_matmul(tensor, tensor, "f32=exact"))
    return op.Spec(spec.text, spec.inputs, spec.dtype, spec.options, arch).dump()


def fake():
    """The operator by torch's own checks, and with a symbol."""
    spec, a = first_spec(), draw(16, 16)
    torch.library.opcheck(torch.ops.hone.product, ([a, a], [16, 16], [], spec))
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        out = torch.ops.hone.product([torch.empty(16, 16), torch.empty(16, 16)], [16, 16], [], spec)
    print("fake:", type(out).__name__, tuple(out.shape), out.dtype)


def exported():
    """torch.export, compiled ahead of time, and loaded again."""
    model, x = mlp(), draw(8, 64)
    program = torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim("batch", min=2, max=64)},))
    hone_torch.report(clear=True)
    with tempfile.TemporaryDirectory() as folder:
        path = torch._inductor.aoti_compile_and_package(
            program, package_path=f"{folder}/model.pt2", inductor_configs=hone_torch.options_of(TAKE_ALL)
        )
        loaded = torch._inductor.aoti_load_package(path)
        right = all(torch.allclose(loaded(y), model(y), rtol=1e-4, atol=1e-4) for y in (x, draw(5, 64)))
    check("exported", right, f"{len(hone_torch.report().taken)} taken")


def external():
    """Among the choices of Inductor's autotuning."""
    torch._dynamo.reset()
    a, b = draw(64, 64), draw(64, 64)
    with torch._inductor.config.patch(external_matmul=[hone_torch.matmul], max_autotune_gemm_backends="ATEN"):
        function = torch.compile(lambda a, b: a @ b, mode="max-autotune-no-cudagraphs", dynamic=False)
        check("external", torch.allclose(function(a, b), a @ b, rtol=1e-4, atol=1e-4))
    out = torch.empty(64, 64, device=DEVICE)
    check("matmul", torch.allclose(hone_torch.matmul(a.t(), b, out), a.t() @ b, rtol=1e-4, atol=1e-4))


def tuned():
    hone_torch.report(clear=True)
    model, x = nn.Linear(64, 32, bias=False).to(DEVICE), draw(16, 64)
    with tempfile.TemporaryDirectory() as folder:
        function = hone_torch.tune(model, (x,), db=f"{folder}/tuned.db", trials=1, options=TAKE_ALL)
        with torch.no_grad():
            right = torch.allclose(function(x), model(x), rtol=1e-4, atol=1e-4)
        records = os.path.getsize(f"{folder}/tuned.db") > 0
    check("tuned", right and records, f"{len(hone_torch.report().taken)} taken")


def precision():
    """The products of f32 that a GPU may compute."""
    from hone_torch import inductor

    for word in ("highest", "high", "medium"):
        torch.set_float32_matmul_precision(word)
        print(f"{word}: {inductor.Settings().options()}")
    torch.set_float32_matmul_precision("highest")
    print("allowed:", inductor.Settings(f32="tf32x3").options())


CHECKS = [precision, inference, epilogues, dynamic, backward, amp, modes, measured, groups, padded, refused, errors, fake,
          threads, ddp, exported, external]  # fmt: skip


def main():
    checks = list(CHECKS)
    if os.path.exists(pathlib.Path(hone_torch.__file__).parent / "bin" / "hone"):
        checks.append(tuned)
    if DEVICE == "cuda":
        checks.append(streams)
    for each in checks:
        if len(sys.argv) < 3 or each.__name__ in sys.argv[2:]:
            try:
                each()
            except Exception as failure:
                print(f"{each.__name__}: failed: {type(failure).__name__}: {failure}"[:2000], flush=True)
                if len(sys.argv) > 2:
                    raise


if __name__ == "__main__":
    main()
