//===- WorkerProcess.cpp - Child process of a worker ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fork, exec, a socket pair, poll, waitpid. Between fork and exec only
// async-signal safe calls are made: other threads may hold any lock.
//
//===----------------------------------------------------------------------===//

#include "hone/Workers/WorkerProcess.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Start
//===----------------------------------------------------------------------===//

/// The child's code between fork and exec.
[[noreturn]] static void becomeWorker(int talk, int words, int parent,
                                      char *const *arguments) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1); // the parent has died already
  setpgid(0, 0);
  dup2(talk, STDIN_FILENO);
  dup2(talk, STDOUT_FILENO);
  dup2(words, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execv(arguments[0], arguments);
  constexpr char kComplaint[] = "cannot start the worker\n";
  if (write(STDERR_FILENO, kComplaint, sizeof(kComplaint) - 1) < 0)
    _exit(126);
  _exit(127);
}

llvm::Expected<std::unique_ptr<WorkerProcess>>
WorkerProcess::start(llvm::ArrayRef<std::string> command) {
  std::vector<char *> arguments;
  for (const std::string &word : command)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  int talk[2], words[2];
  auto failure = [&] {
    return llvm::createStringError("cannot start '" + command[0] +
                                   "': " + llvm::sys::StrError());
  };
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk) != 0)
    return failure();
  if (pipe2(words, O_CLOEXEC) != 0) {
    close(talk[0]), close(talk[1]);
    return failure();
  }
  int parent = getpid(), process = fork();
  if (process == 0)
    becomeWorker(talk[1], words[1], parent, arguments.data());
  close(talk[1]), close(words[1]);
  std::unique_ptr<WorkerProcess> worker(
      new WorkerProcess(process, talk[0], words[0]));
  if (process < 0)
    return failure();
  for (int end : {talk[0], words[0]})
    fcntl(end, F_SETFL, O_NONBLOCK);
  return worker;
}

WorkerProcess::~WorkerProcess() {
  if (process > 0) {
    kill();
    wait();
  }
  close(talk), close(words);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void WorkerProcess::send(const json::Value &message) {
  outgoing += protocol::frame(message);
  flush();
}

void WorkerProcess::flush() {
  size_t done = 0;
  while (done < outgoing.size()) {
    // A dead worker raises no signal here; its end is detected elsewhere.
    ssize_t count = ::send(talk, outgoing.data() + done, outgoing.size() - done,
                           MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    done += count;
  }
  outgoing.erase(0, done);
}

void WorkerProcess::receive() {
  // Bounded, so that a worker that writes without end can still be stopped.
  constexpr int kMaxPieces = 64;
  char buffer[65536];
  for (int piece = 0; piece < kMaxPieces; ++piece) {
    ssize_t count = recv(talk, buffer, sizeof(buffer), 0);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return;
    if (count <= 0) {
      ended = true;
      return;
    }
    lastReceived = Clock::now();
    incoming.feed(StringRef(buffer, count));
  }
}

void WorkerProcess::receiveWords() {
  constexpr size_t kKept = 4096;
  char buffer[4096];
  ssize_t count;
  while ((count = read(words, buffer, sizeof(buffer))) > 0)
    lastWords.append(buffer, count);
  hasWords = count < 0; // at the end there is nothing to wait for any more
  if (lastWords.size() > kKept)
    lastWords.erase(0, lastWords.size() - kKept);
}

llvm::Expected<std::optional<json::Value>> WorkerProcess::next() {
  auto message = incoming.next();
  if (!message || *message || ended)
    return message;
  receive();
  return incoming.next();
}

void WorkerProcess::waitForAny(llvm::ArrayRef<WorkerProcess *> workers,
                               double seconds) {
  std::vector<pollfd> wanted;
  for (WorkerProcess *worker : workers) {
    short events = POLLIN | (worker->outgoing.empty() ? 0 : POLLOUT);
    wanted.push_back({worker->talk, events, 0});
    // poll ignores negative descriptors.
    wanted.push_back({worker->hasWords ? worker->words : -1, POLLIN, 0});
  }
  if (poll(wanted.data(), wanted.size(), int(seconds * 1e3)) <= 0)
    return;
  for (size_t i = 0; i < workers.size(); ++i) {
    if (wanted[2 * i].revents & POLLOUT)
      workers[i]->flush();
    if (wanted[2 * i + 1].revents)
      workers[i]->receiveWords();
  }
}

//===----------------------------------------------------------------------===//
// End
//===----------------------------------------------------------------------===//

void WorkerProcess::kill() {
  if (process > 0)
    ::kill(process, SIGKILL);
}

/// The last line of the output, other than lines of a stack trace.
static std::string lastLineOf(StringRef text) {
  constexpr size_t kMax = 300;
  llvm::SmallVector<StringRef> lines;
  text.trim().split(lines, '\n');
  // LLVM prints the reason first, then a stack trace.
  for (StringRef line : lines)
    if (line.contains("LLVM ERROR") || line.contains("Assertion"))
      return line.trim().take_front(kMax).str();
  return lines.back().trim().take_front(kMax).str();
}

std::string WorkerProcess::wait() {
  constexpr int kTries = 4000, kMicroseconds = 5000;
  int status = 0, finished = 0;
  for (int i = 0; i < kTries && finished == 0; ++i) {
    finished = waitpid(process, &status, WNOHANG);
    if (finished == 0)
      usleep(kMicroseconds);
  }
  process = -1;
  receiveWords();
  std::string said = lastLineOf(lastWords);
  std::string why;
  if (finished <= 0)
    why = "it does not end";
  else if (WIFSIGNALED(status))
    why = strsignal(WTERMSIG(status));
  else
    why = formatv("exit status {0}", WEXITSTATUS(status));
  return said.empty() ? why : why + "; " + said;
}

double WorkerProcess::silence() const {
  return std::chrono::duration<double>(Clock::now() - lastReceived).count();
}

double WorkerProcess::waited() const {
  return std::chrono::duration<double>(Clock::now() - expected).count();
}

int64_t WorkerProcess::residentBytes() const {
  auto file = llvm::MemoryBuffer::getFileAsStream(
      formatv("/proc/{0}/statm", process).str());
  if (!file)
    return 0;
  StringRef text = (*file)->getBuffer();
  int64_t pages = 0;
  if (text.split(' ').second.split(' ').first.getAsInteger(10, pages))
    return 0;
  return pages * sysconf(_SC_PAGESIZE);
}
