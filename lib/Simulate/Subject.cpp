//===- Subject.cpp - Kernels of a module's plans --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the kernels of a module's plans, with their launches and problems.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "Plan/ByValue.h"
#include "Rest/LaunchOperands.h"
#include "Values/Elements.h"
#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/Modelled.h"
#include "hone/Guards/Places.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Subjects
//===----------------------------------------------------------------------===//

/// The element type of the memref of a launch's argument `name`.
static std::optional<ElementType>
elementOf(const KernelLaunch &launch, gpu::GPUFuncOp kernel, StringRef name) {
  auto types = kernel.getArgumentTypes();
  for (auto [type, param] : llvm::zip(types, launch.params)) {
    Type element;
    if (auto map = dyn_cast<kernel::MapType>(type);
        map && StringRef(param.map.base.name()) == name)
      element = map.getElement();
    if (auto buffer = dyn_cast<kernel::BufferType>(type);
        buffer && StringRef(param.value.name()) == name)
      element = buffer.getElement();
    if (element)
      return toElement(element);
  }
  return std::nullopt;
}

/// The same for the plan's argument: an operand that is copied first belongs to
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

/// The batch dimensions of operand `name`, of two: where one matrix serves all,
/// the launch gives a distance of 0 elements.
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

/// Without a launch in the module, the parameters give the problem.
static Problem guessProblem(const Subject &subject) {
  Problem problem;
  problem.a.type = elementOf(subject, "a").value_or(ElementType::f16);
  problem.b.type = elementOf(subject, "b").value_or(ElementType::f16);
  problem.c = elementOf(subject, "c").value_or(ElementType::f16);
  problem.acc = accumulatorOf(problem.a.type);
  if (llvm::is_contained(subject.plan.args, "batch"))
    problem.batch = kDynamic;
  bool hasEnds = llvm::is_contained(subject.plan.args, "groups");
  problem.isRaggedSum = hasEnds && problem.batch;
  problem.a.shared = problem.b.shared = problem.isRaggedSum;
  if (hasEnds && !problem.batch)
    problem.groups = kDynamic;
  problem.isIndexed = llvm::is_contained(subject.plan.args, "index");
  return problem;
}

static void addFinding(Subject &subject, kernel::LaunchOp launch,
                       std::string why) {
  subject.findings.push_back(
      {Fault::plan,
       std::move(why),
       {launch.getLoc(), "kernel.launch", "", 0, 0, "", {}},
       std::nullopt,
       ""});
}

static void checkValues(Subject &subject, kernel::LaunchOp launch) {
  std::string why = subject.isRest
                        ? rest::faultOfOperands(launch, subject.function)
                        : faultOfOperands(launch, subject.problem);
  if (!why.empty())
    addFinding(subject, launch, "gives the plan another value: " + why);
}

/// The faults of the subject's launch in the module.
static void checkLaunchOf(Subject &subject, kernel::LaunchOp launch) {
  checkValues(subject, launch);
  size_t batches = llvm::is_contained(subject.plan.args, "heads") ? 2
                   : subject.problem.batch                        ? 1
                                                                  : 0;
  const PlanFormula &guard =
      subject.plan.alternatives[subject.alternative].guard;
  if (mayOverlap(launch) && withoutDistinctPlaces(guard, batches) == guard)
    addFinding(
        subject, launch,
        "has a C whose type does not state that its elements are distinct; "
        "expected a guard that ends in '" +
            distinctPlaces(batches).str() + "'");
}

/// The kernels of the subject's alternative, in `gpuModule`, or in another one,
/// as for a fallback.
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
    if (std::optional<std::string> fault = kernel::faultOfBlock(kernel))
      return kernel.emitOpError() << *fault;
    subject.before.push_back(kernel);
  }
  subject.kernel = subject.before.back();
  subject.before.pop_back();
  subject.launch = launches.size() - 1;
  return success();
}

/// For a kernel that is not a matmul, finds the function that it was made from.
static bool findFunction(ModuleOp module, Subject &subject) {
  Attribute made = subject.kernel->getAttr(kernel::kRestAttr);
  subject.isRest = bool(made);
  if (auto name = dyn_cast_or_null<StringAttr>(made))
    subject.function = module.lookupSymbol<func::FuncOp>(name);
  return subject.isRest;
}

FailureOr<std::vector<Subject>> simulate::subjectsOf(ModuleOp module) {
  llvm::StringMap<Problem> problems;
  llvm::StringMap<kernel::LaunchOp> launches;
  llvm::StringMap<SmallVector<kernel::LaunchOp>> launchesOfPlan;
  llvm::StringMap<llvm::StringMap<int64_t>> constants;
  module.walk([&](kernel::LaunchOp launch) {
    StringRef plan = launch.getPlan().getLeafReference();
    launchesOfPlan[plan].push_back(launch);
    for (auto [name, value] :
         llvm::zip(launch.getNames().getAsValueRange<StringAttr>(),
                   launch.getArgs())) {
      APInt number;
      if (matchPattern(value, m_ConstantInt(&number)))
        constants[plan][name] = number.getSExtValue();
    }
    if (auto attribute = launch->getAttrOfType<ProblemAttr>("hone.problem"))
      problems[plan] = attribute.getValue(), launches[plan] = launch;
  });
  std::vector<Subject> subjects;
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>()) {
    for (NamedAttribute named : kernel::plansOf(gpuModule)) {
      Subject subject;
      subject.plan = cast<kernel::PlanAttr>(named.getValue()).getValue();
      for (size_t i = 0; i < subject.plan.alternatives.size(); ++i) {
        subject.alternative = i;
        if (failed(findKernels(module, gpuModule, subject)))
          return failure();
        Subject &added = subjects.emplace_back(subject);
        if (findFunction(module, added)) {
          for (auto launch : launchesOfPlan.lookup(named.getName()))
            if (added.function)
              checkValues(added, launch);
          continue;
        }
        auto problem = problems.find(named.getName());
        added.isGuessed = problem == problems.end();
        added.problem = added.isGuessed ? guessProblem(added) : problem->second;
        addOperands(added);
        added.constants = constants.lookup(named.getName());
        // Decisions of the alternative count as given by the launch.
        for (const PlanDecision &decision :
             added.plan.alternatives[i].decisions)
          added.constants[decision.name] = decision.value;
        if (!added.isGuessed)
          checkLaunchOf(added, launches.lookup(named.getName()));
        added.batchesA = batchesOf(added, "a");
        added.batchesB = batchesOf(added, "b");
      }
    }
  }
  return subjects;
}
