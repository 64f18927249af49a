//===- WorkerHost.cpp - Measuring on this CPU -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JIT compiles a candidate in this process: should it break down there, it
// is this candidate that does. Time is that of the thread, which a neighbour
// that takes the core does not add to.
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "WorkerBed.h"
#include "hone/Jit/Jit.h"
#include "hone/Measure/Timing.h"
#include "hone/Measure/Tolerance.h"
#include "hone/Tuner/ProblemModule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <map>
#include <random>

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

namespace {
/// A matrix as the problem wants it stored.
struct HostMatrix {
  ElementType type;
  int64_t rows = 0, cols = 0, lead = 0;
  bool inRows = true;
  std::vector<char> bytes;

  double at(int64_t row, int64_t col) const {
    return loadElement(type, bytes.data(),
                       inRows ? row * lead + col : col * lead + row);
  }
};

class HostBed : public WorkerBed {
public:
  explicit HostBed(Arch arch) : arch(std::move(arch)) {}

  protocol::Opened describe() override {
    return {arch.isa, "host", arch.isa, /*cuda=*/0};
  }
  Error setProblem(const Problem &problem) override;
  Error load(size_t at, const Schedule &schedule, StringRef key) override;
  Error launch(size_t at) override {
    run(at);
    return Error::success();
  }
  Error check(size_t at, bool whole, StringRef inject) override;
  llvm::Expected<std::vector<double>>
  timeBriefly(size_t at, double best, llvm::function_ref<void()> beat) override;
  llvm::Expected<std::vector<std::vector<double>>>
  timeInTurns(llvm::ArrayRef<size_t> who, size_t rounds, double about,
              llvm::function_ref<void(size_t)> announce) override;
  void clear() override { candidates.clear(); }

private:
  struct Candidate {
    std::unique_ptr<Jit> jit;
    Jit::Function function;
  };
  void run(size_t at);
  double timeOnce(size_t at, double about, double atLeast);

  Arch arch;
  Problem problem;
  std::array<HostMatrix, 3> matrices; ///< A, B, C
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  std::map<size_t, Candidate> candidates;
};
} // namespace

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

static HostMatrix makeMatrix(ElementType type, Order order, int64_t align,
                             int64_t rows, int64_t cols) {
  HostMatrix matrix;
  matrix.type = type;
  matrix.rows = rows, matrix.cols = cols;
  matrix.inRows = order == Order::row;
  matrix.lead = llvm::alignTo(matrix.inRows ? cols : rows,
                              std::max<int64_t>(align / sizeOf(type), 1));
  int64_t lines = matrix.inRows ? rows : cols;
  matrix.bytes.resize(matrix.lead * lines * sizeOf(type));
  return matrix;
}

Error HostBed::setProblem(const Problem &given) {
  if (given.batch || !given.epilogue.empty() || given.init != Init::zero)
    return llvm::createStringError(
        "expected a plain product on the host, but got " + given.str());
  problem = given;
  candidates.clear();
  matrices = {
      makeMatrix(given.a.type, given.a.order, given.a.align, given.m, given.k),
      makeMatrix(given.b.type, given.b.order, given.b.align, given.k, given.n),
      makeMatrix(given.c, Order::row, given.alignC, given.m, given.n)};
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (HostMatrix *matrix : {&matrices[0], &matrices[1]}) {
    int64_t count = matrix->bytes.size() / sizeOf(matrix->type);
    for (int64_t i = 0; i < count; ++i)
      storeElement(matrix->type, matrix->bytes.data(), i, normal(random));
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

Error HostBed::load(size_t at, const Schedule &schedule, StringRef) {
  auto program = ProblemModule::of(openProblem(problem));
  if (!program)
    return program.takeError();
  auto module = parseModule(*context, program->text);
  if (!module)
    return module.takeError();
  PipelineChoice choice;
  choice.arch = "host";
  choice.schedule = toString(schedule);
  if (Error error = runPipeline(**module, choice))
    return error;
  auto jit = Jit::create(**module);
  if (!jit)
    return jit.takeError();
  auto function = (*jit)->lookup("matmul");
  if (!function)
    return function.takeError();
  candidates[at] = {std::move(*jit), *function};
  return Error::success();
}

void HostBed::run(size_t at) {
  JitArguments arguments;
  for (HostMatrix &matrix : matrices) {
    int64_t lines = matrix.inRows ? matrix.rows : matrix.cols;
    int64_t width = matrix.inRows ? matrix.cols : matrix.rows;
    arguments.addMemRef(matrix.bytes.data(), {lines, width}, {matrix.lead, 1});
  }
  candidates.at(at).function(arguments.get().data());
}

/// Spread elements are compared with dot products, and every element must have
/// been written.
Error HostBed::check(size_t at, bool whole, StringRef inject) {
  constexpr int64_t kSamples = 512, kWhole = 1 << 16;
  HostMatrix &c = matrices[2];
  std::fill(c.bytes.begin(), c.bytes.end(), char(0xFF));
  run(at);
  int64_t count = problem.m * problem.n;
  if (!inject.empty())
    storeElement(c.type, c.bytes.data(), problem.m / 2 * c.lead + problem.n / 2,
                 inject == "nan" ? std::nan("") : 1e4);
  Tolerance tolerance = Tolerance::ofSum(problem.c, problem.k);
  int64_t wrong = 0;
  for (int64_t i = 0; i < count; ++i)
    wrong += std::isnan(c.at(i / problem.n, i % problem.n));
  auto judge = [&](int64_t row, int64_t col) {
    double sum = 0;
    for (int64_t k = 0; k < problem.k; ++k)
      sum = std::fma(matrices[0].at(row, k), matrices[1].at(k, col), sum);
    wrong += !(tolerance.units(c.at(row, col), sum) <= 1);
  };
  judge(problem.m / 2, problem.n / 2);
  std::mt19937_64 random(2);
  int64_t samples = whole ? std::min(count, kWhole) : kSamples;
  for (int64_t i = 0; i < samples; ++i) {
    int64_t place = samples == count ? i : int64_t(random() % count);
    judge(place / problem.n, place % problem.n);
  }
  if (wrong == 0)
    return Error::success();
  return llvm::createStringError(
      formatv("expected a right product, but got {0} wrong elements", wrong));
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// Seconds of a call, over calls that take about `atLeast` together.
double HostBed::timeOnce(size_t at, double about, double atLeast) {
  int64_t calls = std::clamp<int64_t>(atLeast / about, 1, 100000);
  double start = threadSeconds();
  for (int64_t i = 0; i < calls; ++i)
    run(at);
  return (threadSeconds() - start) / calls;
}

llvm::Expected<std::vector<double>>
HostBed::timeBriefly(size_t at, double best, llvm::function_ref<void()> beat) {
  constexpr double kTurn = 5e-3, kFar = 2;
  constexpr int kTurns = 3;
  beat();
  double about = std::max(timeOnce(at, 1, 0), 1e-8);
  std::vector<double> turns;
  for (int turn = 0; turn < kTurns; ++turn) {
    beat();
    turns.push_back(timeOnce(at, about, kTurn));
    if (best > 0 && turns.back() > kFar * best)
      break;
  }
  return turns;
}

llvm::Expected<std::vector<std::vector<double>>>
HostBed::timeInTurns(llvm::ArrayRef<size_t> who, size_t rounds, double about,
                     llvm::function_ref<void(size_t)> announce) {
  constexpr double kTurn = 20e-3;
  std::vector<std::vector<double>> seconds(who.size());
  for (size_t round = 0; round < rounds; ++round)
    for (size_t turn = 0; turn < who.size(); ++turn) {
      size_t i = (turn + round) % who.size();
      announce(who[i]);
      seconds[i].push_back(timeOnce(who[i], about, kTurn));
    }
  return seconds;
}

llvm::Expected<std::unique_ptr<WorkerBed>> hone::openHostBed() {
  llvm::Expected<Arch> arch = Arch::lookup("host");
  if (!arch)
    return arch.takeError();
  return std::make_unique<HostBed>(*arch);
}
