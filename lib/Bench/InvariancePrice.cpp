//===- InvariancePrice.cpp - Time of invariant products -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contestants take turns. Each call has another copy of B, as in a program
// whose weights were last read a step ago, as long as the copies fit.
//
//===----------------------------------------------------------------------===//

#include "hone/Bench/InvariancePrice.h"
#include "hone/Bench/FastestNumbers.h"
#include "hone/Measure/StreamTiming.h"
#include "hone/Numerics/Statistics.h"
#include "hone/Schedule/Spelling.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace hone;
using llvm::Error;
using llvm::formatv;

llvm::StringRef hone::priceHeader() {
  return "n,k,layout,types,numbers,m,invariant_us,deterministic_us,cublas_0_us,"
         "cublas_us,price,over_cublas_0,spread,device";
}

namespace {
/// Enqueues a product on one copy of B.
using PriceEntrant = std::function<Error(int64_t m, size_t set)>;

/// Times of a product with one m.
struct PriceTimes {
  std::vector<double> medians; ///< in seconds, 0 where a contestant failed
  double spread = 0; ///< the largest range of one's turns, over their median

  void add(const std::vector<double> &turns);
};

/// The operands of a product, and its contestants.
class Prices {
public:
  Prices(InvarianceBed &bed, const Problem &problem)
      : bed(bed), problem(problem) {}

  Error prepare(int64_t max);
  llvm::Expected<PriceTimes> measure(int64_t m);

private:
  Error allocate(int64_t max);
  llvm::Expected<double> timeOnce(const PriceEntrant &one, int64_t m);
  void *ofB(size_t set) const {
    return static_cast<uint8_t *>(b->get()) + set % sets * bytesB;
  }
  PriceEntrant ours(RowProduct &product) {
    return [this, &product](int64_t m, size_t set) {
      return product.enqueue(m, a->get(), ofB(set), c->get());
    };
  }
  llvm::Expected<PriceEntrant> theirs(int64_t m, size_t workspace);

  InvarianceBed &bed;
  const Problem &problem;
  size_t sets = 1, bytesB = 0;
  std::unique_ptr<RowProduct> invariant, usual;
  std::optional<OperandMemory> a, b, c;
};
} // namespace

void PriceTimes::add(const std::vector<double> &turns) {
  double median = turns.empty() ? 0 : quantiles(turns).median;
  medians.push_back(median);
  if (median > 0) {
    auto [min, max] = std::minmax_element(turns.begin(), turns.end());
    spread = std::max(spread, (*max - *min) / median);
  }
}

Error Prices::prepare(int64_t max) {
  for (const auto &[product, stated] :
       {std::pair(&invariant, problem), {&usual, problem.withUsualNumbers()}})
    if (Error error =
            RowProduct::compile(*bed.context, stated, bed.options.product())
                .moveInto(*product))
      return error;
  return allocate(max);
}

Error Prices::allocate(int64_t max) {
  constexpr size_t kAlign = 256, kMax = 64;
  constexpr double kCaches = 2;
  Memory &memory = invariant->memory();
  std::vector<uint8_t> data =
      drawElements(problem.b.type, size_t(problem.n) * problem.k, 2);
  bytesB = llvm::alignTo(data.size(), kAlign);
  double cache = kCaches * double(bed.gpu->kit->device->getL2Bytes());
  sets = std::clamp<size_t>(std::ceil(cache / double(bytesB)), 2, kMax);
  std::vector<uint8_t> rows =
      drawElements(problem.a.type, size_t(max) * problem.k, 1);
  for (auto [made, bytes] :
       {std::pair(&a, rows.size()),
        {&b, sets * bytesB},
        {&c, size_t(max) * problem.n * sizeOf(problem.c)}}) {
    auto owned = OperandMemory::allocate(memory, bytes);
    if (!owned)
      return owned.takeError();
    made->emplace(std::move(*owned));
  }
  for (size_t set = 0; set < sets; ++set)
    if (Error error = memory.copyIn(ofB(set), data.data(), data.size()))
      return error;
  return memory.copyIn(a->get(), rows.data(), rows.size());
}

llvm::Expected<PriceEntrant> Prices::theirs(int64_t m, size_t workspace) {
  Problem known = withExtents(problem, m, problem.n, problem.k);
  if (known.products == Products::tf32x3)
    known.products = Products::exact;
  auto prepared = bed.gpu->cublas->prepare(known, /*max=*/1, {}, workspace);
  if (!prepared)
    return prepared.takeError();
  std::shared_ptr<CublasMatmul> matmul = std::move(*prepared);
  return PriceEntrant([this, matmul](int64_t, size_t set) {
    return matmul->run(a->address(), reinterpret_cast<uint64_t>(ofB(set)),
                       c->address());
  });
}

llvm::Expected<double> Prices::timeOnce(const PriceEntrant &one, int64_t m) {
  std::string why;
  const Driver *driver = Driver::get(&why);
  if (!driver)
    return llvm::createStringError(why);
  StreamTiming timing;
  timing.calls = 20;
  timing.rounds = 1;
  size_t set = 0;
  auto seconds = timeOnStream(*driver, bed.gpu->kit->device->getStream(),
                              timing, [&] { return one(m, set++); });
  if (!seconds)
    return seconds.takeError();
  if (Error error = invariant->memory().finish())
    return std::move(error);
  return seconds->front();
}

llvm::Expected<PriceTimes> Prices::measure(int64_t m) {
  constexpr size_t kAll = size_t(32) << 20;
  std::vector<PriceEntrant> all = {ours(*invariant), ours(*usual)};
  for (size_t workspace : {size_t(0), kAll}) {
    PriceEntrant none;
    if (bed.gpu->cublas) {
      if (auto made = theirs(m, workspace))
        none = std::move(*made);
      else
        llvm::errs() << "m = " << m
                     << ": cuBLASLt: " << toString(made.takeError()) << "\n";
    }
    all.push_back(std::move(none));
  }
  std::vector<std::vector<double>> turns(all.size());
  for (int64_t round = 0; round < bed.options.rounds; ++round)
    for (auto [one, seconds] : llvm::zip_equal(all, turns))
      if (one) {
        auto time = timeOnce(one, m);
        if (!time)
          return time.takeError();
        seconds.push_back(*time);
      }
  PriceTimes times;
  for (const std::vector<double> &seconds : turns)
    times.add(seconds);
  return times;
}

llvm::Expected<std::vector<std::vector<std::string>>>
hone::priceOf(InvarianceBed &bed, const Problem &problem,
              llvm::ArrayRef<int64_t> rows) {
  Prices prices(bed, problem);
  if (Error error = prices.prepare(*llvm::max_element(rows)))
    return std::move(error);
  std::vector<std::vector<std::string>> lines;
  for (int64_t m : rows) {
    auto times = prices.measure(m);
    if (!times)
      return times.takeError();
    const std::vector<double> &seconds = times->medians;
    std::vector<std::string> cells = productCells(problem);
    cells.push_back(std::to_string(m));
    for (double each : seconds)
      cells.push_back(each > 0 ? formatv("{0:F2}", each * 1e6).str() : "-");
    auto ratio = [&](size_t one, size_t other) {
      bool isKnown = seconds[one] > 0 && seconds[other] > 0;
      return isKnown ? formatv("{0:F4}", seconds[one] / seconds[other]).str()
                     : std::string("-");
    };
    cells.push_back(ratio(0, 1));
    cells.push_back(ratio(2, 0));
    cells.push_back(formatv("{0:F3}", times->spread));
    cells.push_back(bed.device);
    lines.push_back(std::move(cells));
  }
  return lines;
}

namespace {
/// A row of the CSV file.
struct PriceRow {
  std::string product, numbers; ///< "4096 4096 nt f16:f16"
  int64_t m = 0;
  std::optional<double> us, price, overCublas;
};
} // namespace

static std::optional<double> numberIn(llvm::StringRef cell) {
  double number = 0;
  return cell.getAsDouble(number) ? std::nullopt : std::optional(number);
}

static std::vector<PriceRow>
parsePrices(llvm::ArrayRef<std::vector<std::string>> rows) {
  constexpr size_t kProduct = 4, kM = 5, kUs = 6, kPrice = 10, kOver = 11;
  std::vector<PriceRow> parsed;
  for (llvm::ArrayRef<std::string> row : rows) {
    PriceRow one;
    if (row.size() <= kOver || llvm::StringRef(row[kM]).getAsInteger(10, one.m))
      continue;
    one.product = llvm::join(row.take_front(kProduct), " ");
    one.numbers = row[kProduct];
    one.us = numberIn(row[kUs]);
    one.price = numberIn(row[kPrice]);
    one.overCublas = numberIn(row[kOver]);
    parsed.push_back(one);
  }
  return parsed;
}

/// "1.012 of 54"
static std::string meanOf(const std::vector<double> &ratios) {
  return ratios.empty()
             ? "-"
             : formatv("{0:F3} of {1}", geometricMean(ratios), ratios.size())
                   .str();
}

void hone::printPrices(llvm::ArrayRef<std::vector<std::string>> rows) {
  struct Band {
    const char *name;
    int64_t min, max;
  };
  std::vector<PriceRow> parsed = parsePrices(rows);
  for (const Band &band : {Band{"m < 64", 1, 63}, Band{"64 to 511", 64, 511},
                           Band{"m >= 512", 512, INT64_MAX}}) {
    std::vector<double> prices, ratios;
    for (const PriceRow &row : parsed)
      if (row.m >= band.min && row.m <= band.max) {
        if (row.price)
          prices.push_back(*row.price);
        if (row.overCublas)
          ratios.push_back(*row.overCublas);
      }
    llvm::outs() << formatv("{0}: price {1}; over cuBLASLt without a "
                            "workspace {2}\n",
                            band.name, meanOf(prices), meanOf(ratios));
  }
}

void hone::printFastest(llvm::ArrayRef<std::vector<std::string>> rows) {
  NumbersTimes times;
  for (const PriceRow &row : parsePrices(rows))
    if (row.us)
      times.add(row.product, row.numbers, *row.us);
  for (const FastestNumbers &each : times.fastest())
    llvm::outs() << each.str() << "\n";
}
