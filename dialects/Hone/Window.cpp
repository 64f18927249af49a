//===- Window.cpp - Windows of an image that a matmul reads ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `#hone.window<3x3, step 2x2, low 1x1, high 1x1>`: its text, which also stands
// after the A of a matmul, and its numbers.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Keywords.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace hone;

static constexpr StringLiteral kStep = "step", kDilation = "dilation",
                               kLow = "low", kHigh = "high";

/// `3x3`
static ParseResult parseNumbers(AsmParser &parser,
                                SmallVectorImpl<int64_t> &numbers) {
  numbers.clear();
  return parser.parseDimensionList(numbers, /*allowDynamic=*/false,
                                   /*withTrailingX=*/false);
}

WindowAttr hone::parseWindow(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> size;
  if (parseNumbers(parser, size))
    return {};
  SmallVector<int64_t> step(size.size(), 1), dilation(size.size(), 1),
      low(size.size(), 0), high(size.size(), 0);
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc nameLoc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return {};
    SmallVector<int64_t> *numbers = name == kStep       ? &step
                                    : name == kDilation ? &dilation
                                    : name == kLow      ? &low
                                    : name == kHigh     ? &high
                                                        : nullptr;
    if (!numbers) {
      parser.emitError(nameLoc,
                       "expected step, dilation, low or high, but got '")
          << name << "'";
      return {};
    }
    if (parseNumbers(parser, *numbers))
      return {};
  }
  auto numbers = [](ArrayRef<int64_t> list) { return list; };
  return WindowAttr::getChecked(
      [&] { return parser.emitError(loc); }, parser.getContext(), numbers(size),
      numbers(step), numbers(dilation), numbers(low), numbers(high));
}

void hone::printWindow(AsmPrinter &printer, WindowAttr window) {
  llvm::interleave(window.getSize(), printer, "x");
  auto print = [&](StringRef name, ArrayRef<int64_t> numbers, int64_t usual) {
    if (llvm::all_equal(numbers) && numbers.front() == usual)
      return;
    printer << ", " << name << " ";
    llvm::interleave(numbers, printer, "x");
  };
  print(kStep, window.getStep(), 1);
  print(kDilation, window.getDilation(), 1);
  print(kLow, window.getLow(), 0);
  print(kHigh, window.getHigh(), 0);
}

Attribute WindowAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  WindowAttr window = parseWindow(parser);
  if (!window || parser.parseGreater())
    return {};
  return window;
}

void WindowAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printWindow(printer, *this);
  printer << ">";
}

LogicalResult
WindowAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   ArrayRef<int64_t> size, ArrayRef<int64_t> step,
                   ArrayRef<int64_t> dilation, ArrayRef<int64_t> low,
                   ArrayRef<int64_t> high) {
  if (size.empty() || size.size() > kMaxSides)
    return emitError() << "expected a window along 1 or " << kMaxSides
                       << " dimensions, but got " << size.size()
                       << "; use one number for each, as in 3x3";
  for (auto [name, numbers, min] : {std::tuple(StringRef("size"), size, 1),
                                    {kStep, step, 1},
                                    {kDilation, dilation, 1},
                                    {kLow, low, 0},
                                    {kHigh, high, 0}}) {
    if (numbers.size() != size.size())
      return emitError() << "expected " << name << " of a window to have "
                         << size.size() << " numbers, as its size has, but got "
                         << numbers.size();
    for (int64_t number : numbers)
      if (number < min || number > kMaxWindowNumber)
        return emitError() << "expected " << name << " of a window to be "
                           << min << " to " << kMaxWindowNumber << ", but got "
                           << number;
  }
  return success();
}

int64_t WindowAttr::countAlong(unsigned side, int64_t extent) const {
  if (ShapedType::isDynamic(extent))
    return ShapedType::kDynamic;
  int64_t room = extent + getLow()[side] + getHigh()[side] -
                 (getSize()[side] - 1) * getDilation()[side] - 1;
  return room < 0 ? 0 : room / getStep()[side] + 1;
}
