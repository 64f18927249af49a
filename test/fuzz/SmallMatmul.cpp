//===- SmallMatmul.cpp - Matmuls with extents of 0, 1 and 2 ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SmallMatmul.h. Types, archs and kinds come from their tables.
//
//===----------------------------------------------------------------------===//

#include "SmallMatmul.h"
#include "hone/Schedule/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace hone;
using namespace hone::fuzz;

std::string SmallMatmul::pipeline() const {
  std::string options = "arch=" + arch;
  if (!guesses)
    options += " guess=false";
  if (!schedule.empty())
    options += " schedule='" + schedule + "'";
  return "builtin.module(hone-select-schedule{" + options +
         "},hone-build-kernel)";
}

/// Only extents that are unknown until the call may be 0.
static int64_t drawSmall(Random &random, bool isKnown) {
  return isKnown ? 1 + random.below(2) : random.below(3);
}

static int64_t drawLarge(Random &random) {
  return random.pick<int64_t>(
      {1, 3, 5, 7, 8, 13, 16, 31, 64, 100, 127, 257, 768, 1001, 4096});
}

Extents SmallMatmul::drawExtents(Random &random) const {
  Extents extents = {sizes, dims};
  for (auto &[letter, size] : extents.sizes)
    if (size == kDynamic)
      size = random.chance(50) ? drawSmall(random, /*isKnown=*/false)
                               : drawLarge(random);
  return extents;
}

namespace {

class Writer {
public:
  explicit Writer(Random &random) : random(random) {}

  SmallMatmul write() {
    do
      drawProblem();
    while (!drawSchedule());
    std::string a = writeFactor("a", problem.a, "m", "k");
    std::string b = writeFactor("b", problem.b, "k", "n");
    std::string c = writeMemref("c", batches() + "mn", problem.c);
    std::string epilogue = random.chance(30) ? writeResidual() : "";
    std::string acc = toString(problem.acc).str();
    if (problem.products != Products::exact)
      acc += ") products(" + toString(problem.products).str();
    result.module = "func.func @matmul(" + llvm::join(parameters, ", ") +
                    ") {\n  hone.matmul ins(" + a + ", " + b + " : " +
                    types[0] + ", " + types[1] + ") outs(" + c + " : " +
                    types[2] + ") init(" +
                    (problem.init == Init::read ? "read" : "zero") + ") acc(" +
                    acc + ")" + epilogue + "\n  return\n}\n";
    return result;
  }

private:
  std::string batches() const { return problem.batch ? "b" : ""; }

  int64_t &sizeOf(char letter) { return result.sizes[letter]; }

  void drawProblem() {
    result = {};
    problem = {};
    do
      arch = llvm::cantFail(Arch::lookup(random.pickFrom(Arch::names())));
    while (arch.isHost());
    result.arch = arch.name;
    std::string letters = random.chance(30) ? "bmnk" : "mnk";
    for (char letter : letters)
      sizeOf(letter) = random.chance(25) ? kDynamic : drawLarge(random);
    // One extent is small; it may be known or unknown.
    char small = random.pickFrom(letters);
    sizeOf(small) =
        random.chance(25) ? kDynamic : drawSmall(random, /*isKnown=*/true);
    problem.m = sizeOf('m'), problem.n = sizeOf('n'), problem.k = sizeOf('k');
    if (letters.front() == 'b')
      problem.batch = sizeOf('b');
    drawTypes();
    problem.init = random.pick({Init::zero, Init::read});
  }

  void drawTypes() {
    const ElementType all[] = {ElementType::f16,  ElementType::bf16,
                               ElementType::f32,  ElementType::e4m3,
                               ElementType::e5m2, ElementType::i8,
                               ElementType::i32};
    do {
      problem.a.type = random.pickFrom(llvm::ArrayRef(all));
      problem.b.type = random.pickFrom(llvm::ArrayRef(all));
      problem.c = random.pickFrom(llvm::ArrayRef(all));
    } while (!isFactor(problem.a.type) || !isFactor(problem.b.type) ||
             !isResult(problem.c) ||
             !areMultiplied(problem.a.type, problem.b.type) ||
             isInteger(problem.a.type) != isInteger(problem.c));
    problem.acc = accumulatorOf(problem.a.type);
    if (auto permitted = permissionsOf(problem.a.type);
        !permitted.empty() && random.chance(60))
      problem.products = random.pickFrom(permitted);
  }

  /// The default, any schedule of any kind, or a build's own choice, which
  /// takes seconds where extents are open. False if there is no default.
  bool drawSchedule() {
    for (auto [letter, extent] :
         {std::pair('m', &problem.m), {'n', &problem.n}, {'k', &problem.k}})
      if (sizeOf(letter) == 0)
        *extent = 1;
    for (Operand *operand : {&problem.a, &problem.b})
      operand->order = random.pick({Order::row, Order::col});
    if (!isLegal(defaultSchedule(problem, arch)))
      return false;
    result.guesses = random.chance(6);
    if (result.guesses || random.chance(45))
      return true;
    llvm::SmallVector<const Kind *> kinds;
    for (const Kind *kind : allKinds())
      if (!kind->refuseArch(arch) && !kind->refuseTypes(problem))
        kinds.push_back(kind);
    for (int64_t trial = 0; trial < 200 && !kinds.empty(); ++trial) {
      Schedule schedule = drawOf(*random.pickFrom(kinds));
      if (isLegal(schedule)) {
        result.schedule = toString(schedule);
        return true;
      }
    }
    return true;
  }

  /// With an extent of one, either order is legal.
  bool isLegal(const Schedule &schedule) const {
    Problem other = problem;
    for (Order a : {Order::row, Order::col})
      for (Order b : {Order::row, Order::col}) {
        other.a.order = a;
        other.b.order = b;
        if (check(schedule, &other, &arch))
          return false;
      }
    return true;
  }

  Schedule drawOf(const Kind &kind) {
    Schedule schedule(kind);
    llvm::MutableArrayRef<int64_t> rest = schedule.numbers();
    for (const Decision &decision : kind.decisions)
      for (const Choice &choice :
           llvm::ArrayRef(decision.choices).take_front(decision.size())) {
        int64_t end = std::min<int64_t>(choice.count(), 8);
        int64_t at = random.below(end);
        rest.consume_front() = choice.at(at);
      }
    for (const Decision &decision : kind.decisions)
      if (decision.matters && !decision.matters(schedule))
        llvm::cantFail(schedule.decide(
            decision.name, std::to_string(decision.choices[0].usual)));
    return schedule;
  }

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  static std::string numberOrUnknown(int64_t number) {
    return number == kDynamic ? "?" : std::to_string(number);
  }

  /// Strides that leave gaps, some of them unknown; "" for none.
  std::string drawLayout(const std::string &letters) {
    if (random.chance(60))
      return "";
    std::string strides;
    int64_t reached = 1;
    for (size_t dim = letters.size(); dim-- > 0;) {
      int64_t stride = dim + 1 == letters.size() ? 1
                       : random.chance(30)       ? kDynamic
                                                 : reached;
      strides =
          numberOrUnknown(stride) + (strides.empty() ? "" : ", ") + strides;
      int64_t size = std::max<int64_t>(sizeOf(letters[dim]), 1);
      if (sizeOf(letters[dim]) == kDynamic)
        size = 4096;
      reached *= size;
      reached += random.pick<int64_t>({0, 0, 1, 2, 8});
    }
    std::string offset = random.pick({"0", "0", "?", "3", "16"});
    return ", strided<[" + strides + "]" +
           (offset == "0" ? "" : ", offset: " + offset) + ">";
  }

  std::string writeMemref(const std::string &name, const std::string &letters,
                          ElementType type) {
    std::string text = "memref<";
    for (char letter : letters)
      text += numberOrUnknown(sizeOf(letter)) + "x";
    text += toString(type).str() + drawLayout(letters) + ">";
    parameters.push_back("%" + name + ": " + text);
    types.push_back(text);
    result.dims.push_back(letters);
    return "%" + name;
  }

  std::string writeFactor(const std::string &name, const Operand &operand,
                          const char *outer, const char *inner) {
    bool isCol = operand.order == Order::col;
    if (isCol)
      std::swap(outer, inner);
    return (isCol ? "col " : "") +
           writeMemref(name, batches() + outer + inner, operand.type);
  }

  /// Adds a matrix like C.
  std::string writeResidual() {
    std::string letters = batches() + "mn", dims;
    for (char letter : letters)
      dims += (dims.empty() ? "" : ", ") + std::string(1, letter);
    std::string name = writeMemref("e", letters, problem.c);
    std::string sum = toString(problem.acc).str(),
                c = toString(problem.c).str();
    std::string kind = isInteger(problem.acc) ? "i" : "f", value = "%sum";
    std::string body;
    if (sum != c) {
      body += "    %short = arith.trunc" + kind + " %sum : " + sum + " to " +
              c + "\n";
      value = "%short";
    }
    return " epilogue(" + name + "[" + dims + "] : " + types.back() +
           ") {\n  ^bb0(%sum: " + sum + ", %old: " + c + "):\n" + body +
           "    %new = arith.add" + kind + " " + value + ", %old : " + c +
           "\n    hone.yield %new : " + c + "\n  }";
  }

  Random &random;
  Arch arch;
  Problem problem;
  SmallMatmul result;
  std::vector<std::string> parameters, types;
};

} // namespace

SmallMatmul hone::fuzz::drawSmallMatmul(Random &random) {
  return Writer(random).write();
}
