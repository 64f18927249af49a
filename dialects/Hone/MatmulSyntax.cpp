//===- MatmulSyntax.cpp - The text of hone.matmul -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parser and printer of the form that Hone.td documents, clause by clause in
// the order in which they stand.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace hone;

using UnresolvedOperand = OpAsmParser::UnresolvedOperand;

namespace {
/// Operands as they stand in the text, to be resolved with their types.
struct ParsedOperands {
  SmallVector<UnresolvedOperand> names;
  SmallVector<Type> types;
  SMLoc loc;
};
} // namespace

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

static MatrixOrderAttr parseOrder(OpAsmParser &parser) {
  bool isCol = succeeded(parser.parseOptionalKeyword("col"));
  return MatrixOrderAttr::get(parser.getContext(),
                              isCol ? MatrixOrder::col : MatrixOrder::row);
}

/// `ins(%a, col %b : type, type) outs(%c : type)`
static ParseResult parseMatrices(OpAsmParser &parser, OperationState &result,
                                 ParsedOperands &matrices) {
  matrices.names.resize(3);
  matrices.types.resize(3);
  auto parseMatrix = [&](unsigned index, StringAttr order) {
    result.addAttribute(order, parseOrder(parser));
    return parser.parseOperand(matrices.names[index]);
  };
  StringAttr orderA = MatmulOp::getOrderAAttrName(result.name);
  StringAttr orderB = MatmulOp::getOrderBAttrName(result.name);
  return failure(
      parser.parseKeyword("ins") || parser.parseLParen() ||
      parseMatrix(0, orderA) || parser.parseComma() || parseMatrix(1, orderB) ||
      parser.parseColonType(matrices.types[0]) || parser.parseComma() ||
      parser.parseType(matrices.types[1]) || parser.parseRParen() ||
      parser.parseKeyword("outs") || parser.parseLParen() ||
      parser.parseOperand(matrices.names[2]) ||
      parser.parseColonType(matrices.types[2]) || parser.parseRParen());
}

/// `init(zero) acc(f32)`
static ParseResult parseSum(OpAsmParser &parser, OperationState &result) {
  StringRef keyword;
  Type acc;
  if (parser.parseKeyword("init") || parser.parseLParen())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<MatmulInit> init = symbolizeMatmulInit(keyword);
  if (!init)
    return parser.emitError(loc, "expected 'zero' or 'read', but got '")
           << keyword << "'";
  result.addAttribute(MatmulOp::getInitAttrName(result.name),
                      MatmulInitAttr::get(parser.getContext(), *init));
  if (parser.parseRParen() || parser.parseKeyword("acc") ||
      parser.parseLParen() || parser.parseType(acc) || parser.parseRParen())
    return failure();
  result.addAttribute(MatmulOp::getAccAttrName(result.name),
                      TypeAttr::get(acc));
  return success();
}

/// `%bias[m, n]`; appends the dimensions as `"mn"`.
static ParseResult parseEpilogueOperand(OpAsmParser &parser,
                                        ParsedOperands &operands,
                                        SmallVectorImpl<Attribute> &dims) {
  std::string letters;
  auto parseDim = [&] {
    StringRef letter;
    if (parser.parseKeyword(&letter))
      return failure();
    letters += letter;
    return success();
  };
  if (parser.parseOperand(operands.names.emplace_back()) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim))
    return failure();
  dims.push_back(parser.getBuilder().getStringAttr(letters));
  return success();
}

/// `epilogue(%bias[n] : type) { ... }`, or `epilogue { ... }`, or nothing
static ParseResult parseEpilogue(OpAsmParser &parser, OperationState &result,
                                 ParsedOperands &operands) {
  Region *region = result.addRegion();
  if (failed(parser.parseOptionalKeyword("epilogue")))
    return success();
  SmallVector<Attribute> dims;
  operands.loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalLParen())) {
    auto parseOne = [&] {
      return parseEpilogueOperand(parser, operands, dims);
    };
    if (parser.parseCommaSeparatedList(parseOne) ||
        parser.parseColonTypeList(operands.types) || parser.parseRParen())
      return failure();
  }
  if (!dims.empty())
    result.addAttribute(MatmulOp::getEpilogueDimsAttrName(result.name),
                        parser.getBuilder().getArrayAttr(dims));
  return parser.parseRegion(*region);
}

/// `name(attribute)`, or nothing
template <typename AttrT>
static ParseResult parseOptionalClause(OpAsmParser &parser,
                                       OperationState &result, StringRef name,
                                       StringAttr attributeName) {
  AttrT attribute;
  if (failed(parser.parseOptionalKeyword(name)))
    return success();
  if (parser.parseLParen() || parser.parseAttribute(attribute) ||
      parser.parseRParen())
    return failure();
  result.addAttribute(attributeName, attribute);
  return success();
}

ParseResult MatmulOp::parse(OpAsmParser &parser, OperationState &result) {
  ParsedOperands matrices, epilogueOperands;
  matrices.loc = parser.getCurrentLocation();
  if (parseMatrices(parser, result, matrices) || parseSum(parser, result) ||
      parseEpilogue(parser, result, epilogueOperands) ||
      parseOptionalClause<ArchAttr>(parser, result, "arch",
                                    getArchAttrName(result.name)) ||
      parseOptionalClause<ScheduleAttr>(parser, result, "schedule",
                                        getScheduleAttrName(result.name)) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseOptionalArrowTypeList(result.types))
    return failure();
  for (ParsedOperands *operands : {&matrices, &epilogueOperands})
    if (parser.resolveOperands(operands->names, operands->types, operands->loc,
                               result.operands))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static StringRef prefixOf(MatrixOrder order) {
  return order == MatrixOrder::col ? "col " : "";
}

static void printEpilogue(OpAsmPrinter &printer, MatmulOp op) {
  printer << " epilogue";
  if (!op.getEpilogueOperands().empty()) {
    printer << "(";
    llvm::interleaveComma(
        llvm::enumerate(op.getEpilogueOperands()), printer, [&](auto operand) {
          printer << operand.value() << "[";
          llvm::interleaveComma(op.getDimsOf(operand.index()), printer);
          printer << "]";
        });
    printer << " : " << op.getEpilogueOperands().getTypes() << ")";
  }
  printer << " ";
  printer.printRegion(op.getEpilogue());
}

void MatmulOp::print(OpAsmPrinter &printer) {
  printer << " ins(" << prefixOf(getOrderA()) << getA() << ", "
          << prefixOf(getOrderB()) << getB() << " : " << getA().getType()
          << ", " << getB().getType() << ") outs(" << getC() << " : "
          << getC().getType() << ") init(" << stringifyMatmulInit(getInit())
          << ") acc(" << getAcc() << ")";
  if (hasEpilogue())
    printEpilogue(printer, *this);
  if (ArchAttr arch = getArchAttr())
    printer << " arch(" << arch << ")";
  if (ScheduleAttr schedule = getScheduleAttr())
    printer << " schedule(" << schedule << ")";
  printer.printOptionalAttrDict((*this)->getAttrs(), getAttributeNames());
  printer.printOptionalArrowTypeList(getResultTypes());
}
