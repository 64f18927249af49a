//===- ExploreState.cpp - State of a cluster in the exploration -----------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes, and the key of a state.
//
//===----------------------------------------------------------------------===//

#include "ExploreState.h"
#include "llvm/Support/xxhash.h"

using namespace hone::simulate;

bool hone::simulate::conflict(const Touches &a, const Touches &b) {
  for (const Touch &x : a)
    for (const Touch &y : b)
      if ((x.writes || y.writes) && x.block == y.block &&
          x.range.begin < y.range.end && y.range.begin < x.range.end)
        return true;
  return false;
}

void ExploreState::fill(int block, ByteRange range) {
  std::vector<ByteRange> merged;
  for (ByteRange each : filled[block])
    if (each.end < range.begin || range.end < each.begin)
      merged.push_back(each);
    else
      range = {std::min(each.begin, range.begin),
               std::max(each.end, range.end)};
  merged.push_back(range);
  llvm::sort(merged,
             [](ByteRange a, ByteRange b) { return a.begin < b.begin; });
  filled[block] = std::move(merged);
}

bool ExploreState::isFilled(int block, ByteRange range) const {
  return llvm::any_of(filled[block], [&](ByteRange each) {
    return each.begin <= range.begin && range.end <= each.end;
  });
}

std::array<uint64_t, 2>
ExploreState::key(const std::vector<llvm::BitVector> &live) const {
  llvm::SmallVector<int64_t, 512> words;
  for (const AgentState &agent : agents) {
    words.append({int64_t(agent.at),
                  agent.ended | int64_t(agent.meets) << 1 |
                      int64_t(agent.clusterPhase + 1) << 2,
                  agent.copyGroups, agent.storeGroups, agent.productGroups});
    for (unsigned i : live[agent.at].set_bits())
      words.push_back(agent.registers[i].number);
  }
  for (auto &[place, barrier] : barriers)
    words.append({place.second * 256 + place.first,
                  barrier.missing * 2 + barrier.parity, barrier.pending});
  for (auto &[place, meeting] : meetings)
    words.append({place.second * 256 + place.first, meeting.present});
  words.append({clusterHere, clusterGone, clusterPhase});
  // Sorted, so that the order of their starts does not count.
  llvm::SmallVector<int64_t, 32> engines;
  for (const UnderWay &each : underWay) {
    ByteRange range =
        each.touches.empty() ? ByteRange{0, 0} : each.touches[0].range;
    engines.push_back(int64_t(each.kind) << 60 | int64_t(each.owner) << 52 |
                      int64_t(each.number) << 40 | int64_t(each.block) << 36 |
                      int64_t(each.step) << 20 | range.begin);
  }
  llvm::sort(engines);
  words.append(engines.begin(), engines.end());
  for (const auto &block : filled) {
    words.push_back(-1);
    for (ByteRange range : block)
      words.append({range.begin, range.end});
  }
  llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>(words.data()),
                                words.size() * sizeof(int64_t));
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(bytes);
  return {hash.low64, hash.high64};
}
