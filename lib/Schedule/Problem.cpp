//===- Problem.cpp - Text and size of a problem ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a Problem is a database key and an attribute's body, so it has
// one printed spelling. The parser (ProblemParser.cpp) accepts other orders and
// spaces.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Problem.h"
#include "Text.h"
#include "hone/Schedule/EpilogueFunction.h"
#include "hone/Schedule/Geometry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <tuple>

using namespace hone;
using namespace hone::detail;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Names of values
//===----------------------------------------------------------------------===//

namespace {
/// All properties of an element type, in the order of ElementType.
struct ElementRow {
  llvm::StringLiteral name;
  int64_t bytes;
  bool isInteger, isFactor, isResult;
};
} // namespace

static constexpr ElementRow kElements[] = {
    {"f16", 2, false, true, true},     {"bf16", 2, false, true, true},
    {"f32", 4, false, true, true},     {"f8E4M3FN", 1, false, true, false},
    {"f8E5M2", 1, false, true, false}, {"i8", 1, true, true, true},
    {"i32", 4, true, false, true},
};

static const ElementRow &rowOf(ElementType type) {
  return kElements[static_cast<size_t>(type)];
}

StringRef hone::toString(ElementType type) { return rowOf(type).name; }
int64_t hone::sizeOf(ElementType type) { return rowOf(type).bytes; }
bool hone::isInteger(ElementType type) { return rowOf(type).isInteger; }
bool hone::isFactor(ElementType type) { return rowOf(type).isFactor; }
bool hone::isResult(ElementType type) { return rowOf(type).isResult; }

bool hone::isShortFloat(ElementType type) {
  return sizeOf(type) == 1 && !isInteger(type);
}

bool hone::isConverted(ElementType a, ElementType b) {
  return sizeOf(a) == 2 && sizeOf(b) == 1;
}

bool hone::areMultiplied(ElementType a, ElementType b) {
  return a == b || isConverted(a, b) || (isShortFloat(a) && isShortFloat(b));
}

ElementType hone::accumulatorOf(ElementType factor) {
  return isInteger(factor) ? ElementType::i32 : ElementType::f32;
}

std::optional<ElementType> hone::parseElementType(StringRef text) {
  auto found = llvm::find_if(
      kElements, [&](const ElementRow &row) { return row.name == text; });
  if (found == std::end(kElements))
    return std::nullopt;
  return static_cast<ElementType>(found - kElements);
}

StringRef hone::toString(Order order) {
  return order == Order::row ? "row" : "col";
}

static constexpr StringRef kProducts[] = {"exact", "tf32x3", "tf32", "blocks",
                                          "short"};

StringRef hone::toString(Products products) {
  return kProducts[static_cast<size_t>(products)];
}

std::optional<Products> hone::parseProducts(StringRef text) {
  auto found = llvm::find(kProducts, text);
  if (found == std::end(kProducts))
    return std::nullopt;
  return static_cast<Products>(found - kProducts);
}

llvm::ArrayRef<Products> hone::permissionsOf(ElementType type) {
  static constexpr Products kOfF32[] = {Products::tf32x3, Products::tf32};
  static constexpr Products kOfBytes[] = {Products::blocks,
                                          Products::shortSums};
  if (isInteger(type))
    return {};
  if (sizeOf(type) == 1)
    return kOfBytes;
  return type == ElementType::f32 ? llvm::ArrayRef<Products>(kOfF32)
                                  : llvm::ArrayRef<Products>();
}

std::string hone::wordsOf(llvm::ArrayRef<Products> products) {
  std::string list;
  for (Products each : products)
    list += (list.empty() ? "" : " or ") + toString(each).str();
  return list;
}

StringRef hone::toString(Init init) {
  return init == Init::zero ? "zero" : "read";
}

std::optional<Init> hone::parseInit(StringRef text) {
  for (Init init : {Init::zero, Init::read})
    if (text == toString(init))
      return init;
  return std::nullopt;
}

static constexpr StringRef kNumbers[] = {"free", "deterministic", "invariant"};

std::string Numbers::str() const {
  std::string text = kNumbers[static_cast<size_t>(kind)].str();
  return parts == 1 ? text : text + ":" + std::to_string(parts);
}

llvm::Expected<Numbers> Numbers::parse(StringRef text) {
  auto [name, count] = text.split(':');
  auto found = llvm::find(kNumbers, name);
  Numbers numbers;
  if (found != std::end(kNumbers))
    numbers.kind = static_cast<Kind>(found - kNumbers);
  bool isCounted = text.contains(':');
  if (found == std::end(kNumbers) || (isCounted && !numbers.isInvariant()))
    return failure("expected 'numbers' to be free, deterministic, invariant or "
                   "invariant:PARTS, but got " +
                   quoted(text));
  if (!isCounted)
    return numbers;
  std::optional<int64_t> parts = parseNatural(count);
  // One part has a spelling without a number.
  if (!parts || *parts < 2 || *parts > kMaxParts ||
      !llvm::isPowerOf2_64(*parts))
    return failure("expected the parts of 'numbers' to be 2, 4, 8 or 16, but "
                   "got " +
                   quoted(count) + "; use invariant for one part");
  numbers.parts = *parts;
  return numbers;
}

bool Operand::operator==(const Operand &other) const {
  return type == other.type && order == other.order && align == other.align &&
         shared == other.shared && access == other.access;
}

bool hone::haveOneForm(const Operand &one, const Operand &other) {
  if (!one.access || !other.access)
    return one.access.has_value() == other.access.has_value();
  return one.access->form() == other.access->form();
}

/// All fields of a problem but its operands.
static auto tied(const Problem &problem) {
  return std::tie(problem.batch, problem.m, problem.n, problem.k,
                  problem.groups, problem.isIndexed, problem.isRaggedSum,
                  problem.acc, problem.products, problem.c, problem.alignC,
                  problem.init, problem.numbers, problem.epilogue);
}

/// Without batches there is nothing to share.
static Operand meant(Operand operand, const Problem &problem) {
  operand.shared &= problem.batch.has_value();
  return operand;
}

bool Problem::operator==(const Problem &other) const {
  return tied(*this) == tied(other) &&
         meant(a, *this) == meant(other.a, other) &&
         meant(b, *this) == meant(other.b, other);
}

llvm::hash_code hone::hash_value(const Problem &problem) {
  auto hashed = [&](const Operand &operand) {
    return llvm::hash_combine(operand.type, operand.order, operand.align,
                              meant(operand, problem).shared,
                              operand.access ? hash_value(*operand.access)
                                             : llvm::hash_code(0));
  };
  return llvm::hash_combine(hashed(problem.a), hashed(problem.b),
                            tied(problem));
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

std::string detail::printExtent(int64_t extent) {
  return extent == kDynamic ? "?" : std::to_string(extent);
}

/// Without a batch `shared` has no meaning and is not printed.
static std::string printOperand(const Operand &operand, char lines,
                                bool batched) {
  std::string access = operand.access ? operand.access->str(lines)
                                      : toString(operand.order).str();
  return (toString(operand.type) + ":" + access + ":" +
          llvm::Twine(operand.align) +
          (batched && operand.shared ? ":shared" : ""))
      .str();
}

std::string Problem::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (batch)
    os << "batch = " << printExtent(*batch) << ", ";
  os << "m = " << printExtent(m) << ", n = " << printExtent(n)
     << ", k = " << printExtent(k);
  if (groups)
    os << ", rows = ragged:" << printExtent(*groups)
       << (isIndexed ? ":indexed" : "");
  else if (isIndexed)
    os << ", rows = indexed";
  if (isRaggedSum)
    os << ", sum = ragged";
  os << ", a = " << printOperand(a, 'm', batch.has_value())
     << ", b = " << printOperand(b, 'n', batch.has_value());
  os << ", acc = " << toString(acc);
  if (products != Products::exact)
    os << ", products = " << toString(products);
  os << ", c = " << toString(c) << ":" << alignC
     << ", init = " << ::toString(init);
  if (!numbers.isDefault())
    os << ", numbers = " << numbers.str();
  if (!epilogue.empty())
    os << ", epilogue = \"" << epilogue << "\"";
  return text;
}

//===----------------------------------------------------------------------===//
// Other forms
//===----------------------------------------------------------------------===//

Problem Problem::open(int64_t align) const {
  Problem open = *this;
  open.m = open.n = open.k = kDynamic;
  if (open.batch)
    open.batch = kDynamic;
  if (open.groups)
    open.groups = kDynamic;
  for (Operand *operand : {&open.a, &open.b})
    if (operand->access)
      operand->access = operand->access->form();
  if (align) {
    open.a.align = std::max(align, sizeOf(a.type));
    open.b.align = std::max(align, sizeOf(b.type));
    open.alignC = std::max(align, sizeOf(c));
  }
  return open;
}

Problem Problem::withUsualNumbers() const {
  Problem usual = *this;
  usual.numbers = Numbers();
  return usual;
}

/// Separates the beginning of a long epilogue from its hash.
static constexpr StringRef kCut = " ... #";
static constexpr size_t kCutAt = 300;

Problem Problem::abbreviated() const {
  Problem result = *this;
  if (epilogue.size() > kCutAt && !isAbbreviated())
    result.epilogue = (StringRef(epilogue).take_front(kCutAt) + kCut +
                       llvm::utohexstr(llvm::xxh3_64bits(epilogue),
                                       /*LowerCase=*/true))
                          .str();
  return result;
}

bool Problem::isAbbreviated() const {
  StringRef hash = StringRef(epilogue).substr(kCutAt);
  return hash.consume_front(kCut) && !hash.empty() &&
         llvm::all_of(hash, llvm::isHexDigit);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

ElementType Problem::multipliedB() const {
  return convertsB() ? a.type : b.type;
}

bool Problem::isStatic() const {
  return m != kDynamic && n != kDynamic && k != kDynamic && batch != kDynamic &&
         groups != kDynamic;
}

std::optional<double> Problem::flops() const {
  if (!isStatic())
    return std::nullopt;
  return 2.0 * (isRaggedSum ? 1 : batch.value_or(1)) * m * n * k;
}

std::optional<double> Problem::bytes() const {
  if (!isStatic())
    return std::nullopt;
  double count = batch.value_or(1);
  // Windows that overlap share elements.
  auto elements = [&](const Operand &operand, double lines) {
    std::optional<double> read;
    if (operand.access)
      read = operand.access->elements();
    return read.value_or((operand.shared ? 1.0 : count) * lines * k);
  };
  double bytesA = elements(a, m) * sizeOf(a.type);
  // Groups without rows do not read their B.
  double matricesB = groups ? std::min(*groups, m) : 1;
  double bytesB = matricesB * elements(b, n) * sizeOf(b.type);
  double bytesC = count * m * n * sizeOf(c);
  return bytesA + bytesB + bytesC * (init == Init::read ? 2 : 1);
}
