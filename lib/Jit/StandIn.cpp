//===- StandIn.cpp - A device that is late --------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the device is mapped without any right; while work is done, and
// only then, it may be read and written. The processor does the checking.
//
//===----------------------------------------------------------------------===//

#include "hone/Jit/StandIn.h"
#include "StandInState.h"
#include "llvm/Support/MathExtras.h"
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace hone;

/// The stand-in of this process; null for none. Compiled code and the signal
/// handler get no pointer of ours.
static StandIn *current = nullptr;

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

static void onFault(int, siginfo_t *info, void *) {
  if (current && current->getState().owns(info->si_addr)) {
    constexpr char text[] =
        "hone: error: expected host code to touch memory of the host, but it "
        "touched memory of the device\n";
    // Nothing else is safe in a signal handler.
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(1);
  }
  // Not ours: the default does its work when the access is tried again.
  signal(SIGSEGV, SIG_DFL);
}

bool StandIn::State::owns(const void *pointer) const {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  for (const auto &[base, block] : blocks)
    if (address >= base && address < base + block.bytes)
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

StandIn::StandIn() : state(std::make_unique<State>()) {
  current = this;
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, &state->oldAction);
}

StandIn::~StandIn() {
  synchronize();
  for (const auto &[base, block] : state->blocks)
    munmap(reinterpret_cast<void *>(base), block.bytes);
  sigaction(SIGSEGV, &state->oldAction, nullptr);
  current = nullptr;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void *StandIn::allocate(size_t bytes, bool isShared) {
  size_t page = sysconf(_SC_PAGESIZE);
  size_t whole = llvm::alignTo(std::max<size_t>(bytes, 1), page);
  void *pointer = mmap(nullptr, whole, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pointer == MAP_FAILED)
    return nullptr;
  std::memset(pointer, 0xFF, whole);
  if (!isShared)
    mprotect(pointer, whole, PROT_NONE);
  state->blocks[reinterpret_cast<uintptr_t>(pointer)] = {whole, isShared};
  return pointer;
}

void StandIn::State::unmap(void *pointer) {
  auto found = blocks.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == blocks.end())
    return;
  munmap(pointer, found->second.bytes);
  blocks.erase(found);
}

void StandIn::release(void *pointer) {
  auto found = state->blocks.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == state->blocks.end())
    return;
  // Shared memory is freed when the device has done with it, as libhone_rt
  // does.
  if (found->second.isShared)
    synchronize();
  state->queue.push_back([this, pointer] { state->unmap(pointer); });
}

void StandIn::copy(void *to, const void *from, size_t bytes) {
  state->queue.push_back([=] { std::memmove(to, from, bytes); });
}

void StandIn::State::protect(bool isOpen) {
  for (const auto &[base, block] : blocks)
    if (!block.isShared)
      mprotect(reinterpret_cast<void *>(base), block.bytes,
               isOpen ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void StandIn::synchronize() {
  state->protect(/*isOpen=*/true);
  std::vector<std::function<void()>> work = std::exchange(state->queue, {});
  for (const std::function<void()> &item : work)
    item();
  state->protect(/*isOpen=*/false);
}

int64_t StandIn::launches() const { return state->launchCount; }

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

llvm::Error StandIn::attach(Jit &jit) {
  for (State::Kernel &kernel : state->kernels) {
    llvm::Expected<Jit::Function> function = jit.lookup(kernel.name);
    if (!function)
      return function.takeError();
    kernel.function = *function;
  }
  return llvm::Error::success();
}

void StandIn::State::run(const Kernel &kernel, llvm::ArrayRef<int64_t> words) {
  JitArguments arguments;
  for (size_t rank : kernel.ranks) {
    auto *data = reinterpret_cast<void *>(words[0]);
    arguments.addMemRef(data, words.slice(2, rank), words.slice(2 + rank, rank),
                        /*offset=*/words[1]);
    words = words.drop_front(2 + 2 * rank);
  }
  kernel.function(arguments.get().data());
}

//===----------------------------------------------------------------------===//
// What compiled code calls
//===----------------------------------------------------------------------===//

/// `words` is a memref of rank 1, as MLIR passes it.
static void standInLaunch(int64_t id, int64_t * /*allocated*/, int64_t *words,
                          int64_t offset, int64_t size, int64_t /*stride*/) {
  StandIn::State &state = current->getState();
  ++state.launchCount;
  std::vector<int64_t> copy(words + offset, words + offset + size);
  state.queue.push_back(
      [&state, id, copy] { state.run(state.kernels[id], copy); });
}

static int32_t standInCopy(void *to, const void *from, size_t bytes) {
  current->copy(to, from, bytes);
  return 0;
}

static int32_t standInSynchronize() {
  current->synchronize();
  return 0;
}

static void *standInAlloc(uint64_t bytes, void * /*stream*/, bool isShared) {
  return current->allocate(bytes, isShared);
}

static void standInFree(void *pointer, void * /*stream*/) {
  current->release(pointer);
}

/// There is one stream.
static void *standInStream() { return nullptr; }
static void standInIgnore(void *) {}

llvm::StringMap<void *> StandIn::symbols() {
  llvm::StringMap<void *> symbols;
  auto add = [&](llvm::StringRef name, auto *function) {
    symbols[name] = reinterpret_cast<void *>(function);
  };
  add(State::kLaunchName, standInLaunch);
  add("honeCopy", standInCopy);
  add("honeSynchronize", standInSynchronize);
  add("mgpuMemAlloc", standInAlloc);
  add("mgpuMemFree", standInFree);
  add("mgpuStreamCreate", standInStream);
  add("mgpuStreamDestroy", standInIgnore);
  add("mgpuStreamSynchronize", standInSynchronize);
  return symbols;
}
