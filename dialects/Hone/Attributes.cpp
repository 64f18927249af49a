//===- Attributes.cpp - Plain values as attributes ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes wrap the values of include/hone/Schedule and have no grammar
// of their own. The text between the brackets is split into `name = value`, the
// parsers over there get the values as text, and the canonical text is printed.
// This file only adds the locations of errors.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Assignments.h"
#include "dialects/Hone/Dims.h"
#include "dialects/Hone/Keywords.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone;

#define GET_ATTRDEF_CLASSES
#include "dialects/Hone/HoneAttrs.cpp.inc"

void HoneDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Hone/HoneAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Tokens to text
//===----------------------------------------------------------------------===//

bool hone::startsLongInteger(SMLoc loc) {
  constexpr ptrdiff_t kMaxDigits = 20;
  const char *begin = loc.getPointer();
  while (begin && (*begin == '-' || llvm::isSpace(*begin)))
    ++begin;
  if (!begin || !llvm::isDigit(*begin))
    return false;
  const char *end = begin;
  while (end - begin <= kMaxDigits && (llvm::isHexDigit(*end) || *end == 'x'))
    ++end;
  return end - begin > kMaxDigits;
}

static bool appendDigits(AsmParser &parser, std::string &text);

/// Appends the next token to `text` if a value may hold it.
static bool appendToken(AsmParser &parser, std::string &text) {
  SMLoc loc = parser.getCurrentLocation();
  if (startsLongInteger(loc)) {
    parser.emitError(loc, "expected an integer of at most 20 digits, but got "
                          "more");
    text.clear();
    return false;
  }
  APInt integer;
  OptionalParseResult isInteger = parser.parseOptionalInteger(integer);
  if (isInteger.has_value()) {
    text += llvm::toString(integer, /*Radix=*/10, /*Signed=*/true);
    return succeeded(*isInteger);
  }
  StringRef keyword;
  std::string string;
  if (succeeded(parser.parseOptionalKeyword(&keyword)))
    text += keyword;
  else if (succeeded(parser.parseOptionalString(&string)))
    text += "\"" + string + "\"";
  else if (succeeded(parser.parseOptionalColon()))
    text += ":";
  else if (succeeded(parser.parseOptionalQuestion()))
    text += "?";
  else if (succeeded(parser.parseOptionalStar()))
    text += "*";
  else if (succeeded(parser.parseOptionalLSquare()))
    return appendDigits(parser, text);
  else
    return false;
  return true;
}

/// Appends a list of an access, `[32*64, 8*x]`, after its bracket.
static bool appendDigits(AsmParser &parser, std::string &text) {
  text += "[";
  while (failed(parser.parseOptionalRSquare())) {
    if (succeeded(parser.parseOptionalComma())) {
      text += ",";
    } else if (!appendToken(parser, text)) {
      text.clear();
      return false;
    }
  }
  text += "]";
  return true;
}

/// Appends `[name(word), ...]` to `text`.
static ParseResult appendList(AsmParser &parser, std::string &text) {
  text += "[";
  auto parseElement = [&]() -> ParseResult {
    StringRef name;
    std::string word;
    SMLoc loc;
    if (parser.parseKeyword(&name) || parser.parseLParen() ||
        parser.getCurrentLocation(&loc) || !appendToken(parser, word))
      return startsLongInteger(loc)
                 ? failure()
                 : parser.emitError(parser.getCurrentLocation(),
                                    "expected a rewrite as name(value)");
    text += (text.size() > 1 ? ", " : "") + name.str() + "(" + word + ")";
    return parser.parseRParen();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseElement))
    return failure();
  text += "]";
  return success();
}

ParseResult hone::parseAssignment(AsmParser &parser,
                                  AttrAssignment &assignment) {
  assignment.nameLoc = parser.getCurrentLocation();
  if (parser.parseKeyword(&assignment.name) || parser.parseEqual())
    return failure();
  assignment.valueLoc = parser.getCurrentLocation();
  if (assignment.name == kRewrites)
    return appendList(parser, assignment.value);
  SMLoc last = assignment.valueLoc;
  while (appendToken(parser, assignment.value))
    last = parser.getCurrentLocation();
  if (startsLongInteger(last))
    return failure(); // and it was said
  if (assignment.value.empty())
    return parser.emitError(assignment.valueLoc, "expected a value of '")
           << assignment.name << "'";
  return success();
}

Attribute hone::failParse(AsmParser &parser, SMLoc loc, llvm::Error error) {
  parser.emitError(loc, llvm::toString(std::move(error)));
  return {};
}

//===----------------------------------------------------------------------===//
// ProblemAttr
//===----------------------------------------------------------------------===//

/// The location of the field that `message` quotes first, which is the wrong
/// one.
static SMLoc locate(StringRef message, ArrayRef<AttrAssignment> fields,
                    SMLoc otherwise) {
  size_t first = StringRef::npos;
  for (const AttrAssignment &field : fields)
    if (size_t at = message.find(("'" + field.name + "'").str()); at < first) {
      first = at;
      otherwise = field.valueLoc;
    }
  return otherwise;
}

Attribute ProblemAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<AttrAssignment> fields;
  auto parseField = [&] {
    return parseAssignment(parser, fields.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  std::string text = llvm::join(
      llvm::map_range(fields,
                      [](const AttrAssignment &field) {
                        return field.name.str() + " = " + field.value;
                      }),
      ", ");
  llvm::Expected<Problem> problem = Problem::parse(text);
  if (problem)
    return get(parser.getContext(), *problem);
  std::string message = llvm::toString(problem.takeError());
  parser.emitError(locate(message, fields, loc), message);
  return {};
}

void ProblemAttr::print(AsmPrinter &printer) const {
  printer << "<" << getValue().str() << ">";
}

/// Printed text must parse again.
LogicalResult
ProblemAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                    Problem value) {
  llvm::Expected<Problem> problem = Problem::parse(value.str());
  if (!problem)
    return emitError() << llvm::toString(problem.takeError());
  if (!(*problem == value))
    return emitError() << "expected the canonical problem '" << problem->str()
                       << "', but got '" << value.str() << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// ArchAttr
//===----------------------------------------------------------------------===//

/// `h200` or `h100-pcie`, or `h200/64` for a part of it.
static ParseResult parseArchName(AsmParser &parser, std::string &name) {
  StringRef word;
  int64_t processors;
  if (succeeded(parser.parseOptionalString(&name)))
    return success();
  if (parser.parseKeyword(&word))
    return failure();
  name = word.str();
  while (succeeded(parser.parseOptionalMinus())) {
    if (parser.parseKeyword(&word))
      return failure();
    name += "-" + word.str();
  }
  if (failed(parser.parseOptionalSlash()))
    return success();
  if (parser.parseInteger(processors))
    return failure();
  name += "/" + std::to_string(processors);
  return success();
}

Attribute ArchAttr::parse(AsmParser &parser, Type) {
  std::string name;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parseArchName(parser, name))
    return {};
  llvm::Expected<Arch> arch = Arch::lookup(name);
  if (!arch)
    return failParse(parser, loc, arch.takeError());
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), std::move(*arch));
}

void ArchAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (Arch::isFile(getName()))
    printer.printString(getName());
  else
    printer << getName();
  printer << ">";
}

//===----------------------------------------------------------------------===//
// ProductsAttr
//===----------------------------------------------------------------------===//

FailureOr<Products> hone::parseProductsKeyword(AsmParser &parser) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<Products> products = parseProducts(name);
  if (!products)
    return parser.emitError(
               loc, "expected 'exact', 'tf32x3', 'tf32', 'blocks' or 'short', "
                    "but got '")
           << name << "'";
  return *products;
}

Attribute ProductsAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<Products> products = parseProductsKeyword(parser);
  if (failed(products) || parser.parseGreater())
    return {};
  return get(parser.getContext(), *products);
}

void ProductsAttr::print(AsmPrinter &printer) const {
  printer << "<" << toString(getValue()) << ">";
}

//===----------------------------------------------------------------------===//
// NumbersAttr
//===----------------------------------------------------------------------===//

FailureOr<Numbers> hone::parseNumbersKeyword(AsmParser &parser) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  std::string text = name.str();
  int64_t parts;
  if (succeeded(parser.parseOptionalColon())) {
    if (parser.parseInteger(parts))
      return failure();
    text += ":" + std::to_string(parts);
  }
  llvm::Expected<Numbers> numbers = Numbers::parse(text);
  if (!numbers)
    return parser.emitError(loc, llvm::toString(numbers.takeError()));
  return *numbers;
}

Attribute NumbersAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<Numbers> numbers = parseNumbersKeyword(parser);
  if (failed(numbers) || parser.parseGreater())
    return {};
  return get(parser.getContext(), *numbers);
}

void NumbersAttr::print(AsmPrinter &printer) const {
  printer << "<" << getValue().str() << ">";
}

//===----------------------------------------------------------------------===//
// DimsAttr
//===----------------------------------------------------------------------===//

DimsAttr hone::parseDims(AsmParser &parser, AsmParser::Delimiter delimiter) {
  SMLoc loc = parser.getCurrentLocation();
  std::string letters;
  auto parseLetter = [&] {
    StringRef letter;
    if (parser.parseKeyword(&letter))
      return failure();
    letters += letter;
    return success();
  };
  if (parser.parseCommaSeparatedList(delimiter, parseLetter))
    return {};
  return parser.getChecked<DimsAttr>(loc, parser.getContext(), letters);
}

Attribute DimsAttr::parse(AsmParser &parser, Type) {
  return parseDims(parser, AsmParser::Delimiter::LessGreater);
}

void DimsAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getLetters(), printer);
  printer << ">";
}

LogicalResult
DimsAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                 StringRef letters) {
  std::string known = (kBatchLetters + kMatrixLetters).str();
  bool isLegal = letters.find_first_not_of(known) == StringRef::npos &&
                 llvm::all_of(letters, [&](char letter) {
                   return letters.count(letter) == 1;
                 });
  if (isLegal)
    return success();
  return emitError() << "expected dimensions to be letters of " << known
                     << ", each once, but got '" << letters << "'";
}
