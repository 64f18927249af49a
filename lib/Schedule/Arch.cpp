//===- Arch.cpp - Table of chips ------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chips a schedule can be checked and tuned for, as plain numbers. The
// limits are those of the CUDA programming guide. The rates are upper bounds or
// measured rates of a copy and of a dense product, and serve rooflines only. No
// driver is needed: kernels compile on machines without the chip.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Arch.h"
#include "Text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"
#include <array>

using namespace hone;
using namespace hone::detail;
using llvm::Expected;
using llvm::StringLiteral;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

namespace {
struct Chip {
  StringLiteral name;
  StringLiteral marketingName; ///< part of the name that a driver reports
  StringLiteral isa;
  int capability;
  int64_t processors, sharedPerBlock, sharedPerProcessor, threadsPerProcessor;
  double clockGHz, memoryGBs, peakTflops, cacheBytes;
  std::array<int64_t, 4> clusters = {};
};

/// An instruction set, the chip that represents it, and the first PTX version
/// that has it, as a subtarget feature of LLVM.
struct Isa {
  StringLiteral name, chip;
  int capability;
  StringLiteral features;
};
} // namespace

/// The result of cuOccupancyMaxActiveClusters on an H200. Chips differ in which
/// processors are disabled, so another chip may have one cluster more or less.
static constexpr std::array<int64_t, 4> kHopperClusters = {66, 30, 15, 7};

static constexpr Chip kChips[] = {
    {"a100", "A100", "sm_80", 80, 108, 166912, 167936, 2048, //
     1.41, 1400, 312, 40e6},
    {"rtx3090", "RTX 3090", "sm_86", 86, 82, 101376, 102400, 1536, //
     1.7, 936, 71, 6e6},
    {"l40s", "L40S", "sm_89", 89, 142, 101376, 102400, 1536, //
     2.5, 864, 362, 96e6},
    {"rtx4090", "RTX 4090", "sm_89", 89, 128, 101376, 102400, 1536, //
     2.52, 1008, 165, 72e6},
    {"h100", "H100", "sm_90a", 90, 132, 232448, 233472, 2048, //
     1.83, 3015, 989, 50e6, kHopperClusters},
    {"h100-pcie", "H100 PCIe", "sm_90a", 90, 114, 232448, 233472, 2048, //
     1.755, 2039, 756, 50e6},
    {"h100-nvl", "H100 NVL", "sm_90a", 90, 132, 232448, 233472, 2048, //
     1.785, 3938, 835, 50e6, kHopperClusters},
    {"h800", "H800", "sm_90a", 90, 132, 232448, 233472, 2048, //
     1.83, 3352, 989, 50e6, kHopperClusters},
    {"h20", "H20", "sm_90a", 90, 78, 232448, 233472, 2048, //
     1.98, 4023, 148, 60e6},
    {"gh200", "GH200", "sm_90a", 90, 132, 232448, 233472, 2048, //
     1.98, 4917, 989, 60e6, kHopperClusters},
    {"h200", "H200", "sm_90a", 90, 132, 232448, 233472, 2048, //
     1.83, 4300, 989, 50e6, kHopperClusters},
    {"b200", "B200", "sm_100", 100, 148, 232448, 233472, 2048, //
     1.965, 8000, 2250, 126e6},
    {"b300", "B300", "sm_103", 103, 160, 232448, 233472, 2048, //
     2.032, 8000, 2500, 126e6},
    {"thor", "Thor", "sm_110", 110, 20, 232448, 233472, 1536, //
     1.575, 273, 259, 32e6},
    {"rtx5080", "RTX 5080", "sm_120", 120, 84, 101376, 102400, 1536, //
     2.617, 960, 113, 64e6},
    {"rtx5090", "RTX 5090", "sm_120", 120, 170, 101376, 102400, 1536, //
     2.407, 1792, 210, 96e6},
    {"rtxpro6000", "RTX PRO 6000", "sm_120", 120, 188, 101376, 102400, 1536, //
     2.617, 1792, 504, 128e6},
    {"gb10", "GB10", "sm_121", 121, 48, 101376, 102400, 1536, //
     2.525, 273, 125, 24e6},
};

// Where rows have one capability, the row that a device gets is last: on 9.0
// the one with wgmma, later the one whose code newer chips run, too.
static constexpr Isa kIsas[] = {
    {"sm_80", "a100", 80, "+ptx80"},
    {"sm_86", "rtx3090", 86, "+ptx80"},
    {"sm_89", "l40s", 89, "+ptx80"},
    {"sm_90", "h200", 90, "+ptx80"},
    {"sm_90a", "h200", 90, "+ptx80"},
    {"sm_100a", "b200", 100, "+ptx86"},
    {"sm_100f", "b200", 100, "+ptx88"},
    {"sm_100", "b200", 100, "+ptx86"},
    {"sm_103a", "b300", 103, "+ptx88"},
    {"sm_103f", "b300", 103, "+ptx88"},
    {"sm_103", "b300", 103, "+ptx88"},
    {"sm_110a", "thor", 110, "+ptx90"},
    {"sm_110f", "thor", 110, "+ptx90"},
    {"sm_110", "thor", 110, "+ptx90"},
    {"sm_120a", "rtx5090", 120, "+ptx87"},
    {"sm_120f", "rtx5090", 120, "+ptx88"},
    {"sm_120", "rtx5090", 120, "+ptx87"},
    {"sm_121a", "gb10", 121, "+ptx88"},
    {"sm_121f", "gb10", 121, "+ptx88"},
    {"sm_121", "gb10", 121, "+ptx88"},
};

static constexpr auto makeNames() {
  std::array<StringRef, std::size(kChips) + std::size(kIsas) + 1> names = {};
  size_t count = 0;
  for (const Chip &chip : kChips)
    names[count++] = chip.name;
  for (const Isa &isa : kIsas)
    names[count++] = isa.name;
  names[count] = "host";
  return names;
}
static constexpr auto kNames = makeNames();

llvm::ArrayRef<StringRef> Arch::names() { return kNames; }

int64_t Arch::maxClusterBlocks() const {
  constexpr int kFirstWithClusters = 90;
  constexpr int64_t kPortable = 8, kMost = 16;
  if (capability < kFirstWithClusters)
    return 1;
  return clusters.back() > 0 ? kMost : kPortable;
}

int64_t Arch::residentClusters(int64_t blocks) const {
  if (blocks > maxClusterBlocks())
    return 0;
  // Where a larger cluster fits, a smaller one does, too.
  size_t power = llvm::Log2_64_Ceil(blocks);
  bool isKnown = power > 0 && power <= clusters.size() && clusters[power - 1];
  return isKnown ? clusters[power - 1] : processors / blocks;
}

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//

static const Isa &findIsa(StringRef name) {
  return *llvm::find_if(kIsas,
                        [&](const Isa &isa) { return isa.name == name; });
}

static Arch makeArch(StringRef name, const Chip &chip, StringRef isa) {
  Arch arch;
  arch.name = name.str();
  arch.chip = chip.name.str();
  arch.isa = isa.str();
  arch.features = findIsa(isa).features.str();
  arch.capability = chip.capability;
  arch.processors = chip.processors;
  arch.sharedPerBlock = chip.sharedPerBlock;
  arch.sharedPerProcessor = chip.sharedPerProcessor;
  arch.threadsPerProcessor = chip.threadsPerProcessor;
  arch.clusters = chip.clusters;
  arch.clockGHz = chip.clockGHz;
  arch.memoryGBs = chip.memoryGBs;
  arch.peakTflops = chip.peakTflops;
  arch.cacheBytes = static_cast<int64_t>(chip.cacheBytes);
  return arch;
}

static const Chip *findChip(StringRef name) {
  const Chip *chip = llvm::find_if(
      kChips, [&](const Chip &candidate) { return candidate.name == name; });
  return chip == std::end(kChips) ? nullptr : chip;
}

/// Stands for every chip of the instruction set: others may have no room for
/// clusters of 16.
static Arch makeArch(const Isa &isa) {
  Arch arch = makeArch(isa.name, *findChip(isa.chip), isa.name);
  arch.clusters.back() = 0;
  return arch;
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

static int64_t hostVectorBits() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (features.lookup("avx512f"))
    return 512;
  return features.lookup("avx2") ? 256 : 128;
}

/// The rates are upper estimates, because a measurement above a roofline is
/// rejected: no CPU sustains vector code at a higher clock.
static Arch makeHost() {
  constexpr double kClockGHz = 5, kMultiplyAdders = 2;
  Arch arch;
  arch.name = "host";
  arch.chip = arch.isa = llvm::sys::getHostCPUName().str();
  arch.processors = llvm::hardware_concurrency().compute_thread_count();
  arch.vectorBits = hostVectorBits();
  arch.clockGHz = kClockGHz;
  arch.memoryGBs = 500;
  double lanes = arch.vectorBits / 32.0;
  arch.peakTflops =
      arch.processors * kMultiplyAdders * lanes * 2 * kClockGHz / 1000;
  arch.cacheBytes = 32 << 20;
  return arch;
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

Expected<Arch> Arch::part(int64_t count) const {
  if (isHost() || wholeChip() != chip)
    return failure("expected a part of a GPU, but got one of " + quoted(name));
  if (count < 1 || count > processors)
    return failure("expected 1 to " + llvm::Twine(processors) +
                   " processors of " + quoted(name) + ", but got " +
                   llvm::Twine(count));
  if (count == processors)
    return *this;
  Arch arch = *this;
  std::string suffix = "/" + std::to_string(count);
  arch.name += suffix;
  arch.chip += suffix;
  arch.processors = count;
  for (int64_t &fitting : arch.clusters)
    fitting = fitting * count / processors;
  // An H100 refuses them in parts of 16 to 112 processors.
  arch.clusters.back() = 0;
  arch.peakTflops *= double(count) / double(processors);
  return arch;
}

Expected<Arch> Arch::lookup(StringRef name) {
  if (auto [whole, count] = name.split('/'); whole.size() < name.size()) {
    Expected<Arch> arch = lookup(whole);
    int64_t processors = 0;
    if (arch && count.getAsInteger(10, processors))
      return failure("expected arch to have a number of processors behind '/', "
                     "but got " +
                     quoted(name));
    return arch ? arch->part(processors) : std::move(arch);
  }
  if (name == "host")
    return makeHost();
  if (name == "native")
    return failure("expected arch to be the name of a chip, but got 'native'; "
                   "use the name the driver's answer leads to");
  if (const Chip *chip = findChip(name))
    return makeArch(chip->name, *chip, chip->isa);
  for (const Isa &isa : kIsas)
    if (name == isa.name)
      return makeArch(isa);
  return failure("expected arch to be one of " + oneOf(names(), name));
}

/// The instruction set whose code and limits are certain to hold on a
/// capability. Minor versions of a generation add to it; code for sm_90a alone
/// runs nowhere else. A chip of another generation runs PTX for sm_89, and may
/// have as little shared memory as that.
static const Isa &isaOf(int capability) {
  constexpr int kNewestPortable = 89;
  const Isa *best = &kIsas[0], *portable = best;
  for (const Isa &isa : kIsas) {
    if (isa.capability <= capability)
      best = &isa;
    if (isa.capability <= std::min(capability, kNewestPortable))
      portable = &isa;
  }
  bool isOfGeneration = best->capability / 10 == capability / 10;
  bool runs = best->capability == capability ||
              (isOfGeneration && !best->name.ends_with("a"));
  return runs ? *best : *portable;
}

Expected<Arch> Arch::lookupDevice(int capability, StringRef name,
                                  int64_t processors) {
  constexpr int kOldest = 80;
  if (capability < kOldest)
    return failure("expected a device of compute capability 8.0 or newer, but "
                   "got " +
                   llvm::Twine(capability / 10) + "." +
                   llvm::Twine(capability % 10) + " (" + quoted(name) + ")");
  // "NVIDIA GH200 480GB" contains the names of two other chips.
  const Chip *found = nullptr;
  for (const Chip &chip : kChips)
    if (chip.capability == capability && name.contains(chip.marketingName) &&
        (!found || chip.marketingName.size() > found->marketingName.size()))
      found = &chip;
  Arch arch = found ? makeArch(found->name, *found, found->isa)
                    : makeArch(isaOf(capability));
  bool isPart = processors > 0 && processors < arch.processors;
  return isPart ? arch.part(processors) : arch;
}
