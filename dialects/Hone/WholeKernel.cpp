//===- WholeKernel.cpp - Text of a hand-written kernel --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line of the text is a line of the file, so that such files can be compared
// and merged like source.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hone;

/// `"name" = ["line", "line", ...]`
ParseResult WholeKernelOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr id;
  if (parser.parseAttribute(id, getIdAttrName(state.name), state.attributes) ||
      parser.parseEqual())
    return failure();
  SmallVector<Attribute> read;
  auto parseLine = [&]() -> ParseResult {
    std::string line;
    if (parser.parseString(&line))
      return failure();
    read.push_back(parser.getBuilder().getStringAttr(line));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseLine))
    return failure();
  state.addAttribute(getLinesAttrName(state.name),
                     parser.getBuilder().getArrayAttr(read));
  return parser.parseOptionalAttrDict(state.attributes);
}

void WholeKernelOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printer.printString(getId());
  printer << " = [";
  printer.increaseIndent();
  llvm::interleave(
      getLines().getAsValueRange<StringAttr>(),
      [&](StringRef line) {
        printer.printNewline();
        printer.printString(line);
      },
      [&] { printer << ","; });
  printer.decreaseIndent();
  printer << "]";
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getIdAttrName(), getLinesAttrName()});
}

void WholeKernelOp::build(OpBuilder &builder, OperationState &state,
                          const WholeKernel &kernel) {
  SmallVector<StringRef> lines;
  StringRef(kernel.text).split(lines, '\n');
  state.addAttribute(getIdAttrName(state.name),
                     builder.getStringAttr(kernel.name));
  state.addAttribute(getLinesAttrName(state.name),
                     builder.getStrArrayAttr(lines));
}

WholeKernel WholeKernelOp::getKernel() {
  auto lines = llvm::map_range(getLines().getAsValueRange<StringAttr>(),
                               [](StringRef line) { return line.str(); });
  return {getId().str(), llvm::join(lines, "\n")};
}

LogicalResult WholeKernelOp::verify() {
  if (std::optional<std::string> fault = faultOf(getKernel()))
    return emitOpError() << *fault;
  return success();
}
