"""usage: rest_program.py HONE_OPT LLVM_PREFIX FILE.mlir PIPELINE.md HEADING WORKSPACE

Runs the functions of FILE with rest=gpu on this CPU. The output of hone-pipeline for a GPU is lowered
by the order of stock passes below HEADING in the documentation; kernels run as in
test/tools/rest_on_cpu.py, with memory of the device that is full of NaN when it is new. The results must
equal those of arch=host, lowered by the same order. WORKSPACE is the pipeline's option.
"""

import ctypes
import os
import random
import re
import subprocess
import sys
import tempfile

folder = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(folder, "..", "..", "tools"))
import rest_on_cpu

RUNTIME = r"""
int allocations;
void *mgpuMemAlloc(uint64_t bytes, void *, bool) {
  ++allocations;
  void *memory = aligned_alloc(256, (bytes + 511) / 256 * 256);
  return memset(memory, 0xff, bytes);
}
void mgpuMemFree(void *memory, void *) { free(memory); }
void *mgpuStreamCreate() { return nullptr; }
void mgpuStreamDestroy(void *) {}
void mgpuStreamSynchronize(void *) {}
int honeCopy(void *to, const void *from, uint64_t bytes) { return memcpy(to, from, bytes), 0; }
int honeSynchronize() { return 0; }
"""


class Program(rest_on_cpu.Build):
    def __init__(self, hone_opt, prefix, scratch, pipeline_page, heading):
        super().__init__(hone_opt, prefix, scratch)
        self.order = [sys.executable, os.path.join(folder, "stock.py"), pipeline_page, heading]
        os.environ["PATH"] = os.path.join(prefix, "bin") + os.pathsep + os.environ["PATH"]

    def lower(self, text):
        name = f"host-{len(os.listdir(self.scratch))}"
        self.write(name + ".mlir", text)
        llvm = rest_on_cpu.run(*self.order, os.path.join(self.scratch, name + ".mlir"))
        self.write(name + ".ll", rest_on_cpu.run(self.translate, "--mlir-to-llvmir", stdin=llvm))
        return name + ".ll"

    def build(self, source, options):
        def lowered(options):
            command = [self.hone_opt, source, f"--hone-pipeline=results=destinations {options}",
                       "--mlir-print-ir-before=hone-emit", "--mlir-print-ir-module-scope", "--mlir-disable-threading"]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            return done.stdout, done.stderr

        host, kernels = lowered("arch=sm_90a rest=gpu " + options)
        self.take_kernels(kernels, RUNTIME)
        self.load_device(self.lower(rest_on_cpu.without_binary(host)))
        self.loops = self.link("loops", self.lower(lowered("arch=host")[0]))
        return host


def call_with_workspace(device, name, memories):
    """As rest_on_cpu.call, with the workspace that the function asks for as the last argument."""
    buffers = [memory.buffer() for memory in memories]
    descriptors = [memory.descriptor(address) for memory, (_, address) in zip(memories, buffers)]
    query = getattr(device, f"_mlir_ciface_{name}_workspace")
    query.restype = ctypes.c_int64
    size = query(*map(ctypes.byref, descriptors))
    room = ctypes.create_string_buffer(b"\xff" * (size + 512), size + 512)
    start = ctypes.addressof(room) + -ctypes.addressof(room) % 256
    workspace = (ctypes.c_int64 * 5)(start, start, 0, size, 1)
    getattr(device, "_mlir_ciface_" + name)(*map(ctypes.byref, descriptors), ctypes.byref(workspace))
    outside = room.raw[: start - ctypes.addressof(room)] + room.raw[start - ctypes.addressof(room) + size :]
    if outside.strip(b"\xff\0"):
        print(f"{name}: wrote outside of its workspace")
    print(f"{name}: workspace of {size} bytes")
    return [memory.read(address) for memory, (_, address) in zip(memories, buffers)]


def main(hone_opt, prefix, source, pipeline_page, heading, workspace):
    random.seed(1)
    call = call_with_workspace if workspace == "argument" else rest_on_cpu.call
    with tempfile.TemporaryDirectory() as scratch:
        build = Program(hone_opt, prefix, scratch, pipeline_page, heading)
        host = build.build(source, "workspace=" + workspace)
        for name, parameters in re.findall(r"func\.func @(\w+)\((.*?)\)[^)]*? attributes", host, re.DOTALL):
            if name.endswith("_workspace"):
                continue
            memories = [rest_on_cpu.Memory(one, 0) for one in re.findall(r"memref<(\w+)>(?! {hone)", parameters)]
            build.launched.clear()
            allocations = ctypes.c_int.in_dll(build.device, "allocations")
            allocations.value = 0
            got = call(build.device, name, memories)
            expected = rest_on_cpu.call(build.loops, name, memories)
            wrong = [text for each in zip(memories, got, expected) for text in rest_on_cpu.differences(*each)]
            print(f"{name}: {len(build.launched)} launches, {allocations.value} allocations, {len(wrong)} wrong"
                  + "".join("\n  " + text for text in wrong[:3]))


if __name__ == "__main__":
    main(*sys.argv[1:])
