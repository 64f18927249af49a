//===- Products.cpp - Launches of products --------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps records to operands by the letters of the problem, and computes the
// expected arguments of a plan.
//
//===----------------------------------------------------------------------===//

#include "State.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::emulate;
using hone::simulate::Execution;
using hone::simulate::OperandPlace;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The batches that kernels address by strides, outermost first.
static constexpr StringRef kKernelBatches = "bh";

/// The kernel's letter for a letter of the problem; 0 for a loop on the host.
static char kernelLetter(const LaunchedRecord &launched, char letter) {
  StringRef batches = launched.record->batches;
  size_t at = batches.find(letter), loops = launched.loops().size();
  if (at == StringRef::npos)
    return letter;
  return at < loops ? 0 : kKernelBatches[at - loops];
}

/// The indices of the host loops in this launch, by letter.
static std::map<char, int64_t> turnOf(const LaunchedRecord &launched) {
  std::map<char, int64_t> turn;
  int64_t left = launched.launched;
  for (char letter : llvm::reverse(launched.loops())) {
    int64_t extent = std::max<int64_t>(launched.extentOf(letter), 1);
    turn[letter] = left % extent;
    left /= extent;
  }
  return turn;
}

static OperandPlace placeOf(const LaunchedRecord &launched, size_t number) {
  const LaunchRecord::Operand &known = launched.record->operands[number];
  const LaunchedRecord::Operand &operand = launched.operands[number];
  std::map<char, int64_t> turn = turnOf(launched);
  OperandPlace place;
  place.name = known.name;
  place.type = known.type;
  place.address = operand.address;
  for (auto [dim, letter] : llvm::enumerate(known.letters)) {
    if (char own = kernelLetter(launched, letter)) {
      place.letters += own;
      place.strides.push_back(operand.strides[dim]);
    } else {
      place.address += turn[letter] * operand.strides[dim] * known.elementBytes;
    }
  }
  return place;
}

Execution emulate::executionOf(const LaunchCall &launch, int64_t resident) {
  const LaunchedRecord &launched = launch.record;
  Execution run;
  run.extents = {{'b', 1}, {'h', 1}};
  for (char letter : std::string("mnk") + launched.record->batches)
    if (char own = kernelLetter(launched, letter))
      run.extents[own] = launched.extentOf(letter);
  for (size_t i = 0; i < launched.operands.size(); ++i)
    run.operands.push_back(placeOf(launched, i));
  if (run.operands.back().name == "index") {
    run.extents['r'] = launched.extentOf('r');
    run.index = run.operands.back().address;
    run.indexBytes = launched.record->operands.back().elementBytes;
    run.operands.pop_back();
  }
  if (run.operands.back().name == "segments") {
    run.extents['b'] = launched.extentOf('b');
    run.segments = run.operands.back().address;
    run.operands.pop_back();
  }
  if ((run.window = launched.record->window)) {
    for (char letter : run.operands.front().letters)
      run.extents[letter] = launched.extentOf(letter);
    run.window->images = run.extents['i'];
    run.window->channels = run.extents['c'];
    run.window->w.in = run.extents['x'];
    if (run.extents.count('y'))
      run.window->h.in = run.extents['y'];
  }
  run.subject.plan = *launch.plan;
  run.subject.alternative = launch.call.number();
  run.subject.kernel = launch.kernels.back();
  run.subject.before = {launch.kernels.begin(), launch.kernels.end() - 1};
  run.subject.launch = run.subject.before.size();
  run.subject.problem = launched.record->reference->getProblem();
  for (size_t i = 3; i < run.operands.size(); ++i)
    run.subject.operands.push_back(
        {run.operands[i].type, run.operands[i].letters});
  run.arguments = launch.call.arguments();
  run.resident = resident;
  run.reference = &*launched.record->reference;
  return run;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {
/// Compares a program's arguments with the expected ones.
class ArgumentCheck {
public:
  ArgumentCheck(const LaunchCall &launch) : launch(launch) {}

  std::vector<std::string> differences;

  void expect(const std::string &name, int64_t wanted) {
    std::optional<int64_t> given = launch.call.given(name);
    if (given && *given != wanted)
      differences.push_back(
          formatv("expected the launch for {0} with {1} = {2}, but got {3}",
                  launch.record.record->place, name, wanted, *given));
  }

private:
  const LaunchCall &launch;
};
} // namespace

/// The letter of the dimension that steps from line to line of a, b or c.
static char lineOf(const Problem &problem, StringRef name) {
  if (name == "a")
    return problem.isIndexed ? 'r' : problem.a.order == Order::row ? 'm' : 'k';
  if (name == "b")
    return problem.b.order == Order::row ? 'k' : 'n';
  return 'm';
}

/// The result must not overlap the inputs. An operand of the epilogue may be
/// the same elements: each is read before it is written.
static void checkOverlaps(const LaunchedRecord &launched,
                          std::vector<std::string> &differences) {
  constexpr size_t kC = 2;
  for (size_t i = 0; i < launched.operands.size(); ++i) {
    bool mayBeSame =
        i > kC && launched.operands[i].isSame(launched.operands[kC]);
    if (i != kC && !mayBeSame && launched.overlap(i, kC))
      differences.push_back(
          formatv("the result of {0} overlaps its operand '{1}'",
                  launched.record->place, launched.record->operands[i].name));
  }
}

std::vector<std::string> emulate::differences(const LaunchCall &launch,
                                              const Execution &run) {
  ArgumentCheck check(launch);
  for (char letter : {'m', 'n', 'k'})
    check.expect(std::string(1, letter), run.extents.at(letter));
  check.expect("heads", run.extents.at('h'));
  check.expect("batch", run.extents.at('b') * run.extents.at('h'));
  check.expect("groups", run.extents.at('b'));
  check.expect("segments", run.segments.value_or(0));
  check.expect("index", run.index.value_or(0));
  if (run.index)
    check.expect("ma", run.extents.at('r'));
  // The stride along an extent of 1 does not matter.
  auto stride = [&](const OperandPlace &place, std::string name, char letter) {
    if (run.extents.at(letter) > 1)
      check.expect(name, place.strideOf(letter));
  };
  for (const OperandPlace &place : run.operands) {
    check.expect(place.name, place.address);
    if (place.name[0] == 'e') {
      for (char letter : place.letters)
        stride(place, place.name + letter, letter);
      continue;
    }
    // The numbers of windows are another image's, perhaps; the result shows
    // whether they are right.
    if (place.name == "a" && run.window)
      continue;
    stride(place, "ld" + place.name, lineOf(run.subject.problem, place.name));
    stride(place, "s" + place.name, 'b');
    stride(place, "h" + place.name, 'h');
  }
  checkOverlaps(launch.record, check.differences);
  return check.differences;
}

std::vector<std::string> emulate::differencesOfRest(const LaunchCall &launch) {
  ArgumentCheck check(launch);
  const LaunchedRecord &launched = launch.record;
  for (auto [known, operand] :
       llvm::zip_equal(launched.record->operands, launched.operands)) {
    check.expect(known.name, operand.address);
    for (size_t dim = 0; dim < operand.sizes.size(); ++dim) {
      check.expect(known.name + "d" + std::to_string(dim), operand.sizes[dim]);
      if (operand.sizes[dim] > 1)
        check.expect(known.name + "s" + std::to_string(dim),
                     operand.strides[dim]);
    }
  }
  return check.differences;
}
