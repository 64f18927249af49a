"""Networks of convolutions, as modules of torch: for models_torch.py."""

import torch
import torch.nn.functional as F
from torch import nn


class Bottleneck(nn.Module):
    """A block of a ResNet: 1x1, 3x3, 1x1 and a shortcut."""

    def __init__(self, channels, width, step):
        super().__init__()
        sizes = (channels, width, 1, 1), (width, width, 3, step), (width, 4 * width, 1, 1)
        self.convs = nn.ModuleList(nn.Conv2d(a, b, k, s, k // 2, bias=False) for a, b, k, s in sizes)
        self.norms = nn.ModuleList(nn.BatchNorm2d(conv.out_channels) for conv in self.convs)
        self.short = None
        if step > 1 or channels != 4 * width:
            conv = nn.Conv2d(channels, 4 * width, 1, step, bias=False)
            self.short = nn.Sequential(conv, nn.BatchNorm2d(4 * width))

    def forward(self, x):
        y = x
        for i, (conv, norm) in enumerate(zip(self.convs, self.norms)):
            y = norm(conv(y))
            y = F.relu(y if i < 2 else y + (self.short(x) if self.short else x))
        return y


class Resnet(nn.Module):
    """ResNet-50."""

    def __init__(self, blocks=(3, 4, 6, 3)):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU())
        layers, channels = [], 64
        for stage, count in enumerate(blocks):
            for block in range(count):
                layers.append(Bottleneck(channels, 64 << stage, 2 if stage and not block else 1))
                channels = 256 << stage
        self.blocks, self.head = nn.Sequential(*layers), nn.Linear(channels, 1000)

    def forward(self, x):
        x = self.blocks(F.max_pool2d(self.stem(x), 3, 2, 1))
        return self.head(x.mean((2, 3)))


class ConvnextBlock(nn.Module):
    """7x7 by channel, then two products."""

    def __init__(self, width):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(width, width, 7, padding=3, groups=width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.scale = nn.Parameter(torch.full((width,), 0.1))

    def forward(self, x):
        y = self.norm(self.conv(x).permute(0, 2, 3, 1))
        return x + (self.scale * self.down(F.gelu(self.up(y)))).permute(0, 3, 1, 2)


class Convnext(nn.Module):
    """ConvNeXt-T."""

    def __init__(self, widths=(96, 192, 384, 768), blocks=(3, 3, 9, 3)):
        super().__init__()
        layers, channels = [], 3
        for stage, (width, count) in enumerate(zip(widths, blocks)):
            size = 2 if stage else 4
            layers += [nn.Conv2d(channels, width, size, size), *(ConvnextBlock(width) for _ in range(count))]
            channels = width
        self.layers, self.head = nn.Sequential(*layers), nn.Linear(channels, 1000)

    def forward(self, x):
        return self.head(self.layers(x).mean((2, 3)))


class UnetBlock(nn.Module):
    """A residual block of a diffusion model."""

    def __init__(self, channels, width):
        super().__init__()
        self.norms = nn.ModuleList(nn.GroupNorm(32, size) for size in (channels, width))
        self.convs = nn.ModuleList(nn.Conv2d(size, width, 3, padding=1) for size in (channels, width))
        self.short = nn.Conv2d(channels, width, 1) if channels != width else nn.Identity()
        self.time = nn.Linear(1280, width)

    def forward(self, x, time):
        y = self.convs[0](F.silu(self.norms[0](x))) + self.time(F.silu(time))[:, :, None, None]
        return self.short(x) + self.convs[1](F.silu(self.norms[1](y)))


class Unet(nn.Module):
    """The residual blocks of one way down and up of Stable Diffusion's network, without attention."""

    def __init__(self, widths=(320, 640, 1280)):
        super().__init__()
        self.first, self.last = nn.Conv2d(4, widths[0], 3, padding=1), nn.Conv2d(widths[0], 4, 3, padding=1)
        pairs = list(zip((widths[0], *widths), widths))
        self.down = nn.ModuleList(UnetBlock(a, b) for a, b in pairs)
        self.up = nn.ModuleList(UnetBlock(2 * b, a) for a, b in reversed(pairs))

    def forward(self, x, time):
        x, kept = self.first(x), []
        for block in self.down:
            kept.append(block(x, time))
            x = F.avg_pool2d(kept[-1], 2)
        for block in self.up:
            x = block(torch.cat([F.interpolate(x, scale_factor=2.0), kept.pop()], 1), time)
        return self.last(F.silu(x))


class Whisper(nn.Module):
    """The two convolutions in front of Whisper's encoder (small)."""

    def __init__(self, width=768):
        super().__init__()
        self.first, self.second = nn.Conv1d(80, width, 3, padding=1), nn.Conv1d(width, width, 3, 2, 1)

    def forward(self, x):
        return F.gelu(self.second(F.gelu(self.first(x)))).transpose(1, 2)


def images(batch, channels=3, size=224):
    return torch.randn(batch, channels, size, size)


MODELS = {
    "resnet1": lambda: (Resnet(), [images(1)]),
    "resnet32": lambda: (Resnet(), [images(32)]),
    "convnext32": lambda: (Convnext(), [images(32)]),
    "unet2": lambda: (Unet(), [images(2, 4, 64), torch.randn(2, 1280)]),
    "whisper8": lambda: (Whisper(), [torch.randn(8, 80, 3000)]),
}
