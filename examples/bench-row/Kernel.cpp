//===- Kernel.cpp - Build and launch of one product -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of the compiler is a module in text. Three strings of it are used:
// the plan (a global whose name ends in _plan), the device code (`assembly` of
// the gpu.binary) and the chosen schedule.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "Cuda.h"
#include "hone-c/Hone.h"
#include <map>
#include <sstream>

using namespace example;

//===----------------------------------------------------------------------===//
// Input of the compiler
//===----------------------------------------------------------------------===//

static std::string tensor(int64_t rows, int64_t cols, const char *type) {
  return "tensor<" + std::to_string(rows) + "x" + std::to_string(cols) + "x" +
         type + ">";
}

static std::string moduleOf(const Product &product) {
  std::string a = tensor(product.m, product.k, "f16");
  std::string b = product.isNt ? tensor(product.n, product.k, "f16")
                               : tensor(product.k, product.n, "f16");
  std::string sums = tensor(product.m, product.n, "f32");
  std::string c = tensor(product.m, product.n, "f16");
  std::string second = product.isNt ? "(n, k)" : "(k, n)";
  return "func.func @product(%a: " + a + ", %b: " + b + ") -> " + c + " {\n" +
         "  %zero = arith.constant 0.0 : f32\n"
         "  %empty = tensor.empty() : " +
         sums + "\n" +
         "  %init = linalg.fill ins(%zero : f32) outs(%empty : " + sums +
         ") -> " + sums + "\n" +
         "  %sums = linalg.matmul indexing_maps = ["
         "affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> " +
         second +
         ">, affine_map<(m, n, k) -> (m, n)>]\n"
         "      ins(%a, %b : " +
         a + ", " + b + ") outs(%init : " + sums + ") -> " + sums + "\n" +
         "  %c = arith.truncf %sums : " + sums + " to " + c + "\n" +
         "  return %c : " + c + "\n}\n";
}

//===----------------------------------------------------------------------===//
// Output of the compiler
//===----------------------------------------------------------------------===//

static int digitOf(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/// The string that begins after the first `mark`. MLIR writes an unprintable
/// byte as a backslash and two digits.
static std::string stringAfter(const std::string &text,
                               const std::string &mark) {
  size_t at = text.find(mark);
  if (at == std::string::npos)
    fail("expected '%s' in the compiler's answer, but got none", mark.c_str());
  std::string result;
  for (at += mark.size(); at < text.size() && text[at] != '"'; ++at) {
    if (text[at] != '\\') {
      result += text[at];
      continue;
    }
    int high = digitOf(text[at + 1]), low = digitOf(text[at + 2]);
    if (high >= 0 && low >= 0) {
      result += char(high * 16 + low);
      at += 2;
    } else {
      result += text[++at];
    }
  }
  return result;
}

Build example::build(const Product &product, const std::string &options) {
  HoneSession *session = honeSessionCreate();
  std::string pipeline = "hone-pipeline{" + options + "}";
  char *out = nullptr, *messages = nullptr;
  if (honeRunPipeline(session, moduleOf(product).c_str(), pipeline.c_str(),
                      &out, &messages))
    fail("the compiler refused:\n%s", messages);
  std::string text = out;
  if (text.find("honeLaunch") == std::string::npos)
    fail("expected a kernel, but got none:\n%s", messages);
  Build build = {stringAfter(text, "assembly = \""),
                 stringAfter(text, "_plan(\""),
                 stringAfter(text, "schedule = \"")};
  honeFreeText(out);
  honeFreeText(messages);
  honeSessionDestroy(session);
  return build;
}

std::string example::withoutProgrammatic(const std::string &plan) {
  std::istringstream lines(plan);
  std::string result;
  for (std::string line; std::getline(lines, line);)
    if (line != "attribute programmatic")
      result += line + "\n";
  return result;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Names that a plan may use: extents, lines, and run-time decisions of the
/// schedule.
static std::map<std::string, int64_t> argumentsOf(const Product &product,
                                                  const std::string &schedule) {
  std::map<std::string, int64_t> values = {
      {"m", product.m},   {"n", product.n},
      {"k", product.k},   {"lda", product.k},
      {"ldc", product.n}, {"ldb", product.isNt ? product.k : product.n}};
  std::istringstream decisions(schedule);
  for (std::string each; std::getline(decisions, each, ',');) {
    size_t equals = each.find(" = ");
    if (equals == std::string::npos)
      continue;
    size_t begin = each.find_first_not_of(' ');
    char *end = nullptr;
    const char *number = each.c_str() + equals + 3;
    int64_t value = std::strtoll(number, &end, 10);
    if (end != number && *end == '\0')
      values[each.substr(begin, equals - begin)] = value;
  }
  return values;
}

Kernel::Kernel(const Product &product, const Build &build, std::string text)
    : plan(std::move(text)) {
  std::map<std::string, int64_t> known = argumentsOf(product, build.schedule);
  std::istringstream lines(plan), names;
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("args ", 0) == 0)
      names.str(line.substr(5));
  for (std::string name; names >> name;) {
    bool isMatrix = name == "a" || name == "b" || name == "c";
    if (!isMatrix && !known.count(name))
      fail("expected a plan of a plain product, but got one that asks for '%s'",
           name.c_str());
    values.push_back(isMatrix ? 0 : known[name]);
  }
  if (plan.find("\nargs a b c ") == std::string::npos)
    fail("expected a plan that begins with a, b and c, but got:\n%s",
         plan.c_str());
}

bool Kernel::launch(const void *a, const void *b, void *c) {
  values[0] = reinterpret_cast<int64_t>(a);
  values[1] = reinterpret_cast<int64_t>(b);
  values[2] = reinterpret_cast<int64_t>(c);
  return honeLaunch(&slot, plan.c_str(), values.data(),
                    static_cast<int32_t>(values.size())) == HONE_OK;
}
