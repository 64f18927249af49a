//===- MatmulSyntax.cpp - Text of hone.matmul -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parser and printer of the form that Hone.td documents, clause by clause in
// the order of the text.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Dims.h"
#include "dialects/Hone/Keywords.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hone;

using UnresolvedOperand = OpAsmParser::UnresolvedOperand;

namespace {
/// Unresolved operands of the text, to be resolved with their types.
struct ParsedOperands {
  SmallVector<UnresolvedOperand> names;
  SmallVector<Type> types;
  SMLoc loc;
};
} // namespace

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// The attributes with the dimensions of one of A, B and C; C has no order.
struct MatrixAttributes {
  StringRef matrix;
  StringAttr order, dims;
};
} // namespace

/// `%a`, `col %a` or `%a[b, m, k]`
static ParseResult parseMatrix(OpAsmParser &parser, OperationState &result,
                               UnresolvedOperand &operand,
                               const MatrixAttributes &names) {
  auto order = Order::row;
  SMLoc loc = parser.getCurrentLocation();
  if (names.order && succeeded(parser.parseOptionalKeyword("col")))
    order = Order::col;
  if (parser.parseOperand(operand))
    return failure();
  if (succeeded(parser.parseOptionalLSquare())) {
    if (order == Order::col)
      return parser.emitError(loc, "expected 'col' or dimensions, but got both"
                                   "; use dimensions alone");
    DimsAttr dims = parseDims(parser, AsmParser::Delimiter::None);
    if (!dims || parser.parseRSquare())
      return failure();
    StringRef letters = dims.getLetters();
    order = names.order ? orderOf(letters, names.matrix) : Order::row;
    std::string matrix = names.matrix.str();
    if (order == Order::col)
      std::swap(matrix[0], matrix[1]);
    if (letters != usualLetters(letters.size(), matrix))
      result.addAttribute(names.dims, dims);
  }
  if (names.order)
    result.addAttribute(names.order, parser.getBuilder().getI32IntegerAttr(
                                         static_cast<int32_t>(order)));
  return success();
}

/// `window(3x3, low 1x1)`, or nothing
static ParseResult parseOptionalWindow(OpAsmParser &parser,
                                       OperationState &result) {
  if (failed(parser.parseOptionalKeyword("window")))
    return success();
  if (parser.parseLParen())
    return failure();
  WindowAttr window = parseWindow(parser);
  if (!window || parser.parseRParen())
    return failure();
  result.addAttribute(MatmulOp::getWindowAttrName(result.name), window);
  return success();
}

/// `ins(%a, col %b : type, type) outs(%c : type)`
static ParseResult parseMatrices(OpAsmParser &parser, OperationState &result,
                                 ParsedOperands &matrices) {
  matrices.names.resize(3);
  matrices.types.resize(3);
  OperationName name = result.name;
  MatrixAttributes a = {"mk", MatmulOp::getOrderAAttrName(name),
                        MatmulOp::getDimsAAttrName(name)};
  MatrixAttributes b = {"kn", MatmulOp::getOrderBAttrName(name),
                        MatmulOp::getDimsBAttrName(name)};
  MatrixAttributes c = {"mn", {}, MatmulOp::getDimsCAttrName(name)};
  return failure(
      parser.parseKeyword("ins") || parser.parseLParen() ||
      parseMatrix(parser, result, matrices.names[0], a) ||
      parseOptionalWindow(parser, result) || parser.parseComma() ||
      parseMatrix(parser, result, matrices.names[1], b) ||
      parser.parseColonType(matrices.types[0]) || parser.parseComma() ||
      parser.parseType(matrices.types[1]) || parser.parseRParen() ||
      parser.parseKeyword("outs") || parser.parseLParen() ||
      parseMatrix(parser, result, matrices.names[2], c) ||
      parser.parseColonType(matrices.types[2]) || parser.parseRParen());
}

/// `keyword(%operand : type)`, which sets a unit attribute, or nothing
static ParseResult parseVector(OpAsmParser &parser, OperationState &result,
                               StringRef keyword, StringAttr attribute,
                               ParsedOperands &operands) {
  if (operands.names.empty())
    operands.loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  result.addAttribute(attribute, parser.getBuilder().getUnitAttr());
  return failure(parser.parseLParen() ||
                 parser.parseOperand(operands.names.emplace_back()) ||
                 parser.parseColonType(operands.types.emplace_back()) ||
                 parser.parseRParen());
}

/// `products(tf32)`, or nothing
static ParseResult parseProducts(OpAsmParser &parser, OperationState &result) {
  if (failed(parser.parseOptionalKeyword("products")))
    return success();
  if (parser.parseLParen())
    return failure();
  FailureOr<Products> products = parseProductsKeyword(parser);
  if (failed(products))
    return failure();
  result.addAttribute(MatmulOp::getProductsAttrName(result.name),
                      ProductsAttr::get(parser.getContext(), *products));
  return parser.parseRParen();
}

/// `numbers(invariant:4)`, or nothing
static ParseResult parseNumbers(OpAsmParser &parser, OperationState &result) {
  if (failed(parser.parseOptionalKeyword("numbers")))
    return success();
  if (parser.parseLParen())
    return failure();
  FailureOr<Numbers> numbers = parseNumbersKeyword(parser);
  if (failed(numbers))
    return failure();
  result.addAttribute(MatmulOp::getNumbersAttrName(result.name),
                      NumbersAttr::get(parser.getContext(), *numbers));
  return parser.parseRParen();
}

/// `init(zero) acc(f32) products(tf32) numbers(invariant)`
static ParseResult parseSum(OpAsmParser &parser, OperationState &result) {
  StringRef keyword;
  Type acc;
  if (parser.parseKeyword("init") || parser.parseLParen())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Init> init = parseInit(keyword);
  if (!init)
    return parser.emitError(loc, "expected 'zero' or 'read', but got '")
           << keyword << "'";
  result.addAttribute(
      MatmulOp::getInitAttrName(result.name),
      parser.getBuilder().getI32IntegerAttr(static_cast<int32_t>(*init)));
  if (parser.parseRParen() || parser.parseKeyword("acc") ||
      parser.parseLParen() || parser.parseType(acc) || parser.parseRParen())
    return failure();
  result.addAttribute(MatmulOp::getAccAttrName(result.name),
                      TypeAttr::get(acc));
  return failure(parseProducts(parser, result) || parseNumbers(parser, result));
}

/// `%bias[m, n]`; appends the dimensions.
static ParseResult parseEpilogueOperand(OpAsmParser &parser,
                                        ParsedOperands &operands,
                                        SmallVectorImpl<Attribute> &dims) {
  if (parser.parseOperand(operands.names.emplace_back()))
    return failure();
  dims.push_back(parseDims(parser, AsmParser::Delimiter::Square));
  return success(dims.back() != nullptr);
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
  ParsedOperands matrices, epilogueOperands, vectors;
  matrices.loc = parser.getCurrentLocation();
  if (parseMatrices(parser, result, matrices) ||
      parseVector(parser, result, "ragged", getRaggedAttrName(result.name),
                  vectors) ||
      parseVector(parser, result, "gather", getGatherAttrName(result.name),
                  vectors) ||
      parseSum(parser, result) ||
      parseEpilogue(parser, result, epilogueOperands) ||
      parseOptionalClause<ArchAttr>(parser, result, "arch",
                                    getArchAttrName(result.name)) ||
      parseOptionalClause<ScheduleAttr>(parser, result, "schedule",
                                        getScheduleAttrName(result.name)) ||
      parseOptionalClause<RangesAttr>(parser, result, "ranges",
                                      getRangesAttrName(result.name)) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseOptionalArrowTypeList(result.types))
    return failure();
  for (ParsedOperands *operands : {&matrices, &epilogueOperands, &vectors})
    if (parser.resolveOperands(operands->names, operands->types, operands->loc,
                               result.operands))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// `[b, m, k]`
static void printLetters(OpAsmPrinter &printer, StringRef letters) {
  printer << "[";
  llvm::interleaveComma(letters, printer);
  printer << "]";
}

/// `col %a`, or with the dimensions if the order does not determine them.
static void printMatrix(OpAsmPrinter &printer, Value matrix,
                        std::optional<DimsAttr> dims,
                        Order order = Order::row) {
  if (!dims && order == Order::col)
    printer << "col ";
  printer << matrix;
  if (dims)
    printLetters(printer, dims->getLetters());
}

static void printEpilogue(OpAsmPrinter &printer, MatmulOp op) {
  printer << " epilogue";
  if (!op.getEpilogueOperands().empty()) {
    printer << "(";
    llvm::interleaveComma(
        llvm::enumerate(op.getEpilogueOperands()), printer, [&](auto operand) {
          printer << operand.value();
          printLetters(printer, op.getDimsOf(operand.index()));
        });
    printer << " : " << op.getEpilogueOperands().getTypes() << ")";
  }
  printer << " ";
  printer.printRegion(op.getEpilogue());
}

void MatmulOp::print(OpAsmPrinter &printer) {
  printer << " ins(";
  printMatrix(printer, getA(), getDimsA(), getOrderA());
  if (WindowAttr window = getWindowAttr()) {
    printer << " window(";
    printWindow(printer, window);
    printer << ")";
  }
  printer << ", ";
  printMatrix(printer, getB(), getDimsB(), getOrderB());
  printer << " : " << getA().getType() << ", " << getB().getType() << ") outs(";
  printMatrix(printer, getC(), getDimsC());
  printer << " : " << getC().getType() << ")";
  if (Value ends = getEnds())
    printer << " ragged(" << ends << " : " << ends.getType() << ")";
  if (Value index = getIndex())
    printer << " gather(" << index << " : " << index.getType() << ")";
  printer << " init(" << toString(getInit()) << ") acc(" << getAcc() << ")";
  if (auto products = getProductsAttr())
    printer << " products(" << toString(products.getValue()) << ")";
  if (auto numbers = getNumbersAttr())
    printer << " numbers(" << numbers.getValue().str() << ")";
  if (hasEpilogue())
    printEpilogue(printer, *this);
  if (ArchAttr arch = getArchAttr())
    printer << " arch(" << arch << ")";
  if (ScheduleAttr schedule = getScheduleAttr())
    printer << " schedule(" << schedule << ")";
  if (RangesAttr ranges = getRangesAttr())
    printer << " ranges(" << ranges << ")";
  printer.printOptionalAttrDict((*this)->getAttrs(), getAttributeNames());
  printer.printOptionalArrowTypeList(getResultTypes());
}
