//===- Execute.cpp - Execution of matmul kernels on real memory -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run of one alternative; ExecuteProduct.cpp compares its results with the
// reference.
//
//===----------------------------------------------------------------------===//

#include "hone/Simulate/Execute.h"
#include "../Checks.h"
#include "../Machine/Machine.h"
#include "ExecuteProduct.h"
#include "Values.h"

using namespace hone;
using namespace hone::simulate;

int64_t OperandPlace::strideOf(char letter) const {
  size_t at = letters.find(letter);
  return at == std::string::npos ? 0 : strides[at];
}

//===----------------------------------------------------------------------===//
// Operands as regions
//===----------------------------------------------------------------------===//

namespace {
/// One operand, with the letter of the dimension that numbers its lines and of
/// the one along them; 0 for none.
class RegionOf {
public:
  RegionOf(const Execution &run, const OperandPlace &place)
      : run(run), place(place) {}

  OperandRegion get(char line, char column) const {
    OperandRegion region;
    region.name = place.name;
    region.type = place.type;
    region.base = place.address;
    region.lines = extent(line);
    region.width = extent(column);
    region.lineStride = place.strideOf(line);
    // If columns are not adjacent, the width is the span from the first to the
    // last.
    if (int64_t apart = place.strideOf(column); region.width > 1 && apart != 1)
      region.width = (region.width - 1) * std::max<int64_t>(apart, 0) + 1;
    if (region.lines == 1)
      region.lineStride = std::max(region.lineStride, region.width);
    region.heads = run.extents.at('h');
    if (has('h')) {
      region.ownHeads = region.heads;
      region.headStride = place.strideOf('h');
    }
    if (has('b')) {
      region.batches = run.extents.at('b');
      region.batchStride = place.strideOf('b');
    }
    return region;
  }

  /// Images as the plan's arguments say, which may read the same places as
  /// other images than the op's. Columns are lines.
  OperandRegion getImages() const {
    OperandRegion region;
    region.name = place.name;
    region.type = place.type;
    region.base = place.address;
    region.width = argument("channels");
    region.lines = argument("inw");
    region.lineStride = argument("lda");
    region.heads = region.ownHeads = argument("inh");
    region.headStride = argument("ha");
    region.batches = argument("images");
    region.batchStride = argument("sa");
    return region;
  }

  /// An epilogue's operand has no stated order.
  OperandRegion getAny() const {
    bool isTurned =
        has('m') && (!has('n') ? place.strideOf('m') == 1
                               : place.strideOf('m') < place.strideOf('n'));
    return isTurned ? get(has('n') ? 'n' : 0, 'm')
                    : get(has('m') ? 'm' : 0, has('n') ? 'n' : 0);
  }

private:
  int64_t argument(llvm::StringRef name) const {
    auto found = llvm::find(run.subject.plan.args, name);
    return found == run.subject.plan.args.end()
               ? 0
               : run.arguments[found - run.subject.plan.args.begin()];
  }
  bool has(char letter) const {
    return place.letters.find(letter) != std::string::npos;
  }
  int64_t extent(char letter) const {
    return letter ? run.extents.at(letter) : 1;
  }

  const Execution &run;
  const OperandPlace &place;
};
} // namespace

static std::vector<OperandRegion> regionsOf(const Execution &run) {
  std::vector<OperandRegion> regions;
  const Problem &problem = run.subject.problem;
  for (const OperandPlace &place : run.operands) {
    RegionOf region(run, place);
    auto matrix = [&](Order order, char row, char column) {
      return order == Order::row ? region.get(row, column)
                                 : region.get(column, row);
    };
    if (place.name == "a" && run.window)
      regions.push_back(region.getImages());
    else if (place.name == "a")
      regions.push_back(matrix(problem.a.order, run.index ? 'r' : 'm', 'k'));
    else if (place.name == "b")
      regions.push_back(matrix(problem.b.order, 'k', 'n'));
    else if (place.name == "c")
      regions.push_back(region.get('m', 'n'));
    else
      regions.push_back(region.getAny());
  }
  auto addVector = [&](llvm::StringRef name, std::optional<int64_t> address,
                       int64_t words) {
    if (!address)
      return;
    OperandRegion &vector = regions.emplace_back();
    vector.name = name.str();
    vector.type = ElementType::i32;
    vector.base = *address;
    vector.lines = 1;
    vector.width = words;
  };
  addVector("segments", run.segments, run.extents.at('b'));
  addVector("index", run.index, run.extents.at('m') * run.indexBytes / 4);
  return regions;
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

static Trial trialOf(const Execution &run) {
  Trial trial;
  trial.m = run.extents.at('m');
  trial.n = run.extents.at('n');
  trial.k = run.extents.at('k');
  trial.window = run.window;
  trial.heads = run.extents.at('h');
  trial.batch = run.extents.at('b') * trial.heads;
  trial.maxClusters = run.resident;
  return trial;
}

llvm::Expected<Verdict> simulate::execute(const Execution &run) {
  SimulateOptions options;
  options.maxFindings = 4;
  Trial trial = trialOf(run);
  auto evaluateStep = [&](const Subject &step) {
    LaunchInputs inputs;
    inputs.arguments = run.arguments;
    inputs.regions = regionsOf(run);
    inputs.ends = endsOf(run);
    inputs.index = indexOf(run);
    inputs.workspace = run.workspace;
    inputs.resident = run.resident;
    return evaluate(step, std::move(inputs));
  };
  auto memory = evaluateStep(run.subject);
  if (!memory)
    return memory.takeError();
  Verdict verdict;
  for (const OperandRegion &region : memory->regions)
    if (run.window && region.name == "a" &&
        region.elements() > spanOf(run, run.operands.front()))
      return llvm::createStringError(
          "expected a plan whose images lie in operand 'a', but got more");
  Output output(*memory, trial.m, trial.n);
  Values values(*memory);
  ProductCheck check(run);
  for (size_t i = 0; i <= run.subject.before.size() && verdict.passed(); ++i) {
    Subject step = subjectOf(run.subject, i);
    Program program(step.kernel);
    auto launch = evaluateStep(step);
    if (!launch)
      return launch.takeError();
    if (launch->grid == 0)
      continue; // an empty matrix
    checkKernel(program, step, verdict);
    checkLaunch(program, step, trial, *launch, verdict);
    if (!verdict.passed())
      break;
    values.startLaunch(*launch);
    Machine machine(program, *launch, output, verdict, options, &values);
    machine.runAll();
    if (i == run.subject.before.size())
      machine.finish();
  }
  if (verdict.passed())
    check.compare(verdict);
  return verdict;
}
