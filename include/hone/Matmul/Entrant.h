//===- Entrant.h - The entrants of a measurement ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tuner compares schedules with each other, a benchmark compares them with
// the vendor's libraries. Both use the same workers, for which all of these are
// entrants: with the same data, the same reference, and in turns.
//
// | entrant            | the code that runs                           |
// |--------------------|----------------------------------------------|
// | a schedule         | Hone's kernel                                |
// | cublas             | the choice of cublasGemmEx                   |
// | cublaslt-heuristic | the first algorithm of cuBLASLt's heuristic  |
// | cublaslt-auto      | the fastest of up to 100 of them; by `rank`, |
// |                    | the next ones                                |
// | cublaslt-padded    | copies of operands into lines of whole 16    |
// |                    | bytes, and the fastest algorithm on these    |
//
// To measure the cost of an epilogue or of programmatic launch, a schedule may
// compute only a part of its problem, or be launched without it.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_MATMUL_ENTRANT_H
#define HONE_MATMUL_ENTRANT_H

#include "hone/Schedule/Schedule.h"
#include <optional>

namespace hone {

enum class Rival {
  cublas,
  cublasLtHeuristic,
  cublasLtAuto,
  cublasLtPadded,
};
llvm::StringRef toString(Rival rival);
std::optional<Rival> parseRival(llvm::StringRef text);
/// True if it is the fastest of several, which a final decides.
bool isRanked(Rival rival);
/// True if lines of an operand, or of the result, are not whole words of 16
/// bytes, so that a rival may be faster on copies.
bool hasOddLines(const Problem &problem);

/// The part of a problem that is computed.
enum class Part {
  whole,
  product,  ///< as if there were no epilogue
  separate, ///< the product, stored, and a kernel that applies the epilogue
};
llvm::StringRef toString(Part part);
std::optional<Part> parsePart(llvm::StringRef text);

/// The timing of a final.
///
/// | protocol     | one measurement                                          |
/// |--------------|----------------------------------------------------------|
/// | device       | GPU time of a graph of launches back to back, on sets of |
/// |              | inputs that exceed the L2 cache twice, over their number |
/// | wall-offline | one launch and the wait for its end, by the host's clock |
/// | wall-server  | the same, after a pause of random length, exponentially  |
/// |              | distributed around a millisecond                         |
enum class Protocol { device, wallOffline, wallServer };
llvm::StringRef toString(Protocol protocol);
std::optional<Protocol> parseProtocol(llvm::StringRef text);

struct Entrant {
  std::optional<Schedule> schedule; ///< Hone's; none: a library
  Rival rival = Rival::cublas;
  int64_t rank = 0; ///< among the library's algorithms; 0 is the fastest
  Part part = Part::whole;
  bool programmatic = true; ///< if the plan uses it
};

/// The schedule, or the library.
std::string toString(const Entrant &entrant);
/// The input of its kernel's compilation.
Problem problemFor(const Entrant &entrant, const Problem &problem);

} // namespace hone

#endif // HONE_MATMUL_ENTRANT_H
