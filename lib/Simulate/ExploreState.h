//===- ExploreState.h - A moment of a cluster -------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the exploration copies, compares and forgets: where each agent is, what
// barriers have counted, what engines have under way, which bytes hold
// something. There are no clocks in it and no numbers: barriers are the bare
// hardware's, with one bit for the phase.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_EXPLORESTATE_H
#define HONE_LIB_SIMULATE_EXPLORESTATE_H

#include "Footprint.h"
#include "Roster.h"
#include <array>
#include <map>

namespace hone::simulate {

/// Bytes of a block that are touched, and how.
struct Touch {
  int block;
  Range range;
  bool writes;
};
using Touches = llvm::SmallVector<Touch, 4>;

/// True if both are to the same bytes and one of them writes.
bool conflict(const Touches &a, const Touches &b);

/// Something that an engine does until it completes.
struct UnderWay {
  enum Kind : uint8_t { load, copies, products, stores } kind = load;
  int owner = 0;  ///< agent, or group of products
  int number = 0; ///< of its group of copies, products or stores
  int block = 0;  ///< of a load: where it goes
  int64_t barrier = 0, bytes = 0;
  int step = 0;
  Touches touches;
};

struct AgentState {
  size_t at = 0;
  bool ended = false;
  /// Stands at a meeting; the cluster phase it has arrived for, or -1.
  bool meets = false;
  int clusterPhase = -1;
  int copyGroups = 0, storeGroups = 0, productGroups = 0;
  std::vector<Register> registers;
};

struct PhaseState {
  bool parity = false;
  int64_t arrivals = 0, missing = 0;
  int64_t pending = 0; ///< bytes announced and not landed
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
  /// Bytes that hold something, by block: disjoint, in order.
  std::vector<std::vector<Range>> filled;

  void fill(int block, Range range);
  bool isFilled(int block, Range range) const;
  /// Two moments with one key go on alike. `live` says which registers count.
  std::array<uint64_t, 2> key(const std::vector<llvm::BitVector> &live) const;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_EXPLORESTATE_H
