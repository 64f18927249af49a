//===- Device.cpp - Memory and a stream -----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Device.h.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

using namespace hone;
using namespace hone::emulate;
using llvm::formatv;

static constexpr int kPoison = 0xFF;

/// The device of this process; null for none. The signal handler cannot receive
/// a pointer to it.
static Device *currentDevice = nullptr;

static size_t pageBytes() { return sysconf(_SC_PAGESIZE); }

//===----------------------------------------------------------------------===//
// The host's accesses
//===----------------------------------------------------------------------===//

static void onFault(int, siginfo_t *info, void *context) {
  constexpr int kWrite = 2; // of the processor's error code
  auto *registers = static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
  if (currentDevice &&
      currentDevice->letHostTouch(info->si_addr, registers[REG_ERR] & kWrite))
    return;
  if (currentDevice && currentDevice->owns(info->si_addr)) {
    constexpr char text[] =
        "hone: error: expected host code to touch live memory of the host, but "
        "it touched memory of the device, or memory that was freed\n";
    // No other output is safe in a signal handler.
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(1);
  }
  // The address is not the device's: with the default handler the repeated
  // access ends the process.
  signal(SIGSEGV, SIG_DFL);
}

Device::Device() {
  currentDevice = this;
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, &oldAction);
}

Device::~Device() {
  synchronize();
  for (const auto &[base, buffer] : buffers)
    munmap(reinterpret_cast<void *>(base), buffer.mapped);
  sigaction(SIGSEGV, &oldAction, nullptr);
  currentDevice = nullptr;
}

void Device::setOrder(WorkOrder next) {
  synchronize();
  order = next;
  random.seed(next.seed);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

const Device::Buffer *Device::find(const void *pointer) const {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  auto after = buffers.upper_bound(address);
  if (after == buffers.begin())
    return nullptr;
  const Buffer &buffer = std::prev(after)->second;
  return address < buffer.base + buffer.mapped ? &buffer : nullptr;
}

void Device::allow(Buffer &buffer, int rights) {
  mprotect(reinterpret_cast<void *>(buffer.base), buffer.mapped - pageBytes(),
           rights);
}

void *Device::allocate(size_t bytes, Side side) {
  // The page after the buffer stays inaccessible.
  size_t mapped =
      llvm::alignTo(std::max<size_t>(bytes, 1), pageBytes()) + pageBytes();
  void *pointer =
      mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pointer == MAP_FAILED)
    return nullptr;
  auto base = reinterpret_cast<uintptr_t>(pointer);
  Buffer &buffer = buffers[base] = {base, bytes, mapped, side, /*isLive=*/true};
  allow(buffer, PROT_READ | PROT_WRITE);
  std::memset(pointer, kPoison, mapped - pageBytes());
  if (side == Side::device && !isWorking)
    allow(buffer, PROT_NONE);
  return pointer;
}

void Device::release(void *pointer) {
  if (!pointer)
    return;
  auto found = buffers.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == buffers.end())
    return complain(
        "frees a pointer that is not the start of a buffer of the device");
  if (found->second.side == Side::host)
    return free(pointer);
  // Memory of both sides is freed once the device has finished with it, like in
  // libhone_rt.
  if (found->second.side == Side::both)
    synchronize();
  enqueue([this, pointer] { free(pointer); });
}

void Device::free(void *pointer) {
  Buffer &buffer = buffers.at(reinterpret_cast<uintptr_t>(pointer));
  if (!buffer.isLive)
    return complain(formatv("frees a buffer of the {0} twice",
                            buffer.side == Side::host ? "host" : "device"));
  buffer.isLive = false;
  allow(buffer, PROT_NONE);
  freed.push_back(buffer.base);
  freedBytes += buffer.mapped;
  // Freed addresses are reused in order, the oldest first.
  constexpr size_t kMaxFreed = size_t(1) << 28;
  while (freedBytes > kMaxFreed) {
    auto oldest = buffers.find(freed.front());
    freedBytes -= oldest->second.mapped;
    munmap(reinterpret_cast<void *>(oldest->first), oldest->second.mapped);
    buffers.erase(oldest);
    freed.pop_front();
  }
}

bool Device::letHostTouch(const void *pointer, bool isWrite) {
  auto *buffer = const_cast<Buffer *>(find(pointer));
  if (!buffer || !buffer->isLive || buffer->isOpen || isWorking ||
      buffer->side == Side::device ||
      reinterpret_cast<uintptr_t>(pointer) >=
          buffer->base + buffer->mapped - pageBytes())
    return false;
  (isWrite ? buffer->writtenUpTo : buffer->readUpTo) = started;
  buffer->isOpen = isWrite;
  allow(*buffer, isWrite ? PROT_READ | PROT_WRITE : PROT_READ);
  return true;
}

void Device::touch(const void *pointer, bool isWrite) {
  auto *buffer = const_cast<Buffer *>(find(pointer));
  if (!buffer || !isWorking)
    return;
  bool hasWritten = buffer->writtenUpTo > done;
  if (!hasWritten && !(isWrite && buffer->readUpTo > done))
    return;
  complain(formatv("expected a wait before the host {0} a buffer of {1} bytes, "
                   "but work that {2} it was pending",
                   hasWritten ? "writes" : "reads", buffer->bytes,
                   isWrite ? "writes" : "reads"));
  buffer->writtenUpTo = buffer->readUpTo = 0; // One finding is enough.
}

std::string Device::faultOfKernel(const void *pointer, size_t bytes) const {
  const Buffer *buffer = find(pointer);
  if (buffer && buffer->side == Side::host)
    return formatv("{0} bytes of memory of the host", bytes);
  return faultOf(pointer, bytes);
}

std::string Device::faultOf(const void *pointer, size_t bytes) const {
  const Buffer *buffer = find(pointer);
  if (!buffer)
    return formatv("{0} bytes at {1}, which is not memory of the device", bytes,
                   pointer);
  size_t from = reinterpret_cast<uintptr_t>(pointer) - buffer->base;
  if (!buffer->isLive)
    return formatv("bytes {0} to {1} of a buffer that was freed", from,
                   from + bytes);
  if (from + bytes > buffer->bytes)
    return formatv("bytes {0} to {1} of a buffer of {2}", from, from + bytes,
                   buffer->bytes);
  return "";
}

size_t Device::bytesFrom(const void *pointer) const {
  const Buffer *buffer = find(pointer);
  size_t from =
      buffer ? reinterpret_cast<uintptr_t>(pointer) - buffer->base : 0;
  return buffer && buffer->isLive && from < buffer->bytes ? buffer->bytes - from
                                                          : 0;
}

void Device::copy(void *to, const void *from, size_t bytes) {
  enqueue([=] { doCopy(to, from, bytes); });
}

/// Whether all of these bytes are mapped in this process.
static bool isMapped(const void *pointer, size_t bytes) {
  uintptr_t page = sysconf(_SC_PAGESIZE);
  uintptr_t from = reinterpret_cast<uintptr_t>(pointer);
  uintptr_t start = from / page * page;
  return msync(reinterpret_cast<void *>(start), from + bytes - start,
               MS_ASYNC) == 0;
}

void Device::doCopy(void *to, const void *from, size_t bytes) {
  // Memory of the host is any mapped memory outside the device's. Offsets from
  // the null pointer of a failed allocation are neither.
  for (const void *side : {static_cast<const void *>(to), from})
    if (owns(side) || !isMapped(side, bytes))
      if (std::string fault = faultOf(side, bytes); !fault.empty())
        return complain("a copy touches " + fault);
  touch(from, /*isWrite=*/false);
  touch(to, /*isWrite=*/true);
  std::memmove(to, from, bytes);
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

void Device::openToDevice() {
  for (auto &[base, buffer] : buffers)
    if (buffer.isLive)
      allow(buffer, PROT_READ | PROT_WRITE);
}

void Device::openToHost() {
  for (auto &[base, buffer] : buffers) {
    if (!buffer.isLive)
      continue;
    buffer.isOpen = buffer.side != Side::device && queue.empty();
    allow(buffer, buffer.isOpen ? PROT_READ | PROT_WRITE : PROT_NONE);
  }
}

void Device::enqueue(std::function<void()> work) {
  queue.push_back(std::move(work));
  ++started;
  if (order.kind == WorkOrder::early)
    run(queue.size());
  else if (order.kind == WorkOrder::drawn)
    run(random() % (queue.size() + 1));
  if (!isWorking)
    openToHost();
}

void Device::run(size_t count) {
  if (!count || isWorking)
    return;
  isWorking = true;
  openToDevice();
  for (; count && !queue.empty(); --count) {
    std::function<void()> work = std::move(queue.front());
    queue.pop_front();
    work();
    ++done;
  }
  isWorking = false;
  openToHost();
}

void Device::synchronize() {
  while (!queue.empty() && !isWorking)
    run(queue.size());
}

void Device::complain(std::string finding) {
  constexpr size_t kMax = 16;
  if (findings.size() < kMax)
    findings.push_back(std::move(finding));
}
