//===- EpilogueFunction.cpp - Ops and canonical text of an epilogue -------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops, types and printing. EpilogueParser.cpp has the parser.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/EpilogueFunction.h"
#include "hone/Arithmetic/ScalarOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

using namespace hone;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

llvm::ArrayRef<const ScalarOp *> hone::epilogueOps() {
  static const std::vector<const ScalarOp *> ops = [] {
    std::vector<const ScalarOp *> found;
    for (const ScalarOp &op : scalarOps())
      if (op.is(ScalarOp::ofEpilogues))
        found.push_back(&op);
    llvm::sort(found, [](const ScalarOp *one, const ScalarOp *other) {
      return one->shortName() < other->shortName();
    });
    return found;
  }();
  return ops;
}

const ScalarOp *hone::findEpilogueOp(StringRef name) {
  auto found = llvm::lower_bound(epilogueOps(), name,
                                 [](const ScalarOp *op, StringRef name) {
                                   return op->shortName() < name;
                                 });
  bool isIt = found != epilogueOps().end() && (*found)->shortName() == name;
  return isIt ? *found : nullptr;
}

const llvm::fltSemantics &hone::semanticsOf(ElementType type) {
  switch (type) {
  case ElementType::f16:
    return llvm::APFloat::IEEEhalf();
  case ElementType::bf16:
    return llvm::APFloat::BFloat();
  case ElementType::f32:
    return llvm::APFloat::IEEEsingle();
  case ElementType::e4m3:
    return llvm::APFloat::Float8E4M3FN();
  case ElementType::e5m2:
    return llvm::APFloat::Float8E5M2();
  case ElementType::i8:
  case ElementType::i32:
    break;
  }
  llvm_unreachable("element type without a format");
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static constexpr StringRef kTruth = "i1", kWide = "i64";

EpilogueType EpilogueType::wide() {
  EpilogueType type;
  type.isWide = true;
  return type;
}

std::optional<EpilogueType> EpilogueType::parse(StringRef text) {
  if (text == kTruth)
    return EpilogueType();
  if (text == kWide)
    return wide();
  std::optional<ElementType> element = parseElementType(text);
  if (!element || !isResult(*element))
    return std::nullopt;
  return EpilogueType(*element);
}

StringRef EpilogueType::name() const {
  return element ? toString(*element) : isWide ? kWide : kTruth;
}

bool EpilogueType::isInteger() const {
  return isWide || (element && hone::isInteger(*element));
}

int64_t EpilogueType::bytes() const {
  return element ? sizeOf(*element) : isWide ? sizeof(int64_t) : 1;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

size_t EpilogueFunction::add(EpilogueValue value) {
  values.push_back(std::move(value));
  return values.size() - 1;
}

void EpilogueFunction::setResult(size_t place) {
  const EpilogueValue &value = values[place];
  bool isRounded = value.op && value.op->form == ScalarOp::narrowing &&
                   !value.op->ofIntegers && value.mode.empty();
  last = isRounded ? value.arguments.front() : place;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string textOf(const EpilogueValue &constant) {
  const EpilogueType &type = constant.type;
  if (type.isTruth())
    return constant.bits ? "true" : "false";
  std::string after = (":" + type.name()).str();
  if (type.isInteger())
    return std::to_string(llvm::SignExtend64(constant.bits, 8 * type.bytes())) +
           after;
  llvm::APFloat number(semanticsOf(*type.element),
                       llvm::APInt(8 * type.bytes(), constant.bits));
  llvm::SmallString<16> text;
  if (number.isFinite())
    number.toString(text); // shortest text that reads back as the same number
  else
    text = "0x" + llvm::utohexstr(constant.bits);
  return (text + after).str();
}

namespace {
/// Names values, and collects the text of steps in their order.
class Printer {
public:
  explicit Printer(const EpilogueFunction &function)
      : function(function), names(function.values.size()) {}

  std::string print() {
    visit(function.result());
    std::string last = nameOf(function.result());
    if (steps.empty())
      return last == "acc" ? "" : last;
    // The result is the last step, unless the text names another one.
    std::string text = llvm::join(steps, " | ");
    if (last != "$" + std::to_string(steps.size() - 1))
      text += " | " + last;
    return text;
  }

  llvm::SmallVector<size_t> operands; ///< numbers, in the order of their use

private:
  /// Writes the steps that lead to `last`, each after its arguments. It uses an
  /// explicit stack, because the length of an epilogue has no limit.
  void visit(size_t last) {
    llvm::SmallVector<size_t> open = {last};
    std::vector<bool> begun(function.values.size());
    while (!open.empty()) {
      size_t place = open.back();
      const EpilogueValue &value = function.values[place];
      if (value.kind == EpilogueValue::step && !begun[place]) {
        begun[place] = true;
        for (size_t argument : llvm::reverse(value.arguments))
          if (!begun[argument])
            open.push_back(argument);
        continue;
      }
      open.pop_back();
      if (value.kind == EpilogueValue::step && names[place].empty())
        names[place] = addStep(value);
    }
  }

  const std::string &nameOf(size_t place) {
    std::string &name = names[place];
    const EpilogueValue &value = function.values[place];
    if (!name.empty())
      return name;
    if (value.kind == EpilogueValue::sum)
      return name = "acc";
    if (value.kind == EpilogueValue::constant)
      return name = textOf(value);
    std::string kind = (value.dims.empty() ? "scalar" : value.dims) + ":" +
                       value.type.name().str();
    llvm::DenseMap<size_t, size_t> &used = numbers[kind];
    auto [entry, isNew] = used.try_emplace(value.number, used.size() + 1);
    if (isNew)
      operands.push_back(value.number);
    size_t number = entry->second;
    return name = number == 1 ? kind : kind + "@" + std::to_string(number);
  }

  /// Adds the step, or finds an equal one.
  std::string addStep(const EpilogueValue &step) {
    std::string text = step.op->shortName().str();
    bool hasBoth = !step.mode.empty() && !step.flags.empty();
    if (!step.mode.empty() || !step.flags.empty())
      text += "<" + step.mode + (hasBoth ? " " : "") + step.flags + ">";
    text +=
        "(" +
        llvm::join(llvm::map_range(step.arguments,
                                   [&](size_t place) { return nameOf(place); }),
                   ", ") +
        ")";
    if (step.op->converts())
      text += (":" + step.type.name()).str();
    auto [entry, isNew] = places.try_emplace(text, steps.size());
    if (isNew)
      steps.push_back(text);
    return "$" + std::to_string(entry->second);
  }

  const EpilogueFunction &function;
  std::vector<std::string>
      names; ///< of values, by index; empty: not needed yet
  std::vector<std::string> steps;
  llvm::StringMap<size_t> places; ///< indices of steps
  /// The numbers of operands in the text, for each kind of operand.
  llvm::StringMap<llvm::DenseMap<size_t, size_t>> numbers;
};
} // namespace

std::string EpilogueFunction::str() const {
  return values.empty() ? "" : Printer(*this).print();
}

llvm::SmallVector<size_t> EpilogueFunction::operandsByUse() const {
  if (values.empty())
    return {};
  Printer printer(*this);
  printer.print();
  return printer.operands;
}
