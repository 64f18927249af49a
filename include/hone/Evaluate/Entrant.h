//===- Entrant.h - Who takes part in a measurement --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tuner compares schedules with each other, a benchmark with the vendor's
// libraries. Both ask the same workers, for whom all of these are entrants: they
// have the same data, are checked by the same reference, and take turns.
//
// | entrant            | what runs                                            |
// |--------------------|------------------------------------------------------|
// | a schedule         | Hone's kernel                                        |
// | cublas             | what cublasGemmEx chooses                            |
// | cublaslt-heuristic | the first algorithm that cuBLASLt's heuristic names  |
// | cublaslt-auto      | the fastest of up to 100 that it names; by `rank`,   |
// |                    | the next ones                                        |
//
// A schedule may carry out a part of its problem alone, and may be launched as
// if its plan did not ask for programmatic launch: what those cost is seen
// beside what they cost without.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_EVALUATE_ENTRANT_H
#define HONE_EVALUATE_ENTRANT_H

#include "hone/Schedule/Schedule.h"
#include <optional>

namespace hone {

enum class Rival { cublas, cublasLtHeuristic, cublasLtAuto };
llvm::StringRef toString(Rival rival);
std::optional<Rival> parseRival(llvm::StringRef text);

/// What is carried out of a problem.
enum class Part {
  whole,
  product,  ///< as if there were no epilogue
  separate, ///< the product, stored, and a kernel that applies the epilogue
};
llvm::StringRef toString(Part part);
std::optional<Part> parsePart(llvm::StringRef text);

/// How a final is timed.
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
  std::optional<Schedule> schedule; ///< Hone's; none: a rival's
  Rival rival = Rival::cublas;
  int64_t rank = 0; ///< among the rival's algorithms; 0 is the fastest
  Part part = Part::whole;
  bool programmatic = true; ///< where the plan asks for it
};

/// The schedule, or the rival.
std::string toString(const Entrant &entrant);
/// What a kernel for it is compiled from.
Problem problemFor(const Entrant &entrant, const Problem &problem);

} // namespace hone

#endif // HONE_EVALUATE_ENTRANT_H
