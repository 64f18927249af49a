//===- ChildProcess.h - A forked process that writes lines ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work that may crash or hang is done by a child, which says in lines what came
// of it. A child is forked and does not start another program: everything that
// is known so far is there already. The parent must have no other thread, and
// must not have opened the CUDA driver, which a forked child can not use.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TOOLS_CHILDPROCESS_H
#define HONE_TOOLS_CHILDPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <utility>

namespace hone {

class ChildProcess {
public:
  /// `work` gets the pipe to write on and returns the exit status.
  static llvm::Expected<ChildProcess>
  start(llvm::function_ref<int(int pipe)> work);
  ChildProcess(ChildProcess &&other)
      : process(std::exchange(other.process, -1)),
        pipe(std::exchange(other.pipe, -1)), pending(std::move(other.pending)) {
  }
  ChildProcess &operator=(ChildProcess &&other) {
    std::swap(process, other.process);
    std::swap(pipe, other.pipe);
    std::swap(pending, other.pending);
    return *this;
  }
  ~ChildProcess();

  enum Event { line, silence, end };
  /// Waits at most so long for the next line.
  Event next(std::string &text, int milliseconds);
  void kill();
  /// Waits for the end; empty if that was a success, else how it came about. A
  /// process inside a driver that has lost its GPU may take long to die; after
  /// some seconds it is left to itself.
  std::string wait();

  /// Waits until one of several has something to say, or has ended.
  static void waitForAny(llvm::ArrayRef<ChildProcess> children);

private:
  ChildProcess(int process, int pipe) : process(process), pipe(pipe) {}
  int process, pipe;
  std::string pending;
};

/// Writes a line on a child's pipe: a letter, then `text` in one line.
void say(int pipe, char letter, llvm::StringRef text);

/// Memory of zeros that children and parent share, for as long as it lives.
class SharedMemory {
public:
  static llvm::Expected<SharedMemory> allocate(size_t bytes);
  SharedMemory(SharedMemory &&other)
      : address(std::exchange(other.address, nullptr)), bytes(other.bytes) {}
  SharedMemory &operator=(SharedMemory &&) = delete;
  ~SharedMemory();
  void *get() const { return address; }

private:
  SharedMemory(void *address, size_t bytes) : address(address), bytes(bytes) {}
  void *address;
  size_t bytes;
};

} // namespace hone

#endif // HONE_TOOLS_CHILDPROCESS_H
