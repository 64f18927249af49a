"""Images of few channels for the copy engine, which reads channels of multiples of 16 bytes.

Other images are copied with further channels of zeros, so that the places of one step along a line are such channels:
2 places of 4 channels for RGB and a step of 2. So are images with padding along lines if a kernel then takes half as
many steps of K: without padding a step has several places of a line.
"""

from .interface import Error


STEP = 128  # bytes of K that a kernel takes at once


def has_few_channels(node):
    """Of a convolution of one group."""
    filters, padding, dilation, groups = node.args[1].meta["val"], node.args[4], node.args[5], node.args[-1]
    size, taps = filters.shape[1] * filters.dtype.itemsize, filters.shape[-1]
    if groups != 1 or size % 16 != 0:
        return groups == 1
    steps, merged = taps * -(-size // STEP), -(-taps * size // STEP)
    return padding[-1] > 0 and dilation[-1] == 1 and 2 * merged <= steps


def sizes_of(width, channels, taps, step, padding, bytes_):
    """The channels of a place with zeros, the steps along a line, those of a window, and the places after a line."""
    wide = next(count for count in range(channels, channels + 17) if count * step * bytes_ % 16 == 0)
    whole = -(-taps // step)
    count = (width + 2 * padding - taps) // step + whole
    return wide, count, whole, count * step - width - padding


def count_copies(node):
    """How many of image and filters are copied."""
    if not has_few_channels(node):
        return 0
    image, filters = (each.meta["val"] for each in node.args[:2])
    channels, taps, step, padding = filters.shape[1], filters.shape[-1], node.args[3][-1], node.args[4][-1]
    wide, _, whole, after = sizes_of(image.shape[-1], channels, taps, step, padding, filters.dtype.itemsize)
    return (wide != channels or padding > 0 or after > 0) + (wide != channels or whole * step != taps)


def copied(f, value, low, high):
    return f.copy_padded(value, low, high) if any((*low, *high)) else value


def widen(f, image, filters, step, padding, dilation, bytes_):
    """Both with channels of 16 bytes, one step along a line and no padding there."""
    *places, width, channels = image.shape
    taps = filters.shape[-2]
    if dilation != 1:
        raise Error(f"expected windows without gaps in images of {channels} channels, but got a dilation of {dilation}")
    wide, count, whole, after = sizes_of(width, channels, taps, step, padding, bytes_)
    if after < 0:
        raise Error(f"expected windows that reach the end of a line of {width}, but got {-after} places after them")
    sides = [0] * len(places)
    image = copied(f, image, [*sides, padding, 0], [*sides, after, wide - channels])
    filters = copied(f, filters, [0] * len(filters.shape), [*sides, whole * step - taps, wide - channels])
    image = f.reshape(image, (*places, count, step * wide))
    return image, f.reshape(filters, (*filters.shape[:-2], whole, step * wide))
