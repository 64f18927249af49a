//===- Formula.h - Operators and nodes of formulas --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the parser and the printer of formulas.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_RUNTIME_FORMULA_H
#define HONE_LIB_RUNTIME_FORMULA_H

#include "../Text.h"
#include "hone/Runtime/Expression.h"
#include <algorithm>

namespace hone::detail {

using Op = Expression::Op;

/// Left-associative operators; a higher number binds tighter. If one is a
/// prefix of another, the longer one comes first.
struct Binary {
  std::string_view spelling;
  int precedence;
  Op op;
};
inline constexpr Binary kBinaries[] = {
    {"||", 1, Op::logicalOr}, {"&&", 2, Op::logicalAnd}, {"==", 3, Op::eq},
    {"!=", 3, Op::ne},        {"<=", 4, Op::le},         {">=", 4, Op::ge},
    {"<", 4, Op::lt},         {">", 4, Op::gt},          {"+", 5, Op::add},
    {"-", 5, Op::sub},        {"*", 6, Op::mul},         {"/", 6, Op::div},
    {"%", 6, Op::mod},
};
inline constexpr int kTightest = 7;

struct Function {
  std::string_view name;
  Op op;
};
inline constexpr Function kFunctions[] = {{"ceildiv", Op::ceildiv},
                                          {"min", Op::min},
                                          {"max", Op::max},
                                          {"resident", Op::orElse}};

inline constexpr std::string_view kPrimary =
    "a number, a function or the name of an argument";

inline const Binary *binaryOf(Op op) {
  for (const Binary &binary : kBinaries)
    if (binary.op == op)
      return &binary;
  return nullptr;
}

/// The number of `name` among `names`, which get it if they have not.
inline size_t numberOf(std::string_view name, std::vector<std::string> &names) {
  size_t number = std::find(names.begin(), names.end(), name) - names.begin();
  if (number < names.size())
    return number;
  constexpr size_t kFew = 8;
  if (names.empty())
    names.reserve(kFew);
  names.emplace_back(name);
  return number;
}

/// The index of the left operand's root.
inline size_t leftOf(const std::vector<FormulaNode> &nodes, size_t root) {
  return root - 1 - nodes[root - 1].size;
}

/// Adds an operation whose operands are the last nodes.
inline void addBinary(Op op, std::vector<FormulaNode> &nodes) {
  FormulaNode node;
  node.op = op;
  uint32_t right = nodes.back().size;
  node.size = 1 + right + nodes[nodes.size() - 1 - right].size;
  nodes.push_back(node);
}

inline void addNegation(std::vector<FormulaNode> &nodes) {
  FormulaNode node;
  node.op = Op::negate;
  node.size = 1 + nodes.back().size;
  nodes.push_back(node);
}

} // namespace hone::detail

#endif // HONE_LIB_RUNTIME_FORMULA_H
