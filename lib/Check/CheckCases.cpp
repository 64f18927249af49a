//===- CheckCases.cpp - Cases of a kernel check ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CheckCases.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Check/CheckCases.h"
#include "hone/Driver/Compile.h"
#include "hone/Reference/Epilogue.h"
#include "hone/Schedule/MmaSync.h"
#include "hone/Text/Progress.h"
#include "hone/Workers/Workers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace hone;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

/// One group for each input type: the problems of `plan`, changed by `change`.
static void addGroups(std::vector<CheckGroup> &groups, const CheckPlan &plan,
                      CheckGroup::Kind kind, const CheckShape &shape,
                      llvm::function_ref<void(Problem &)> change) {
  std::map<std::tuple<ElementType, ElementType, ElementType>, CheckGroup>
      byTypes;
  for (const CheckPlan::ProblemSchedules &each : plan.problems) {
    Problem problem = each.problem;
    change(problem);
    if (kind == CheckGroup::chain && problem.a.type != problem.c)
      continue;
    // The named epilogues are functions of floats, and an i8 is the result of a
    // separate one.
    bool makesBytes = problem.epilogue == requantizedText();
    if (makesBytes != (problem.c == ElementType::i8) ||
        (kind == CheckGroup::epilogue && !makesBytes && isInteger(problem.c)))
      continue;
    // The data read from C depend on its type.
    ElementType shared =
        problem.init == Init::read ? problem.c : problem.a.type;
    CheckGroup &group = byTypes[{problem.a.type, problem.b.type, shared}];
    group.kind = kind;
    for (const Schedule &schedule : each.schedules)
      group.cases.emplace_back(problem, shape, schedule);
  }
  for (auto &[types, group] : byTypes)
    if (!group.cases.empty())
      groups.push_back(std::move(group));
}

/// Shapes for all checks that do not run on every shape: none is a multiple of
/// all tiles, two are multiples of none.
static constexpr std::array<int64_t, 3> kFewShapes[] = {
    {1, 1, 1},       {3, 17, 129},     {17, 129, 127},
    {127, 1000, 17}, {129, 127, 1000}, {129, 127, 127},
    {1000, 129, 64}, {128, 128, 128},  {256, 384, 512}};

/// The kind, and the rarely taken decisions in `schedule`.
static std::string formOf(const Schedule &schedule) {
  const Schedule usual(schedule.kind());
  std::string form = schedule.kind().name.str();
  for (const Schedule::Decided &one : schedule.decided())
    if (one.decision->quiet && one.numbers != usual[one.decision->name])
      form += (", " + one.decision->name + " = " + one.text()).str();
  return form;
}

static void addVariants(std::vector<CheckGroup> &groups, CheckPlan plan) {
  // Each variant is a kernel of its own; with grids of schedules there would be
  // thousands.
  constexpr size_t kMaxSchedules = 4;
  for (CheckPlan::ProblemSchedules &each : plan.problems) {
    llvm::StringMap<size_t> counts;
    llvm::erase_if(each.schedules, [&](const Schedule &schedule) {
      return ++counts[formOf(schedule)] > kMaxSchedules;
    });
  }
  auto same = [](Problem &) {};
  for (auto [m, n, k] : kFewShapes) {
    CheckShape shape = {m, n, k};
    CheckShape odd = shape, wide = shape, shifted = shape, batch = shape;
    odd.pad = 1;
    wide.pad = 8;
    shifted.pad = 16;
    shifted.shift = 1;
    batch.batch = 3;
    for (const CheckShape &strided : {odd, wide, shifted})
      addGroups(groups, plan, CheckGroup::plain, strided, same);
    for (int shared : {0, 1, 2})
      addGroups(groups, plan, CheckGroup::plain, batch, [&](Problem &problem) {
        problem.batch = kDynamic;
        problem.a.shared = shared == 1;
        problem.b.shared = shared == 2;
      });
    CheckShape heads = shape;
    heads.batch = 6;
    heads.heads = 3;
    for (const char *batchesB : {"bh", "b", "h"}) {
      heads.batchesB = batchesB;
      addGroups(groups, plan, CheckGroup::plain, heads,
                [](Problem &problem) { problem.batch = kDynamic; });
    }
    addGroups(groups, plan, CheckGroup::plain, shape,
              [](Problem &problem) { problem.init = Init::read; });
    for (Epilogue epilogue : {Epilogue::biasRelu, Epilogue::biasGeluErf,
                              Epilogue::biasGeluTanh, Epilogue::residual})
      addGroups(groups, plan, CheckGroup::epilogue, shape,
                [&](Problem &problem) {
                  problem.epilogue = canonicalText(epilogue, problem.c);
                });
  }
}

/// Adds every shape for i8 results, which always have an epilogue.
static void addRequantized(std::vector<CheckGroup> &groups, CheckPlan plan,
                           const CheckShape &shape) {
  llvm::erase_if(plan.problems, [](const CheckPlan::ProblemSchedules &each) {
    return each.problem.c != ElementType::i8;
  });
  addGroups(groups, plan, CheckGroup::epilogue, shape,
            [](Problem &problem) { problem.epilogue = requantizedText(); });
}

std::vector<CheckGroup> hone::makeGroups(const CheckPlan &plan) {
  std::vector<CheckGroup> groups;
  auto same = [](Problem &) {};
  for (int64_t m : plan.extents)
    for (int64_t n : plan.extents)
      for (int64_t k : plan.extents) {
        addGroups(groups, plan, CheckGroup::plain, {m, n, k}, same);
        if (!plan.comparesBits())
          addRequantized(groups, plan, {m, n, k});
      }
  if (plan.comparesBits())
    return groups;
  for (int64_t extent : plan.extents)
    addGroups(groups, plan, CheckGroup::chain, {extent, extent, extent}, same);
  // Variants are other kernels than the given one.
  if (plan.kernel.empty())
    addVariants(groups, plan);
  return groups;
}

StringRef CheckGroup::variantOf(const CheckCase &one) const {
  if (kind == chain)
    return "chain";
  if (std::optional<Epilogue> epilogue = namedEpilogue(one.problem))
    return toString(*epilogue);
  if (kind == epilogue)
    return "requantized";
  if (one.problem.init == Init::read)
    return "init(read)";
  if (!one.shape.batchesB.empty())
    return one.shape.batchesB == "bh"  ? "two batches"
           : one.shape.batchesB == "b" ? "two batches, B of the outer"
                                       : "two batches, B of the inner";
  if (one.problem.batch)
    return one.problem.a.shared   ? "batch, one A"
           : one.problem.b.shared ? "batch, one B"
                                  : "batch";
  if (one.shape.shift)
    return "shifted";
  return one.shape.pad ? "padded" : "plain";
}

void CheckGroup::run(CheckRunner &runner) {
  std::vector<CheckCase *> ready;
  for (CheckCase &one : cases)
    if (one.kernel)
      ready.push_back(&one);
  if (ready.empty())
    return;
  if (kind == plain)
    return runner.runGroup(ready);
  for (CheckCase *one : ready)
    if (kind == chain)
      runner.runChain(*one);
    else
      runner.runEpilogue(*one);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static std::string keyOf(const CheckCase &one) {
  return one.problem.str() + " | " + toString(one.schedule) + " | " +
         one.shape.batchesB;
}

/// Whether a kernel takes operands of any alignment. With invariant numbers
/// mma_sync may add in another order.
static bool hasFallback(const Problem &problem, const Arch &arch) {
  return !problem.numbers.isInvariant() ||
         !check(Schedule(MmaSync::kind()), &problem, &arch);
}

llvm::Error CheckKernels::compile(std::vector<CheckGroup> &groups,
                                  const CheckPlan &plan, int64_t cuda) {
  std::vector<KernelRequest> requests;
  for (CheckGroup &group : groups) {
    llvm::erase_if(group.cases, [&](const CheckCase &one) {
      return check(one.schedule, &one.problem, &plan.arch).has_value();
    });
    for (const CheckCase &one : group.cases)
      if (index.try_emplace(keyOf(one), requests.size()).second)
        requests.push_back({one.problem, one.schedule,
                            hasFallback(one.problem, plan.arch), plan.kernel,
                            one.shape.batchesB});
  }
  Progress progress(requests.size());
  auto compiled = compileAll(requests, plan.arch, cuda,
                             [&] { progress.step("compiling kernels"); });
  if (!compiled)
    return compiled.takeError();
  kernels.resize(requests.size());
  std::vector<std::string> failures(requests.size());
  // A rewrite, like a law, may reject some of the cases checked for every
  // schedule.
  std::vector<bool> refused(requests.size());
  llvm::StringSet<> applied;
  for (size_t i = 0; i < requests.size(); ++i) {
    auto made = (*compiled)[i]
                    ? MatmulKernel::create(std::move(*(*compiled)[i]),
                                           runTimeKnobs(requests[i].schedule))
                    : (*compiled)[i].takeError();
    if (made) {
      kernels[i] = std::move(*made);
      applied.insert(toString(requests[i].schedule));
      continue;
    }
    llvm::Error error = made.takeError();
    refused[i] = error.isA<RefusedRewrite>();
    failures[i] = llvm::toString(std::move(error));
  }
  for (CheckGroup &group : groups)
    llvm::erase_if(group.cases, [&](const CheckCase &one) {
      return refused[index[keyOf(one)]] &&
             applied.contains(toString(one.schedule));
    });
  for (CheckGroup &group : groups)
    for (CheckCase &one : group.cases) {
      size_t i = index[keyOf(one)];
      one.failure = failures[i];
      if (failures[i].empty())
        one.kernel = kernels[i].get();
    }
  llvm::erase_if(groups,
                 [](const CheckGroup &group) { return group.cases.empty(); });
  return llvm::Error::success();
}
