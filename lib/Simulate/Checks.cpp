//===- Checks.cpp - Agreement of plan, kernel and GPU ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels, launches and grids; tensor maps are in ChecksMaps.cpp.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "ChecksMaps.h"
#include "dialects/Kernel/KernelInterfaces.h"
#include "hone/Schedule/Arch.h"
#include "hone/Schedule/Kind.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;
using llvm::formatv;

void simulate::report(Verdict &verdict, Fault fault, Operation *op,
                      std::string text) {
  verdict.findings.push_back({fault, std::move(text), simulate::Place::of(op)});
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Reports aligned ops for whole warps where a role of one thread has split the
/// warp, since nothing ensures that its threads reconverge after the role.
static void checkWholeWarps(const Program &program, Verdict &verdict) {
  bool hasParted = false;
  for (const Step &step : program.steps) {
    bool isOneThread = step.role >= 0 && program.roles[step.role].oneThread;
    hasParted |= isOneThread;
    if (step.kind != Step::event || !isForWholeWarps(step.op))
      continue;
    if (isOneThread || (step.role < 0 && hasParted))
      report(
          verdict, Fault::barrier, step.op,
          isOneThread
              ? "needs whole warps, but its role has one thread"
              : "needs whole warps, but an earlier role of one thread diverged "
                "one; expected it before all roles, or kernel.cluster.sync");
  }
}

/// Registers of a thread when its block starts: the maximum for the number of
/// blocks per processor that the kernel promises.
static int64_t startRegisters(const Program &program, gpu::GPUFuncOp kernel) {
  auto blocks = kernel->getAttrOfType<IntegerAttr>(
      NVVM::NVVMDialect::getMinctasmAttrName());
  return launchRegisters(program.threads *
                         std::max<int64_t>(blocks ? blocks.getInt() : 1, 1));
}

/// A thread that requests more registers waits until other threads of its block
/// have released as many.
static void checkRegisters(const Program &program, gpu::GPUFuncOp kernel,
                           Verdict &verdict) {
  int64_t each = startRegisters(program, kernel);
  int64_t wanted = 0, counted = 0;
  Operation *last = nullptr;
  for (const Role &role : program.roles) {
    std::optional<uint32_t> registers = RoleOp(role.op).getRegisters();
    constexpr int64_t kWarp = 32;
    wanted += registers.value_or(each) * role.warps * kWarp;
    counted += role.warps * kWarp;
    if (registers && int64_t(*registers) > each)
      last = role.op;
  }
  wanted += std::max<int64_t>(program.threads - counted, 0) * each;
  if (last && wanted > each * program.threads)
    report(verdict, Fault::deadlock, last,
           formatv("waits forever for registers: the block's roles ask for "
                   "{0}, but it has {1}, {2} for each thread",
                   wanted, each * program.threads, each));
}

static void checkRolesFit(const Program &program, const Subject &subject,
                          Verdict &verdict) {
  if (program.roles.empty())
    return;
  const Role &last = program.roles.back();
  constexpr int64_t kWarp = 32;
  int64_t end = (last.firstWarp + last.warps) * kWarp;
  if (end > program.threads)
    report(verdict, Fault::plan, gpu::GPUFuncOp(subject.kernel),
           formatv("has roles for {0} threads, but a block of {1}", end,
                   program.threads));
}

void simulate::checkKernel(const Program &program, const Subject &subject,
                           Verdict &verdict) {
  checkWholeWarps(program, verdict);
  checkRegisters(program, subject.kernel, verdict);
  checkRolesFit(program, subject, verdict);
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

namespace {
/// The limits of a block on every chip that runs the kernel's code.
struct Limits {
  int64_t shared = 0;
  /// The number of resident clusters of a size; where the driver does not
  /// report it, the number that is guaranteed.
  int64_t clusters = std::numeric_limits<int64_t>::max();
  int64_t clusterBlocks = 16; ///< of the largest cluster
};
} // namespace

static const std::vector<Arch> &allGpus() {
  static const std::vector<Arch> gpus = [] {
    std::vector<Arch> gpus;
    for (StringRef name : Arch::names())
      if (Arch arch = llvm::cantFail(Arch::lookup(name)); !arch.isHost())
        gpus.push_back(std::move(arch));
    return gpus;
  }();
  return gpus;
}

static Limits limitsOf(gpu::GPUFuncOp kernel, int64_t blocks) {
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  ArrayAttr targets = module ? module.getTargetsAttr() : nullptr;
  StringRef isa = "sm_90a";
  if (targets && !targets.empty())
    if (auto target = dyn_cast<NVVM::NVVMTargetAttr>(targets[0]))
      isa = target.getChip();
  Limits limits;
  int64_t clusters = 0, clusterBlocks = 0, sharedOfAny = 0;
  for (const Arch &arch : allGpus()) {
    sharedOfAny = std::max(sharedOfAny, arch.sharedPerBlock);
    if (arch.isa != isa)
      continue;
    limits.shared = std::max(limits.shared, arch.sharedPerBlock);
    clusters = std::max(clusters, arch.residentClusters(blocks));
    clusterBlocks = std::max(clusterBlocks, arch.maxClusterBlocks());
  }
  limits.shared = limits.shared ? limits.shared : sharedOfAny;
  limits.clusters = clusters ? clusters : limits.clusters;
  limits.clusterBlocks = clusterBlocks ? clusterBlocks : limits.clusterBlocks;
  return limits;
}

static void checkShape(const Program &program, gpu::GPUFuncOp kernel,
                       const LaunchValues &launch, Verdict &verdict) {
  auto expect = [&](bool holds, std::string text) {
    if (!holds)
      report(verdict, Fault::plan, kernel, std::move(text));
  };
  constexpr int64_t kMaxThreads = 1024;
  const Limits limits = limitsOf(kernel, launch.cluster);
  constexpr int64_t kMaxGrid = std::numeric_limits<int32_t>::max();
  expect(launch.block == program.threads,
         formatv("expected a launch of {0} threads a block, the kernel's "
                 "known_block_size, but got {1}",
                 program.threads, launch.block));
  expect(launch.block <= kMaxThreads,
         formatv("expected at most {0} threads a block, but got {1}",
                 kMaxThreads, launch.block));
  expect(launch.cluster == program.clusterBlocks,
         formatv("expected a launch in clusters of {0} blocks, the kernel's "
                 "nvvm.cluster_dim, but got {1}",
                 program.clusterBlocks, launch.cluster));
  expect(launch.cluster >= 1 && launch.cluster <= limits.clusterBlocks,
         formatv("expected clusters of at most {0} blocks, but got {1}",
                 limits.clusterBlocks, launch.cluster));
  expect(launch.cluster < 1 || launch.grid % launch.cluster == 0,
         formatv("expected a grid of whole clusters of {0} blocks, but got {1}",
                 launch.cluster, launch.grid));
  expect(launch.grid >= 0 && launch.grid <= kMaxGrid,
         formatv("expected a grid of at most {0} blocks, but got {1}", kMaxGrid,
                 launch.grid));
  expect(launch.inOtherDims == 1,
         formatv("expected a grid, clusters and blocks of extent 1 in y and z, "
                 "because the kernel counts in x, but got {0}",
                 launch.inOtherDims));
  for (DenseI32ArrayAttr sizes :
       {kernel.getKnownBlockSizeAttr(),
        kernel->getAttrOfType<DenseI32ArrayAttr>(
            NVVM::NVVMDialect::getClusterDimAttrName())})
    expect(!sizes || llvm::all_of(sizes.asArrayRef().drop_front(),
                                  [](int32_t size) { return size == 1; }),
           "expected blocks and clusters of one dimension, in which the kernel "
           "counts, but got more in y or z");
  expect(launch.sharedBytes >= 0 && launch.sharedBytes <= limits.shared,
         formatv("expected at most {0} bytes of shared memory, but got {1}",
                 limits.shared, launch.sharedBytes));
}

/// The kind of a parameter determines its size and the offset of the next.
static void checkParams(const Subject &subject, const KernelLaunch &planned,
                        const LaunchValues &launch, Verdict &verdict) {
  gpu::GPUFuncOp kernel = subject.kernel;
  for (auto [i, pair] :
       llvm::enumerate(llvm::zip(kernel.getArgumentTypes(), planned.params))) {
    auto [type, param] = pair;
    bool fits = isa<MapType>(type)      ? param.kind == LaunchParam::tensorMap
                : isa<BufferType>(type) ? param.kind == LaunchParam::ptr
                : type.isInteger(32)    ? param.kind == LaunchParam::i32
                : type.isInteger(64)    ? param.kind == LaunchParam::i64
                : type.isF32()          ? param.kind == LaunchParam::f32
                                        : false;
    if (!fits)
      report(verdict, Fault::plan, kernel,
             formatv("expected the plan's parameter {0} to be a {1}, but got "
                     "another kind",
                     i, type));
    // An address is above all extents and distances of a trial.
    constexpr int64_t kMax = int64_t(1) << 36;
    int64_t value = launch.params[i].value;
    bool isNumber = param.kind == LaunchParam::i32
                        ? llvm::isInt<32>(value)
                        : param.kind != LaunchParam::i64 || value < kMax;
    if (!isNumber)
      report(verdict, Fault::plan, kernel,
             formatv("expected an extent or a distance in the plan's parameter "
                     "{0}, '{1}', but got {2}",
                     i, param.value.str(), value));
  }
}

/// Blocks that wait for each other's counters must all be resident.
static void checkResident(const Program &program, const Subject &subject,
                          const Trial &trial, const LaunchValues &launch,
                          Verdict &verdict) {
  if (!program.meetsAcrossClusters || launch.cluster < 1)
    return;
  gpu::GPUFuncOp kernel = subject.kernel;
  int64_t max = trial.maxClusters ? trial.maxClusters
                                  : limitsOf(kernel, launch.cluster).clusters;
  int64_t clusters = launch.grid / launch.cluster;
  if (clusters > max)
    report(verdict, Fault::deadlock, kernel,
           formatv("has blocks that wait for each other, and is launched with "
                   "{0} clusters, but the chip holds {1} at once: those that "
                   "wait may keep out those they wait for",
                   clusters, max));
}

/// Blocks that do not take tiles in turn have one tile each.
static void checkCount(const Subject &subject, const Trial &trial,
                       const LaunchValues &launch, Verdict &verdict) {
  gpu::GPUFuncOp kernel = subject.kernel;
  bool isLast = subject.launch == subject.before.size();
  if (isLast && trial.blocks.value_or(0) && *trial.blocks != launch.grid)
    report(verdict, Fault::plan, kernel,
           formatv("expected a grid of {0} blocks, one for each tile, but got "
                   "{1}",
                   *trial.blocks, launch.grid));
}

/// The plan's argument that equals `small` at small sizes but not `large` at
/// large ones; an empty string where no argument equals `small`, or one fits
/// both.
static StringRef argumentLeft(const Subject &subject, const LaunchValues &other,
                              const LaunchValues &launch, int64_t small,
                              int64_t large) {
  StringRef left;
  for (auto [name, before, now] :
       llvm::zip(subject.plan.args, other.arguments, launch.arguments)) {
    if (before != small || before == now)
      continue;
    if (now == large)
      return "";
    left = name;
  }
  return small == large ? "" : left;
}

/// The bytes of an element of the tensor map in parameter `number`, or 1.
static int64_t elementBytes(const Subject &subject, size_t number) {
  gpu::GPUFuncOp kernel = subject.kernel;
  auto map = dyn_cast<MapType>(kernel.getArgumentTypes()[number]);
  return map ? map.getElement().getIntOrFloatBitWidth() / 8 : 1;
}

/// A number that equals an argument of the plan at small sizes must equal the
/// same one at large sizes. This holds for parameters, and for extents and
/// distances of tensor maps.
static void checkNumbers(const Subject &subject, const Trial &trial,
                         const KernelLaunch &planned,
                         const LaunchValues &launch, Verdict &verdict) {
  Trial small = trial;
  std::tie(small.m, small.n, small.k) = std::tuple(101, 203, 307);
  auto other = evaluate(subject, small);
  if (!other)
    return consumeError(other.takeError());
  auto check = [&](size_t number, int64_t before, int64_t now,
                   StringRef formula) {
    StringRef name = argumentLeft(subject, *other, launch, before, now);
    if (!name.empty())
      report(verdict, Fault::plan, gpu::GPUFuncOp(subject.kernel),
             formatv("expected '{0}' in the plan's parameter {1} at all sizes, "
                     "but got '{2}'",
                     name, number, formula));
  };
  for (auto [i, param] : llvm::enumerate(planned.params)) {
    const LaunchValues::Param &before = other->params[i];
    const LaunchValues::Param &now = launch.params[i];
    if (param.kind == LaunchParam::i32 || param.kind == LaunchParam::i64)
      check(i, before.value, now.value, param.value.str());
    for (size_t dim = 0; now.map && dim < now.map->dims.size(); ++dim)
      check(i, before.map->dims[dim], now.map->dims[dim],
            param.map.dims[dim].str());
    int64_t bytes = elementBytes(subject, i);
    for (size_t dim = 0; now.map && dim < now.map->strides.size(); ++dim)
      if (before.map->strides[dim] % bytes == 0)
        check(i, before.map->strides[dim] / bytes,
              now.map->strides[dim] / bytes, param.map.strides[dim].str());
  }
}

void simulate::checkLaunch(const Program &program, const Subject &subject,
                           const Trial &trial, const LaunchValues &launch,
                           Verdict &verdict) {
  const KernelLaunch &planned =
      subject.plan.alternatives[subject.alternative].launches[subject.launch];
  checkShape(program, subject.kernel, launch, verdict);
  checkCount(subject, trial, launch, verdict);
  if (trial.blocks)
    checkNumbers(subject, trial, planned, launch, verdict);
  checkParams(subject, planned, launch, verdict);
  checkResident(program, subject, trial, launch, verdict);
  checkMaps(subject, planned, launch, verdict);
}
