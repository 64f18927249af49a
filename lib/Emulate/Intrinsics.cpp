//===- Intrinsics.cpp - NVVM's intrinsics as functions --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Intrinsics.h. Approximations have the accuracy of f32 here; tests of the
// formulas cover the errors of the hardware's.
//
//===----------------------------------------------------------------------===//

#include "Intrinsics.h"
#include "Fibers.h"
#include <cmath>
#include <cstring>

using namespace hone;
using namespace hone::emulate;

//===----------------------------------------------------------------------===//
// Thread indices
//===----------------------------------------------------------------------===//

static int32_t threadNumber() { return Fibers::running().thread(); }
static int32_t laneNumber() { return Fibers::running().thread() % 32; }
static int32_t blockNumber() { return Fibers::running().block(); }
static int32_t blockThreads() {
  return int32_t(Fibers::running().launched().threads);
}
static int32_t gridBlocks() {
  return int32_t(Fibers::running().launched().grid);
}
/// Grids and blocks have one dimension.
static int32_t zero() { return 0; }
static int32_t one() { return 1; }

//===----------------------------------------------------------------------===//
// Synchronization
//===----------------------------------------------------------------------===//

static void barrierOfAll(int32_t) { Fibers::running().barrier(); }
static void barrierZero() { Fibers::running().barrier(); }
static void waitBefore() { Fibers::running().waitForKernelsBefore(); }
static void doNothing() {}

static int32_t shuffleButterfly(int32_t, int32_t value, int32_t distance,
                                int32_t) {
  Fibers &fibers = Fibers::running();
  return int32_t(fibers.shuffle(value, (fibers.thread() ^ distance) % 32));
}
static int32_t shuffleIndex(int32_t, int32_t value, int32_t lane, int32_t) {
  return int32_t(Fibers::running().shuffle(value, lane % 32));
}
static float shuffleButterflyFloat(int32_t, float value, int32_t distance,
                                   int32_t) {
  int32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits = shuffleButterfly(-1, bits, distance, 31);
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static float power(float x) { return std::exp2(x); }
static float logarithm(float x) { return std::log2(x); }
static float reciprocal(float x) { return 1 / x; }
static float reciprocalRoot(float x) { return 1 / std::sqrt(x); }
static float root(float x) { return std::sqrt(x); }
static float tangent(float x) { return std::tanh(x); }
static float sine(float x) { return std::sin(x); }
static float cosine(float x) { return std::cos(x); }
static float fusedProduct(float a, float b, float c) {
  return std::fma(a, b, c);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static const llvm::StringMap<Intrinsic> &intrinsics() {
  static const llvm::StringMap<Intrinsic> table = [] {
    llvm::StringMap<Intrinsic> made;
    auto add = [&](llvm::StringRef name, auto *function, bool meets = false) {
      made["llvm.nvvm." + name.str()] = {reinterpret_cast<void *>(function),
                                         meets};
    };
    add("read.ptx.sreg.tid.x", threadNumber);
    add("read.ptx.sreg.tid.y", zero);
    add("read.ptx.sreg.tid.z", zero);
    add("read.ptx.sreg.laneid", laneNumber);
    add("read.ptx.sreg.ntid.x", blockThreads);
    add("read.ptx.sreg.ctaid.x", blockNumber);
    add("read.ptx.sreg.ctaid.y", zero);
    add("read.ptx.sreg.ctaid.z", zero);
    add("read.ptx.sreg.nctaid.x", gridBlocks);
    add("read.ptx.sreg.nctaid.y", one);
    add("read.ptx.sreg.nctaid.z", one);
    add("griddepcontrol.wait", waitBefore);
    add("griddepcontrol.launch.dependents", doNothing);
    add("barrier.cta.sync.aligned.all", barrierOfAll, true);
    add("barrier0", barrierZero, true);
    add("shfl.sync.bfly.i32", shuffleButterfly, true);
    add("shfl.sync.bfly.f32", shuffleButterflyFloat, true);
    add("shfl.sync.idx.i32", shuffleIndex, true);
    for (llvm::StringRef name :
         {"ex2.approx.ftz.f", "ex2.approx.f", "ex2.approx.ftz.f32",
          "ex2.approx.f32", "ex2.approx.ftz", "ex2.approx"})
      add(name, power);
    for (llvm::StringRef name : {"lg2.approx.f", "lg2.approx.ftz.f"})
      add(name, logarithm);
    for (llvm::StringRef name :
         {"rcp.approx.ftz.f", "rcp.rn.f", "rcp.rn.ftz.f"})
      add(name, reciprocal);
    for (llvm::StringRef name : {"rsqrt.approx.f", "rsqrt.approx.ftz.f"})
      add(name, reciprocalRoot);
    for (llvm::StringRef name : {"sqrt.approx.f", "sqrt.approx.ftz.f",
                                 "sqrt.rn.f", "sqrt.rn.ftz.f", "sqrt.f"})
      add(name, root);
    for (llvm::StringRef name : {"tanh.approx.f", "tanh.approx.f32"})
      add(name, tangent);
    for (llvm::StringRef name : {"sin.approx.f", "sin.approx.ftz.f"})
      add(name, sine);
    for (llvm::StringRef name : {"cos.approx.f", "cos.approx.ftz.f"})
      add(name, cosine);
    for (llvm::StringRef name : {"fma.rn.f", "fma.rn.ftz.f"})
      add(name, fusedProduct);
    return made;
  }();
  return table;
}

const Intrinsic *emulate::findIntrinsic(llvm::StringRef name) {
  auto found = intrinsics().find(name);
  return found == intrinsics().end() ? nullptr : &found->second;
}

std::string emulate::symbolOf(llvm::StringRef intrinsic) {
  std::string name = "hone_" + intrinsic.str();
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

static void onAccess(const void *pointer, int64_t bytes, int64_t align,
                     bool isWrite) {
  Fibers::running().access(pointer, bytes, align, isWrite);
}
static void onAccessWithin(const void *pointer, int64_t bytes, const void *base,
                           int64_t size) {
  Fibers::running().accessWithin(pointer, bytes, base, size);
}

/// A support function that LLVM calls if this CPU has no instruction. A bf16 is
/// passed in the low bits of a float register.
static float toBrain(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bool isNan = std::isnan(value);
  bits = isNan ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
static float toBrainFromDouble(double value) { return toBrain(float(value)); }

llvm::StringMap<void *> emulate::kernelSymbols() {
  llvm::StringMap<void *> symbols;
  for (const auto &entry : intrinsics())
    symbols[symbolOf(entry.getKey())] = entry.getValue().function;
  symbols[kAccess] = reinterpret_cast<void *>(&onAccess);
  symbols[kAccessWithin] = reinterpret_cast<void *>(&onAccessWithin);
  symbols["__truncsfbf2"] = reinterpret_cast<void *>(&toBrain);
  symbols["__truncdfbf2"] = reinterpret_cast<void *>(&toBrainFromDouble);
  return symbols;
}
