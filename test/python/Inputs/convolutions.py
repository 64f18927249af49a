"""Checks convolutions by torch.compile(backend="hone") on a device: results, strides, groups and reasons.
A line a check.

usage: convolutions.py cpu|cuda
"""

import copy
import sys

import torch
import torch.nn.functional as F
from torch import nn

import hone_torch
from hone_torch import candidates, inductor
from hone_torch.interface import Error

DEVICE = sys.argv[1]


def report_of(model, *inputs, **options):
    """The result by Hone, and the report."""
    torch._dynamo.reset()
    hone_torch.report(clear=True)
    result = torch.compile(model, backend=inductor.backend, options={"hone.measure": False, **options})(*inputs)
    return result, hone_torch.report()


def compare(what, model, *inputs, count=1):
    """With torch, in the strides of torch's result."""
    exact = copy.deepcopy(model).double()(*(x.double() for x in inputs))
    theirs = model(*inputs)
    ours, report = report_of(model, *inputs)
    scale = exact.std()
    error, own = ((each.double() - exact).abs().max() / scale for each in (ours, theirs))
    is_right = error < 2 * own + 4 * torch.finfo(ours.dtype).eps and ours.stride() == theirs.stride()
    ops = ", ".join(entry.op for entry in report.taken).replace("aten.", "").replace("convolution", "conv")
    print(f"{what}: {'right' if is_right and len(report.taken) == count else 'wrong'} {ops.replace('.Tensor', '')}")


def draw(*shape, dtype=torch.float32):
    return torch.randn(*shape).to(DEVICE, dtype)


def made(module, dtype=torch.float32):
    return module.eval().to(DEVICE, dtype)


class Residual(nn.Module):
    """A batch norm, a scale for each image and channel, and a shortcut."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(16, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24)
        self.norm.running_mean.normal_()

    def forward(self, x, scale, shortcut):
        return F.relu(self.norm(self.conv(x)) * scale + shortcut)


def kinds():
    last = torch.channels_last
    x, images = draw(2, 16, 13, 11), draw(2, 16, 40)
    compare("plain", made(nn.Conv2d(16, 24, 3)), x)
    compare("channels last", made(nn.Conv2d(16, 24, 3)).to(memory_format=last), x.to(memory_format=last))
    compare("uneven", made(nn.Conv2d(16, 24, (3, 2), stride=(2, 1), padding=(2, 0), dilation=(1, 3))), x)
    compare("one element", made(nn.Conv2d(16, 24, 1)), x)
    compare("steps of one element", made(nn.Conv2d(16, 24, 1, stride=2)), x)
    compare("groups of one element", made(nn.Conv2d(16, 24, 1, groups=4)), x)
    compare("patches", made(nn.Conv2d(16, 24, 2, stride=2)), x)
    compare("lines", made(nn.Conv1d(16, 24, 5, padding=2, dilation=2)), images)
    compare("few channels", made(nn.Conv2d(3, 5, 3)), x[:, :3])
    compare("gelu", made(nn.Sequential(nn.Conv2d(16, 24, 3), nn.GELU())), x)
    compare("f16", made(nn.Conv2d(16, 24, 3, padding=1), torch.half), x.half())
    compare("bf16", made(nn.Conv2d(16, 24, 3, padding=1), torch.bfloat16), x.bfloat16())
    compare("residual", made(Residual()), x, draw(2, 24, 1, 1), draw(2, 24, 13, 11))
    compare("a scale for each place", made(Residual()), x, draw(13, 11), draw(24, 13, 11))
    two = nn.Sequential(nn.Conv2d(16, 24, 3), nn.ReLU(), nn.Flatten(2), nn.Conv1d(24, 8, 3), nn.Flatten(), nn.LazyLinear(7))
    two = two.to(DEVICE)
    two(x)
    compare("a network", made(two), x, count=3)


def few_channels():
    """As a GPU gets them: copies with further channels of zeros. On the host they are not needed."""
    before, candidates.Candidate.needs_lines = candidates.Candidate.needs_lines, lambda self: True
    x, line = draw(2, 3, 23, 25), draw(2, 5, 31)
    compare("a step of 2", made(nn.Conv2d(3, 8, 7, 2, 3), torch.half), x.half())
    compare("a step of 1", made(nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU())), x)
    compare("patches of 4", made(nn.Conv2d(3, 8, 4, 4)), x[:, :, :20, :24])
    compare("steps of 3", made(nn.Conv2d(3, 8, (2, 5), (1, 3), (0, 2), (2, 1))), x)
    compare("lines of 5", made(nn.Conv1d(5, 8, 3, padding=1)), line)
    candidates.Candidate.needs_lines = before


def open_images():
    model = made(nn.Conv2d(16, 24, 3))
    torch._dynamo.reset()
    hone_torch.report(clear=True)
    function = torch.compile(model, backend=inductor.backend, options={"hone.measure": False}, dynamic=None)
    batches = [draw(batch, 16, 9, 9) for batch in (2, 3, 5)]
    for x in batches:
        torch._dynamo.mark_dynamic(x, 0)
    is_right = all(torch.allclose(function(x), model(x), atol=1e-4) for x in batches)
    report = hone_torch.report()
    print(f"open number: {'right' if is_right else 'wrong'} {len(report.taken)} taken in {len(report)} graph")


def training():
    model = nn.Sequential(nn.Conv2d(8, 16, 3), nn.ReLU(), nn.Conv2d(16, 4, 3)).to(DEVICE)
    x = draw(2, 8, 9, 9)
    with torch.enable_grad():
        theirs = torch.autograd.grad(model(x).square().sum(), model.parameters())
        result, _ = report_of(model, x)
        ours = torch.autograd.grad(result.square().sum(), model.parameters())
    is_right = all(torch.allclose(a, b, rtol=1e-3, atol=1e-3) for a, b in zip(ours, theirs))
    print(f"training: {'right' if is_right else 'wrong'} {len(hone_torch.report().taken)} taken")


def reasons():
    x = draw(2, 8, 9, 9)
    _, report = report_of(made(nn.Conv2d(8, 8, 3, groups=4)), x)
    print("groups:", report.left[0].reason)
    _, report = report_of(made(nn.ConvTranspose2d(8, 8, 3)), x)
    print("transposed:", report.left[0].reason)
    _, report = report_of(made(nn.Conv3d(8, 8, 3)), draw(1, 8, 4, 4, 4))
    print("volumes:", report.left[0].reason)
    _, report = report_of(made(nn.Conv2d(8, 8, 3, groups=8)), x)
    print("depthwise:", (report.left or report.taken)[0].reason)


def lowered():
    """Kernels for a GPU, which run nowhere here: each convolution is one launch."""
    for what, model, dtype in (
        ("norm", Residual(), torch.half),
        ("tf32", nn.Conv2d(16, 24, 3), torch.float32),
        ("colours", nn.Conv2d(3, 16, 7, 2, 3), torch.half),
        ("depthwise", nn.Sequential(nn.Conv2d(16, 16, 5, padding=2, groups=16), nn.ReLU6()), torch.bfloat16),
        ("groups", nn.Conv2d(16, 32, 1, groups=2, bias=False), torch.half),
    ):
        inputs = [draw(2, 16, 12, 12)] + [draw(2, 24, 1, 1), draw(2, 24, 12, 12)] * isinstance(model, Residual)
        inputs = [x.to(dtype)[:, :3] if what == "colours" else x.to(dtype) for x in inputs]
        try:
            report_of(made(model, dtype), *inputs, **{"hone.arch": "sm_90a"})
        except Error as error:
            print(f"{what}:", str(error).split(",")[0])
        print(f"{what}:", *(entry.op.replace("aten.", "") for entry in hone_torch.report().taken))


def main():
    torch.manual_seed(0)
    with torch.no_grad():
        kinds()
        if DEVICE == "cpu":
            few_channels()
        open_images()
        training()
        reasons()
        if DEVICE == "cpu":
            lowered()


if __name__ == "__main__":
    main()
