//===- PlanReader.cpp - Lines and values of a plan's text -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PlanReader.h.
//
//===----------------------------------------------------------------------===//

#include "PlanReader.h"
#include "PlanChecks.h"

using namespace hone;
using namespace hone::detail;

std::string PlanReader::fault() const {
  return "line " + std::to_string(lineNumber) + ": " + error;
}

bool PlanReader::fail(std::string_view what, std::string_view got) {
  error = expected(what, got);
  return false;
}

bool PlanReader::failAgain(std::string_view keyword, const char *owner) {
  error = "expected one " + quoted(keyword) + " for each " + owner +
          ", but got another";
  return false;
}

bool PlanReader::nextLine() {
  line = {};
  while (line.empty()) {
    ++lineNumber;
    if (rest.empty())
      return false;
    size_t end = rest.find('\n');
    line = trimmed(rest.substr(0, end));
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  return true;
}

bool PlanReader::takeWord(std::string_view word) {
  if (firstWord(line) != word)
    return false;
  line = trimmed(line.substr(word.size()));
  return true;
}

bool PlanReader::parseExpression(std::string_view text, PlanFormula &formula,
                                 bool mayAsk) {
  text = trimmed(text);
  error = PlanFormula::parse(text, names, formula);
  if (error.empty() && !mayAsk)
    error = faultOfAsking(formula);
  return error.empty();
}

bool PlanReader::parseInteger(std::string_view text, int64_t min, int64_t max,
                              int64_t &value) {
  text = trimmed(text);
  value = text.empty() ? max + 1 : 0;
  for (char c : text)
    // Saturates: a number of a thousand digits is too large, not malformed.
    value = !isDigit(c) || value > max ? max + 1 : value * 10 + (c - '0');
  if (value >= min && value <= max)
    return true;
  return fail("a number from " + std::to_string(min) + " to " +
                  std::to_string(max),
              text);
}

bool PlanReader::parseDims(PlanFormula (&dims)[3], int64_t max) {
  std::string_view whole = line;
  for (int i = 0; i < 3; ++i) {
    size_t end = line.find(';');
    if ((end == line.npos) != (i == 2))
      return fail("three expressions separated by ';'", whole);
    if (!parseExpression(line.substr(0, end), dims[i], /*mayAsk=*/!max))
      return false;
    line.remove_prefix(i == 2 ? line.size() : end + 1);
  }
  error = faultOfDims(dims, max);
  return error.empty();
}
