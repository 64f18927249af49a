//===- GpuSmoke.cpp - Checks of the runtime on a GPU ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unit tests use a fake driver; this program uses the real one. It has no test
// library, so that it can be linked statically and copied to a machine that has
// a GPU and nothing else. It prints `ok name`, `not ok name: why` or `skip
// name: why` for each check, then the host time of a launch.
//
// exit 0: all passed    exit 1: a check failed    exit 77: no GPU
//
//===----------------------------------------------------------------------===//

#include "Smoke.h"
#include "SmokeKernels.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

using namespace hone;
using namespace hone::test;

const Driver *hone::test::driver = nullptr;

static int failures = 0;

void hone::test::result(const char *name, bool good, const std::string &why) {
  failures += !good;
  printf(good ? "ok %s\n" : "not ok %s: %s\n", name, why.c_str());
}

static std::string addLines() {
  return "launch smoke_add\ngrid ceildiv(n, 128) ; 1 ; 1\nblock 128 ; 1 ; 1\n"
         "param ptr a\nparam ptr b\nparam ptr c\nparam i32 n\n";
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static bool addsVectors(Plan &add) {
  constexpr size_t n = 1000;
  std::vector<float> left(n), right(n), sum(n);
  for (size_t i = 0; i < n; ++i) {
    left[i] = 0.5f * i;
    right[i] = 1.0f + i;
    sum[i] = left[i] + right[i];
  }
  Words a(n), b(n), c(n);
  a.write(left);
  b.write(right);
  return add({a.address(), b.address(), c.address(), n}) == HONE_OK &&
         c.read<float>() == sum;
}

static void checkAdd() {
  Plan add("a b c n", addLines());
  result("add", addsVectors(add), honeLastError());
  bool good = true;
  std::vector<std::thread> threads;
  Plan fresh("a b c n", addLines());
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      if (!addsVectors(fresh))
        good = false;
    });
  for (std::thread &thread : threads)
    thread.join();
  result("add_from_8_threads", good, honeLastError());
  result("empty_launches_nothing", add({0, 0, 0, 0}) == HONE_OK,
         honeLastError());
}

static void checkShared() {
  // The limit is raised after the function was loaded with a lower one.
  Words out(1);
  bool good = true;
  for (int64_t bytes : {1024, 60 * 1024, 99 * 1024}) {
    Plan plan("out bytes", "launch smoke_shared\nshared " +
                               std::to_string(bytes) +
                               "\nparam ptr out\nparam i32 bytes\n");
    out.write(std::vector<uint32_t>{0});
    good &= plan({out.address(), bytes}) == HONE_OK && out.read()[0] == 42;
  }
  result("dynamic_shared_memory", good, honeLastError());
}

static void checkWorkspace() {
  Plan plan("out bytes", "workspace bytes zero\nlaunch smoke_count\n"
                         "param ptr out\nparam ptr ws\n");
  Words out(1);
  std::vector<uint32_t> counts;
  for (int64_t bytes : {100, 200, 200, 1 << 20, 100}) {
    plan({out.address(), bytes});
    counts.push_back(out.read()[0]);
  }
  // The fourth is a new and larger one.
  result("workspace", counts == std::vector<uint32_t>{0, 1, 2, 0, 1},
         honeLastError());
}

static void checkImageErrors(int32_t capability) {
  void *broken = honeRegisterImage(kSmokeBroken, strlen(kSmokeBroken));
  void *elsewhere = honeRegisterImage(kSmokeElsewhere, strlen(kSmokeElsewhere));
  Plan plan("", "launch smoke_broken\n");
  int32_t status = plan({});
  std::string text = honeLastError();
  printf("   (%s)\n", text.c_str());
  result("compile_error_says_where",
         status == HONE_CUDA_ERROR && text.find("line 7") != text.npos, text);
  Plan other("", "launch smoke_elsewhere\n");
  status = other({});
  text = honeLastError();
  printf("   (%s)\n", text.c_str());
  result("wrong_device",
         capability == 100 ||
             (status == HONE_WRONG_DEVICE &&
              text.find("expected a device of architecture sm_100a") == 0),
         text);
  honeUnregisterImage(broken);
  honeUnregisterImage(elsewhere);
}

static void checkLaunchErrors() {
  Plan mismatch("a", "launch smoke_add\nparam ptr a\n");
  int32_t status = driver->cuFuncGetParamInfo ? mismatch({0}) : HONE_BAD_PLAN;
  result("plan_must_fit_kernel", status == HONE_BAD_PLAN, honeLastError());
  Plan large("a b c n", addLines() + "shared 1000000\n");
  status = large({0, 0, 0, 1});
  std::string text = honeLastError();
  result("too_much_shared_memory",
         status == HONE_CUDA_ERROR && text.find("cuKernelSetAttribute") == 0,
         text);
  void *pointer;
  status = honeAlloc(&pointer, size_t(1) << 50);
  result("out_of_memory", status == HONE_OUT_OF_MEMORY, honeLastError());
}

static void checkTma() {
  constexpr int64_t rows = 20, columns = 44; // neither is whole boxes
  Plan plan("a out m n",
            "launch smoke_tma\ngrid ceildiv(n, 16) ; ceildiv(m, 8) ; 1\n"
            "block 128 ; 1 ; 1\nparam tensormap a : f32 dims (n, m) strides "
            "(n * 4) box (16, 8) swizzle 0\nparam ptr out\n");
  std::vector<uint32_t> matrix(rows * columns), boxes;
  for (size_t i = 0; i < matrix.size(); ++i)
    matrix[i] = 1000 + i;
  for (int64_t y = 0; y < 24; y += 8)
    for (int64_t x = 0; x < 48; x += 16)
      for (int64_t i = 0; i < 128; ++i) {
        int64_t row = y + i / 16, column = x + i % 16;
        boxes.push_back(row < rows && column < columns
                            ? matrix[row * columns + column]
                            : 0);
      }
  bool good = true;
  for (int i = 0; i < 20; ++i) { // more matrices than a slot remembers
    Words a(matrix.size()), out(boxes.size());
    a.write(matrix);
    good &= plan({a.address(), out.address(), rows, columns}) == HONE_OK &&
            out.read() == boxes;
  }
  result("tensor_map", good, honeLastError());
}

static void checkCluster() {
  Words out(16);
  for (uint32_t size : {2, 8, 16}) {
    Plan plan("out", "launch smoke_cluster\ngrid 16 ; 1 ; 1\ncluster " +
                         std::to_string(size) + " ; 1 ; 1\nparam ptr out\n");
    std::vector<uint32_t> ranks(16);
    for (uint32_t i = 0; i < 16; ++i)
      ranks[i] = 100 * size + i % size;
    bool good = plan({out.address()}) == HONE_OK && out.read() == ranks;
    result(("cluster_of_" + std::to_string(size)).c_str(), good,
           honeLastError());
  }
}

static void checkProgrammatic() {
  Plan plan("out", "launch smoke_chain\nattribute programmatic\nparam ptr "
                   "out\n");
  Words out(1);
  out.write(std::vector<uint32_t>{0});
  bool good = true;
  for (int i = 0; i < 100; ++i)
    good &= plan({out.address()}) == HONE_OK;
  result("programmatic", good && out.read()[0] == 100, honeLastError());
}

/// The first launch and its set-up happen inside the capture.
static void checkGraph(const char *name, const char *lines, bool expectCount) {
  Plan plan("out", lines);
  Words out(1);
  out.write(std::vector<uint32_t>{0});
  honeSynchronize();
  cu::Stream stream;
  cu::Graph graph;
  cu::GraphExec exec;
  size_t nodes = 0;
  driver->cuStreamCreate(&stream, cu::STREAM_NON_BLOCKING);
  honeSetStream(stream);
  driver->cuStreamBeginCapture(stream, cu::CAPTURE_GLOBAL);
  bool good = true;
  for (int i = 0; i < 10; ++i)
    good &= plan({out.address()}) == HONE_OK;
  good &= !driver->cuStreamEndCapture(stream, &graph) &&
          !driver->cuGraphGetNodes(graph, nullptr, &nodes) && nodes == 10 &&
          !driver->cuGraphInstantiate(&exec, graph, 0);
  for (int i = 0; good && i < 3; ++i)
    good &= !driver->cuGraphLaunch(exec, stream);
  uint32_t value = out.read()[0];
  result(name, good && value == (expectCount ? 30 : 29),
         std::string(honeLastError()) + " (" + std::to_string(nodes) +
             " nodes, value " + std::to_string(value) + ")");
  honeSetStream(nullptr);
  driver->cuGraphExecDestroy(exec);
  driver->cuGraphDestroy(graph);
  driver->cuStreamDestroy(stream);
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

/// Median host time of one call in ns, over 20 batches of 500. The batches are
/// shorter than the driver's queue, so no call waits for the GPU.
template <typename Call>
static double hostTime(Call call) {
  constexpr int batches = 20, calls = 500;
  std::vector<double> times;
  for (int batch = 0; batch < batches; ++batch) {
    honeSynchronize();
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
      call();
    std::chrono::duration<double, std::nano> elapsed =
        std::chrono::steady_clock::now() - start;
    times.push_back(elapsed.count() / calls);
  }
  honeSynchronize();
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

static void timeLaunches(bool hasTma) {
  Words a(4096), b(128), c(128);
  Plan add("a b c n", "launch smoke_add\ngrid ceildiv(n, 128) ; 1 ; 1\n"
                      "block 128 ; 1 ; 1\nparam ptr a\nparam ptr b\n"
                      "param ptr c\nparam i32 n\n");
  Plan tma("a out m n",
           "launch smoke_tma\ngrid ceildiv(n, 16) ; ceildiv(m, 8) ; 1\n"
           "block 128 ; 1 ; 1\nparam tensormap a : f32 dims (n, m) strides "
           "(n * 4) box (16, 8) swizzle 0\nparam ptr out\n");
  cu::Library library;
  cu::Kernel kernel;
  cu::Function function;
  driver->cuLibraryLoadData(&library, kSmoke80, nullptr, nullptr, 0, nullptr,
                            nullptr, 0);
  driver->cuLibraryGetKernel(&kernel, library, "smoke_add");
  driver->cuKernelGetFunction(&function, kernel);
  int64_t args[] = {a.address(), b.address(), c.address(), 128};
  Plan count("out", "workspace 4 zero\nlaunch smoke_count\nparam ptr out\n"
                    "param ptr ws\n");
  int64_t countArgs[] = {c.address()};
  int64_t tmaArgs[] = {a.address(), c.address(), 8, 16};
  void *params[] = {&args[0], &args[1], &args[2], &args[3]};
  cu::Stream stream;
  driver->cuStreamCreate(&stream, cu::STREAM_NON_BLOCKING);
  honeSetStream(stream);
  // Twice, alternating: the first round warms up.
  for (int round = 0; round < 3; ++round) {
    double bare = hostTime([&] {
      driver->cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, stream, params,
                             nullptr);
    });
    double byKernel = hostTime([&] {
      driver->cuLaunchKernel(reinterpret_cast<cu::Function>(kernel), 1, 1, 1,
                             128, 1, 1, 0, stream, params, nullptr);
    });
    double ours =
        hostTime([&] { honeLaunch(&add.slot, add.text.c_str(), args, 4); });
    double scratch = hostTime(
        [&] { honeLaunch(&count.slot, count.text.c_str(), countArgs, 1); });
    double map = !hasTma ? 0 : hostTime([&] {
      honeLaunch(&tma.slot, tma.text.c_str(), tmaArgs, 4);
    });
    printf("time round %d: cuLaunchKernel %.0f ns, of a CUkernel %.0f ns, "
           "honeLaunch %.0f ns, with a workspace %.0f ns, with a tensor map "
           "%.0f ns\n",
           round, bare, byKernel, ours, scratch, map);
  }
  honeSetStream(nullptr);
  honeSynchronize();
  driver->cuStreamDestroy(stream);
  driver->cuLibraryUnload(library);
}

int main() {
  std::string why;
  driver = Driver::get(&why);
  if (!driver) {
    printf("skip all: %s\n", why.c_str());
    return 77;
  }
  HoneDeviceInfo info;
  if (honeDeviceInfo(0, &info))
    return 1;
  printf("%s, %d.%d, %d processors, driver %d\n", info.name,
         info.capability / 10, info.capability % 10, info.processors,
         info.driverVersion);
  void *image80 = honeRegisterImage(kSmoke80, strlen(kSmoke80));
  void *image90 = honeRegisterImage(kSmoke90, strlen(kSmoke90) + 1);
  bool isHopper = info.capability >= 90;
  if (isHopper) // first, while nothing is loaded
    checkGraph("graph_programmatic",
               "launch smoke_chain\nattribute programmatic\nparam ptr out\n",
               /*expectCount=*/true);
  else
    printf("skip sm_90: got a device of %d\n", info.capability);
  checkGraph("graph_workspace",
             "workspace 4 zero\nlaunch smoke_count\nparam ptr out\n"
             "param ptr ws\n",
             /*expectCount=*/false);
  checkAdd();
  checkShared();
  checkWorkspace();
  checkLaunchesAtOnce();
  honeSetErrorHandler([](int32_t, const char *, void *) {}, nullptr);
  checkImageErrors(info.capability);
  checkLaunchErrors();
  honeSetErrorHandler(nullptr, nullptr);
  if (isHopper) {
    checkTma();
    checkWindows();
    checkCluster();
    checkProgrammatic();
  }
  timeLaunches(isHopper);
  honeUnregisterImage(image80);
  honeUnregisterImage(image90);
  return failures ? 1 : 0;
}
