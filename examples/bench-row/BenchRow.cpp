//===- BenchRow.cpp - Times of one product and of cuBLASLt ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reproduces a row of `hone bench gemm` through the C interface. It builds the
// kernel as a program's build would, and times it with and without programmatic
// launch, next to cuBLASLt's fastest algorithms. Launches go into CUDA graphs
// of some milliseconds, over sets of buffers that exceed the L2 cache five
// times. All kernels take turns, in a new random order for every round: at the
// power limit, a chip's clock depends on the load of the last few milliseconds.
//
//===----------------------------------------------------------------------===//

#include "Cuda.h"
#include "Kernel.h"
#include "Rival.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

using namespace example;
using Half = _Float16;

static constexpr char kUsage[] = R"(usage: bench-row M N K [nt|nn] [options]

Builds C = A * B (f16, f32 sums) with Hone and times it beside cuBLASLt. A is
M x K and C is M x N; B is N x K (nt, the default) or K x N (nn).

  --database=FILE  what hone tune has learned
  --schedule=TEXT  instead of what a build takes
  --arch=NAME      to build for (native)
  --cublas=FILE    libcublasLt, if another
  --rounds=N       turns of each (11)
  --build-only     print the schedule and the plan; needs no GPU
  --help           this text
)";

namespace {
struct Options {
  Product product;
  std::string database, schedule, arch = "native", cublas;
  int rounds = 11;
  bool isBuildOnly = false;

  /// Options of hone-pipeline.
  std::string pipeline() const {
    std::string text = "arch=" + arch;
    if (!database.empty())
      text += " database=" + database;
    if (!schedule.empty())
      text += " schedule='" + schedule + "'";
    return text;
  }
};

/// Sets of operands and results; the data are N(0,1), from one pool.
class Buffers {
public:
  Buffers(const Product &product, int64_t l2Bytes);
  int sets() const { return count; }
  const Half *a(int set) const { return matrices + set * perSet; }
  const Half *b(int set) const { return a(set) + roomA; }
  Half *c(int set) const { return matrices + set * perSet + roomA + roomB; }
  /// Compares elements of a C with products on the host. Returns the largest
  /// error, in units of the expected rounding.
  double errorOf(int set) const;

private:
  static constexpr int64_t kPool = (int64_t(1) << 22) + 12345;
  const Product &product;
  std::vector<Half> pool;
  Half *matrices = nullptr;
  int64_t roomA, roomB, perSet; ///< in elements
  int count;
};

/// A kernel in the comparison.
struct Contender {
  std::string name;
  Launch launch;
  Graph graph = {};
  std::vector<double> times = {};

  double median() {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

[[noreturn]] static void misuse(const std::string &what) {
  std::fprintf(stderr, "error: %s\n%s", what.c_str(), kUsage);
  std::exit(2);
}

static int64_t numberOf(const std::string &text) {
  char *end = nullptr;
  long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || value < 1 || value > 1 << 24)
    misuse("expected a number above 0, but got '" + text + "'");
  return value;
}

static void readOption(const std::string &text, Options &options) {
  size_t equals = text.find('=');
  std::string name = text.substr(0, equals);
  std::string value =
      equals == std::string::npos ? "" : text.substr(equals + 1);
  if (text == "--build-only")
    options.isBuildOnly = true;
  else if (name == "--database")
    options.database = value;
  else if (name == "--schedule")
    options.schedule = value;
  else if (name == "--arch")
    options.arch = value;
  else if (name == "--cublas")
    options.cublas = value;
  else if (name == "--rounds")
    options.rounds = int(numberOf(value));
  else
    misuse("expected an option, but got '" + text + "'");
}

static Options parse(int argc, char **argv) {
  Options options;
  std::vector<std::string> words;
  for (std::string text : std::vector<std::string>(argv + 1, argv + argc)) {
    if (text == "--help" || text == "-h") {
      std::fputs(kUsage, stdout);
      std::exit(0);
    }
    if (text.rfind("--", 0) == 0)
      readOption(text, options);
    else
      words.push_back(text);
  }
  if (words.size() < 3 || words.size() > 4)
    misuse("expected M N K and a layout, but got " +
           std::to_string(words.size()) + " words");
  options.product = {numberOf(words[0]), numberOf(words[1]),
                     numberOf(words[2])};
  if (words.size() == 4 && words[3] != "nt" && words[3] != "nn")
    misuse("expected a layout, but got '" + words[3] + "'; use nt or nn");
  options.product.isNt = words.size() < 4 || words[3] == "nt";
  return options;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

static void check(int32_t status) {
  if (status != HONE_OK)
    fail("%s", honeLastError());
}

Buffers::Buffers(const Product &product, int64_t l2Bytes)
    : product(product), pool(kPool) {
  constexpr int64_t kMax = 300, kAlign = 128;
  auto room = [](int64_t elements) {
    return (elements + kAlign - 1) / kAlign * kAlign;
  };
  roomA = room(product.elementsOfA());
  roomB = room(product.elementsOfB());
  perSet = roomA + roomB + room(product.elementsOfC());
  int64_t bytes = perSet * int64_t(sizeof(Half));
  count = int(std::clamp<int64_t>(5 * l2Bytes / bytes + 1, 2, kMax));
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (Half &each : pool)
    each = Half(normal(random));
  void *memory = nullptr;
  check(honeAlloc(&memory, size_t(count) * bytes));
  matrices = static_cast<Half *>(memory);
  for (int64_t at = 0, end = count * perSet; at < end; at += kPool)
    check(honeCopyToDevice(matrices + at, pool.data(),
                           std::min(kPool, end - at) * sizeof(Half)));
  check(honeSynchronize());
}

double Buffers::errorOf(int set) const {
  constexpr int kSamples = 256;
  std::mt19937_64 random(2);
  double worst = 0;
  for (int i = 0; i < kSamples; ++i) {
    int64_t row = int64_t(random() % product.m);
    int64_t col = int64_t(random() % product.n);
    int64_t first = set * perSet + row * product.k;
    double sum = 0;
    for (int64_t k = 0; k < product.k; ++k) {
      int64_t at = product.isNt ? col * product.k + k : k * product.n + col;
      sum += double(pool[(first + k) % kPool]) *
             double(pool[(set * perSet + roomA + at) % kPool]);
    }
    Half got;
    check(honeCopyFromDevice(&got, c(set) + row * product.n + col, sizeof got));
    double tolerance =
        std::abs(sum) / 1024 + 4e-6 * std::sqrt(product.k) + 1e-5;
    double error = std::abs(double(got) - sum) / tolerance;
    worst = std::isfinite(error) ? std::max(worst, error) : 1e9;
  }
  return worst;
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

static int launchesFor(const Product &product, double microseconds) {
  double about = 2.0 * product.m * product.n * product.k / 7e8 + 2;
  return std::clamp(int(microseconds / about), 3, 600);
}

/// The four fastest algorithms of a first try.
static std::vector<Contender> theirs(Cuda &cuda, Rival &rival,
                                     const Product &product,
                                     const Buffers &buffers) {
  constexpr size_t kFinalists = 4;
  std::vector<std::pair<double, int>> order;
  for (int i = 0; i < rival.algorithms(); ++i) {
    Graph graph = cuda.record(
        [&](int set) {
          return rival.launch(buffers.a(set), buffers.b(set), buffers.c(set),
                              i);
        },
        launchesFor(product, 1000), buffers.sets());
    if (graph.executable)
      order.push_back({std::min(cuda.time(graph), cuda.time(graph)), i});
    cuda.release(graph);
  }
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), kFinalists));
  std::vector<Contender> contenders;
  for (auto [time, i] : order)
    contenders.push_back({"algorithm " + std::to_string(i + 1) + " of " +
                              std::to_string(rival.algorithms()),
                          [&, i = i](int set) {
                            return rival.launch(buffers.a(set), buffers.b(set),
                                                buffers.c(set), i);
                          }});
  return contenders;
}

static void takeTurns(Cuda &cuda, const Product &product,
                      const Buffers &buffers, int rounds,
                      std::vector<Contender> &contenders) {
  for (Contender &each : contenders) {
    each.graph =
        cuda.record(each.launch, launchesFor(product, 4000), buffers.sets());
    if (!each.graph.executable)
      fail("%s: its launches could not be recorded", each.name.c_str());
  }
  std::vector<Contender *> order;
  for (Contender &each : contenders)
    order.push_back(&each);
  std::mt19937 random(3);
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (Contender *each : order)
      each->times.push_back(cuda.time(each->graph));
  }
}

static void measure(const Options &options, const Build &build) {
  const Product &product = options.product;
  Cuda cuda;
  HoneDeviceInfo device;
  check(honeDeviceInfo(0, &device));
  Buffers buffers(product, device.l2Bytes);
  void *image = honeRegisterImage(build.image.c_str(), build.image.size());
  if (!image)
    fail("%s", honeLastError());
  {
    Kernel with(product, build, build.plan);
    Kernel without(product, build, withoutProgrammatic(build.plan));
    auto launch = [&](Kernel &kernel) {
      return [&](int set) {
        return kernel.launch(buffers.a(set), buffers.b(set), buffers.c(set));
      };
    };
    std::vector<Contender> contenders = {
        {"hone", launch(with)},
        {"hone without programmatic launch", launch(without)}};
    for (Contender &ours : contenders)
      if (!ours.launch(0))
        fail("%s", honeLastError());
    double error = buffers.errorOf(0);
    if (error > 1)
      fail("expected a right product, but got an error of %.1f tolerances",
           error);
    auto rival = Rival::open(options.cublas, product, cuda.stream());
    if (rival)
      for (Contender &each : theirs(cuda, *rival, product, buffers))
        contenders.push_back(std::move(each));
    takeTurns(cuda, product, buffers, options.rounds, contenders);
    std::printf("%s, driver %d; %lld x %lld x %lld %s\n%s\n", device.name,
                device.driverVersion, (long long)product.m,
                (long long)product.n, (long long)product.k,
                product.isNt ? "nt" : "nn", build.schedule.c_str());
    double best = 0;
    for (size_t i = 2; i < contenders.size(); ++i)
      best = i == 2 ? contenders[i].median()
                    : std::min(best, contenders[i].median());
    for (Contender &each : contenders) {
      bool isOurs = &each - contenders.data() < 2;
      std::printf("%10.2f us  %s", each.median(), each.name.c_str());
      if (isOurs && best > 0)
        std::printf("; cuBLASLt takes %.3f times as long",
                    best / each.median());
      std::printf("\n");
      cuda.release(each.graph);
    }
    check(honeSynchronize());
  }
  honeUnregisterImage(image);
}

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  Build built = build(options.product, options.pipeline());
  if (options.isBuildOnly)
    std::printf("%s\n%s", built.schedule.c_str(), built.plan.c_str());
  else
    measure(options, built);
  return 0;
}
