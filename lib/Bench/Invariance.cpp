//===- Invariance.cpp - Bits of rows in products of many rows -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Invariance.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/Invariance.h"
#include "hone/Bench/BenchRecord.h"
#include "hone/Bench/InvariancePrice.h"
#include "hone/Bench/ProblemChoice.h"
#include "hone/Bench/RowBits.h"
#include "hone/Command/Options.h"
#include "hone/Command/Table.h"
#include "hone/Schedule/Spelling.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include <chrono>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// The products
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<int64_t>> hone::parseRowCounts(StringRef text) {
  std::vector<int64_t> rows;
  for (StringRef part : llvm::split(text, ',')) {
    auto [first, last] = part.split('-');
    auto from = parseNumber(first),
         to = parseNumber(last.empty() ? first : last);
    if (!from)
      return from.takeError();
    if (!to)
      return to.takeError();
    for (int64_t m = *from; m <= *to; ++m)
      rows.push_back(m);
  }
  return rows;
}

llvm::Expected<std::vector<std::array<int64_t, 2>>>
hone::parseWidths(StringRef text) {
  std::vector<std::array<int64_t, 2>> products;
  for (StringRef part : llvm::split(text, ',')) {
    auto [n, k] = part.split('x');
    auto first = parseNumber(n), second = parseNumber(k);
    if (!first || !second) {
      llvm::consumeError(first.takeError());
      llvm::consumeError(second.takeError());
      return llvm::createStringError(
          formatv("expected products as NxK, but got '{0}'", part));
    }
    products.push_back({*first, *second});
  }
  return products;
}

static llvm::Expected<Problem> problemOf(std::array<int64_t, 2> widths,
                                         StringRef layout, StringRef types,
                                         const Numbers &numbers) {
  auto [n, k] = widths;
  Problem form;
  if (Error error = setLayout(form, layout))
    return std::move(error);
  if (Error error = setTypes(form, types))
    return std::move(error);
  form.numbers = numbers;
  Problem problem = withExtents(form, kDynamic, n, k);
  problem.a.align = withExtents(form, 1, n, k).a.align;
  return problem;
}

/// The rows of a file that a run continues.
static llvm::Expected<std::vector<std::vector<std::string>>>
readDone(StringRef path) {
  std::vector<std::vector<std::string>> rows;
  if (path.empty() || !llvm::sys::fs::exists(path))
    return rows;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::errorCodeToError(buffer.getError());
  auto lines = llvm::split((*buffer)->getBuffer(), '\n');
  for (StringRef line : llvm::drop_begin(lines))
    if (!line.empty())
      rows.push_back(csvCells(line));
  return rows;
}

static bool isDone(llvm::ArrayRef<std::vector<std::string>> done,
                   const Problem &problem) {
  std::vector<std::string> cells = productCells(problem);
  return llvm::any_of(done, [&](llvm::ArrayRef<std::string> row) {
    return row.take_front(cells.size()) == llvm::ArrayRef(cells);
  });
}

/// An error if an option states what a table has.
static Error checkTableOptions(const InvarianceOptions &options) {
  InvarianceOptions usual;
  auto check = [](StringRef name, StringRef value,
                  StringRef usualValue) -> Error {
    if (value == usualValue)
      return Error::success();
    return llvm::createStringError(
        formatv("expected {0} in the table of --products, but got "
                "--{0}={1}; leave the option out",
                name, value));
  };
  return llvm::joinErrors(
      llvm::joinErrors(check("types", options.types, usual.types),
                       check("layout", options.layout, usual.layout)),
      check("numbers", options.numbers, usual.numbers));
}

/// Each product of such a file once.
static llvm::Expected<std::vector<Problem>> tableProblems(StringRef path) {
  auto rows = readDone(path);
  if (!rows)
    return rows.takeError();
  std::vector<Problem> problems;
  for (const std::vector<std::string> &row : *rows) {
    constexpr size_t kCells = 5;
    if (row.size() < kCells)
      return llvm::createStringError(
          formatv("{0}: expected n, k, layout, types and numbers in each row, "
                  "but got '{1}'",
                  path, csvLine(row)));
    auto widths = parseWidths(row[0] + "x" + row[1]);
    auto numbers = parseNumbersList(row[4]);
    if (!widths)
      return widths.takeError();
    if (!numbers)
      return numbers.takeError();
    auto problem = problemOf(widths->front(), row[2], row[3], numbers->front());
    if (!problem)
      return problem.takeError();
    if (!llvm::is_contained(problems, *problem))
      problems.push_back(std::move(*problem));
  }
  if (problems.empty())
    return llvm::createStringError(
        formatv("{0}: expected a table of products, but got none", path));
  return problems;
}

/// All types and numbers of every product.
static llvm::Expected<std::vector<Problem>>
statedProblems(const InvarianceOptions &options) {
  auto products = parseWidths(options.products);
  auto numbers = parseNumbersList(options.numbers);
  if (!products)
    return products.takeError();
  if (!numbers)
    return numbers.takeError();
  std::vector<Problem> problems;
  for (StringRef types : llvm::split(options.types, ','))
    for (std::array<int64_t, 2> widths : *products)
      for (const Numbers &each : *numbers) {
        auto problem = problemOf(widths, options.layout, types, each);
        if (!problem)
          return problem.takeError();
        problems.push_back(std::move(*problem));
      }
  return problems;
}

llvm::Expected<std::vector<Problem>>
hone::problemsOf(const InvarianceOptions &options) {
  StringRef path = options.products;
  bool isTable = path.consume_front("@");
  if (isTable)
    if (Error error = checkTableOptions(options))
      return std::move(error);
  auto all = isTable ? tableProblems(path) : statedProblems(options);
  if (!all)
    return all.takeError();
  std::vector<Problem> problems = std::move(*all);
  auto sample = sampleOf(options.sample, problems.size());
  if (!sample)
    return sample.takeError();
  std::vector<Problem> chosen;
  for (size_t at : *sample)
    chosen.push_back(problems[at]);
  return chosen;
}

//===----------------------------------------------------------------------===//
// One product
//===----------------------------------------------------------------------===//

/// The vendor's first algorithm for each m, as a program without a search has.
static llvm::Expected<Exceptions> compareTheirs(BenchBed &bed, Memory &memory,
                                                const Problem &problem,
                                                RowBits &bits,
                                                llvm::ArrayRef<int64_t> rows) {
  std::unique_ptr<CublasMatmul> theirs;
  int64_t prepared = 0;
  auto multiply = [&](int64_t m, void *a, void *b, void *c) -> Error {
    if (m != prepared) {
      Problem known = withExtents(problem, m, problem.n, problem.k);
      if (known.products == Products::tf32x3)
        known.products = Products::exact;
      if (Error error = bed.cublas->prepare(known, /*max=*/1).moveInto(theirs))
        return error;
      prepared = m;
    }
    auto address = [](void *pointer) {
      return reinterpret_cast<uint64_t>(pointer);
    };
    if (Error error = theirs->run(address(a), address(b), address(c)))
      return error;
    return memory.finish();
  };
  std::vector<uint8_t> expected;
  return compareAll(bits, rows, multiply, expected);
}

std::vector<std::string> hone::productCells(const Problem &problem) {
  return {std::to_string(problem.n), std::to_string(problem.k),
          layoutOf(problem), typesOf(problem), problem.numbers.str()};
}

static constexpr StringRef kBitsHeader =
    "n,k,layout,types,numbers,products,rows,values,wrong_rows,wrong_values,"
    "first,bits,cublas_values,cublas_wrong,seconds,device";

/// A row of the CSV file.
static llvm::Expected<std::vector<std::string>>
compareOne(InvarianceBed &bed, const Problem &problem,
           llvm::ArrayRef<int64_t> rows) {
  auto start = std::chrono::steady_clock::now();
  auto product =
      RowProduct::compile(*bed.context, problem, bed.options.product());
  if (!product)
    return product.takeError();
  int64_t max = *llvm::max_element(rows);
  RowBits bits(problem, (*product)->memory(), bed.options.seed);
  if (Error error =
          bits.prepare(std::min(max, bed.options.pool), max, bed.options.seed))
    return std::move(error);
  std::vector<uint8_t> expected;
  auto found = compareAll(
      bits, rows,
      [&](int64_t m, void *a, void *b, void *c) {
        return (*product)->run(m, a, b, c);
      },
      expected);
  if (!found)
    return found.takeError();
  std::string theirValues = "-", theirWrong = "-";
  if (bed.gpu && bed.gpu->cublas) {
    auto theirs =
        compareTheirs(*bed.gpu, (*product)->memory(), problem, bits, rows);
    if (theirs) {
      theirValues = std::to_string(theirs->values);
      theirWrong = std::to_string(theirs->wrongValues);
    } else {
      llvm::errs() << typesOf(problem)
                   << ": cuBLASLt: " << toString(theirs.takeError()) << "\n";
    }
  }
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::vector<std::string> cells = productCells(problem);
  llvm::append_range(
      cells,
      std::vector<std::string>{
          std::to_string(rows.size()), std::to_string(found->rows),
          std::to_string(found->values), std::to_string(found->wrongRows),
          std::to_string(found->wrongValues), found->first,
          llvm::utohexstr(llvm::xxh3_64bits(expected), /*LowerCase=*/true),
          theirValues, theirWrong, formatv("{0:F1}", took.count()).str(),
          bed.device});
  return cells;
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

llvm::Expected<InvarianceBed>
InvarianceBed::open(const InvarianceOptions &options) {
  InvarianceBed bed{options};
  bed.context = makeContext();
  bed.device = "stand-in";
  if (options.standIn)
    return bed;
  auto gpu = BenchBed::open(options.cublas, /*mayLack=*/true);
  if (!gpu)
    return gpu.takeError();
  bed.gpu.emplace(std::move(*gpu));
  bed.device = bed.gpu->kit->device->getName().str();
  return bed;
}

StringRef hone::invarianceHeader(const InvarianceOptions &options) {
  return options.price ? priceHeader() : kBitsHeader;
}

/// The rows of a product: one of bits, or one of times for each m.
static llvm::Expected<std::vector<std::vector<std::string>>>
linesOf(InvarianceBed &bed, const Problem &problem,
        llvm::ArrayRef<int64_t> rows, InvarianceResult &result) {
  if (bed.options.price)
    return priceOf(bed, problem, rows);
  auto line = compareOne(bed, problem, rows);
  if (!line)
    return line.takeError();
  constexpr size_t kWrongRows = 8;
  result.isRight &= (*line)[kWrongRows] == "0";
  return std::vector<std::vector<std::string>>{std::move(*line)};
}

llvm::Expected<InvarianceResult>
hone::runInvariance(const InvarianceOptions &options,
                    llvm::ArrayRef<Problem> problems) {
  auto rows = parseRowCounts(options.rows);
  if (!rows)
    return rows.takeError();
  std::optional<InvarianceBed> bed; // no GPU is needed if the file has all
  InvarianceResult result;
  if (Error error = readDone(options.csv).moveInto(result.rows))
    return std::move(error);
  CsvFile file;
  if (!options.csv.empty())
    if (Error error = CsvFile::open(options.csv, invarianceHeader(options))
                          .moveInto(file))
      return std::move(error);
  auto start = std::chrono::steady_clock::now();
  for (const Problem &problem : problems) {
    if (isDone(result.rows, problem))
      continue;
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    result.isWhole = passed.count() < 60 * double(options.minutes);
    if (!result.isWhole)
      break;
    if (!bed) {
      auto opened = InvarianceBed::open(options);
      if (!opened)
        return opened.takeError();
      bed.emplace(std::move(*opened));
    }
    auto lines = linesOf(*bed, problem, *rows, result);
    if (!lines)
      return lines.takeError();
    for (std::vector<std::string> &line : *lines) {
      if (file)
        if (Error error = file.add(csvLine(line)))
          return std::move(error);
      result.rows.push_back(std::move(line));
    }
  }
  return result;
}
