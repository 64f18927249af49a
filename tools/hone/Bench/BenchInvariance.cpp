//===- BenchInvariance.cpp - hone bench invariance ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bits of a row of C in products of many rows, and the price of bits that do
// not depend on the others. A row's bits in a product of its own, with m = 1, are
// the expected ones; then rows are placed at random in products of every m. One
// row of CSV for each product, so that a run may be continued.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/BenchRecord.h"
#include "hone/Schedule/Spelling.h"
#include "tools/hone/Bench/BenchBed.h"
#include "tools/hone/Bench/InvariancePrice.h"
#include "tools/hone/Bench/RowBits.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "tools/hone/Options.h"
#include "tools/hone/Table.h"
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

/// "1-600,1024": numbers and ranges of them.
static llvm::Expected<std::vector<int64_t>> parseRows(StringRef text) {
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

static Error checkRows(StringRef text) { return parseRows(text).takeError(); }

/// "4096x4096": N and K.
static llvm::Expected<std::vector<std::array<int64_t, 2>>>
parseWidths(StringRef text) {
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

static Error checkProducts(StringRef text) {
  return parseWidths(text).takeError();
}

/// "invariant,invariant:4"
static llvm::Expected<std::vector<Numbers>> parseNumbersList(StringRef text) {
  std::vector<Numbers> all;
  for (StringRef part : llvm::split(text, ',')) {
    auto numbers = Numbers::parse(part);
    if (!numbers)
      return numbers.takeError();
    all.push_back(*numbers);
  }
  return all;
}

static Error checkNumbersList(StringRef text) {
  return parseNumbersList(text).takeError();
}

/// All types and numbers of every product.
static llvm::Expected<std::vector<Problem>>
problemsOf(const InvarianceOptions &options) {
  auto products = parseWidths(options.products);
  auto numbers = parseNumbersList(options.numbers);
  if (!products)
    return products.takeError();
  if (!numbers)
    return numbers.takeError();
  std::vector<Problem> problems;
  for (StringRef types : llvm::split(options.types, ','))
    for (auto [n, k] : *products) {
      Problem form;
      if (Error error = setLayout(form, options.layout))
        return std::move(error);
      if (Error error = setTypes(form, types))
        return std::move(error);
      for (const Numbers &each : *numbers) {
        form.numbers = each;
        problems.push_back(withExtents(form, kDynamic, n, k));
        problems.back().a.align = withExtents(form, 1, n, k).a.align;
      }
    }
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
      if (Error error = bed.cublas->prepare(known, /*most=*/1).moveInto(theirs))
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
  int64_t most = *llvm::max_element(rows);
  RowBits bits(problem, (*product)->memory(), bed.options.seed);
  if (Error error = bits.prepare(std::min(most, bed.options.pool), most,
                                 bed.options.seed))
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
// The command
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

static llvm::Expected<int> run(const InvarianceOptions &options,
                               llvm::ArrayRef<Problem> problems) {
  auto rows = parseRows(options.rows);
  if (!rows)
    return rows.takeError();
  std::optional<InvarianceBed> bed; // no GPU is needed if the file has all
  StringRef header = options.price ? priceHeader() : kBitsHeader;
  auto done = readDone(options.csv);
  if (!done)
    return done.takeError();
  CsvFile file;
  if (!options.csv.empty())
    if (Error error = CsvFile::open(options.csv, header).moveInto(file))
      return std::move(error);
  Table table(csvCells(header));
  auto start = std::chrono::steady_clock::now();
  bool isRight = true, isWhole = true;
  for (const Problem &problem : problems) {
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    if (isDone(*done, problem))
      continue;
    isWhole = passed.count() < 60 * double(options.minutes);
    if (!isWhole)
      break;
    if (!bed) {
      auto opened = InvarianceBed::open(options);
      if (!opened)
        return opened.takeError();
      bed.emplace(std::move(*opened));
    }
    std::vector<std::vector<std::string>> lines;
    if (options.price) {
      if (Error error = priceOf(*bed, problem, *rows).moveInto(lines))
        return std::move(error);
    } else {
      auto line = compareOne(*bed, problem, *rows);
      if (!line)
        return line.takeError();
      isRight &= (*line)[8] == "0";
      lines.push_back(std::move(*line));
    }
    for (std::vector<std::string> &line : lines) {
      if (file)
        if (Error error = file.add(csvLine(line)))
          return std::move(error);
      done->push_back(line);
    }
  }
  for (const std::vector<std::string> &line : *done)
    table.addRow(line);
  table.print(options.json);
  if (options.price && !options.json) {
    printPrices(*done);
    printFastest(*done);
  }
  if (!isWhole)
    llvm::errs() << "stopped after " << options.minutes
                 << " minutes; the same command goes on\n";
  return isRight ? kExitSuccess : kExitFailure;
}

int hone::benchInvariance(llvm::ArrayRef<StringRef> args) {
  InvarianceOptions options;
  OptionList list("hone bench invariance [options]",
                  "Checks whether the bits of a row depend on other rows, or "
                  "times invariant numbers.");
  list.add("products", "NxK,...", options.products, "N and K of the products",
           checkProducts);
  list.add("types", "A:C,...", options.types, "of the inputs and results");
  list.add("layout", "nt|nn", options.layout, "of A and B", {"nt", "nn"});
  list.add("rows", "M,M-M,...", options.rows, "numbers of rows", checkRows);
  list.add("pool", "N", options.pool, "number of different rows");
  list.add("numbers", "NAME,...", options.numbers, "numbers of the problems",
           checkNumbersList);
  list.add("sample", "START:STEP", options.sample, "of the products, from 1");
  list.add(
      "price", options.price,
      "time the products in turns with deterministic numbers and cuBLASLt");
  list.add("rounds", "N", options.rounds, "rounds of --price");
  list.add("ranges", "N", options.ranges,
           "maximum number of kernels for a product");
  list.add("schedule", "TEXT", options.schedule,
           "schedule of the products, instead of a build's choice",
           checkSchedule);
  list.add("database", "FILE", options.database,
           "database or tuning file, as in a build");
  list.add("minutes", "N", options.minutes,
           "time after which no further product is begun");
  list.add("csv", "FILE", options.csv,
           "append results; skip products that the file has");
  list.add("seed", "N", options.seed, "seed of data and places");
  list.add("stand-in", options.standIn, "compute on this CPU instead of a GPU");
  list.add("arch", "NAME", options.arch, "chip to compile for", checkGpuArch);
  list.add("cublas", "FILE", options.cublas, "the library to compare with");
  list.add("json", options.json, "print JSON");
  return list.run(args, [&]() -> llvm::Expected<int> {
    auto problems = problemsOf(options);
    if (!problems)
      return asUsage(problems.takeError());
    if (options.price && options.standIn)
      return asUsage(llvm::createStringError(
          "expected a GPU for --price, but got --stand-in; leave one out"));
    return run(options, *problems);
  });
}
