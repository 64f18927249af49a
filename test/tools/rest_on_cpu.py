#!/usr/bin/env python3
"""Runs kernels of the rest on the CPU, thread by thread, and compares them with loops.

usage: rest_on_cpu.py HONE_OPT LLVM_PREFIX FILE.mlir [ARCH]

FILE has functions on memrefs that hold nothing but linalg ops, and
`llvm.emit_c_interface`. Each is compiled twice: as it is, and as hone-outline-rest,
hone-build-rest and hone-lower-kernel make kernels of it. The kernels' LLVM IR is compiled
for this CPU, with functions instead of NVVM's intrinsics. The threads of a block take
turns in one thread of the system: each runs to its next barrier, in the order of their
numbers in one block and backwards in the next, so that a missing barrier shows. Launch
plans are read here, so guards and grids count, too: every function runs with operands
that are aligned, and with some that are not.
"""

import ctypes
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

LOWER = ("builtin.module(func.func(convert-linalg-to-loops),expand-strided-metadata,lower-affine,canonicalize,cse,"
         "convert-scf-to-cf,arith-emulate-unsupported-floats{source-types=bf16 target-type=f32},"
         "arith-expand{include-bf16=true},convert-math-to-llvm,convert-math-to-libm,finalize-memref-to-llvm,"
         "convert-arith-to-llvm,convert-index-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)")

DYNAMIC = 37  # the extent for a '?'

HARNESS = r"""
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
#include <vector>

namespace {
constexpr size_t kStackBytes = 64 << 10;

struct Thread {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(kStackBytes);
  bool ended;
};
std::vector<Thread> threads; // of a block
ucontext_t scheduler;
int32_t thread, block, blocks; // the thread whose turn it is
bool progress;
uint32_t exchanged[1024];
void (*running)(const uint64_t *);
const uint64_t *parameters;

struct Barrier {
  int expected = 0, arrived = 0;
  unsigned round = 0;

  void wait() {
    unsigned mine = round;
    if (++arrived == expected) {
      arrived = 0, ++round, progress = true;
      return;
    }
    while (round == mine)
      swapcontext(&threads[thread].context, &scheduler);
  }
};
Barrier ofBlock, ofWarp[32];

void runThread() {
  running(parameters);
  threads[thread].ended = progress = true;
  setcontext(&scheduler);
}

void takeTurns(int count, bool backwards) {
  for (int ended = 0; ended < count;) {
    ended = 0, progress = false;
    for (int turn = 0; turn < count; ++turn) {
      thread = backwards ? count - 1 - turn : turn;
      if (!threads[thread].ended)
        swapcontext(&scheduler, &threads[thread].context);
      ended += threads[thread].ended;
    }
    if (!progress) // threads wait for one that has ended
      abort();
  }
}
} // namespace

extern "C" {
int32_t nvvm_read_ptx_sreg_tid_x() { return thread; }
int32_t nvvm_read_ptx_sreg_ctaid_x() { return block; }
int32_t nvvm_read_ptx_sreg_nctaid_x() { return blocks; }
void nvvm_griddepcontrol_wait() {}
void nvvm_griddepcontrol_launch_dependents() {}
void nvvm_barrier_cta_sync_aligned_all(int32_t) { ofBlock.wait(); }
int32_t nvvm_shfl_sync_bfly_i32(int32_t, int32_t value, int32_t distance, int32_t) {
  exchanged[thread] = value;
  ofWarp[thread / 32].wait();
  uint32_t other = exchanged[thread ^ distance];
  ofWarp[thread / 32].wait();
  return other;
}
float nvvm_ex2_approx_ftz_f32(float x) { return exp2f(x); }
float nvvm_lg2_approx_f(float x) { return log2f(x); }
float nvvm_rcp_approx_ftz_f(float x) { return 1 / x; }
float nvvm_rsqrt_approx_f(float x) { return 1 / sqrtf(x); }

int (*honeLaunched)(const char *, const uint64_t *, int);
int honeLaunch(void **, const char *plan, const uint64_t *args, int count) {
  return honeLaunched(plan, args, count);
}
int honeConstant(void **, const void *data, uint64_t, const void **pointer) { return *pointer = data, 0; }
int honeAssertion(void **slot, const char *, void **pointer) {
  if (!*slot)
    *slot = calloc(1, 4);
  return *pointer = *slot, 0;
}
void honeReleaseResident(void **) {}
int64_t honeFailureMark() { return 0; }
int honeStatusSince(int64_t) { return 0; }
void honeRequire(int status, const char *) {
  if (status)
    abort();
}

void launch(void (*kernel)(const uint64_t *), const uint64_t *words, int grid, int count) {
  running = kernel, parameters = words, blocks = grid;
  ofBlock = {count};
  for (auto &barrier : ofWarp)
    barrier = {32};
  if (threads.size() < size_t(count))
    threads.resize(count);
  for (block = 0; block < grid; ++block) {
    for (int t = 0; t < count; ++t) {
      ucontext_t &context = threads[t].context;
      getcontext(&context);
      context.uc_stack.ss_sp = threads[t].stack.data();
      context.uc_stack.ss_size = kStackBytes;
      makecontext(&context, runThread, 0);
      threads[t].ended = false;
    }
    takeTurns(count, block % 2);
  }
}
"""

TYPES = {"ptr": "void *", "i32": "int32_t", "i64": "int64_t", "f32": "float"}


class Plan:
    """A launch plan's text, as far as the rest uses it."""

    def __init__(self, text):
        self.args, self.alternatives = [], []
        for line in text.splitlines():
            word, _, rest = line.partition(" ")
            if word == "args":
                self.args = rest.split()
            elif word == "alternative":
                self.alternatives.append({"guard": rest, "params": []})
            elif word == "param":
                self.alternatives[-1]["params"].append(rest.split(" ", 1))
            elif word in ("launch", "grid", "block"):
                self.alternatives[-1][word] = rest

    @staticmethod
    def evaluate(text, values):
        text = text.replace("&&", " and ").replace("/", "//")
        return int(eval(text, {"min": min, "max": max, "ceildiv": lambda a, b: -(-a // b), **values}))

    def choose(self, args):
        values = dict(zip(self.args, args))
        for alternative in self.alternatives:
            if self.evaluate(alternative["guard"], values):
                return alternative, values
        raise SystemExit("expected an alternative whose guard holds, but got none")


def run(*command, stdin=None):
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}:\n{done.stderr}")
    return done.stdout


def without_binary(module):
    return "\n".join(line for line in module.splitlines() if not line.startswith("  gpu.binary"))


class Build:
    """The shared libraries of one file."""

    def __init__(self, hone_opt, prefix, scratch):
        self.hone_opt, self.prefix = hone_opt, prefix
        self.mlir_opt, self.translate, self.clang = (
            os.path.join(prefix, "bin", tool) for tool in ("mlir-opt", "mlir-translate", "clang"))
        self.scratch, self.launched, self.plans = scratch, [], {}

    def build(self, source, arch):
        """`device`, with kernels for the functions of a file, and `loops`, with their sources."""
        self.take_kernels(run(self.hone_opt, source, f"--hone-outline-rest=arch={arch}", f"--hone-build-rest=arch={arch}",
                              "--canonicalize", "--cse", "--hone-lower-kernel"))
        host = run(self.hone_opt, source, f"--hone-outline-rest=arch={arch}", f"--hone-build-rest=arch={arch}",
                   "--hone-lower-kernel", "--hone-emit")
        self.load_device(self.lower(without_binary(host)))
        with open(source, encoding="utf-8") as file:
            self.loops = self.link("loops", self.lower(file.read()))

    def take_kernels(self, module, more=""):
        """Compiles the kernels of a module that hone-lower-kernel is done with; `more` is C++ for the host."""
        for name, lines in re.findall(r'(hone_rest_\w+) = #kernel.plan<((?:"[^"]*"(?:, )?)*)>', module):
            self.plans[name] = Plan("\n".join(re.findall(r'"([^"]*)"', lines)))
        body = re.search(r"^  gpu\.module[^\n]*\n(.*?)^  }$", module, re.DOTALL | re.MULTILINE)[1]
        ir = run(self.translate, "--mlir-to-llvmir", stdin="module {\n" + body + "}\n")
        ir = re.sub(r" ?addrspace\(\d\)", "", ir).replace("ptx_kernel ", "")
        ir = re.sub(r"@llvm\.(nvvm\.[\w.]+)", lambda m: "@" + m[1].replace(".", "_"), ir)
        shims = "".join(self.shim(alternative) for plan in self.plans.values() for alternative in plan.alternatives)
        self.write("kernels.ll", ir)
        self.write("harness.cpp", HARNESS + shims + more + "}\n")

    def load_device(self, host):
        """Links the host's code, LLVM IR in a file, with the kernels."""
        self.device = self.link("device", host, "kernels.ll", "harness.cpp")
        callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint64), ctypes.c_int)
        self.callback = callback(self.on_launch)
        ctypes.c_void_p.in_dll(self.device, "honeLaunched").value = ctypes.cast(self.callback, ctypes.c_void_p).value

    def write(self, name, text):
        with open(os.path.join(self.scratch, name), "w", encoding="utf-8") as file:
            file.write(text)

    @staticmethod
    def shim(alternative):
        """A function that takes a kernel's parameters from words."""
        name, kinds = alternative["launch"], [kind for kind, _ in alternative["params"]]
        types = ", ".join(TYPES[kind] for kind in kinds)
        values = ", ".join(f"*({TYPES[kind]} *)(words + {i})" for i, kind in enumerate(kinds))
        return f'void {name}({types});\nvoid shim_{name}(const uint64_t *words) {{ {name}({values}); }}\n'

    def lower(self, text):
        name = f"host-{len(os.listdir(self.scratch))}.ll"
        llvm = run(self.mlir_opt, f"--pass-pipeline={LOWER}", stdin=text)
        self.write(name, run(self.translate, "--mlir-to-llvmir", stdin=llvm))
        return name

    def link(self, name, *files):
        path = os.path.join(self.scratch, name + ".so")
        run(self.clang, "-O1", "-march=native", "-w", "-shared", "-fPIC", "-o", path,
            *(os.path.join(self.scratch, file) for file in files), f"-L{self.prefix}/lib", f"-Wl,-rpath,{self.prefix}/lib", "-lmlir_c_runner_utils", "-lm", "-lstdc++")
        return ctypes.CDLL(path)

    def on_launch(self, plan, args, count):
        alternative, values = Plan(plan.decode()).choose(args[:count])
        words = (ctypes.c_uint64 * 64)()
        for i, (_, expression) in enumerate(alternative["params"]):
            words[i] = Plan.evaluate(expression, values) & (2**64 - 1)
        grid = Plan.evaluate(alternative["grid"].split(";")[0], values)
        threads = Plan.evaluate(alternative["block"].split(";")[0], values)
        kernel = ctypes.cast(getattr(self.device, "shim_" + alternative["launch"]), ctypes.c_void_p)
        self.device.launch(kernel, words, grid, threads)
        self.launched.append(alternative["launch"])
        return 0


class Memory:
    """The data of one memref."""

    FORMATS = {"f16": "e", "bf16": "H", "f32": "f", "f64": "d", "i1": "B", "i8": "b", "i16": "h", "i32": "i",
               "i64": "q", "index": "q"}
    TOLERANCE = {"f16": 4e-3, "bf16": 3e-2, "f32": 1e-4, "f64": 1e-6}

    def __init__(self, text, shift):
        shape, _, layout = text.partition(", strided<")
        *sizes, self.type = shape.split("x")
        self.sizes = [DYNAMIC if size == "?" else int(size) for size in sizes]
        self.strides = [1] * len(self.sizes)
        for i in range(len(self.sizes) - 1, 0, -1):
            self.strides[i - 1] = self.strides[i] * self.sizes[i]
        if layout:
            given = re.match(r"\[([^\]]*)\]", layout)[1].split(", ")
            self.strides = [ours if stride == "?" else int(stride) for ours, stride in zip(self.strides, given)]
        self.count = 1 + sum((size - 1) * stride for size, stride in zip(self.sizes, self.strides))
        self.bytes = struct.calcsize(self.FORMATS[self.type])
        self.shift = shift * self.bytes
        if self.type in self.TOLERANCE:
            self.values = [random.uniform(-2, 2) for _ in range(self.count)]
        else:
            self.values = [random.randrange(2 if self.type == "i1" else 5) for _ in range(self.count)]

    def buffer(self):
        """New memory with the data, `shift` elements after an aligned address."""
        room = ctypes.create_string_buffer(self.count * self.bytes + 512)
        start = (-ctypes.addressof(room)) % 256 + self.shift
        values = self.values
        if self.type == "bf16":
            values = [struct.unpack("<I", struct.pack("<f", value))[0] >> 16 for value in values]
        data = struct.pack(f"<{self.count}{self.FORMATS[self.type]}", *values)
        ctypes.memmove(ctypes.addressof(room) + start, data, len(data))
        return room, ctypes.addressof(room) + start

    def read(self, address):
        data = ctypes.string_at(address, self.count * self.bytes)
        values = struct.unpack(f"<{self.count}{self.FORMATS[self.type]}", data)
        if self.type == "bf16":
            values = [struct.unpack("<f", struct.pack("<I", value << 16))[0] for value in values]
        return values

    def descriptor(self, address):
        rank = len(self.sizes)
        return (ctypes.c_int64 * (3 + 2 * rank))(address, address, 0, *self.sizes, *self.strides)


def call(library, name, memories):
    buffers = [memory.buffer() for memory in memories]
    descriptors = [memory.descriptor(address) for memory, (_, address) in zip(memories, buffers)]
    getattr(library, "_mlir_ciface_" + name)(*(ctypes.byref(one) for one in descriptors))
    return [memory.read(address) for memory, (_, address) in zip(memories, buffers)]


def differences(memory, got, expected):
    tolerance = memory.TOLERANCE.get(memory.type, 0)
    for i, (a, b) in enumerate(zip(got, expected)):
        same = a == b or (a != a and b != b)
        if not same and not abs(a - b) <= tolerance * max(1, abs(b)):
            yield f"element {i}: expected {b}, but got {a}"


def main(arguments):
    hone_opt, prefix, source = arguments[:3]
    arch = arguments[3] if len(arguments) > 3 else "sm_90a"
    random.seed(1)
    with open(source, encoding="utf-8") as file:
        text = file.read()
    faults = 0
    with tempfile.TemporaryDirectory() as scratch:
        build = Build(hone_opt, prefix, scratch)
        build.build(source, arch)
        for name, parameters in re.findall(r"func\.func @(\w+)\((.*?)\)[^)]*?\{", text, re.DOTALL):
            for shift in (0, 1):
                memories = [Memory(one, shift) for one in re.findall(r"memref<(.*?)>(?=[,\s]|$)", parameters)]
                build.launched.clear()
                got = call(build.device, name, memories)
                expected = call(build.loops, name, memories)
                wrong = [text for each in zip(memories, got, expected) for text in differences(*each)]
                faults += bool(wrong)
                launches = sum(not one.endswith("_unaligned") for one in build.launched)
                print(f"{name}, {'' if shift == 0 else 'un'}aligned: {launches} launches, "
                      f"{len(build.launched) - launches} unaligned, {len(wrong)} wrong" + "".join("\n  " + w for w in wrong[:3]))
    print(f"{faults} faults")
    return faults != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
