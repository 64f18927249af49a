//===- Protocol.h - What a tuner and its workers say ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tuner starts programs of its own kind (`hone worker`) and talks to them
// over their standard input and output. What is said is a *frame*: a line that
// says how long the text behind it is, and that text, one JSON object.
//
//   hone-worker 2 27
//   {"is":"beat","number":1234}
//
// The 2 is the version of everything on this page. A worker of another version
// says so in its first frame and is refused; what is no frame at all (a library
// that prints, a worker that has lost its mind) is an error, and costs the
// worker its life and one candidate its chance.
//
// A compiler hears `compile` and answers each with `compiled`:
//
//   -> compile   number, problem (open: without extents), schedule, arch, code,
//                fallback, kernel_ir, inject
//   <- compiled  number, status, reason, plan, images, kernels, seconds
//
// A device hears `open` once, then kernels and questions:
//
//   -> open      device, library
//   <- opened    name, arch, driver, cuda         or `refused` with a reason
//   -> kernel    key, plan, images, kernels
//   -> drop      key
//   -> measure   number, problem, entrants, best, rounds, most_rounds, protocol
//   <- began     number, which      a candidate, before anything is done with
//   it
//   <- beat      number             still alive, in the middle of something
//   long
//   <- measured  number, results, rounds, drift, held_back, seconds
//
// Everything that arrives is untrusted: a field that is missing or of another
// kind is an error, and numbers are checked by whoever uses them.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_PROTOCOL_H
#define HONE_EVALUATE_PROTOCOL_H

#include "hone/Evaluate/Entrant.h"
#include "hone/Measure/Measurement.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hone::protocol {

constexpr int64_t kVersion = 2;
/// No frame is longer: a kernel is some hundred kilobytes.
constexpr size_t kMostBytes = size_t(256) << 20;

/// The frame of a message.
std::string frame(const llvm::json::Value &message);

/// Cuts a stream of bytes into messages.
class FrameReader {
public:
  void feed(llvm::StringRef bytes);
  /// The next message; nothing where it is not all there yet; an error where
  /// what came is no frame. Then nothing more can be read.
  llvm::Expected<std::optional<llvm::json::Value>> next();

private:
  std::string pending;
  size_t taken = 0; ///< bytes at the start of `pending` that were messages
};

/// Which message this is; empty where it does not say.
llvm::StringRef kindOf(const llvm::json::Value &message);

//===----------------------------------------------------------------------===//
// Messages. `kind` is what `is` says.
//===----------------------------------------------------------------------===//

struct Compile {
  static constexpr llvm::StringLiteral kind = "compile";
  int64_t number = 0;
  Problem problem;
  Schedule schedule;
  std::string arch;
  bool code = false; ///< machine code for PTX, where there is a ptxas
  /// Kernels for operands that the schedule's can not take, too.
  bool fallback = false;
  std::string kernelIr; ///< a file to take in the place of what is built
  std::string batchesB; ///< of two batches, those that B has
  std::string inject;   ///< in a rehearsal
};

/// What the assembler said of one kernel.
struct KernelFacts {
  int64_t registers = 0, spillBytes = 0;
  std::string fault; ///< why it may not be kept; empty: it may
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
  std::string library; ///< libcublasLt, if another than is found
};

struct Opened {
  static constexpr llvm::StringLiteral kind = "opened";
  std::string name, arch, driver;
  int64_t cuda = 0; ///< version that the driver speaks, 13000 for 13.0
};

struct Refused {
  static constexpr llvm::StringLiteral kind = "refused";
  std::string reason;
};

struct Drop {
  static constexpr llvm::StringLiteral kind = "drop";
  std::string key;
};

/// An entrant with its kernel, and what is to happen to it in a rehearsal.
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
  int64_t rounds = 0, mostRounds = 0; ///< of a final
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

struct Measured {
  static constexpr llvm::StringLiteral kind = "measured";
  int64_t number = 0;
  std::vector<Measurement> results;
  std::vector<std::vector<double>> rounds;
  double drift = 0; ///< of a final: how much slower the first was at its end
  std::string heldBack; ///< what slowed the chip down, besides its power limit
  double seconds = 0;
};

llvm::json::Value toJson(const Compile &message);
llvm::json::Value toJson(const Compiled &message);
llvm::json::Value toJson(const Kernel &message);
llvm::json::Value toJson(const Open &message);
llvm::json::Value toJson(const Opened &message);
llvm::json::Value toJson(const Refused &message);
llvm::json::Value toJson(const Drop &message);
llvm::json::Value toJson(const Measure &message);
llvm::json::Value toJson(const Began &message);
llvm::json::Value toJson(const Beat &message);
llvm::json::Value toJson(const Measured &message);

/// Reads a message of type T, or says which field is not as expected.
template <typename T>
llvm::Expected<T> read(const llvm::json::Value &message);

} // namespace hone::protocol

#endif // HONE_EVALUATE_PROTOCOL_H
