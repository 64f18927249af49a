//===- ExploreState.h - State of a cluster in the exploration ---*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exploration copies and compares these states: the position of each agent,
// the counts of barriers, the pending operations of engines, and the bytes that
// are written. A state has no clocks and no numbers: barriers are those of the
// hardware, with one bit for the phase.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_EXPLORESTATE_H
#define HONE_LIB_SIMULATE_EXPLORESTATE_H

#include "../Machine/Footprint.h"
#include "../Roster.h"
#include <array>
#include <map>

namespace hone::simulate {

/// Bytes of a block that are accessed, and how.
struct Touch {
  int block;
  ByteRange range;
  bool writes;
};
using Touches = llvm::SmallVector<Touch, 4>;

/// True if both are to the same bytes and one of them writes.
bool conflict(const Touches &a, const Touches &b);

/// An operation of an engine that has not completed.
struct UnderWay {
  enum Kind : uint8_t { load, copies, products, stores } kind = load;
  int owner = 0;  ///< agent, or group of products
  int number = 0; ///< of its group of copies, products or stores
  int block = 0;  ///< of a load: its destination
  int64_t barrier = 0, bytes = 0;
  int step = 0;
  Touches touches;
};

struct AgentState {
  size_t at = 0;
  bool ended = false;
  /// Waits at a meeting; the cluster phase it has arrived for, or -1.
  bool meets = false;
  int clusterPhase = -1;
  int copyGroups = 0, storeGroups = 0, productGroups = 0;
  std::vector<Register> registers;
};

struct PhaseState {
  bool parity = false;
  int64_t arrivals = 0, missing = 0;
  int64_t pending = 0; ///< bytes announced but not arrived
};

struct MeetingState {
  int64_t present = 0, wanted = 0;
};

struct ExploreState {
  std::vector<AgentState> agents;
  /// By block and byte.
  std::map<std::pair<int, int64_t>, PhaseState> barriers;
  std::map<std::pair<int, int64_t>, MeetingState> meetings;
  int clusterHere = 0, clusterGone = 0, clusterPhase = 0;
  std::vector<UnderWay> underWay;
  /// The written bytes, by block: disjoint, in order.
  std::vector<std::vector<ByteRange>> filled;

  void fill(int block, ByteRange range);
  bool isFilled(int block, ByteRange range) const;
  /// Two states with one key continue alike. `live` has the registers that
  /// count.
  std::array<uint64_t, 2> key(const std::vector<llvm::BitVector> &live) const;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_EXPLORESTATE_H
