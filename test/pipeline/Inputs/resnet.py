"""A small residual network with channels first, as frontends write it: four bottlenecks of two widths.

usage: resnet.py
"""


def tensor(*extents):
    return "tensor<" + "x".join(map(str, extents)) + "xf16>"


class Network:
    """Ops line by line; a value is its name and its extents."""

    def __init__(self):
        self.arguments, self.lines, self.values = [], [], 0

    def argument(self, *extents):
        name = f"%arg{len(self.arguments)}"
        self.arguments.append(f"{name}: {tensor(*extents)}")
        return name

    def op(self, text):
        self.values += 1
        self.lines.append(f"  %{self.values} = {text}")
        return f"%{self.values}"

    def filled(self, value, extents):
        empty = self.op(f"tensor.empty() : {tensor(*extents)}")
        return self.op(f"linalg.fill ins({value} : f16) outs({empty} : {tensor(*extents)}) -> {tensor(*extents)}")

    def padded(self, x, by, value):
        name, (n, c, h, w) = x
        extents = (n, c, h + 2 * by, w + 2 * by)
        result = self.op(
            f"tensor.pad {name} low[0, 0, {by}, {by}] high[0, 0, {by}, {by}] {{\n"
            "  ^bb0(%i: index, %j: index, %k: index, %l: index):\n"
            f"    tensor.yield {value} : f16\n  }} : {tensor(n, c, h, w)} to {tensor(*extents)}"
        )
        return result, extents

    def convolution(self, x, filters, size, step=1, padding=0):
        if padding:
            x = self.padded(x, padding, "%zero")
        name, (n, c, h, w) = x
        extents = (n, filters, (h - size) // step + 1, (w - size) // step + 1)
        weights, bias = self.argument(filters, c, size, size), self.argument(filters)
        empty = self.op(f"tensor.empty() : {tensor(*extents)}")
        start = self.op(
            f"linalg.broadcast ins({bias} : {tensor(filters)}) outs({empty} : {tensor(*extents)})"
            " dimensions = [0, 2, 3]"
        )
        result = self.op(
            "linalg.conv_2d_nchw_fchw"
            f" {{dilations = dense<1> : vector<2xi64>, strides = dense<{step}> : vector<2xi64>}}"
            f" ins({name}, {weights} : {tensor(n, c, h, w)}, {tensor(filters, c, size, size)})"
            f" outs({start} : {tensor(*extents)}) -> {tensor(*extents)}"
        )
        return result, extents

    def activated(self, x, *added):
        """The maximum of zero and the sum of these."""
        extents = x[1]
        names = ", ".join(value for value, _ in (x, *added))
        types = ", ".join([tensor(*extents)] * (1 + len(added)))
        empty = self.op(f"tensor.empty() : {tensor(*extents)}")
        body = "    %m = arith.maximumf %a, %zero : f16"
        if added:
            body = "    %s = arith.addf %a, %b : f16\n    %m = arith.maximumf %s, %zero : f16"
        result = self.op(
            f"linalg.generic {{indexing_maps = [{', '.join(['#image'] * (2 + len(added)))}],"
            f' iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}'
            f" ins({names} : {types}) outs({empty} : {tensor(*extents)}) {{\n"
            f"  ^bb0(%a: f16, {'%b: f16, ' if added else ''}%o: f16):\n{body}\n"
            f"    linalg.yield %m : f16\n  }} -> {tensor(*extents)}"
        )
        return result, extents

    def pooled(self, x):
        name, (n, c, h, w) = self.padded(x, 1, "%low")
        extents = (n, c, (h - 3) // 2 + 1, (w - 3) // 2 + 1)
        start = self.filled("%low", extents)
        window = self.op("tensor.empty() : tensor<3x3xf16>")
        result = self.op(
            "linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}"
            f" ins({name}, {window} : {tensor(n, c, h, w)}, tensor<3x3xf16>)"
            f" outs({start} : {tensor(*extents)}) -> {tensor(*extents)}"
        )
        return result, extents

    def bottleneck(self, x, width, step, isFirst):
        y = self.activated(self.convolution(x, width, 1))
        y = self.activated(self.convolution(y, width, 3, step, padding=1))
        y = self.convolution(y, 4 * width, 1)
        return self.activated(y, self.convolution(x, 4 * width, 1, step) if isFirst else x)

    def scored(self, x, classes):
        """The sums over the pixels, times a matrix."""
        name, (n, c, h, w) = x
        start = self.filled("%zero", (n, c))
        sums = self.op(
            "linalg.generic {indexing_maps = [#image, #channels],"
            ' iterator_types = ["parallel", "parallel", "reduction", "reduction"]}'
            f" ins({name} : {tensor(n, c, h, w)}) outs({start} : {tensor(n, c)}) {{\n"
            "  ^bb0(%a: f16, %o: f16):\n    %s = arith.addf %a, %o : f16\n"
            f"    linalg.yield %s : f16\n  }} -> {tensor(n, c)}"
        )
        weights, start = self.argument(c, classes), self.filled("%zero", (n, classes))
        return self.op(
            f"linalg.matmul ins({sums}, {weights} : {tensor(n, c)}, {tensor(c, classes)})"
            f" outs({start} : {tensor(n, classes)}) -> {tensor(n, classes)}"
        )


def main():
    images, classes, width, network = 2, 10, 16, Network()
    x = network.argument(images, 3, 32, 32), (images, 3, 32, 32)
    x = network.pooled(network.activated(network.convolution(x, width, 7, 2, padding=3)))
    for stage in (1, 2):
        x = network.bottleneck(x, stage * width, stage, True)
        x = network.bottleneck(x, stage * width, 1, False)
    result = network.scored(x, classes)
    print("#image = affine_map<(n, c, h, w) -> (n, c, h, w)>\n#channels = affine_map<(n, c, h, w) -> (n, c)>\n")
    print(f"func.func @resnet({', '.join(network.arguments)}) -> {tensor(images, classes)} {{")
    print("  %zero = arith.constant 0.0 : f16\n  %low = arith.constant 0xFC00 : f16")
    print("\n".join(network.lines))
    print(f"  return {result} : {tensor(images, classes)}\n}}")


main()
