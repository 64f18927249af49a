//===- Values.cpp - Numbers of a run --------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory, and transfers between global memory, shared memory and registers.
// Products are in ValuesProducts.cpp.
//
//===----------------------------------------------------------------------===//

#include "Values.h"
#include "../Machine/Machine.h"
#include "../Windows.h"
#include "Codec.h"
#include "Provenance.h"
#include "ValuesOfAgent.h"
#include "dialects/Kernel/PartialMap.h"
#include "hone/Numerics/Tolerance.h"
#include <array>
#include <cmath>
#include <cstring>
#include <random>

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Random numbers, N(0, 1): a random choice from numbers that are drawn once in
/// a process, because a draw takes longer than a product.
namespace {
class Normals {
public:
  explicit Normals(uint64_t seed) : random(seed) {}
  float next() {
    static const std::array<float, 4096> drawn = draw();
    return drawn[random() % drawn.size()];
  }

private:
  static std::array<float, 4096> draw() {
    std::mt19937_64 random;
    std::normal_distribution<float> normal;
    std::array<float, 4096> drawn;
    for (float &each : drawn)
      each = normal(random);
    return drawn;
  }

  std::mt19937_64 random;
};
} // namespace

/// `count` NaNs, or integers that cannot be a sum of the data.
static std::vector<uint8_t> poison(ElementType type, size_t count) {
  std::vector<uint8_t> bytes(count);
  uint8_t nan[4];
  encode(type, NAN, nan);
  size_t filled = std::min<size_t>(sizeOf(type), count);
  std::copy_n(nan, filled, bytes.data());
  // A workspace is large: each round doubles the filled part.
  for (size_t more; filled < count; filled += more) {
    more = std::min(filled, count - filled);
    std::copy_n(bytes.data(), more, bytes.data() + filled);
  }
  return bytes;
}

void Values::fill(
    const Problem &problem,
    llvm::function_ref<double(const OperandRegion &, int64_t, int64_t)>
        elementOf) {
  for (const OperandRegion &region : regions) {
    // Gaps between lines belong to no operand; their contents spoil every
    // result that reads them.
    auto &bytes = memory.emplace_back(poison(region.type, region.bytes()));
    bool isPoison = (region.name == "c" && problem.init == Init::zero) ||
                    region.name == "ws";
    int64_t lines = isPoison ? 0 : region.matrices() * region.lines;
    withCodec(region.type, [&](auto codec) {
      for (int64_t i = 0; i < lines; ++i) {
        int64_t line = i % region.lines;
        int64_t start =
            region.startOfOwn(i / region.lines) + line * region.lineStride;
        for (int64_t j = 0; j < region.width; ++j)
          codec.store(elementOf(region, line, j),
                      &bytes[(start + j) * codec.bytes()]);
      }
    });
  }
  // The old contents of a workspace are never compared.
  for (auto [region, bytes] : llvm::zip_equal(regions, memory))
    before.push_back(region.name == "ws" ? std::vector<uint8_t>() : bytes);
  for (auto [region, bytes] : llvm::zip_equal(regions, memory))
    addSpan(region, bytes.data());
}

void Values::addSpan(const OperandRegion &region, uint8_t *start) {
  if (region.name == "c")
    result = spans.size();
  spans.push_back({region.base, region.base + region.bytes(), start});
}

Values::Values(const LaunchValues &launch)
    : launch(&launch), regions(launch.regions) {
  for (const OperandRegion &region : regions)
    addSpan(region, reinterpret_cast<uint8_t *>(region.base));
}

Values::Values(const LaunchValues &launch, const Problem &problem,
               uint64_t seed)
    : launch(&launch), regions(launch.regions) {
  Normals normals(seed);
  fill(problem, [&](const OperandRegion &region, int64_t, int64_t) {
    return normals.next() * float(deviationOf(region.type));
  });
}

Values::Values(const LaunchValues &launch, const Problem &problem,
               Provenance &provenance)
    : launch(&launch), regions(launch.regions), provenance(&provenance) {
  bool linesOfA = problem.a.order == Order::col,
       linesOfB = problem.b.order == Order::row;
  fill(problem, [&](const OperandRegion &region, int64_t line, int64_t column) {
    bool isB = region.name == "b";
    if (!isB && region.name != "a")
      return 1.0;
    return provenance.codeOf(isB, (isB ? linesOfB : linesOfA) ? line : column);
  });
}

void Values::startClusters(int64_t blocks) {
  constexpr uint8_t kNan = 0xff;
  shared.assign(blocks, std::vector<uint8_t>(launch->sharedBytes, kNan));
}

uint8_t *Values::address(int64_t address, int64_t count) {
  for (const Span &span : spans)
    if (span.contains(address, count))
      return span.start + (address - span.base);
  return nullptr;
}

bool Values::store(int64_t to, const void *bytes, int64_t count) {
  uint8_t *there = address(to, count);
  if (!there)
    return true;
  const Span &c = spans[result];
  bool isSame = true;
  if (c.contains(to, count)) {
    stored.resize(c.end - c.base);
    const auto *given = static_cast<const uint8_t *>(bytes);
    for (int64_t i = 0, at = to - c.base; i < count; ++i, ++at) {
      isSame &= !stored[at] || there[i] == given[i];
      stored[at] = 1;
    }
  }
  std::memcpy(there, bytes, count);
  return isSame;
}

std::pair<ElementType, const uint8_t *> Values::contents(StringRef name,
                                                         bool isOld) const {
  const auto &all = isOld ? before : memory;
  for (auto [region, bytes] : llvm::zip_equal(regions, all))
    if (region.name == name)
      return {region.type, bytes.data()};
  llvm_unreachable("an operand");
}

void Values::run(Machine &machine, Agent &agent, Operation *op) {
  ValuesOfAgent(*this, machine, agent, op).run();
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

ValuesOfAgent::ValuesOfAgent(Values &values, Machine &machine, Agent &agent,
                             Operation *op)
    : values(values), machine(machine), agent(agent), op(op),
      role(machine.program.steps[agent.at].role) {
  threads = role >= 0 ? machine.program.roles[role].groupThreads
                      : machine.program.threads;
  group = role >= 0 ? agent.group : 0;
}

const Register &ValuesOfAgent::reg(Value value) const {
  return agent.registers[machine.program.registerOf(value)];
}

Tile &ValuesOfAgent::tile(Value value) const {
  auto &tile = agent.tiles[machine.program.registerOf(value)];
  if (!tile) // Another agent made this value; its contents must not be used.
    tile = make(value.getType());
  return *tile;
}

std::shared_ptr<Tile> ValuesOfAgent::make(Type type) const {
  auto tile = std::make_shared<Tile>();
  int64_t holders = threads;
  auto acc = dyn_cast<AccType>(type);
  auto fragment = dyn_cast<FragmentType>(type);
  tile->count = acc ? acc.getElements() : fragment.getElements();
  Type element = acc ? acc.getElement() : fragment.getElement();
  tile->elements.assign(holders * tile->count, unwritten(toElement(element)));
  return tile;
}

Tile &ValuesOfAgent::result(Value value) {
  auto &tile = agent.tiles[machine.program.registerOf(value)];
  tile = make(value.getType());
  return *tile;
}

Tile &ValuesOfAgent::copyOf(Value value, const Tile &from) {
  auto &tile = agent.tiles[machine.program.registerOf(value)];
  tile = std::make_shared<Tile>(from);
  return *tile;
}

int64_t ValuesOfAgent::slotBase(Value ring, Value slot) const {
  return reg(ring).number +
         reg(slot).number * cast<RingType>(ring.getType()).getSlotBytes();
}

uint8_t *ValuesOfAgent::shared(int64_t block, int64_t offset,
                               int64_t count) const {
  static uint8_t nowhere[256];
  auto &bytes = values.shared[block];
  if (offset < 0 || offset + count > int64_t(bytes.size()))
    return nowhere; // The protocol checks report it.
  return &bytes[offset];
}

Places ValuesOfAgent::placesIn(AccType type) {
  int64_t run = type.getRun(), ofAll = type.getThreads(), cols = type.getCols();
  int64_t warpsN = type.getWarpsN(), warpCols = type.getWarpCols();
  int64_t warpRows = type.getWarpRows(), count = type.getElements();
  auto placeIn = [&](int64_t thread,
                     int64_t index) -> std::pair<int64_t, int64_t> {
    if (run)
      return runElementOf<int64_t>(thread, index, ofAll, cols, run);
    auto place = placeOf<int64_t>(thread, warpsN);
    auto [row, col] = elementOf<int64_t>(place.lane, index, warpCols);
    return {row + place.warpM * warpRows, col + place.warpN * warpCols};
  };
  const Offsets &table =
      values.tables.get({type.getAsOpaquePointer(), threads, 0}, threads,
                        count * 2, [&](int64_t thread, int64_t i) {
                          auto [row, col] = placeIn(thread, i / 2);
                          return i % 2 ? col : row;
                        });
  return {table.of, count};
}

uint8_t *ValuesOfAgent::allShared(int64_t block, int64_t base,
                                  const Offsets &places, int64_t bytes) const {
  auto &memory = values.shared[block];
  bool isInside = base + places.min >= 0 &&
                  base + places.max + bytes <= int64_t(memory.size());
  return isInside ? memory.data() + base : nullptr;
}

void ValuesOfAgent::readShared(ElementType type, int64_t base,
                               const Offsets &from, Tile &tile) {
  withCodec(type, [&](auto codec) {
    const uint8_t *all = allShared(agent.block, base, from, codec.bytes());
    for (size_t i = 0; i < from.of.size(); ++i)
      tile.elements[i] = codec.load(
          all ? all + from.of[i]
              : shared(agent.block, base + from.of[i], codec.bytes()));
  });
}

void ValuesOfAgent::writeShared(ElementType type, int64_t base,
                                const Offsets &to, const Tile &tile) {
  withCodec(type, [&](auto codec) {
    uint8_t *all = allShared(agent.block, base, to, codec.bytes());
    for (size_t i = 0; i < to.of.size(); ++i)
      codec.store(tile.elements[i],
                  all ? all + to.of[i]
                      : shared(agent.block, base + to.of[i], codec.bytes()));
  });
}
