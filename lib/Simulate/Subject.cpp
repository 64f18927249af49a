//===- Subject.cpp - Which kernels, and at which sizes --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the kernels of a module's plans, and sizes that prove them.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "Program.h"
#include "dialects/Hone/Hone.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"
#include <limits>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Subjects
//===----------------------------------------------------------------------===//

static std::string planTextOf(ArrayAttr lines) {
  std::string text;
  for (auto line : lines.getAsRange<StringAttr>())
    text += (line.getValue() + "\n").str();
  return text;
}

/// The type of the elements behind a launch's argument `name`.
static std::optional<ElementType>
elementOf(const KernelLaunch &launch, gpu::GPUFuncOp kernel, StringRef name) {
  auto types = kernel.getArgumentTypes();
  for (auto [type, param] : llvm::zip(types, launch.params)) {
    Type element;
    if (auto map = dyn_cast<kernel::MapType>(type);
        map && param.map.base == name)
      element = map.getElement();
    if (auto buffer = dyn_cast<kernel::BufferType>(type);
        buffer && param.value == name)
      element = buffer.getElement();
    if (element)
      return element.isF16()    ? ElementType::f16
             : element.isBF16() ? ElementType::bf16
                                : ElementType::f32;
  }
  return std::nullopt;
}

/// The same for the plan's argument: an operand that is copied first is one of
/// an earlier launch.
static std::optional<ElementType> elementOf(const Subject &subject,
                                            const std::string &name) {
  const auto &launches =
      subject.plan.alternatives[subject.alternative].launches;
  if (auto found = elementOf(launches[subject.launch], subject.kernel, name))
    return found;
  for (auto [launch, kernel] : llvm::zip(launches, subject.before))
    if (auto found = elementOf(launch, kernel, name))
      return found;
  return std::nullopt;
}

/// Epilogue operands, by the plan's arguments "e0", "e0m", "e0n", ...
static void addOperands(Subject &subject) {
  const auto &args = subject.plan.args;
  for (size_t i = 0; llvm::is_contained(args, formatv("e{0}", i).str()); ++i) {
    std::string name = formatv("e{0}", i), dims;
    for (char dim : {'b', 'h', 'm', 'n'})
      if (llvm::is_contained(args, name + dim))
        dims += dim;
    subject.operands.push_back(
        {elementOf(subject, name).value_or(ElementType::f32), dims});
  }
}

/// Of two batches, those that operand `name` has: where one matrix serves all,
/// the launch says that they are 0 elements apart.
static std::string batchesOf(const Subject &subject, StringRef name) {
  std::string batches;
  if (!llvm::is_contained(subject.plan.args, "heads"))
    return batches;
  for (char batch : {'b', 'h'}) {
    auto stride =
        subject.constants.find(((batch == 'b' ? "s" : "h") + name).str());
    if (stride == subject.constants.end() || stride->second != 0)
      batches += batch;
  }
  return batches;
}

/// Without a launch in the module, what the parameters say.
static Problem guessProblem(const Subject &subject) {
  Problem problem;
  problem.a.type = elementOf(subject, "a").value_or(ElementType::f16);
  problem.b.type = elementOf(subject, "b").value_or(ElementType::f16);
  problem.c = elementOf(subject, "c").value_or(ElementType::f16);
  if (llvm::is_contained(subject.plan.args, "batch"))
    problem.batch = kDynamic;
  return problem;
}

/// The kernels of the subject's alternative, in `gpuModule`, or in another one
/// as a fallback's are.
static LogicalResult findKernels(ModuleOp module, gpu::GPUModuleOp gpuModule,
                                 Subject &subject) {
  auto find = [&](const std::string &entry) {
    auto kernel = gpuModule.lookupSymbol<gpu::GPUFuncOp>(entry);
    for (auto other : module.getOps<gpu::GPUModuleOp>())
      if (!kernel)
        kernel = other.lookupSymbol<gpu::GPUFuncOp>(entry);
    return kernel;
  };
  const auto &launches =
      subject.plan.alternatives[subject.alternative].launches;
  subject.before.clear();
  for (const KernelLaunch &launch : launches) {
    gpu::GPUFuncOp kernel = find(launch.entry);
    if (!kernel)
      return gpuModule.emitError("expected a kernel '")
             << launch.entry << "', which a plan launches";
    subject.before.push_back(kernel);
  }
  subject.kernel = subject.before.back();
  subject.before.pop_back();
  subject.launch = launches.size() - 1;
  return success();
}

FailureOr<std::vector<Subject>> simulate::subjectsOf(ModuleOp module) {
  llvm::StringMap<Problem> problems;
  llvm::StringMap<llvm::StringMap<int64_t>> constants;
  module.walk([&](kernel::LaunchOp launch) {
    StringRef plan = launch.getPlan().getLeafReference();
    for (auto [name, value] :
         llvm::zip(launch.getNames().getAsValueRange<StringAttr>(),
                   launch.getArgs())) {
      APInt number;
      if (matchPattern(value, m_ConstantInt(&number)))
        constants[plan][name] = number.getSExtValue();
    }
    if (auto attribute = launch->getAttrOfType<ProblemAttr>("hone.problem"))
      problems[launch.getPlan().getLeafReference()] = attribute.getValue();
  });
  std::vector<Subject> subjects;
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>()) {
    auto plans = gpuModule->getAttrOfType<DictionaryAttr>(kernel::kPlansAttr);
    for (NamedAttribute named :
         plans ? plans.getValue() : ArrayRef<NamedAttribute>()) {
      Subject subject;
      std::string text = planTextOf(cast<ArrayAttr>(named.getValue()));
      std::string error = LaunchPlan::parse(text.c_str(), subject.plan);
      if (!error.empty())
        return gpuModule.emitError("expected a launch plan, but got ") << error;
      for (size_t i = 0; i < subject.plan.alternatives.size(); ++i) {
        subject.alternative = i;
        if (failed(findKernels(module, gpuModule, subject)))
          return failure();
        Subject &added = subjects.emplace_back(subject);
        auto problem = problems.find(named.getName());
        added.problem =
            problem != problems.end() ? problem->second : guessProblem(added);
        addOperands(added);
        added.constants = constants.lookup(named.getName());
        added.batchesA = batchesOf(added, "a");
        added.batchesB = batchesOf(added, "b");
      }
    }
  }
  return subjects;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

namespace {
/// How a kernel cuts K.
struct Steps {
  int64_t tile = 16; ///< elements of a step
  int64_t slots = 1; ///< of one part's rings
  int64_t parts = 1; ///< of K
};
} // namespace

static Steps stepsOf(gpu::GPUFuncOp kernel) {
  Steps steps;
  int64_t slices = 1;
  auto take = [&](kernel::RingType ring, bool transposed) {
    steps.tile = transposed ? ring.getLines() : ring.getWidth();
    steps.slots = ring.getSlots();
  };
  kernel.walk([&](Operation *op) {
    if (auto mma = dyn_cast<kernel::MmaAsyncOp>(op))
      take(mma.getRingA().getType(), mma.getTransposedA());
    if (auto read = dyn_cast<kernel::ReadOp>(op))
      take(read.getRing().getType(), read.getTransposed());
    if (auto sum = dyn_cast<kernel::PartialSumOp>(op)) {
      slices = sum.getParts();
      steps.parts = sum.getBlocks() * slices;
    }
  });
  steps.slots = std::max<int64_t>(steps.slots / slices, 1);
  return steps;
}

/// The tile of one cluster along a dimension: the largest extent that needs no
/// more blocks than 1 does.
static llvm::Expected<int64_t> extentOf(const Subject &subject, Trial trial,
                                        int64_t Trial::*extent) {
  // As many clusters as there is work for.
  trial.mostClusters = std::numeric_limits<int32_t>::max();
  auto blocks = [&](int64_t value) -> llvm::Expected<int64_t> {
    trial.*extent = value;
    auto launch = evaluate(subject, trial);
    if (!launch)
      return launch.takeError();
    return launch->grid;
  };
  auto least = blocks(1);
  if (!least)
    return least.takeError();
  constexpr int64_t kMost = 1 << 14;
  int64_t low = 1, high = kMost;
  while (high - low > 1) {
    int64_t middle = (low + high) / 2;
    auto now = blocks(middle);
    if (!now)
      return now.takeError();
    (*now > *least ? high : low) = middle;
  }
  // A grid that does not depend on it.
  return high == kMost ? 64 : low;
}

llvm::Expected<std::vector<Trial>> simulate::trialsFor(const Subject &subject) {
  Program program(subject.kernel);
  Steps steps = stepsOf(subject.kernel);
  Trial trial;
  trial.m = trial.n = trial.k = 1;
  // The least aligned operands that the guard lets through.
  for (int64_t pad : {1, 2, 4, 8, 16}) {
    trial.pad = pad;
    auto holds = guardHolds(subject, trial);
    if (!holds)
      return holds.takeError();
    if (*holds)
      break;
  }
  auto tileM = extentOf(subject, trial, &Trial::m);
  if (!tileM)
    return tileM.takeError();
  auto tileN = extentOf(subject, trial, &Trial::n);
  if (!tileN)
    return tileN.takeError();
  // A remainder, and three rows of tiles where a block takes several.
  int64_t whole = program.isPersistent ? 2 : 1;
  trial.m = *tileM * whole + std::min<int64_t>(*tileM, 5);
  trial.n = *tileN * whole + std::min<int64_t>(*tileN, 3);
  bool hasHeads = llvm::is_contained(subject.plan.args, "heads");
  if (subject.problem.batch)
    trial.batch = 2;
  // Other numbers of outer and of inner batches.
  if (hasHeads)
    trial.heads = 3, trial.batch *= trial.heads;
  std::vector<Trial> trials;
  for (int64_t count :
       {(steps.slots + 3) * steps.parts, int64_t(1), int64_t(2)}) {
    trial.k = (count - 1) * steps.tile + std::min<int64_t>(steps.tile, 7);
    trials.push_back(trial);
    // The first has shown that all tiles are found.
    if (subject.problem.batch)
      trial.batch = trial.heads = 1;
  }
  // Workers that share a tile are as many as the device holds: here more than
  // there are tiles.
  if (program.meetsAcrossClusters) {
    constexpr int64_t kMany = 5;
    trial = trials.front();
    trial.m = *tileM;
    trial.mostClusters = kMany;
    trials.push_back(trial);
  }
  return trials;
}

std::string Trial::str() const {
  std::string text = formatv("m = {0}, n = {1}, k = {2}", m, n, k);
  if (batch != 1)
    text += formatv(", batch = {0}", batch);
  if (heads != 1)
    text += formatv(", heads = {0}", heads);
  if (mostClusters != Trial().mostClusters)
    text += formatv(", clusters = {0}", mostClusters);
  return text;
}
