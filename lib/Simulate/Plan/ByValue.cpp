//===- ByValue.cpp - Check of a launch's operands -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ByValue.h.
//
//===----------------------------------------------------------------------===//

#include "ByValue.h"
#include "../LaunchSource.h"
#include "dialects/Hone/Hone.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Agreement
//===----------------------------------------------------------------------===//

namespace {
/// The operands of one launch.
class Operands {
public:
  Operands(kernel::LaunchOp launch, const Problem &problem) : problem(problem) {
    for (auto [name, value] : llvm::zip(
             launch.getNames().getAsValueRange<StringAttr>(), launch.getArgs()))
      sources[name] = sourceOf(value);
  }

  std::string run() {
    for (auto &[name, source] : sources)
      if (isOperand(name))
        checkOperand(name, source);
    checkWindow();
    for (StringRef name : {"m", "n", "k", "heads", "batch"})
      if (auto found = sources.find(name); found != sources.end())
        checkExtent(name, found->second);
    return fault;
  }

private:
  static bool isOperand(StringRef name) {
    unsigned number;
    return name == "a" || name == "b" || name == "c" ||
           (name.consume_front("e") && !name.getAsInteger(10, number));
  }

  void fail(std::string why) {
    if (fault.empty())
      fault = std::move(why);
  }

  /// The problem's dimension along which `name` is a distance of `operand`.
  char letterOf(StringRef name, StringRef operand) const {
    if (operand[0] == 'e')
      return name.back();
    if (name[0] == 's' || name[0] == 'h')
      return name[0] == 's' ? 'b' : 'h';
    bool isRow = operand == "c" ||
                 (operand == "a" ? problem.a : problem.b).order == Order::row;
    return operand == "b" ? (isRow ? 'k' : 'n') : isRow ? 'm' : 'k';
  }

  /// The names of its distances.
  static SmallVector<std::string> distancesOf(StringRef operand) {
    SmallVector<std::string> names;
    if (operand[0] != 'e')
      for (StringRef what : {"ld", "s", "h"})
        names.push_back((what + operand).str());
    else
      for (StringRef what : {"m", "n", "b", "h"})
        names.push_back((operand + what).str());
    return names;
  }

  void checkOperand(StringRef name, const Source &source) {
    if (source.kind == Source::unknown || source.kind == Source::constant)
      return;
    if (source.kind != Source::address)
      return fail(formatv("expected an address for '{0}', but got an extent or "
                          "a distance",
                          name));
    if (name == "a" && problem.a.access)
      return;
    for (const std::string &distance : distancesOf(name))
      if (auto found = sources.find(distance); found != sources.end())
        checkDistance(distance, found->second, name, source.memref);
  }

  int64_t constantOf(StringRef name) const {
    auto found = sources.find(name);
    return found != sources.end() && found->second.kind == Source::constant
               ? found->second.number
               : kDynamic;
  }

  /// The windows must be at the places of the problem's access, perhaps with
  /// other numbers.
  void checkWindow() {
    if (!problem.a.access || !problem.a.access->window())
      return;
    Window window;
    window.images = constantOf("images");
    window.imagePitch = constantOf("sa");
    window.channels = constantOf("channels");
    for (auto [along, side] : {std::pair("h", &window.h), {"w", &window.w}}) {
      auto number = [&, along = along](StringRef name) {
        return constantOf((name + along).str());
      };
      *side = {number("in"),   /*pitch=*/0,   number("out"), number("filter"),
               number("step"), number("dil"), number("pad")};
    }
    window.h.pitch = constantOf("ha");
    window.w.pitch = constantOf("lda");
    if (OperandAccess access(window); !(access == *problem.a.access))
      fail(
          formatv("expected windows at the places of the problem's access {0}, "
                  "but got {1}",
                  problem.a.access->str(), access.str()));
    int64_t taps = window.h.size * window.w.size;
    if (int64_t got = constantOf("taps"); got != taps)
      fail(formatv("expected {0} for 'taps', of {1} by {2} taps, but got {3}",
                   taps, window.h.size, window.w.size, got));
  }

  void checkDistance(StringRef name, const Source &source, StringRef operand,
                     Value memref) {
    char letter = letterOf(name, operand);
    switch (source.kind) {
    case Source::unknown:
      return;
    case Source::address:
    case Source::extent:
      return fail(formatv(
          "expected a distance between elements for '{0}', but "
          "got {1}",
          name, source.kind == Source::address ? "an address" : "an extent"));
    case Source::distance:
      if (rootOf(source.memref) != rootOf(memref))
        return fail(formatv("expected a distance of operand '{0}' for '{1}', "
                            "but got one of another memref",
                            operand, name));
      return label(operand, source.memref, source.number, letter);
    case Source::constant:
      return checkConstantDistance(name, source.number, operand, memref,
                                   letter);
    }
  }

  /// A distance with only one step or none may be any number.
  void checkConstantDistance(StringRef name, int64_t number, StringRef operand,
                             Value memref, char letter) {
    auto type = cast<MemRefType>(memref.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (number == 0 || failed(type.getStridesAndOffset(strides, offset)) ||
        llvm::is_contained(strides, ShapedType::kDynamic) ||
        llvm::is_contained(type.getShape(), 1))
      return;
    auto found = llvm::find(strides, number);
    if (found == strides.end())
      return fail(formatv("expected a distance of {0} for '{1}', but got {2}",
                          type, name, number));
    if (llvm::count(strides, number) == 1)
      label(operand, memref, found - strides.begin(), letter);
  }

  /// Operands that have the problem's dimension `letter`.
  bool has(StringRef operand, char letter) const {
    if (operand[0] == 'e' || letter == 'b' || letter == 'h')
      return true;
    return operand == "a"   ? letter != 'n'
           : operand == "b" ? letter != 'm'
                            : letter != 'k';
  }

  void checkExtent(StringRef name, const Source &source) {
    char letter = name[0];
    if (source.kind == Source::address || source.kind == Source::distance)
      return fail(formatv("expected an extent for '{0}', but got {1}", name,
                          source.kind == Source::address
                              ? "an address"
                              : "a distance between elements"));
    if (source.kind != Source::extent)
      return;
    bool isKnown = false;
    SmallVector<StringRef> owners;
    for (auto &[operand, of] : sources)
      if (isOperand(operand) && of.kind == Source::address &&
          rootOf(of.memref) == rootOf(source.memref)) {
        isKnown = true;
        if (has(operand, letter))
          owners.push_back(operand);
      }
    if (isKnown && owners.empty())
      return fail(formatv("expected an extent of an operand along {0} for "
                          "'{0}', but got one of another operand",
                          name));
    // With inner batches, an outer one has no count of its own.
    if (isKnown && (letter != 'b' || !sources.contains("heads")))
      labelOneOf(owners, source.memref, source.number, letter);
  }

  /// Dimension `dim` of a memref is the problem's `letter` for at least one of
  /// the operands: a memref may be several of them, as in x * x.
  void labelOneOf(ArrayRef<StringRef> owners, Value memref, int64_t dim,
                  char letter) {
    std::string why;
    bool isOne = false;
    for (StringRef operand : owners) {
      std::string conflict = conflictOf(operand, memref, dim, letter);
      if (conflict.empty()) {
        isOne = true;
        labels.push_back({operand, memref, dim, letter});
      } else if (why.empty()) {
        why = conflict;
      }
    }
    if (!isOne)
      fail(why);
  }

  /// Dimension `dim` of the memref of `operand` is the problem's `letter`.
  void label(StringRef operand, Value memref, int64_t dim, char letter) {
    std::string conflict = conflictOf(operand, memref, dim, letter);
    if (!conflict.empty())
      return fail(conflict);
    labels.push_back({operand, memref, dim, letter});
  }

  /// The conflict of this label with an earlier one of the operand.
  std::string conflictOf(StringRef operand, Value memref, int64_t dim,
                         char letter) const {
    for (const Label &other : labels) {
      if (other.operand != operand || other.memref != memref)
        continue;
      if (other.dim == dim && other.letter != letter)
        return formatv("expected dimension {0} of a memref to be one "
                       "dimension of the problem, but got it for both "
                       "'{1}' and '{2}'",
                       dim, other.letter, letter);
      if (other.dim != dim && other.letter == letter && letter != 'b')
        return formatv("expected one dimension of a memref for '{0}', but "
                       "got both {1} and {2}",
                       letter, other.dim, dim);
    }
    return "";
  }

  struct Label {
    StringRef operand;
    Value memref;
    int64_t dim;
    char letter;
  };

  const Problem &problem;
  llvm::MapVector<StringRef, Source> sources;
  SmallVector<Label> labels;
  std::string fault;
};
} // namespace

std::string simulate::faultOfOperands(kernel::LaunchOp launch,
                                      const Problem &problem) {
  return Operands(launch, problem).run();
}

bool simulate::mayOverlap(kernel::LaunchOp launch) {
  Value memref;
  for (auto [name, value] : llvm::zip(
           launch.getNames().getAsValueRange<StringAttr>(), launch.getArgs()))
    if (auto cast = value.getDefiningOp<arith::IndexCastOp>();
        cast && name == "c")
      memref = addressOf(cast.getIn());
  // Any of the types along the casts may show that elements are distinct.
  while (memref) {
    if (hasDistinctElements(cast<MemRefType>(memref.getType())).value_or(false))
      return false;
    auto cast = memref.getDefiningOp<memref::CastOp>();
    if (!cast)
      return true;
    memref = cast.getSource();
  }
  return false;
}
