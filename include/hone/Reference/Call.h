//===- Call.h - Calls of compiled functions with data -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference, code for the CPU and code for a GPU have the same calls:
// values are passed as doubles, stored in the function's types (for the
// reference, pairs of a value and an error) in the function's memory, and
// returned as doubles. Guard bands surround every buffer.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_REFERENCE_CALL_H
#define HONE_REFERENCE_CALL_H

#include "hone/Jit/Jit.h"
#include "hone/Reference/Signature.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace hone {

/// Where buffers are allocated.
class Memory {
public:
  virtual ~Memory() = default;
  virtual llvm::Expected<void *> allocate(size_t bytes) = 0;
  virtual void free(void *pointer) = 0;
  /// Frees the memory that the called function allocated for a result.
  virtual void freeResult(void *pointer) = 0;
  virtual llvm::Error copyIn(void *to, const void *from, size_t bytes) = 0;
  virtual llvm::Error copyOut(void *to, const void *from, size_t bytes) = 0;
  /// Waits for pending work, and returns its errors.
  virtual llvm::Error finish() = 0;
  /// True if the host may read and write it directly.
  virtual bool isOfHost() const { return false; }

  static std::unique_ptr<Memory> host();
  /// The GPU of this thread, through libhone_rt.
  static llvm::Expected<std::unique_ptr<Memory>> device();
};

/// Leaves new elements of a vector uninitialized: if there are millions of
/// them, all cores should share their first accesses.
template <typename T>
struct Untouched : std::allocator<T> {
  template <typename Other>
  struct rebind {
    using other = Untouched<Other>;
  };
  Untouched() = default;
  template <typename Other>
  Untouched(const Untouched<Other> &) {}

  template <typename Other>
  void construct(Other *at) {
    ::new (static_cast<void *>(at)) Other;
  }
  template <typename Other, typename... Args>
  void construct(Other *at, Args &&...args) {
    ::new (static_cast<void *>(at)) Other(std::forward<Args>(args)...);
  }
};

/// One double per element between the first and the last of a shaped value,
/// padding included; one double for a scalar.
using Values = std::vector<double, Untouched<double>>;

struct Outcome {
  struct Array {
    std::string name; ///< "result 0", "argument 2"
    Element element;  ///< the program's type, also for the reference
    std::vector<int64_t> sizes;
    /// Without padding, in the order of indices: floats here, integers below,
    /// because a double cannot hold all bits of an i64.
    Values elements;
    std::vector<int64_t> integers;
    Values errors; ///< for a reference's floats (hone/Numerics/ErrorBound.h)
  };
  /// Results, then the contents of every memref after the call.
  std::vector<Array> arrays;
};

/// A function, its buffers, and the prepared call.
class Call {
public:
  /// With `isReference` every float is a pair.
  Call(Jit &jit, const Signature &signature, Memory &memory, bool isReference)
      : jit(jit), signature(signature), memory(memory),
        isReference(isReference) {}
  ~Call();

  /// Allocates the buffers and stores `values`, one entry per argument.
  llvm::Error prepare(llvm::ArrayRef<Values> values);
  /// Runs the function and waits. Results of an earlier run are freed.
  llvm::Error run();
  /// Runs the function; its work on the GPU may still be pending afterwards.
  llvm::Error enqueue();
  /// The current contents of the buffers. Fails if a guard band was written.
  llvm::Expected<Outcome> outcome();

private:
  struct Buffer {
    void *base = nullptr;
    size_t bytes = 0; ///< without guard bands
  };
  /// True if its elements are pairs.
  bool isPaired(Element element) const {
    return isReference && !element.isInteger();
  }
  int64_t bytesOf(Element element) const {
    return isPaired(element) ? 2 * sizeof(double) : element.bytes();
  }
  llvm::Error addBuffer(const Argument &argument, const Values &values);
  void addScalar(const Argument &argument, double value);
  llvm::Expected<Outcome::Array> read(const Buffer &buffer,
                                      const Argument &argument);
  void store(const Argument &argument, const Values &values, char *to) const;
  Outcome::Array toArray(const Argument &argument, const char *data) const;
  /// The bytes at `from`; if the host cannot read them, a copy that `copy`
  /// owns.
  llvm::Expected<const char *> view(const char *from, size_t bytes,
                                    std::unique_ptr<char[]> &copy);
  llvm::Expected<std::vector<Outcome::Array>> readResults();
  void freeResults();

  Jit &jit;
  const Signature &signature;
  Memory &memory;
  bool isReference;
  JitArguments arguments;
  llvm::MutableArrayRef<int64_t> results; ///< descriptors, one after the other
  std::vector<Buffer> buffers; ///< one per argument; empty for a scalar
};

} // namespace hone

#endif // HONE_REFERENCE_CALL_H
