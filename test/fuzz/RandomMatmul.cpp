//===- RandomMatmul.cpp - Legal (problem, schedule, arch) triples ---------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The draws are a superset of real programs: extents of one, strides that prove
// odd alignments, unused epilogue operands. Schedules are drawn until `check`
// accepts one.
//
//===----------------------------------------------------------------------===//

#include "RandomMatmul.h"
#include "hone/Schedule/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace hone;
using namespace hone::fuzz;

std::string RandomMatmul::selectOptions() const {
  std::string text = "arch=" + arch;
  if (!schedule.empty())
    text += " schedule='" + schedule + "'";
  return text;
}

//===----------------------------------------------------------------------===//
// Memrefs
//===----------------------------------------------------------------------===//

static std::string numberOrUnknown(int64_t number) {
  return number == kDynamic ? "?" : std::to_string(number);
}

static std::string memref(llvm::ArrayRef<int64_t> shape, ElementType type,
                          const std::string &layout) {
  std::string text = "memref<";
  for (int64_t extent : shape)
    text += numberOrUnknown(extent) + "x";
  return text + toString(type).str() + (layout.empty() ? "" : ", " + layout) +
         ">";
}

static std::string strided(llvm::ArrayRef<int64_t> strides, int64_t offset) {
  std::string text = "strided<[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(strides, os,
                        [&](int64_t stride) { os << numberOrUnknown(stride); });
  os << "]";
  if (offset != 0)
    os << ", offset: " << numberOrUnknown(offset);
  os << ">";
  return text;
}

namespace {

/// Writes one matmul.
class MatmulWriter {
public:
  explicit MatmulWriter(Random &random) : random(random) {}

  RandomMatmul write() {
    drawArch();
    drawProblem();
    RandomMatmul result;
    result.arch = arch.name;
    std::string a = writeInput("a", problem.a, "m", "k");
    std::string b = writeInput("b", problem.b, "k", "n");
    std::string c = writeResult();
    std::string epilogue = random.chance(60) ? writeEpilogue() : "";
    std::string attributes;
    std::string schedule = drawSchedule();
    // The schedule is an attribute, the default (seldom: those kernels are
    // large), or an option.
    int64_t how = random.below(25);
    if (how < 3)
      attributes = " arch(#hone.arch<" + arch.name +
                   ">) schedule(#hone.schedule<" + schedule + ">)";
    else if (how > 3)
      result.schedule = schedule;
    result.module = "func.func @matmul(" + llvm::join(parameters, ", ") +
                    ") {\n" + "  hone.matmul ins(" + prefixA + "%a, " +
                    prefixB + "%b : " + a + ", " + b + ") outs(%c : " + c +
                    ") init(" + (problem.init == Init::read ? "read" : "zero") +
                    ") acc(f32)" + epilogue + attributes + "\n  return\n}\n";
    return result;
  }

private:
  //===--------------------------------------------------------------------===//
  // Operands
  //===--------------------------------------------------------------------===//

  void drawArch() {
    llvm::StringRef name =
        random.chance(8) ? "host" : random.pickFrom(Arch::names());
    arch = llvm::cantFail(Arch::lookup(name));
  }

  /// At most one extent is enormous, because a product of two has no memref.
  int64_t drawExtent() {
    if (random.chance(30))
      return kDynamic;
    if (!enormous && random.chance(2)) {
      enormous = true;
      return random.pick<int64_t>({INT32_MAX, INT32_MAX - 7, 1 << 30});
    }
    return random.pick<int64_t>({1,   2,   3,   5,   7,    8,    12,  16,  17,
                                 31,  32,  33,  48,  64,   100,  127, 128, 129,
                                 200, 256, 384, 511, 1000, 1024, 4096});
  }

  ElementType drawType() {
    return random.pick({ElementType::f16, ElementType::bf16, ElementType::f32});
  }

  void drawProblem() {
    problem.m = drawExtent();
    problem.n = drawExtent();
    problem.k = drawExtent();
    if (random.chance(35))
      problem.batch = random.chance(30) ? kDynamic : 1 + random.below(20);
    problem.a.type = arch.isHost()
                         ? drawType()
                         : random.pick({ElementType::f16, ElementType::bf16});
    problem.b.type = problem.a.type;
    problem.c = drawType();
    problem.init = random.pick({Init::zero, Init::read});
    if (problem.batch && random.chance(30))
      (random.chance(50) ? problem.a : problem.b).shared = true;
  }

  int64_t extentOf(char letter) const {
    switch (letter) {
    case 'b':
      return *problem.batch;
    case 'm':
      return problem.m;
    case 'n':
      return problem.n;
    default:
      return problem.k;
    }
  }

  //===--------------------------------------------------------------------===//
  // Layout in memory
  //===--------------------------------------------------------------------===//

  /// Distance of lines of `width` elements: dense, padded to an odd or even
  /// number, or unknown.
  int64_t drawStride(int64_t width) {
    int64_t min = width == kDynamic ? 4096 : width;
    return random.pick<int64_t>({kDynamic, min, min + 1, min + 2, min + 4,
                                 (min + 7) / 8 * 8, (min + 31) / 32 * 32});
  }

  int64_t drawOffset() {
    return random.pick<int64_t>({0, 0, kDynamic, 1, 6, 8, 64});
  }

  /// The layout of [batch x] outer x inner, of which `inner`, or `outer` if
  /// swapped, is contiguous.
  std::string drawLayout(bool batched, int64_t outer, int64_t inner,
                         bool swapped) {
    if (!swapped && random.chance(50))
      return "";
    int64_t stride = drawStride(swapped ? outer : inner);
    llvm::SmallVector<int64_t> strides;
    if (batched)
      strides.push_back(random.pick<int64_t>(
          {kDynamic, 1 << 20, (1 << 20) + 3, (1 << 20) + 4}));
    strides.push_back(swapped ? 1 : stride);
    strides.push_back(swapped ? stride : 1);
    return strided(strides, drawOffset());
  }

  /// Draws the layout of A or B and returns its type; records the order.
  std::string writeInput(const char *name, Operand &operand, const char *outer,
                         const char *inner) {
    bool isCol = random.chance(50), swapped = random.chance(15);
    if (isCol)
      std::swap(outer, inner);
    (name[0] == 'a' ? prefixA : prefixB) = isCol ? "col " : "";
    operand.order = isCol != swapped ? Order::col : Order::row;
    bool batched = problem.batch && !operand.shared;
    llvm::SmallVector<int64_t> shape;
    if (batched)
      shape.push_back(*problem.batch);
    shape.append({extentOf(*outer), extentOf(*inner)});
    std::string type = memref(
        shape, operand.type,
        drawLayout(batched, extentOf(*outer), extentOf(*inner), swapped));
    parameters.push_back(std::string("%") + name + ": " + type);
    return type;
  }

  std::string writeResult() {
    llvm::SmallVector<int64_t> shape;
    if (problem.batch)
      shape.push_back(*problem.batch);
    shape.append({problem.m, problem.n});
    std::string type = memref(shape, problem.c,
                              drawLayout(problem.batch.has_value(), problem.m,
                                         problem.n, /*swapped=*/false));
    parameters.push_back("%c: " + type);
    return type;
  }

  //===--------------------------------------------------------------------===//
  // The epilogue
  //===--------------------------------------------------------------------===//

  struct Value {
    std::string name;
    ElementType type;
  };

  /// ` epilogue(%e0[n] : type) { ... }`
  std::string writeEpilogue() {
    std::string operands, types, arguments = "%sum: f32";
    values = {{"%sum", ElementType::f32}};
    int64_t count = random.below(4);
    for (int64_t i = 0; i < count; ++i) {
      std::string name = "%e" + std::to_string(i),
                  argument = "%v" + std::to_string(i);
      ElementType type = drawType();
      std::string dims = drawDims();
      llvm::SmallVector<int64_t> shape;
      llvm::SmallVector<llvm::StringRef> letters;
      for (size_t d = 0; d < dims.size(); ++d) {
        shape.push_back(extentOf(dims[d]));
        letters.push_back(llvm::StringRef(dims).substr(d, 1));
      }
      std::string layout;
      if (!dims.empty() && random.chance(30))
        layout = strided(llvm::SmallVector<int64_t>(dims.size(), kDynamic),
                         drawOffset());
      std::string memrefType = memref(shape, type, layout);
      parameters.push_back(name + ": " + memrefType);
      operands +=
          (i ? ", " : "") + name + "[" + llvm::join(letters, ", ") + "]";
      types += (i ? ", " : "") + memrefType;
      arguments += ", " + argument + ": " + toString(type).str();
      values.push_back({argument, type});
    }
    body.clear();
    for (int64_t step = random.below(6); step > 0; --step)
      writeStep();
    std::string result = convert(values.back(), problem.c);
    return " epilogue" +
           (count ? "(" + operands + " : " + types + ")" : std::string()) +
           " {\n  ^bb0(" + arguments + "):\n" + body + "    hone.yield " +
           result + " : " + toString(problem.c).str() + "\n  }";
  }

  /// Some of b, m and n, in any order.
  std::string drawDims() {
    std::string dims;
    for (char letter : llvm::StringRef(problem.batch ? "bmn" : "mn"))
      if (random.chance(50))
        dims.insert(random.below(dims.size() + 1), 1, letter);
    return dims;
  }

  std::string define(const std::string &text, ElementType type) {
    std::string name = "%" + std::to_string(next++);
    body += "    " + name + " = " + text + "\n";
    values.push_back({name, type});
    return name;
  }

  /// `value` in `type`; through f32 where neither holds the other.
  std::string convert(Value value, ElementType type) {
    if (value.type == type)
      return value.name;
    auto cast = [&](const char *op, ElementType to) {
      value = {define(std::string(op) + " " + value.name + " : " +
                          toString(value.type).str() + " to " +
                          toString(to).str(),
                      to),
               to};
    };
    if (value.type != ElementType::f32)
      cast("arith.extf", ElementType::f32);
    if (type != ElementType::f32)
      cast("arith.truncf", type);
    return value.name;
  }

  std::string drawValue(ElementType type) {
    if (random.chance(25))
      return define(
          "arith.constant " +
              std::string(random.pick(
                  {"0.0", "1.0", "-0.5", "0.044715", "1.0e+04", "-1.0e-03"})) +
              " : " + toString(type).str(),
          type);
    // Mostly the newest value, so that steps depend on each other.
    return convert(random.chance(60) ? values.back() : random.pickFrom(values),
                   type);
  }

  void writeStep() {
    ElementType type = random.chance(70) ? ElementType::f32 : drawType();
    std::string suffix = " : " + toString(type).str();
    auto op = [&](const char *name, int64_t operands) {
      std::string text = std::string(name) + " ";
      for (int64_t i = 0; i < operands; ++i)
        text += (i ? ", " : "") + drawValue(type);
      define(text + suffix, type);
    };
    int64_t kind = random.below(10);
    if (kind < 4) {
      op(random.pick({"math.exp", "math.exp2", "math.log", "math.log2",
                      "math.tanh", "math.erf", "math.rsqrt", "math.sqrt",
                      "math.absf", "arith.negf"}),
         1);
    } else if (kind < 8) {
      op(random.pick({"arith.addf", "arith.subf", "arith.mulf", "arith.divf",
                      "arith.maximumf", "arith.minimumf", "arith.maxnumf",
                      "arith.minnumf", "math.copysign"}),
         2);
    } else if (kind == 8) {
      op("math.fma", 3);
    } else {
      std::string left = drawValue(type), right = drawValue(type);
      std::string bit = "%" + std::to_string(next++);
      body += "    " + bit + " = arith.cmpf " +
              random.pick({"ogt", "olt", "oeq", "une", "ord", "uno", "ule"}) +
              ", " + left + ", " + right + suffix + "\n";
      define("arith.select " + bit + ", " + left + ", " + right + suffix, type);
    }
  }

  //===--------------------------------------------------------------------===//
  // The schedule
  //===--------------------------------------------------------------------===//

  /// With an extent of one, both strides of a matrix may count as contiguous,
  /// and the schedule must be legal for either order.
  bool isLegal(const Schedule &schedule) const {
    bool ambiguous = problem.m == 1 || problem.n == 1 || problem.k == 1;
    if (check(schedule, &problem, &arch))
      return false;
    if (!ambiguous)
      return true;
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

  std::string drawSchedule() {
    while (true) {
      Schedule schedule = drawKind();
      // Most draws are illegal, which costs little.
      if (isLegal(schedule) && isCheap(schedule))
        return toString(schedule);
    }
  }

  /// The time to compile a kernel grows with the work of a thread: kernels with
  /// more work are drawn less often.
  bool isCheap(const Schedule &schedule) {
    constexpr int64_t kCheap = 16;
    BlockFacts facts = blockFacts(problem, schedule);
    if (facts.multiplier != Multiplier::warps)
      return true;
    int64_t sums = facts.tile[0] * facts.tile[1] / facts.threads;
    return random.below(std::max<int64_t>(sums, 1)) < kCheap;
  }

  /// Any decisions of any kind that runs on the arch; smaller numbers are more
  /// likely than large ones.
  Schedule drawKind() {
    llvm::SmallVector<const Kind *> kinds;
    for (const Kind *kind : allKinds())
      if (!kind->refuseArch(arch) && !kind->refuseTypes(problem))
        kinds.push_back(kind);
    const Kind &kind = *kinds[random.below(kinds.size())];
    Schedule schedule(kind);
    llvm::MutableArrayRef<int64_t> rest = schedule.numbers();
    for (const Decision &decision : kind.decisions)
      for (const Choice &choice :
           llvm::ArrayRef(decision.choices).take_front(decision.size())) {
        int64_t end = 1 + random.below(choice.count());
        if (random.chance(50))
          end = std::min<int64_t>(end, 16);
        rest.consume_front() = choice.at(random.below(end));
      }
    // Decisions without effect keep their usual value.
    for (const Decision &decision : kind.decisions)
      if (decision.matters && !decision.matters(schedule))
        llvm::cantFail(schedule.decide(
            decision.name, std::to_string(decision.choices[0].usual)));
    return schedule;
  }

  Random &random;
  Arch arch;
  Problem problem;
  bool enormous = false;
  std::string prefixA, prefixB, body;
  std::vector<std::string> parameters;
  std::vector<Value> values;
  int64_t next = 0;
};

} // namespace

RandomMatmul hone::fuzz::drawMatmul(Random &random) {
  return MatmulWriter(random).write();
}
