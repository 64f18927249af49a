//===- Call.cpp - Call of a compiled function with data -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer starts as bytes of ones, a NaN in every float type. So do guard
// bands, gaps between rows, and outputs before they are written.
//
//===----------------------------------------------------------------------===//

#include "hone/Reference/Call.h"
#include "Chunks.h"
#include "hone-c/Runtime.h"
#include "hone/Numerics/ErrorBound.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace hone;
using llvm::ArrayRef;
using llvm::Error;

/// Bytes before and after a buffer. A multiple of every alignment in use.
static constexpr size_t kGuard = 4096;
static constexpr unsigned char kPoison = 0xFF;

/// An element of a reference.
using Pair = Inexact<double>;

/// The counterpart of MLIR's lowering of `gpu.alloc`, which is in no header.
extern "C" void mgpuMemFree(void *pointer, void *stream);

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {
class HostMemory : public Memory {
public:
  llvm::Expected<void *> allocate(size_t bytes) override {
    if (void *pointer = std::aligned_alloc(4096, llvm::alignTo(bytes, 4096)))
      return pointer;
    return llvm::createStringError(
        llvm::formatv("out of memory: {0} bytes", bytes));
  }
  void free(void *pointer) override { std::free(pointer); }
  void freeResult(void *pointer) override { std::free(pointer); }
  Error copyIn(void *to, const void *from, size_t bytes) override {
    std::memcpy(to, from, bytes);
    return Error::success();
  }
  Error copyOut(void *to, const void *from, size_t bytes) override {
    return copyIn(to, from, bytes);
  }
  Error finish() override { return Error::success(); }
  bool isOfHost() const override { return true; }
};

class DeviceMemory : public Memory {
public:
  llvm::Expected<void *> allocate(size_t bytes) override {
    void *pointer = nullptr;
    if (Error error = status(honeAlloc(&pointer, bytes)))
      return std::move(error);
    return pointer;
  }
  void free(void *pointer) override { (void)honeFree(pointer); }
  void freeResult(void *pointer) override {
    mgpuMemFree(pointer, honeGetStream());
  }
  Error copyIn(void *to, const void *from, size_t bytes) override {
    return status(honeCopyToDevice(to, from, bytes));
  }
  Error copyOut(void *to, const void *from, size_t bytes) override {
    return status(honeCopyFromDevice(to, from, bytes));
  }
  /// Compiled code cannot return a failed launch; the error count shows it.
  Error finish() override {
    if (Error error = status(honeSynchronize()))
      return error;
    int64_t failures = honeErrorCount() - seenFailures;
    seenFailures += failures;
    return failures ? llvm::createStringError(honeLastError())
                    : Error::success();
  }

private:
  static Error status(int32_t status) {
    return status == HONE_OK ? Error::success()
                             : llvm::createStringError(honeLastError());
  }
  int64_t seenFailures = honeErrorCount();
};
} // namespace

std::unique_ptr<Memory> Memory::host() {
  return std::make_unique<HostMemory>();
}

llvm::Expected<std::unique_ptr<Memory>> Memory::device() {
  int32_t count = 0;
  if (honeDeviceCount(&count) != HONE_OK)
    return llvm::createStringError(honeLastError());
  if (count == 0)
    return llvm::createStringError(
        "expected a GPU, but got none; use --arch=host");
  return std::make_unique<DeviceMemory>();
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

Call::~Call() {
  freeResults();
  for (const Buffer &buffer : buffers)
    if (buffer.base)
      memory.free(buffer.base);
}

void Call::addScalar(const Argument &argument, double value) {
  buffers.emplace_back();
  if (isPaired(argument.element))
    return arguments.add(Pair{value, 0});
  uint64_t bits = 0;
  argument.element.store(&bits, 0, value);
  arguments.add(bits);
}

/// Stores values, and poison between them.
void Call::store(const Argument &argument, const Values &values,
                 char *to) const {
  Element element = argument.element;
  size_t bytes = bytesOf(element);
  inChunks(values.size(), [&](size_t, int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      Pair pair = {values[i], 0};
      if (isPaired(element))
        std::memcpy(to + i * bytes, &pair, bytes);
      else if (std::isnan(values[i]))
        std::memset(to + i * bytes, kPoison, bytes);
      else
        element.store(to, i, values[i]);
    }
  });
}

Error Call::addBuffer(const Argument &argument, const Values &values) {
  Buffer &buffer = buffers.emplace_back();
  buffer.bytes = values.size() * bytesOf(argument.element);
  size_t bytes = buffer.bytes + 2 * kGuard;
  llvm::Expected<void *> base = memory.allocate(bytes);
  if (!base)
    return base.takeError();
  buffer.base = *base;
  // A type with an offset counts from an address before the first element.
  int64_t before = argument.offset * bytesOf(argument.element);
  arguments.addMemRef(static_cast<char *>(*base) + kGuard - before,
                      argument.sizes, argument.strides, argument.offset);
  std::unique_ptr<char[]> copy;
  char *to = static_cast<char *>(*base);
  if (!memory.isOfHost()) {
    copy.reset(new char[bytes]);
    to = copy.get();
  }
  std::memset(to, kPoison, kGuard);
  store(argument, values, to + kGuard);
  std::memset(to + kGuard + buffer.bytes, kPoison, kGuard);
  return copy ? memory.copyIn(*base, to, bytes) : Error::success();
}

Error Call::prepare(ArrayRef<Values> values) {
  // Several results are returned as one struct of consecutive descriptors,
  // which fits into one descriptor of a higher rank.
  size_t words = 0;
  for (const Signature::Result &result : signature.results)
    words += 3 + 2 * result.rank;
  if (words)
    results = {const_cast<int64_t *>(
                   arguments.addMemRefResult((words - 2) / 2).data()),
               words};
  for (auto [argument, list] : llvm::zip_equal(signature.arguments, values)) {
    if (argument.isScalar)
      addScalar(argument, list.front());
    else if (Error error = addBuffer(argument, list))
      return error;
  }
  return Error::success();
}

/// A result may be an argument, or the same memory as another result.
void Call::freeResults() {
  llvm::SmallPtrSet<void *, 4> pointers;
  const int64_t *words = results.data();
  for (const Signature::Result &result : signature.results) {
    pointers.insert(reinterpret_cast<void *>(words[0]));
    words += 3 + 2 * result.rank;
  }
  for (const Buffer &buffer : buffers)
    if (buffer.base)
      pointers.erase(static_cast<char *>(buffer.base) + kGuard);
  // MLIR's marker for memory that was not allocated: a constant.
  pointers.erase(reinterpret_cast<void *>(0xdeadbeef));
  for (void *pointer : pointers)
    if (pointer)
      memory.freeResult(pointer);
  std::fill(results.begin(), results.end(), 0);
}

Error Call::enqueue() {
  freeResults();
  return jit.invoke(signature.name, arguments);
}

Error Call::run() {
  if (Error error = enqueue())
    return error;
  return memory.finish();
}

Outcome::Array Call::toArray(const Argument &argument, const char *data) const {
  Element element = argument.element;
  Outcome::Array array = {"", element, argument.sizes, {}, {}, {}};
  int64_t count = argument.elements();
  if (element.isInteger())
    array.integers.resize(count);
  else
    array.elements.resize(count);
  if (isPaired(element))
    array.errors.resize(count);
  visitElements(argument.sizes, argument.strides, [&](int64_t i, int64_t at) {
    if (element.isInteger()) {
      array.integers[i] = element.loadInteger(data, at);
    } else if (!isPaired(element)) {
      array.elements[i] = element.load(data, at);
    } else {
      Pair pair = {};
      std::memcpy(&pair, data + at * sizeof(Pair), sizeof(Pair));
      array.elements[i] = pair.value;
      array.errors[i] = pair.error;
    }
  });
  return array;
}

llvm::Expected<const char *> Call::view(const char *from, size_t bytes,
                                        std::unique_ptr<char[]> &copy) {
  if (memory.isOfHost())
    return from;
  copy.reset(new char[bytes]);
  if (Error error = memory.copyOut(copy.get(), from, bytes))
    return std::move(error);
  return copy.get();
}

llvm::Expected<Outcome::Array> Call::read(const Buffer &buffer,
                                          const Argument &argument) {
  std::unique_ptr<char[]> copy;
  auto bytes = view(static_cast<const char *>(buffer.base),
                    buffer.bytes + 2 * kGuard, copy);
  if (!bytes)
    return bytes.takeError();
  for (size_t i = 0; i < kGuard; ++i)
    if (static_cast<unsigned char>((*bytes)[i]) != kPoison ||
        static_cast<unsigned char>((*bytes)[kGuard + buffer.bytes + i]) !=
            kPoison)
      return llvm::createStringError(
          "expected writes inside of the buffers, but got one beyond");
  return toArray(argument, *bytes + kGuard);
}

llvm::Expected<std::vector<Outcome::Array>> Call::readResults() {
  std::vector<Outcome::Array> arrays;
  const int64_t *words = results.data();
  for (auto [i, result] : llvm::enumerate(signature.results)) {
    Argument shape;
    shape.element = result.element;
    shape.sizes.assign(words + 3, words + 3 + result.rank);
    shape.strides.assign(words + 3 + result.rank, words + 3 + 2 * result.rank);
    const char *data = reinterpret_cast<const char *>(words[1]) +
                       words[2] * bytesOf(result.element);
    words += 3 + 2 * result.rank;
    std::unique_ptr<char[]> copy;
    auto bytes = view(data, shape.extent() * bytesOf(result.element), copy);
    if (!bytes)
      return bytes.takeError();
    arrays.push_back(toArray(shape, *bytes));
    arrays.back().name = llvm::formatv("result {0}", i);
  }
  return arrays;
}

llvm::Expected<Outcome> Call::outcome() {
  Outcome outcome;
  auto arrays = readResults();
  if (!arrays)
    return arrays.takeError();
  outcome.arrays = std::move(*arrays);
  for (auto [i, argument] : llvm::enumerate(signature.arguments)) {
    if (argument.isScalar)
      continue;
    llvm::Expected<Outcome::Array> array = read(buffers[i], argument);
    if (!array)
      return array.takeError();
    array->name = llvm::formatv("argument {0}", i);
    if (!argument.isTensor)
      outcome.arrays.push_back(std::move(*array));
  }
  return outcome;
}
