//===- Launch.cpp - Numbers of one launch ---------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formulas, operands and parameters; see Launch.h.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "Windows.h"
#include "dialects/Kernel/AddressMap.h"
#include "hone/Runtime/Expression.h"
#include "hone/Runtime/PlanArguments.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using namespace hone::simulate;
using llvm::formatv;
using llvm::StringRef;

/// The address of scratch memory.
static constexpr int64_t kWorkspace = int64_t(1) << 45;

int64_t MapValue::storedColumns(int64_t elementBytes) const {
  return llvm::alignTo(std::max<int64_t>(dims[0], 0),
                       kernel::kChunkBytes / elementBytes);
}

const OperandRegion *LaunchValues::find(StringRef name) const {
  for (const OperandRegion &region : regions)
    if (region.name == name)
      return &region;
  return nullptr;
}

const OperandRegion *LaunchValues::at(int64_t address) const {
  for (const OperandRegion &region : regions)
    if (region.contains(address, 1))
      return &region;
  return nullptr;
}

bool LaunchValues::hasLines(int64_t address, int64_t rows, int64_t cols,
                            int64_t stride, int64_t size) const {
  return llvm::any_of(regions, [&](const OperandRegion &region) {
    return region.name != "ws" && sizeOf(region.type) == size &&
           region.contains(address, 1) &&
           region.hasLines(address, rows, cols, stride);
  });
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// The plan's arguments in a trial.
static PlanArguments argumentsOf(const Subject &subject, const Trial &trial,
                                 const LaunchValues &values) {
  constexpr int64_t kGroup = 2;
  PlanArguments arguments;
  for (const auto &knob : subject.constants)
    arguments.set(knob.getKey().str(), knob.getValue());
  if (!arguments.has("group"))
    arguments.set("group", kGroup);
  arguments.setExtents(trial.m, trial.n, trial.k, trial.batch, trial.heads);
  if (const OperandRegion *segments = values.find("segments"))
    arguments.setSegments(segments->base, segments->width);
  if (const OperandRegion *index = values.find("index"))
    arguments.setIndex(index->base, rowsOfA(subject, trial));
  if (readsWindows(subject))
    arguments.setWindow(windowOf(subject, trial));
  for (const char *name : {"a", "b", "c"})
    if (const OperandRegion *region = values.find(name))
      arguments.setMatrix(name, region->base, region->lineStride,
                          {region->batchStride, region->headStride});
  for (size_t i = 0; i < subject.operands.size(); ++i)
    if (const OperandRegion *region = values.find("e" + std::to_string(i)))
      arguments.setOperand(i, region->base,
                           {region->batchStride, region->headStride},
                           StringRef(subject.operands[i].second).contains("n")
                               ? region->lineStride
                               : 1,
                           1);
  for (const auto &knob : trial.knobs)
    arguments.set(knob.getKey().str(), knob.getValue());
  return arguments;
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

namespace {
/// Evaluates a plan's formulas.
class Formulas {
public:
  Formulas(const LaunchPlan &plan, const LaunchInputs &inputs)
      : names(plan.args), args(inputs.arguments), resident(inputs.resident) {
    names.push_back("ws");
    args.push_back(inputs.workspace);
  }

  /// Zero and an error if it has no value.
  int64_t operator()(const PlanFormula &formula) {
    int64_t value = 0;
    std::string why = formula.evaluate(names, args, value, resident);
    if (why.empty())
      return value;
    if (error.empty())
      error = formatv("{0}: '{1}'", why, formula.str());
    return 0;
  }

  /// The plan's arguments, followed by the workspace.
  const std::vector<int64_t> &arguments() const { return args; }

  llvm::Error take() {
    return error.empty() ? llvm::Error::success()
                         : llvm::createStringError(error);
  }

private:
  std::vector<std::string> names;
  std::vector<int64_t> args;
  int64_t resident;
  std::string error;
};
} // namespace

/// The numbers of a trial, for operands in simulated memory.
static llvm::Expected<LaunchInputs> inputsOf(const Subject &subject,
                                             const Trial &trial) {
  LaunchValues values;
  values.regions = placeOperands(subject, trial);
  LaunchInputs inputs;
  inputs.workspace = kWorkspace;
  inputs.resident = trial.maxClusters;
  std::string fault =
      argumentsOf(subject, trial, values).order(subject.plan, inputs.arguments);
  if (!fault.empty())
    return llvm::createStringError(fault);
  inputs.regions = std::move(values.regions);
  inputs.ends = endsOf(subject, trial);
  inputs.index = indexOf(subject, trial);
  return inputs;
}

Subject simulate::subjectOf(const Subject &subject, size_t launch) {
  Subject step = subject;
  step.launch = launch;
  if (launch < subject.before.size())
    step.kernel = subject.before[launch];
  return step;
}

llvm::Expected<bool> simulate::guardHolds(const Subject &subject,
                                          const Trial &trial) {
  auto inputs = inputsOf(subject, trial);
  if (!inputs)
    return inputs.takeError();
  Formulas formulas(subject.plan, *inputs);
  bool holds =
      formulas(subject.plan.alternatives[subject.alternative].guard) != 0;
  if (llvm::Error error = formulas.take())
    return std::move(error);
  return holds;
}

static MapValue mapOf(const TensorMap &map, Formulas &formulas) {
  MapValue value;
  value.base = formulas(map.base);
  for (const PlanFormula &dim : map.dims)
    value.dims.push_back(formulas(dim));
  for (const PlanFormula &stride : map.strides)
    value.strides.push_back(formulas(stride));
  for (auto [corners, numbers] : {std::pair(&map.lower, &value.lower),
                                  {&map.upper, &value.upper},
                                  {&map.steps, &value.steps}})
    for (const PlanFormula &formula : *corners)
      numbers->push_back(formulas(formula));
  value.box = map.box;
  value.swizzle = map.swizzle;
  return value;
}

/// The launch's scratch memory, after all operands.
static OperandRegion workspaceRegion(int64_t base) {
  OperandRegion region;
  region.name = "ws";
  region.type = ElementType::f32;
  region.base = base;
  region.lines = 1;
  return region;
}

/// 90 for a kernel of a module for sm_90a; 0 if no target is named.
static int capabilityOf(mlir::gpu::GPUFuncOp kernel) {
  auto module = kernel->getParentOfType<mlir::gpu::GPUModuleOp>();
  mlir::ArrayAttr targets = module ? module.getTargetsAttr() : nullptr;
  if (!targets || targets.empty())
    return 0;
  auto target = mlir::dyn_cast<mlir::NVVM::NVVMTargetAttr>(targets[0]);
  llvm::StringRef chip = target ? target.getChip() : "";
  int capability = 0;
  if (!chip.consume_front("sm_") || chip.consumeInteger(10, capability))
    return 0;
  return capability;
}

/// The launch decides whether a kernel overlaps, and one kernel has many
/// launches: from compute capability 9.0 on, every kernel must support it.
static void placeInStream(const Subject &subject, bool programmatic,
                          LaunchValues &values) {
  constexpr int kFirstWithWait = 90;
  int capability = capabilityOf(subject.kernel);
  values.mayOverlap = programmatic || capability >= kFirstWithWait;
  values.overlapsInVain =
      programmatic && capability && capability < kFirstWithWait;
}

llvm::Expected<LaunchValues> simulate::evaluate(const Subject &subject,
                                                const Trial &trial) {
  auto inputs = inputsOf(subject, trial);
  if (!inputs)
    return inputs.takeError();
  return evaluate(subject, std::move(*inputs));
}

llvm::Expected<LaunchValues> simulate::evaluate(const Subject &subject,
                                                LaunchInputs inputs) {
  Formulas formulas(subject.plan, inputs);
  LaunchValues values;
  values.regions = std::move(inputs.regions);
  values.ends = std::move(inputs.ends);
  values.index = std::move(inputs.index);
  values.regions.push_back(workspaceRegion(inputs.workspace));
  const PlanAlternative &alternative =
      subject.plan.alternatives[subject.alternative];
  const KernelLaunch &launch = alternative.launches[subject.launch];
  values.arguments = formulas.arguments();
  if (!alternative.workspaceBytes.empty())
    values.regions.back().width = formulas(alternative.workspaceBytes) / 4;
  values.workspaceZeroed = alternative.workspaceZeroed;
  values.grid = formulas(launch.grid[0]);
  values.cluster = formulas(launch.cluster[0]);
  values.block = formulas(launch.block[0]);
  for (int dim : {1, 2})
    for (const auto *extents : {&launch.grid, &launch.cluster, &launch.block})
      if (int64_t extent = formulas((*extents)[dim]); values.inOtherDims == 1)
        values.inOtherDims = extent;
  values.sharedBytes = launch.sharedBytes;
  values.maxInCores = blockOf(subject.problem);
  placeInStream(subject, launch.programmatic, values);
  for (const LaunchParam &param : launch.params) {
    LaunchValues::Param &added = values.params.emplace_back();
    if (param.kind == LaunchParam::tensorMap)
      added.map = mapOf(param.map, formulas);
    else
      added.value = formulas(param.value);
  }
  if (llvm::Error error = formulas.take())
    return std::move(error);
  mlir::gpu::GPUFuncOp kernel = subject.kernel;
  if (values.params.size() != kernel.getNumArguments())
    return llvm::createStringError(formatv(
        "expected a plan with {0} parameters for '{1}', but got {2}",
        kernel.getNumArguments(), kernel.getName(), values.params.size()));
  return values;
}
