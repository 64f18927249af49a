"""A problem of the form of KernelBench's."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x):
        return torch.relu(self.layer(x)) * 2


def get_inputs():
    return [torch.rand(16, 32)]


def get_init_inputs():
    return [32]
