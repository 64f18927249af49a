//===- WorkerProcessTest.cpp - Tests of misbehaving workers ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shell instead of a worker does everything that workers must not do.
//
//===----------------------------------------------------------------------===//

#include "hone/Workers/WorkerProcess.h"
#include "gtest/gtest.h"
#include <csignal>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace hone;
namespace json = llvm::json;

namespace {

std::unique_ptr<WorkerProcess> shell(const std::string &script) {
  return llvm::cantFail(WorkerProcess::start({"/bin/sh", "-c", script}));
}

/// Waits for a message, an error or the end, some seconds.
llvm::Expected<std::optional<json::Value>> waitFor(WorkerProcess &worker) {
  for (int i = 0; i < 100; ++i) {
    auto message = worker.next();
    if (!message || *message || worker.hasEnded())
      return message;
    WorkerProcess::waitForAny({&worker}, 0.1);
  }
  return std::nullopt;
}

bool isRunning(int process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string word, state;
  stat >> word >> word >> state;
  return bool(stat) && state != "Z";
}

/// Some seconds for a process to go.
bool isGoneSoon(int process) {
  for (int i = 0; i < 200 && isRunning(process); ++i)
    usleep(20000);
  return !isRunning(process);
}

TEST(WorkerProcess, ReadsItsOwnTextFromAnEcho) {
  auto worker = shell("cat");
  json::Object big{{"is", "beat"}, {"text", std::string(3000000, 'x')}};
  json::Value message(std::move(big));
  worker->send(message);
  for (int i = 0; i < 1000; ++i) {
    WorkerProcess::waitForAny({worker.get()}, 0.1);
    auto answer = llvm::cantFail(worker->next());
    if (!answer)
      continue;
    EXPECT_EQ(*answer, message);
    return;
  }
  FAIL() << "no answer";
}

TEST(WorkerProcess, SaysHowItEnded) {
  auto worker = shell("echo 'LLVM ERROR: no such register' >&2; kill -SEGV $$");
  EXPECT_FALSE(llvm::cantFail(waitFor(*worker)));
  EXPECT_TRUE(worker->hasEnded());
  EXPECT_EQ(worker->wait(), "Segmentation fault; LLVM ERROR: no such register");
  auto other = shell("exit 3");
  EXPECT_FALSE(llvm::cantFail(waitFor(*other)));
  EXPECT_EQ(other->wait(), "exit status 3");
}

TEST(WorkerProcess, TakesNoGarbage) {
  auto worker = shell("echo garbage; cat");
  auto message = waitFor(*worker);
  ASSERT_FALSE(message);
  EXPECT_EQ(llvm::toString(message.takeError()),
            "expected a frame, but got 'garbage'");
}

/// A worker that writes without a pause is read in pieces, and does not count
/// as making progress.
TEST(WorkerProcess, ATalkativeOneDoesNotHoldItsListener) {
  auto worker =
      shell("while :; do printf 'hone-worker 3 10\\n{\"is\":\"a\"}'; done");
  worker->expectSomething();
  for (int received = 0; received < 50;) {
    auto message = llvm::cantFail(worker->next());
    received += message.has_value();
    if (!message)
      WorkerProcess::waitForAny({worker.get()}, 0.1);
  }
  usleep(100000);
  llvm::cantFail(worker->next());
  EXPECT_GT(worker->waited(), 0.1);
  EXPECT_FALSE(worker->hasEnded());
}

TEST(WorkerProcess, SurvivesAWorkerThatDoesNotListen) {
  auto worker = shell("exec 0<&- 1<&-; sleep 60");
  json::Object big{{"is", "beat"}, {"text", std::string(1000000, 'x')}};
  json::Value message(std::move(big));
  for (int i = 0; i < 5; ++i) {
    worker->send(message);
    WorkerProcess::waitForAny({worker.get()}, 0.02);
  }
  EXPECT_FALSE(llvm::cantFail(waitFor(*worker)));
  EXPECT_TRUE(worker->hasEnded());
}

TEST(WorkerProcess, IsKilledWhenItIsLetGo) {
  auto worker = shell("sleep 60");
  int process = worker->id();
  EXPECT_TRUE(isRunning(process));
  worker.reset();
  EXPECT_TRUE(isGoneSoon(process));
}

/// kill -9 of the tuner leaves no process of it.
TEST(WorkerProcess, DiesWithTheTuner) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  int tuner = fork();
  if (tuner == 0) {
    auto worker = shell("trap '' INT TERM; sleep 60");
    int process = worker->id();
    if (write(ends[1], &process, sizeof(process)) < 0)
      _exit(1);
    raise(SIGKILL);
  }
  int worker = 0;
  ASSERT_EQ(read(ends[0], &worker, sizeof(worker)), ssize_t(sizeof(worker)));
  waitpid(tuner, nullptr, 0);
  EXPECT_TRUE(isGoneSoon(worker));
  close(ends[0]), close(ends[1]);
}

TEST(WorkerProcess, KnowsItsMemory) {
  auto worker = shell("sleep 60");
  usleep(50000);
  EXPECT_GT(worker->residentBytes(), 0);
  EXPECT_LT(worker->residentBytes(), int64_t(1) << 30);
}

TEST(WorkerProcess, SaysWhatCanNotBeStarted) {
  auto worker = llvm::cantFail(WorkerProcess::start({"/no/such/program"}));
  EXPECT_FALSE(llvm::cantFail(waitFor(*worker)));
  EXPECT_EQ(worker->wait(), "exit status 127; cannot start the worker");
}

} // namespace
