//===- Texts.cpp - Linalg and C of a problem ------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written from the problem alone, without a pass.
//
//===----------------------------------------------------------------------===//

#include "hone/Corpus/Pair.h"
#include "hone/Schedule/Spelling.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

std::optional<std::string> hone::unpairable(const Problem &problem) {
  auto has = [](std::initializer_list<ElementType> list, ElementType type) {
    return llvm::is_contained(list, type);
  };
  using Type = ElementType;
  if (!problem.isStatic())
    return "its extents are not known";
  if (problem.batch || !problem.epilogue.empty() || !problem.hasMatrices() ||
      problem.init != Init::zero)
    return "it is not a plain product";
  if (problem.a.type != problem.b.type ||
      !has({Type::f16, Type::bf16, Type::f32}, problem.a.type) ||
      !has({Type::f16, Type::bf16, Type::f32}, problem.c))
    return formatv("no C is written for {0}", typesOf(problem)).str();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Linalg
//===----------------------------------------------------------------------===//

static StringRef mlirType(ElementType type) {
  return type == ElementType::f16    ? "f16"
         : type == ElementType::bf16 ? "bf16"
                                     : "f32";
}

std::string hone::linalgOf(const Problem &problem) {
  bool aInRows = problem.a.order == Order::row,
       bInRows = problem.b.order == Order::row;
  auto tensor = [](int64_t rows, int64_t cols, bool inRows, StringRef type) {
    return formatv("tensor<{0}x{1}x{2}>", inRows ? rows : cols,
                   inRows ? cols : rows, type)
        .str();
  };
  auto [m, n, k] = std::tuple(problem.m, problem.n, problem.k);
  StringRef in = mlirType(problem.a.type), out = mlirType(problem.c);
  std::string a = tensor(m, k, aInRows, in), b = tensor(k, n, bInRows, in),
              sums = tensor(m, n, true, "f32"), c = tensor(m, n, true, out);
  bool widens = in != "f32", narrows = out != "f32";
  std::string text = formatv(R"(func.func @matmul(%a: {0}, %b: {1}) -> {2} {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : {3}
  %start = linalg.fill ins(%zero : f32) outs(%empty : {3}) -> {3}
  %sums = linalg.generic {{
      indexing_maps = [affine_map<(m, n, k) -> ({4})>,
                       affine_map<(m, n, k) -> ({5})>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : {0}, {1}) outs(%start : {3}) {{
  ^bb0(%x: {6}, %y: {6}, %sum: f32):
)",
                             a, b, c, sums, aInRows ? "m, k" : "k, m",
                             bInRows ? "k, n" : "n, k", in)
                         .str();
  if (widens)
    text += formatv("    %wideX = arith.extf %x : {0} to f32\n"
                    "    %wideY = arith.extf %y : {0} to f32\n",
                    in);
  text += formatv("    %product = arith.mulf {0}, {1} : f32\n"
                  "    %next = arith.addf %sum, %product : f32\n"
                  "    linalg.yield %next : f32\n"
                  "  } -> {2}\n",
                  widens ? "%wideX" : "%x", widens ? "%wideY" : "%y", sums);
  if (!narrows)
    return text + formatv("  return %sums : {0}\n}\n", sums).str();
  text += formatv(R"(  %place = tensor.empty() : {0}
  %result = linalg.generic {{
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%sums : {1}) outs(%place : {0}) {{
  ^bb0(%sum: f32, %old: {2}):
    %rounded = arith.truncf %sum : f32 to {2}
    linalg.yield %rounded : {2}
  } -> {0}
  return %result : {0}
}
)",
                  c, sums, out);
  return text;
}

//===----------------------------------------------------------------------===//
// C
//===----------------------------------------------------------------------===//

static StringRef cType(ElementType type) {
  return type == ElementType::f16    ? "_Float16"
         : type == ElementType::bf16 ? "uint16_t"
                                     : "float";
}

/// C has no bf16 on every compiler, so its bits are a number of 16 bits.
static constexpr llvm::StringLiteral kBf16 = R"(
static float widen(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static uint16_t narrow(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffff) > 0x7f800000) /* NaN */
    return (uint16_t)(bits >> 16 | 64);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
)";

std::string hone::loopNestOf(const Problem &problem) {
  bool isBf16In = problem.a.type == ElementType::bf16,
       isBf16Out = problem.c == ElementType::bf16;
  std::string text = "#include <stdint.h>\n";
  if (isBf16In || isBf16Out)
    text += ("#include <string.h>\n" + kBf16).str();
  auto [m, n, k] = std::tuple(problem.m, problem.n, problem.k);
  std::string a = problem.a.order == Order::row
                      ? formatv("a[m * {0} + k]", k).str()
                      : formatv("a[k * {0} + m]", m).str();
  std::string b = problem.b.order == Order::row
                      ? formatv("b[k * {0} + n]", n).str()
                      : formatv("b[n * {0} + k]", k).str();
  auto widened = [&](const std::string &element) {
    return isBf16In                             ? "widen(" + element + ")"
           : problem.a.type == ElementType::f16 ? "(float)" + element
                                                : element;
  };
  std::string sum = isBf16Out                       ? "narrow(sum)"
                    : problem.c == ElementType::f16 ? "(_Float16)sum"
                                                    : "sum";
  return text + formatv(R"(
/* C = A * B with M = {0}, N = {1}, K = {2}; sums are f32. */
void matmul(const {3} *restrict a, const {3} *restrict b, {4} *restrict c) {{
  for (int64_t m = 0; m < {0}; ++m)
    for (int64_t n = 0; n < {1}; ++n) {{
      float sum = 0;
      for (int64_t k = 0; k < {2}; ++k)
        sum += {5} * {6};
      c[m * {1} + n] = {7};
    }
}
)",
                        m, n, k, cType(problem.a.type), cType(problem.c),
                        widened(a), widened(b), sum)
                    .str();
}
