//===- Reader.cpp - Numbers of a schedule for the policy ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One visitor yields both names and numbers, so they cannot disagree. Where
// only the names are needed, any candidate will do.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Reader.h"
#include "hone/Model/Trees.h"
#include "hone/Schedule/WholeKernel.h"
#include "hone/Space/Power.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>
#include <numeric>

using namespace hone;
using llvm::StringRef;
using llvm::Twine;

double hone::logOf(double value) {
  constexpr double kLn2 = 0.69314718055994530942;
  return kLn2 * detail::binaryLog(value);
}

/// log2 of a value that may be 0.
static double log2Of(double value) {
  constexpr double kMin = 1e-12;
  return detail::binaryLog(std::max(value, kMin));
}

namespace {
/// A name in pieces: most visitors do not need the joined string.
struct Name {
  Name(const char *text) : group(text) {}
  Name(const Kind &kind) : group(kind.name) {}
  Name(const Kind &kind, const Decision &decision, size_t part)
      : group(kind.name), decision(&decision), part(part) {}

  std::string str() const {
    if (!decision)
      return group.str();
    return (group + "." + decision->name + "." + Twine(part)).str();
  }

  StringRef group;
  const Decision *decision = nullptr;
  size_t part = 0;
};

/// Calls the visitor with a name and a number for each property of a candidate.
template <typename AddT>
class FeatureList {
public:
  FeatureList(const Problem &problem, const Arch &arch, AddT add)
      : problem(problem), arch(arch), add(add) {}

  void addProblem();
  void addArch();
  void addTerms(const CostTerms &terms, const BlockFacts &facts);
  void addBlock(const BlockFacts &facts);
  void addDecisions(const Kind &kind, const Schedule *schedule);

private:
  void addCount(Name name, double value) { add(name, log2Of(value)); }
  void addFlag(Name name, bool value) { add(name, double(value)); }

  const Problem &problem;
  const Arch &arch;
  AddT add;
};
} // namespace

/// The largest power of two that divides a line's bytes, up to a page.
static double evenPartOf(int64_t elements, int64_t bytes) {
  constexpr int64_t kPage = 4096;
  return double(std::gcd(elements * bytes, kPage));
}

template <typename AddT>
void FeatureList<AddT>::addProblem() {
  double m = problem.m, n = problem.n, k = problem.k;
  addCount("problem.m", m);
  addCount("problem.n", n);
  addCount("problem.k", k);
  addCount("problem.batch", problem.batch.value_or(1));
  addCount("problem.products", m * n * k);
  addCount("problem.intensity", *problem.flops() / *problem.bytes());
  addFlag("problem.a.col", problem.a.order == Order::col);
  addFlag("problem.b.row", problem.b.order == Order::row);
  addCount("problem.a.bytes", sizeOf(problem.a.type));
  addCount("problem.c.bytes", sizeOf(problem.c));
  addFlag("problem.read", problem.init == Init::read);
  addFlag("problem.epilogue", !problem.epilogue.empty());
  addFlag("problem.a.aligned", problem.a.align >= 16);
  addFlag("problem.b.aligned", problem.b.align >= 16);
  addFlag("problem.c.aligned", problem.alignC >= 16);
  addCount("problem.a.align", problem.a.align);
  addCount("problem.b.align", problem.b.align);
  addCount("problem.c.align", problem.alignC);
  addFlag("problem.m.64", problem.m % 64 == 0);
  addFlag("problem.n.64", problem.n % 64 == 0);
  addFlag("problem.n.128", problem.n % 128 == 0);
  addFlag("problem.k.64", problem.k % 64 == 0);
  addCount("problem.b.bytes", sizeOf(problem.b.type));
  addFlag("problem.integer", isInteger(problem.a.type));
  // Lines that lie whole pages apart use the same memory channels.
  int64_t pitchA = problem.a.order == Order::row ? problem.k : problem.m;
  if (problem.a.access)
    if (std::optional<Window> window = problem.a.access->window())
      pitchA = window->w.pitch;
  addCount("problem.a.pitch", evenPartOf(pitchA, sizeOf(problem.a.type)));
  addCount("problem.b.pitch",
           evenPartOf(problem.b.order == Order::row ? problem.n : problem.k,
                      sizeOf(problem.b.type)));
  addCount("problem.c.pitch", evenPartOf(problem.n, sizeOf(problem.c)));
}

template <typename AddT>
void FeatureList<AddT>::addArch() {
  double hertz = std::max(arch.clockGHz, 0.1) * 1e9;
  addCount("arch.processors", std::max<int64_t>(arch.processors, 1));
  addCount("arch.products", arch.peakTflops * 1e12 / hertz);
  addCount("arch.bytes", arch.memoryGBs * 1e9 / hertz);
  addCount("arch.cache", double(arch.cacheBytes));
  addCount("arch.capability", std::max(arch.capability, 1));
}

template <typename AddT>
void FeatureList<AddT>::addTerms(const CostTerms &terms,
                                 const BlockFacts &facts) {
  auto part = [&](Name name, double value) {
    add(name, logOf(value / terms.seconds + 1e-3));
  };
  addCount("model.seconds", terms.seconds);
  part("model.start", terms.start);
  part("model.ends", terms.ends);
  part("model.loops", terms.loops);
  part("model.bus", terms.bus);
  part("model.power", terms.power);
  part("model.store", terms.store);
  part("model.reduce", terms.reduce);
  addCount("model.step", terms.step);
  part("model.outside", terms.outside * terms.steps);
  addCount("model.rows", terms.rows);
  addCount("model.cols", terms.cols);
  addCount("model.blocks", terms.blocks);
  addCount("model.processors", terms.processors);
  add("model.share", std::min(terms.share, 16.0));
  addCount("model.share.log", terms.share);
  addCount("model.together", terms.together);
  addCount("model.rounds", terms.rounds);
  addCount("model.steps", terms.steps + 1);
  addCount("model.resident", terms.resident);
  add("model.exposed", terms.exposed);
  addFlag("model.cut", terms.isCut);
  double processors = std::max(terms.processors, 1.0);
  double blocks = std::max(terms.blocks, 1.0);
  addCount("model.waves", blocks / processors);
  add("model.filled", std::min(blocks / processors, 1.0));
  // Padding that is computed and discarded, and idle processors at the end.
  addCount("model.idle", std::ceil(terms.share) * processors / blocks);
  addCount("model.padding.m",
           std::max(terms.rows, 1.0) * facts.tile[0] / problem.m);
  addCount("model.padding.n",
           std::max(terms.cols, 1.0) * facts.tile[1] / problem.n);
  // The filled fraction of the last tile and of the last step.
  auto tail = [](int64_t extent, int64_t tile) {
    return double(extent % std::max<int64_t>(tile, 1)) /
           double(std::max<int64_t>(tile, 1));
  };
  // Tiles that are shifted back at the border are always full.
  auto tailOfTile = [&](int64_t extent, size_t side) {
    bool isWhole = facts.standsBack[side] && extent >= facts.tile[side];
    return isWhole ? 0 : tail(extent, facts.tile[side]);
  };
  add("model.tail.m", tailOfTile(problem.m, 0));
  add("model.tail.n", tailOfTile(problem.n, 1));
  add("model.tail.k", tail(problem.k, facts.tile[2]));
}

template <typename AddT>
void FeatureList<AddT>::addBlock(const BlockFacts &facts) {
  addFlag("block.warps", facts.multiplier == Multiplier::warps);
  addFlag("block.groups", facts.multiplier == Multiplier::groups);
  addCount("block.m", facts.tile[0]);
  addCount("block.n", facts.tile[1]);
  addCount("block.k", facts.tile[2]);
  addCount("block.stages", facts.stages);
  addCount("block.bytes", double(facts.stages) * facts.tile[2] *
                              (facts.tile[0] + facts.tile[1]));
  addCount("block.splits", facts.splits);
  addCount("block.parts", facts.parts + 1);
  addCount("block.group", facts.group);
  addCount("block.cluster.m", facts.cluster[0]);
  addCount("block.cluster.n", facts.cluster[1]);
  addFlag("block.persistent", facts.persistent);
  addCount("block.teams", facts.teams);
  addCount("block.sharers", facts.sharers);
  addCount("block.cols", facts.productCols + 1);
  addCount("block.step.bytes", facts.sharedBytesPerStep + 1);
  addCount("block.threads", facts.threads + 1);
  addCount("block.registers", facts.registers + 1);
  addCount("block.granted", facts.launchRegisters + 1);
  addCount("block.shared", facts.sharedBytes + 1);
  addCount("block.copies", facts.copiesPerStep + 1);
  addFlag("block.cuts.a", facts.cutsSectors[0]);
  addFlag("block.cuts.b", facts.cutsSectors[1]);
  addCount("block.launches", facts.launches);
  addCount("block.pack.bytes", facts.packBytes + 1);
  addCount("block.micro.m", facts.micro[0] + 1);
  addCount("block.micro.n", facts.micro[1] + 1);
  addCount("block.unroll", facts.unroll);
  addCount("block.store.bytes", facts.storeBytes);
  addCount("block.store.chunks", facts.storeChunks + 1);
  addCount("block.store.lines", facts.storeLines + 1);
  addCount("block.store.line", facts.storeLineBytes + 1);
  addCount("block.store.slots", facts.storeSlots + 1);
  addCount("block.products", facts.passes * facts.productsPerStep);
  addFlag("block.fetches", facts.fetchesRows);
}

/// A null schedule stands for another kind, which has none of these decisions.
template <typename AddT>
void FeatureList<AddT>::addDecisions(const Kind &kind,
                                     const Schedule *schedule) {
  addFlag(kind, schedule != nullptr);
  size_t at = 0;
  for (const Decision &decision : kind.decisions) {
    if (namesWholeKernel(decision)) {
      at += decision.size(); // a name is not a number
      continue;
    }
    bool matters =
        schedule && (!decision.matters || decision.matters(*schedule));
    for (size_t part = 0; part < decision.size(); ++part, ++at)
      addCount({kind, decision, part},
               matters ? double(schedule->numbers()[at]) : 1);
  }
}

template <typename AddT>
static CostTerms addAll(const Problem &problem, const Arch &arch,
                        const CostCoefficients &coefficients, Kinds kinds,
                        const Schedule &schedule, AddT add) {
  BlockFacts facts = blockFacts(problem, schedule);
  CostTerms terms = costTerms(problem, arch, schedule, coefficients);
  FeatureList<AddT> features(problem, arch, add);
  features.addProblem();
  features.addArch();
  features.addTerms(terms, facts);
  features.addBlock(facts);
  for (const Kind *kind : kinds)
    features.addDecisions(*kind,
                          kind == &schedule.kind() ? &schedule : nullptr);
  return terms;
}

CostCoefficients hone::coefficientsOfWeights() {
  static constexpr std::pair<llvm::StringLiteral, double> kValues[] = {
      {"stepCorner", 7},
      {"chipCorner", 3.478},
      {"clockFraction", 1},
      {"l2BytesPerClock", 11920},
      {"sharedBytesPerClock", 94.78},
      {"busFraction", 0.9201},
      {"powerFraction", 0.7},
      {"cacheFraction", 0.5896},
      {"loadSeconds", 1.336e-06},
      {"fillSeconds", 1.044e-06},
      {"clusterStart", 9.175e-08},
      {"clusterSerial", 10.68},
      {"reduceSeconds", 2.833e-07},
      {"reduceBytesPerClock", 6.895},
      {"remoteBytesPerClock", 4.06},
      {"cutSeconds", 3e-06},
      {"cutBytesPerClock", 40},
      {"mmaSyncEfficiency", 0.4161},
      {"mmaSyncStart", 1.027e-06},
      {"mmaSyncFill", 7.367e-07},
      {"mmaSyncSerial", 128.3},
      {"mmaSyncSlice", 53.26},
      {"mmaSyncStore", 3.461},
      {"wsEfficiency", 1},
      {"wsNarrow", 1.575},
      {"wsSerial", 1.344},
      {"wsStore", 25.62},
      {"wsStoreClocks", 138.5},
      {"singleStart", 8.776e-07},
      {"coopStart", 1.135e-06},
      {"coopExposed", 0.535},
      {"pingpongStart", 7.773e-07},
      {"pingpongExposed", 0.06342},
      // Terms newer than the weights, with values that disable them.
      {"arriveBytesPerClock", 1e9},
      {"cutSectors", 1},
      {"packBusFraction", 0.8},
      {"packSeconds", 2e-06},
  };
  CostCoefficients by;
  CostCoefficients::visit(by, [&](llvm::StringRef name, double &value) {
    auto at = llvm::find_if(kValues,
                            [&](const auto &one) { return one.first == name; });
    // Newer cost coefficients are 0.
    value = at == std::end(kValues) ? 0 : at->second;
  });
  return by;
}

Reader::Reader(const Problem &problem, const Arch &arch,
               std::optional<CostCoefficients> coefficients, Kinds kinds)
    : problem(problem), arch(arch),
      coefficients(coefficients.value_or(coefficientsOfWeights())),
      kinds(kinds) {
  assert(problem.isStatic() && "expected extents that are known");
}

void Reader::correctBy(const Trees &by, double share) {
  trees = &by;
  treesShare = share;
}

Reading Reader::readPlain(const Schedule &schedule) const {
  Reading reading;
  CostTerms terms = addAll(
      problem, arch, coefficients, kinds, schedule,
      [&](const Name &, double value) { reading.numbers.push_back(value); });
  reading.logEstimate = logOf(terms.seconds);
  reading.logModel = logOf(estimateSeconds(problem, arch, schedule));
  return reading;
}

Reading Reader::read(const Schedule &schedule) const {
  Reading reading = readPlain(schedule);
  if (trees)
    reading.logEstimate += treesShare * trees->residual(reading);
  return reading;
}

std::vector<Reading> Reader::readAll(llvm::ArrayRef<Schedule> schedules) const {
  std::vector<Reading> readings;
  for (const Schedule &schedule : schedules)
    readings.push_back(readPlain(schedule));
  if (trees)
    for (auto [reading, off] :
         llvm::zip_equal(readings, trees->residuals(readings)))
      reading.logEstimate += treesShare * off;
  return readings;
}

std::vector<std::string> Reader::names(Kinds kinds) {
  Problem problem;
  problem.m = problem.n = problem.k = 64;
  Arch arch = llvm::cantFail(Arch::lookup("sm_80"));
  std::vector<std::string> names;
  addAll(problem, arch, {}, kinds, Schedule(*kinds.front()),
         [&](const Name &name, double) { names.push_back(name.str()); });
  return names;
}

std::vector<int> hone::placesAmong(llvm::ArrayRef<std::string> known,
                                   llvm::ArrayRef<std::string> names) {
  llvm::StringMap<int> at;
  for (auto [place, name] : llvm::enumerate(known))
    at[name] = int(place);
  std::vector<int> places;
  for (const std::string &name : names) {
    auto found = at.find(name);
    places.push_back(found == at.end() ? -1 : found->second);
  }
  return places;
}
