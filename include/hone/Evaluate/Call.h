//===- Call.h - Call a compiled function with data --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference, code for the CPU and code for a GPU are called alike: values
// go in as doubles, are stored in the function's types (for the reference,
// pairs of a value and an error) in the memory it works on, and come back as
// doubles. Guard bands surround every buffer.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_CALL_H
#define HONE_EVALUATE_CALL_H

#include "hone/Evaluate/Signature.h"
#include "hone/Jit/Jit.h"
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
  /// Frees what the called function allocated for a result.
  virtual void freeResult(void *pointer) = 0;
  virtual llvm::Error copyIn(void *to, const void *from, size_t bytes) = 0;
  virtual llvm::Error copyOut(void *to, const void *from, size_t bytes) = 0;
  /// Waits for pending work, and returns its errors.
  virtual llvm::Error finish() = 0;

  static std::unique_ptr<Memory> host();
  /// The GPU of this thread, through libhone_rt.
  static llvm::Expected<std::unique_ptr<Memory>> device();
};

/// One double per element between the first and the last of a shaped value,
/// padding included; one double for a scalar.
using Values = std::vector<double>;

/// The elements of a shaped value, in the order of its indices.
Values gather(const Values &values, llvm::ArrayRef<int64_t> sizes,
              llvm::ArrayRef<int64_t> strides);

struct Outcome {
  struct Array {
    std::string name; ///< "result 0", "argument 2"
    Element element;  ///< the program's type, also for the reference
    std::vector<int64_t> sizes;
    Values elements; ///< without padding
    Values errors;   ///< for a reference (hone/Measure/ErrorBound.h)
  };
  /// Results, then every shaped argument after the call.
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
  /// What the buffers hold now. Fails if a guard band was written.
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
  Outcome::Array toArray(const Argument &argument, const char *data);
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

#endif // HONE_EVALUATE_CALL_H
