//===- PlanReader.h - Lines and values of a plan's text ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a plan's grammar that several lines share: words, numbers,
// formulas and lists. PlanParser.cpp has the lines.
//
// A parsing function removes the parsed text from `line`. It returns false
// after it has set `error`.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_RUNTIME_PLANREADER_H
#define HONE_LIB_RUNTIME_PLANREADER_H

#include "../Text.h"
#include "hone/Runtime/LaunchPlan.h"

namespace hone::detail {

class PlanReader {
protected:
  explicit PlanReader(std::string_view text) : rest(text) {}

  bool fail(std::string_view what, std::string_view got);
  bool failAgain(std::string_view keyword, const char *owner);
  /// The error, with the number of its line.
  std::string fault() const;

  /// The next line that is not blank, in `line`; false at the end.
  bool nextLine();
  /// Removes `word` and the blanks after it from the start of the line.
  bool takeWord(std::string_view word);

  /// Only a grid `mayAsk` for the resident clusters of its own launch.
  bool parseExpression(std::string_view text, PlanFormula &formula,
                       bool mayAsk = false);
  bool parseInteger(std::string_view text, int64_t min, int64_t max,
                    int64_t &value);
  /// `e ; e ; e`, with the limits of faultOfDims.
  bool parseDims(PlanFormula (&dims)[3], int64_t max);
  /// `(a, b)` at the start of `line`: calls `parse` for each item.
  template <typename Parse>
  bool parseList(Parse parse);

  std::string_view rest, line;
  size_t lineNumber = 0;
  std::vector<std::string> names; ///< that expressions may use here
  std::string error;
};

template <typename Parse>
bool PlanReader::parseList(Parse parse) {
  if (line.empty() || line.front() != '(')
    return fail("'('", line);
  int depth = 0;
  size_t begin = 1;
  for (size_t i = 0; i < line.size(); ++i) {
    depth += line[i] == '(' ? 1 : line[i] == ')' ? -1 : 0;
    if (depth > 1 || (depth == 1 && line[i] != ','))
      continue;
    std::string_view item = trimmed(line.substr(begin, i - begin));
    bool isEmpty = depth == 0 && begin == 1 && item.empty();
    if (!isEmpty && !parse(item))
      return false;
    begin = i + 1;
    if (depth == 0) {
      line = trimmed(line.substr(i + 1));
      return true;
    }
  }
  return fail("')'", "");
}

} // namespace hone::detail

#endif // HONE_LIB_RUNTIME_PLANREADER_H
