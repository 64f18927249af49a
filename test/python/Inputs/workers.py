"""Checks torch.compile(backend="hone") in several threads, streams and processes; inductor.py runs them."""

import socket
import threading

import torch
from torch import nn

import hone_torch
from compiling import DEVICE, check, compiled, draw, mlp


def threads():
    model = mlp()
    function, failures = compiled(model), []
    with torch.no_grad():
        function(draw(16, 64))

    def work(seed):
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for _ in range(20):
                x = torch.randn(16, 64, generator=generator).to(DEVICE)
                if not torch.allclose(function(x), model(x), rtol=1e-4, atol=1e-4):
                    failures.append(seed)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    check("threads", not failures)


def streams():
    model, right = mlp(torch.float16), True
    function = compiled(model)
    x = [draw(64, 64, dtype=torch.float16) for _ in range(4)]
    with torch.no_grad():
        wanted = [model(each) for each in x]
        function(x[0])
        torch.cuda.synchronize()
        results, queue = [], [torch.cuda.Stream() for _ in x]
        for stream, each in zip(queue, x):
            with torch.cuda.stream(stream):
                results.append(function(each))
        torch.cuda.synchronize()
    right = all(torch.allclose(a, b, rtol=1e-2, atol=1e-2) for a, b in zip(results, wanted))
    check("streams", right)
    if torch.cuda.device_count() > 1:
        other = mlp(torch.float16, "cuda:1")
        y = draw(64, 64, dtype=torch.float16, device="cuda:1")
        with torch.no_grad():
            check("second device", torch.allclose(compiled(other)(y), other(y), rtol=1e-2, atol=1e-2))


class Wrapped(nn.Module):
    """torch compiles no forward function of its own classes inside DistributedDataParallel."""

    def __init__(self, device):
        super().__init__()
        self.layers = mlp(device=device)

    def forward(self, x):
        return self.layers(x)


def ddp_worker(rank, ranks, port, failures):
    """One of several processes; the gradients of all are averaged."""
    torch.distributed.init_process_group(
        "nccl" if DEVICE == "cuda" else "gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=ranks
    )
    device = f"cuda:{rank}" if DEVICE == "cuda" else "cpu"
    plain = mlp(device=device)
    wrapped = nn.parallel.DistributedDataParallel(Wrapped(device), device_ids=[rank] if DEVICE == "cuda" else None)
    step = compiled(wrapped)
    for seed in range(2):
        torch.manual_seed(seed)
        x = torch.randn(ranks, 16, 64)
        step.zero_grad()
        plain.zero_grad()
        step(x[rank].to(device)).square().mean().backward()
        plain(x.flatten(0, 1).to(device)).square().mean().backward()
        for ours, wanted in zip(wrapped.parameters(), plain.parameters()):
            if not torch.allclose(ours.grad, wanted.grad, rtol=1e-3, atol=1e-5):
                failures.put(f"rank {rank}, seed {seed}")
    if not hone_torch.report().taken:
        failures.put(f"rank {rank}: nothing taken")
    torch.distributed.destroy_process_group()


def ddp():
    """A model of two processes, each with a device of its own."""
    ranks = 2
    if DEVICE == "cuda" and torch.cuda.device_count() < ranks:
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    failures = torch.multiprocessing.get_context("spawn").SimpleQueue()
    torch.multiprocessing.spawn(ddp_worker, (ranks, port, failures), nprocs=ranks)
    check("ddp", failures.empty(), "" if failures.empty() else failures.get())
