//===- Protocol.h - Messages of a tuner and its workers ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tuner starts processes of its own program (`hone worker`) and communicates
// with them through their standard input and output. A message is a *frame*: a
// line with the length of the text that follows, and that text, one JSON
// object.
//
//   hone-worker 3 27
//   {"is":"beat","number":1234}
//
// The 3 is the version of this protocol. The first frame of a worker shows its
// version, and other versions are rejected. Any other output (a library that
// prints, a corrupted worker) is an error: the worker is killed, and its
// current candidate fails.
//
// A compiler receives `compile` and answers each with `compiled`:
//
//   -> compile   number, problem (open: without extents), schedule, arch, code,
//                fallback, kernel_ir, kernel_text, inject
//   <- compiled  number, status, reason, plan, images, kernels, seconds
//
// A device's worker receives `open` once, then kernels and questions:
//
//   -> open      device, library
//   <- opened    name, arch, driver, cuda         or `refused` with a reason
//   -> kernel    key, plan, images, kernels
//   -> drop      key
//   -> measure   number, problem, entrants, best, rounds, most_rounds, protocol
//   <- began     number, which      before a candidate is touched
//   <- beat      number             still alive, during a long step
//   <- measured  number, results, rounds, drift, held_back, seconds, spent
//
// Everything that arrives is untrusted: a field that is missing or has another
// type is an error, and the code that uses numbers checks them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_WORKERS_PROTOCOL_H
#define HONE_WORKERS_PROTOCOL_H

#include "hone/Matmul/Entrant.h"
#include "hone/Numerics/Measurement.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hone::protocol {

constexpr int64_t kVersion = 3;
/// The longest frame; a kernel takes a few hundred kilobytes.
constexpr size_t kMaxBytes = size_t(256) << 20;

/// The frame of a message.
std::string frame(const llvm::json::Value &message);

/// Splits a stream of bytes into messages.
class FrameReader {
public:
  void feed(llvm::StringRef bytes);
  /// The next message; nothing if it is not complete yet; an error if the input
  /// is not a frame. After an error nothing more can be read.
  llvm::Expected<std::optional<llvm::json::Value>> next();

private:
  std::string pending;
  size_t taken = 0; ///< bytes at the start of `pending` that were messages
};

/// The kind of this message; empty if it has none.
llvm::StringRef kindOf(const llvm::json::Value &message);

//===----------------------------------------------------------------------===//
// Messages. `kind` is the value of the field `is`.
//===----------------------------------------------------------------------===//

struct Compile {
  static constexpr llvm::StringLiteral kind = "compile";
  int64_t number = 0;
  Problem problem;
  Schedule schedule;
  std::string arch;
  bool code = false; ///< machine code instead of PTX, if there is a ptxas
  /// Also build kernels for operands that the schedule's does not support.
  bool fallback = false;
  std::string kernelIr;   ///< a file to use instead of building
  std::string batchesB;   ///< with two batches, those that B has
  std::string kernelText; ///< of the whole kernel that the schedule names
  std::string inject;     ///< in a rehearsal
};

/// The assembler's report on one kernel.
struct KernelFacts {
  int64_t registers = 0, spillBytes = 0;
  std::string fault; ///< why it is rejected; empty: it is not
};

/// A kernel without MLIR: device code, and how it is launched.
struct Kernel {
  static constexpr llvm::StringLiteral kind = "kernel";
  std::string key, plan;
  std::vector<std::string> images;          ///< PTX, machine code, an object
  std::map<std::string, KernelFacts> facts; ///< by entry point, where known
  size_t bytes() const;
};

struct Compiled {
  static constexpr llvm::StringLiteral kind = "compiled";
  int64_t number = 0;
  Status status = Status::ok;
  std::string reason;
  Kernel kernel;
  double seconds = 0;
};

struct Open {
  static constexpr llvm::StringLiteral kind = "open";
  std::string device;  ///< "0", "1", ..., "host" or "rehearsal:h200"
  std::string library; ///< libcublasLt, if not the default one
};

struct Opened {
  static constexpr llvm::StringLiteral kind = "opened";
  std::string name, arch, driver;
  int64_t cuda = 0; ///< version that the driver supports, 13000 for 13.0
};

struct Refused {
  static constexpr llvm::StringLiteral kind = "refused";
  std::string reason;
};

struct Drop {
  static constexpr llvm::StringLiteral kind = "drop";
  std::string key;
};

/// An entrant with its kernel, and its planned fault in a rehearsal.
struct Entered {
  Entrant entrant;
  std::string key, inject;
};

struct Measure {
  static constexpr llvm::StringLiteral kind = "measure";
  int64_t number = 0;
  Problem problem;
  std::vector<Entered> entrants;
  double best = 0;
  int64_t rounds = 0, maxRounds = 0; ///< of a final
  hone::Protocol protocol = hone::Protocol::device;
};

struct Began {
  static constexpr llvm::StringLiteral kind = "began";
  int64_t number = 0, which = 0;
};

struct Beat {
  static constexpr llvm::StringLiteral kind = "beat";
  int64_t number = 0;
};

/// Where a worker's seconds went.
struct Spent {
  double laying = 0;   ///< data and references
  double checking = 0; ///< kernels loaded, and results compared
  double timing = 0;   ///< turns of trials, and warming the chip up for them
  double finals = 0;   ///< turns of finals

  Spent &operator+=(const Spent &other) {
    laying += other.laying;
    checking += other.checking;
    timing += other.timing;
    finals += other.finals;
    return *this;
  }
};

struct Measured {
  static constexpr llvm::StringLiteral kind = "measured";
  int64_t number = 0;
  std::vector<Measurement> results;
  std::vector<std::vector<double>> rounds;
  double drift = 0;     ///< of a final: slowdown of the first from start to end
  std::string heldBack; ///< causes of throttling besides the power limit
  double seconds = 0;
  Spent spent; ///< of these
};

template <typename T>
llvm::json::Value toJson(const T &message);

/// Parses a message of type T; an error names the wrong field.
template <typename T>
llvm::Expected<T> read(const llvm::json::Value &message);

} // namespace hone::protocol

#endif // HONE_WORKERS_PROTOCOL_H
