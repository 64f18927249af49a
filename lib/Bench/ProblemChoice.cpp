//===- ProblemChoice.cpp - Problems of hone tune --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProblemChoice.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/ProblemChoice.h"
#include "dialects/Hone/Hone.h"
#include "hone/Bench/BenchShapes.h"
#include "hone/Schedule/Convolution.h"
#include "hone/Schedule/Spelling.h"
#include "hone/Sources/RangedSource.h"
#include "hone/Text/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Parses an extent, or `?`.
static bool parseExtent(StringRef text, int64_t &extent) {
  extent = kDynamic;
  return text == "?" || (!text.getAsInteger(10, extent) && extent > 0);
}

/// `form` with these extents, one of which may be dynamic.
static Problem openForm(const Problem &form, const Extents &extents) {
  auto [m, n, k] = extents;
  auto known = [](int64_t extent) { return extent == kDynamic ? 1 : extent; };
  Problem problem = withExtents(form, known(m), known(n), known(k));
  problem.m = m;
  problem.n = n;
  problem.k = k;
  return problem;
}

/// `forms`, or the first with the layout and the types in `parts` instead.
static Expected<std::vector<Problem>>
statedForms(llvm::ArrayRef<Problem> forms, llvm::ArrayRef<StringRef> parts) {
  std::vector<Problem> stated = forms;
  if (parts.empty())
    return stated;
  stated.resize(1);
  if (Error error = setLayout(stated[0], parts[0].trim()))
    return std::move(error);
  if (parts.size() > 1)
    if (Error error = setTypes(stated[0], parts[1].trim()))
      return std::move(error);
  return stated;
}

/// "conv:8x28x28x64:96x3x3:1:1,nt,f16:f16", without the layout or the types.
static Expected<std::vector<Problem>>
parseConvolution(llvm::ArrayRef<StringRef> parts,
                 llvm::ArrayRef<Problem> forms) {
  auto convolution = Convolution::parse(parts[0].trim());
  if (!convolution)
    return convolution.takeError();
  auto stated = statedForms(forms, parts.drop_front());
  if (stated)
    for (Problem &form : *stated)
      form = convolution->in(form);
  return stated;
}

/// "512,512,512,nt,f16:f16", or the extents with x between them.
static Expected<std::vector<Problem>> parseLine(StringRef line,
                                                llvm::ArrayRef<Problem> forms) {
  llvm::SmallVector<StringRef> parts;
  line.split(parts, ',');
  if (parts[0].trim().starts_with(kConvolution) && parts.size() <= 3)
    return parseConvolution(parts, forms);
  if (parts.size() == 1)
    parts.clear(), line.split(parts, 'x');
  constexpr size_t kMaxShown = 60; // a line of another file is long
  Extents extents;
  bool isShape = parts.size() >= 3 && parts.size() <= 5;
  for (size_t i = 0; isShape && i < 3; ++i)
    isShape = parseExtent(parts[i].trim(), extents[i]);
  if (!isShape)
    return llvm::createStringError(
        formatv("expected M,N,K[,LAYOUT[,TYPES]] with extents above 0, but got "
                "'{0}'",
                line.take_front(kMaxShown)));
  if (llvm::count(extents, kDynamic) > 1)
    return llvm::createStringError(
        formatv("expected one unknown extent at most, but got '{0}'", line));
  for (int64_t extent : extents)
    if (extent > kLargestExtent)
      return llvm::createStringError(
          formatv("expected extents of at most {0}, but got '{1}'",
                  kLargestExtent, line));
  auto chosen = statedForms(forms, llvm::ArrayRef(parts).drop_front(3));
  if (!chosen)
    return chosen.takeError();
  std::vector<Problem> problems;
  for (const Problem &form : *chosen) {
    problems.push_back(openForm(form, extents));
    if (std::optional<std::string> fault = problems.back().fault())
      return llvm::createStringError(formatv("'{0}': {1}", line, *fault));
  }
  return problems;
}

static Expected<std::vector<Problem>> parseForms(const ProblemChoice &choice) {
  std::vector<Problem> forms;
  for (StringRef layout : llvm::split(choice.layouts, ',')) {
    Problem form;
    if (Error error = setLayout(form, layout))
      return std::move(error);
    if (Error error = setTypes(form, choice.types))
      return std::move(error);
    forms.push_back(form);
  }
  return forms;
}

static Expected<std::vector<Problem>>
readShapes(StringRef path, llvm::ArrayRef<Problem> forms) {
  constexpr uint64_t kMaxBytes = 64 * kMiB;
  auto file = readFile(path, {"a file of shapes", kMaxBytes});
  if (!file)
    return file.takeError();
  std::vector<Problem> problems;
  size_t number = 0;
  for (StringRef line : llvm::split((*file)->getBuffer(), '\n')) {
    ++number;
    line = line.split('#').first.trim();
    if (line.empty())
      continue;
    auto parsed = parseLine(line, forms);
    if (!parsed)
      return llvm::createStringError(
          formatv("'{0}' line {1}: {2}", path, number,
                  llvm::toString(parsed.takeError())));
    llvm::append_range(problems, *parsed);
  }
  if (problems.empty())
    return llvm::createStringError(
        formatv("expected shapes in '{0}', but got none", path));
  return problems;
}

static Expected<std::vector<Problem>>
gridProblems(const ProblemChoice &choice, llvm::ArrayRef<Problem> forms) {
  auto grid = shapeGrid(choice.grid);
  if (!grid)
    return grid.takeError();
  auto sample = sampleOf(choice.sample, grid->size());
  if (!sample)
    return sample.takeError();
  std::vector<Problem> problems;
  for (size_t at : *sample)
    for (const Problem &form : forms) {
      auto [m, n, k] = (*grid)[at];
      problems.push_back(withExtents(form, m, n, k));
    }
  return problems;
}

Expected<std::vector<Problem>> hone::problemsOf(const ProblemChoice &choice) {
  auto forms = parseForms(choice);
  if (!forms)
    return forms.takeError();
  if (!choice.problem.empty()) {
    auto problem = Problem::parse(choice.problem);
    if (!problem)
      return problem.takeError();
    if (!problem->isStatic() && !openExtent(*problem))
      return llvm::createStringError(
          "expected a problem with one unknown extent at most, but got '" +
          choice.problem + "'");
    return std::vector<Problem>{*problem};
  }
  if (!choice.shapes.empty())
    return readShapes(choice.shapes, *forms);
  if (!choice.grid.empty())
    return gridProblems(choice, *forms);
  std::vector<Problem> problems;
  for (StringRef shape : llvm::split(choice.shape, ';')) {
    auto parsed = parseLine(shape.trim(), *forms);
    if (!parsed)
      return parsed.takeError();
    llvm::append_range(problems, *parsed);
  }
  return problems;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Expected<std::vector<Numbers>> hone::parseNumbersList(StringRef text) {
  std::vector<Numbers> all;
  for (StringRef part : llvm::split(text, ',')) {
    auto numbers = Numbers::parse(part);
    if (!numbers)
      return numbers.takeError();
    all.push_back(*numbers);
  }
  return all;
}

Expected<std::vector<Problem>>
hone::withEachNumbers(llvm::ArrayRef<Problem> problems,
                      const ProblemChoice &choice) {
  if (choice.numbers.empty())
    return problems.vec();
  auto numbers = parseNumbersList(choice.numbers);
  if (!numbers)
    return numbers.takeError();
  std::vector<Problem> all;
  for (const Problem &problem : problems)
    for (const Numbers &each : *numbers) {
      all.push_back(problem);
      all.back().numbers = each;
    }
  return all;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Replaces every unknown extent by `value`.
static Problem filledIn(Problem problem, int64_t value) {
  for (int64_t *extent : {&problem.m, &problem.n, &problem.k})
    if (*extent == kDynamic)
      *extent = value;
  if (problem.batch == kDynamic)
    problem.batch = value;
  return problem;
}

std::vector<Problem> hone::problemsIn(mlir::ModuleOp module,
                                      llvm::ArrayRef<int64_t> dims,
                                      const ProblemNote &note) {
  std::vector<Problem> problems;
  module.walk([&](MatmulOp op) {
    Problem problem = op.getProblem();
    bool hasOpenWindows = !problem.hasMatrices() && !problem.isStatic();
    if (hasOpenWindows || problem.readsPlaces()) {
      note("left out: " + problem.str() + ": it reads " +
           (problem.groups      ? "rows of groups"
            : problem.isIndexed ? "rows of an index"
                                : "windows of an unknown number of images") +
           ", which no search times");
      return;
    }
    if (problem.isStatic()) {
      problems.push_back(problem);
      return;
    }
    for (int64_t dim : dims) {
      problems.push_back(filledIn(problem, dim));
      if (std::optional<std::string> fault = problems.back().fault()) {
        note(formatv("left out: --dims={0}: {1}", dim, *fault));
        problems.pop_back();
      }
    }
    if (dims.empty() && openExtent(problem))
      problems.push_back(problem);
    else if (dims.empty())
      note("left out: " + problem.str() +
           ": its extents are not known; use --dims=N,...");
  });
  return problems;
}

//===----------------------------------------------------------------------===//
// Unknown extents
//===----------------------------------------------------------------------===//

std::vector<Problem> hone::ladderOf(const Problem &problem) {
  std::vector<Problem> problems;
  std::optional<char> letter = openExtent(problem);
  for (int64_t value : letter ? rangeLadder() : std::vector<int64_t>()) {
    Problem known = withExtent(problem, *letter, value);
    if (!known.fault())
      problems.push_back(std::move(known));
  }
  return problems;
}
