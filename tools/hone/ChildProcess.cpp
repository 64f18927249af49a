//===- ChildProcess.cpp - A forked process that writes lines --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fork, pipe, poll, waitpid.
//
//===----------------------------------------------------------------------===//

#include "ChildProcess.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

llvm::Expected<ChildProcess>
ChildProcess::start(llvm::function_ref<int(int pipe)> work) {
  int ends[2];
  llvm::outs().flush();
  int process = ::pipe(ends) == 0 ? fork() : -1;
  if (process < 0)
    return llvm::createStringError("expected to start a process, but got: " +
                                   llvm::sys::StrError());
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Its end is reported by the parent, in one line.
    for (int fatal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL})
      signal(fatal, SIG_DFL);
    close(ends[0]);
    _exit(work(ends[1]));
  }
  close(ends[1]);
  return ChildProcess(process, ends[0]);
}

ChildProcess::~ChildProcess() {
  if (process >= 0) {
    kill();
    wait();
  }
  if (pipe >= 0)
    close(pipe);
}

void ChildProcess::kill() { ::kill(process, SIGKILL); }

ChildProcess::Event ChildProcess::next(std::string &text, int milliseconds) {
  while (true) {
    if (size_t at = pending.find('\n'); at != std::string::npos) {
      text = pending.substr(0, at);
      pending.erase(0, at + 1);
      return line;
    }
    pollfd wanted = {pipe, POLLIN, 0};
    if (poll(&wanted, 1, milliseconds) <= 0)
      return silence;
    char buffer[65536];
    ssize_t count = read(pipe, buffer, sizeof(buffer));
    if (count <= 0)
      return end;
    pending.append(buffer, count);
  }
}

std::string ChildProcess::wait() {
  constexpr int kTries = 4000, kMicroseconds = 5000;
  int status = 0, ended = 0;
  for (int i = 0; i < kTries && ended == 0; ++i) {
    ended = waitpid(process, &status, WNOHANG);
    if (ended == 0)
      usleep(kMicroseconds);
  }
  process = -1;
  if (ended <= 0)
    return "does not end";
  if (WIFSIGNALED(status))
    return strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0)
    return formatv("exit status {0}", WEXITSTATUS(status));
  return "";
}

void ChildProcess::waitForAny(llvm::ArrayRef<ChildProcess> children) {
  std::vector<pollfd> wanted;
  for (const ChildProcess &child : children) {
    if (StringRef(child.pending).contains('\n'))
      return;
    wanted.push_back({child.pipe, POLLIN, 0});
  }
  poll(wanted.data(), wanted.size(), -1);
}

void hone::say(int pipe, char letter, StringRef text) {
  std::string line = letter + text.str() + "\n";
  for (char &c : llvm::MutableArrayRef(line.data(), line.size() - 1))
    c = c == '\n' ? ' ' : c;
  for (StringRef left = line; !left.empty();) {
    ssize_t written = write(pipe, left.data(), left.size());
    if (written <= 0)
      _exit(1); // nobody listens any more
    left = left.drop_front(written);
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

llvm::Expected<SharedMemory> SharedMemory::allocate(size_t bytes) {
  void *address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    return llvm::createStringError("expected shared memory, but got: " +
                                   llvm::sys::StrError());
  return SharedMemory(address, bytes);
}

SharedMemory::~SharedMemory() {
  if (address)
    munmap(address, bytes);
}
