//===- Arch.cpp - Chips and instruction sets by name ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chips a schedule can be checked and tuned for are the machines of
// data/machines.txt, which is linked in. No driver is needed: kernels compile
// on machines without the chip.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Arch.h"
#include "Isas.h"
#include "Text.h"
#include "hone/Schedule/MachineFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"
#include <tuple>

using namespace hone;
using namespace hone::detail;
using llvm::Expected;
using llvm::StringLiteral;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

namespace {
/// An instruction set, the chip that represents it, and the first PTX version
/// that has it, as a subtarget feature of LLVM.
struct Isa {
  StringLiteral name, chip;
  int capability;
  StringLiteral features;
};
} // namespace

static constexpr unsigned char kMachines[] = {
#embed HONE_MACHINES
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

static const std::vector<Arch> &knownMachines() {
  static const std::vector<Arch> machines =
      llvm::cantFail(parseMachines({reinterpret_cast<const char *>(kMachines),
                                    std::size(kMachines)},
                                   "machines.txt"),
                     "the machines that are built in do not read back");
  return machines;
}

llvm::ArrayRef<StringRef> Arch::names() {
  static const std::vector<StringRef> names = [] {
    std::vector<StringRef> names;
    for (const Arch &machine : knownMachines())
      names.push_back(machine.chip);
    for (const Isa &isa : kIsas)
      names.push_back(isa.name);
    names.push_back("host");
    return names;
  }();
  return names;
}

//===----------------------------------------------------------------------===//
// Instruction sets
//===----------------------------------------------------------------------===//

bool hone::detail::setIsa(Arch &arch, StringRef name) {
  const Isa *isa =
      llvm::find_if(kIsas, [&](const Isa &each) { return each.name == name; });
  if (isa == std::end(kIsas))
    return false;
  arch.isa = isa->name.str();
  arch.capability = isa->capability;
  arch.features = isa->features.str();
  return true;
}

llvm::SmallVector<StringRef> hone::detail::isaNames() {
  return llvm::map_to_vector(
      kIsas, [](const Isa &isa) -> StringRef { return isa.name; });
}

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//

int64_t Arch::maxClusterBlocks() const {
  constexpr int kFirstWithClusters = 90;
  constexpr int64_t kPortable = 8, kMax = 16;
  if (capability < kFirstWithClusters)
    return 1;
  return clusters.back() > 0 ? kMax : kPortable;
}

int64_t Arch::residentClusters(int64_t blocks) const {
  if (blocks > maxClusterBlocks())
    return 0;
  // Where a larger cluster fits, a smaller one does, too.
  size_t power = llvm::Log2_64_Ceil(blocks);
  bool isKnown = power > 0 && power <= clusters.size() && clusters[power - 1];
  return isKnown ? clusters[power - 1] : processors / blocks;
}

static const Arch *findChip(StringRef name) {
  for (const Arch &machine : knownMachines())
    if (machine.chip == name)
      return &machine;
  return nullptr;
}

/// Stands for every chip of the instruction set: others may have no room for
/// clusters of 16.
static Arch makeArch(const Isa &isa) {
  Arch arch = *findChip(isa.chip);
  arch.name = isa.name.str();
  arch.clusters.back() = 0;
  setIsa(arch, isa.name);
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
// Comparison
//===----------------------------------------------------------------------===//

static auto fieldsOf(const Arch &arch) {
  const MeasuredRates &m = arch.measured;
  return std::tie(
      arch.name, arch.chip, arch.isa, arch.features, arch.capability,
      arch.device, arch.driver, arch.isMeasured, arch.processors,
      arch.sharedPerBlock, arch.sharedPerProcessor, arch.registersPerProcessor,
      arch.threadsPerProcessor, arch.clusters, arch.vectorBits, arch.clockGHz,
      arch.memoryGBs, arch.peakTflops, arch.cacheBytes, m.clockGHz, m.l2GBs,
      m.wgmmaF16Tflops, m.wgmmaTf32Tflops, m.wgmmaF8Tflops, m.mmaF16Tflops,
      m.mmaTf32Tflops, m.mmaF8Tflops, m.launchSeconds, m.launchOverlapSeconds,
      m.clusterBarrierSeconds, m.atomicSeconds);
}

bool hone::operator==(const Arch &a, const Arch &b) {
  return fieldsOf(a) == fieldsOf(b);
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
  forEachRate(arch, [&](StringRef key, double &rate) {
    if (key.ends_with("tflops"))
      rate *= double(count) / double(processors);
  });
  return arch;
}

static constexpr StringLiteral kMachineSuffix = ".machine";

bool Arch::isFile(StringRef name) {
  return name.ends_with(kMachineSuffix) ||
         name.rsplit('/').first.ends_with(kMachineSuffix);
}

static Expected<Arch> lookupFile(StringRef path) {
  Expected<Arch> arch = readMachine(path);
  if (arch)
    arch->name = path.str();
  return arch;
}

Expected<Arch> Arch::lookup(StringRef name) {
  if (name.ends_with(kMachineSuffix))
    return lookupFile(name);
  if (auto [whole, count] = name.rsplit('/'); whole.size() < name.size()) {
    Expected<Arch> arch = lookup(whole);
    int64_t processors = 0;
    if (arch && count.getAsInteger(10, processors))
      return failure(
          "expected arch to have a number of processors after '/', but got " +
          quoted(name));
    return arch ? arch->part(processors) : std::move(arch);
  }
  if (name == "host")
    return makeHost();
  if (name == "native")
    return failure("expected arch to be the name of a chip, but got 'native'; "
                   "use the name of the chip");
  if (const Arch *chip = findChip(name))
    return *chip;
  for (const Isa &isa : kIsas)
    if (name == isa.name)
      return makeArch(isa);
  std::string meant = didYouMean(name, names());
  return failure("expected arch to be one of a100, h100, h200, b200, sm_80, "
                 "sm_90a, ..., host, but got " +
                 quoted(name) +
                 (meant.empty() ? "; use hone machine --list" : meant));
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
  const Arch *found = nullptr;
  for (const Arch &chip : knownMachines())
    if (chip.capability == capability && !chip.device.empty() &&
        name.contains(chip.device) &&
        (!found || chip.device.size() > found->device.size()))
      found = &chip;
  Arch arch = found ? *found : makeArch(isaOf(capability));
  bool isPart = processors > 0 && processors < arch.processors;
  return isPart ? arch.part(processors) : arch;
}
