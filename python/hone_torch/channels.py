"""Images of few channels for the copy engine, which reads channels of multiples of 16 bytes.

Other images are copied with further channels of zeros, so that the places of one step along a line are such channels:
2 places of 4 channels for RGB and a step of 2.
"""

from .interface import Error


def has_few_channels(node):
    """Of a convolution of one group."""
    filters, groups = node.args[1].meta["val"], node.args[-1]
    return groups == 1 and filters.shape[1] * filters.dtype.itemsize % 16 != 0


def copied(f, value, low, high):
    return f.copy_padded(value, low, high) if any((*low, *high)) else value


def widen(f, image, filters, step, padding, dilation, bytes_):
    """Both with channels of 16 bytes, one step along a line and no padding there."""
    *places, width, channels = image.shape
    taps = filters.shape[-2]
    if dilation != 1:
        raise Error(f"expected windows without gaps in images of {channels} channels, but got a dilation of {dilation}")
    wide = next(count for count in range(channels, channels + 17) if count * step * bytes_ % 16 == 0)
    whole = -(-taps // step)  # steps that a window takes
    count = (width + 2 * padding - taps) // step + whole
    after = count * step - width - padding
    if after < 0:
        raise Error(f"expected windows that reach the end of a line of {width}, but got {-after} places after them")
    sides = [0] * len(places)
    image = copied(f, image, [*sides, padding, 0], [*sides, after, wide - channels])
    filters = copied(f, filters, [0] * len(filters.shape), [*sides, whole * step - taps, wide - channels])
    image = f.reshape(image, (*places, count, step * wide))
    return image, f.reshape(filters, (*filters.shape[:-2], whole, step * wide))
