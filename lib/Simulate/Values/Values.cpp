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

/// Random numbers, N(0, 1): a random choice from numbers that were drawn once,
/// because a draw takes longer than a product.
namespace {
class Normals {
public:
  explicit Normals(uint64_t seed) : random(seed) {
    std::normal_distribution<float> normal;
    for (float &each : drawn)
      each = normal(random);
  }
  float next() { return drawn[random() % drawn.size()]; }

private:
  std::mt19937_64 random;
  std::array<float, 4096> drawn;
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
    int64_t size = sizeOf(region.type);
    for (int64_t i = 0; !isPoison && i < region.matrices() * region.lines; ++i)
      for (int64_t j = 0; j < region.width; ++j) {
        int64_t at = region.startOfOwn(i / region.lines) +
                     i % region.lines * region.lineStride + j;
        encode(region.type, elementOf(region, i % region.lines, j),
               &bytes[at * size]);
      }
  }
  // The old contents of a workspace are never compared.
  for (auto [region, bytes] : llvm::zip_equal(regions, memory))
    before.push_back(region.name == "ws" ? std::vector<uint8_t>() : bytes);
  for (std::vector<uint8_t> &bytes : memory)
    starts.push_back(bytes.data());
}

Values::Values(const LaunchValues &launch)
    : launch(&launch), regions(launch.regions) {
  for (const OperandRegion &region : regions)
    starts.push_back(reinterpret_cast<uint8_t *>(region.base));
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
  for (auto [region, start] : llvm::zip_equal(regions, starts))
    if (region.contains(address, count))
      return start + (address - region.base);
  return nullptr;
}

bool Values::store(int64_t to, const void *bytes, int64_t count) {
  uint8_t *there = address(to, count);
  if (!there)
    return true;
  const OperandRegion &c = *llvm::find_if(
      regions, [](const OperandRegion &of) { return of.name == "c"; });
  bool isSame = true;
  if (c.contains(to, count)) {
    stored.resize(c.bytes());
    const auto *given = static_cast<const uint8_t *>(bytes);
    for (int64_t i = 0, at = to - c.base; i < count; ++i, ++at) {
      isSame &= !stored[at] || there[i] == given[i];
      stored[at] = true;
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

bool Values::hasChanged(StringRef name, int64_t index) const {
  for (auto [i, region] : llvm::enumerate(regions))
    if (region.name == name) {
      int64_t size = sizeOf(region.type);
      return std::memcmp(&memory[i][index * size], &before[i][index * size],
                         size) != 0;
    }
  return false;
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

/// The address to which the copy engine writes the byte of `address`: it
/// permutes 16-byte chunks by the bits of the address above 128 bytes.
static int64_t swizzled(int64_t address, int64_t bytes) {
  int64_t chunks = bytes / kChunkBytes; // 8, 4 or 2
  return address ^
         (address / kPanelBytes % std::max<int64_t>(chunks, 1)) * kChunkBytes;
}

std::pair<int64_t, int64_t> ValuesOfAgent::placeIn(AccType type, int64_t thread,
                                                   int64_t index) const {
  if (type.getRun())
    return runElementOf<int64_t>(thread, index, type.getThreads(),
                                 type.getCols(), type.getRun());
  auto place = placeOf<int64_t>(thread, type.getWarpsN());
  auto [row, col] = elementOf<int64_t>(place.lane, index, type.getWarpCols());
  return {row + place.warpM * type.getWarpRows(),
          col + place.warpN * type.getWarpCols()};
}

//===----------------------------------------------------------------------===//
// The copy engine
//===----------------------------------------------------------------------===//

/// The start of the matrix at `batches`; nothing if the map has none there.
std::optional<int64_t> ValuesOfAgent::matrixAt(const MapValue &map,
                                               mlir::ValueRange batches) {
  int64_t start = map.base;
  for (auto [i, batch] : llvm::enumerate(batches)) {
    int64_t at = reg(batch).number;
    if (at < 0 || at >= map.dims[2 + i])
      return std::nullopt;
    start += at * map.strides[1 + i];
  }
  return start;
}

/// The lines of a box are pixels, wherever the window's next position is.
void ValuesOfAgent::loadWindow(LoadOp op, const MapValue &map) {
  MapType type = op.getMap().getType();
  int64_t size = type.getElement().getIntOrFloatBitWidth() / 8;
  int64_t part = op.getPart() ? reg(op.getPart()).number : 0;
  auto numberOf = [&](Value value) {
    return int64_t(int32_t(reg(value).number));
  };
  SmallVector<int64_t> start = {numberOf(op.getLine())};
  llvm::append_range(start, llvm::map_range(op.getBatches(), numberOf));
  int64_t image = start.pop_back_val();
  auto offsets = llvm::map_to_vector(op.getOffsets(), numberOf);
  int64_t rowBytes = type.getWidth() * size;
  for (const LoadBox &box :
       boxesOf(op, slotBase(op.getRing(), op.getSlot()), part)) {
    Pixels pixels(map, start, image, offsets);
    for (int64_t line = 0; line < type.getLines(); ++line, pixels.advance())
      for (int64_t byte = 0; byte < rowBytes; byte += kChunkBytes) {
        uint8_t chunk[kChunkBytes] = {};
        int64_t channel =
            numberOf(op.getColumn()) + box.elementOffset + byte / size;
        for (int64_t i = 0; i < kChunkBytes / size; ++i)
          if (auto pixel = pixels.address();
              pixel && channel + i >= 0 && channel + i < map.dims[0]) {
            if (const uint8_t *bytes =
                    values.address(*pixel + (channel + i) * size, size))
              std::memcpy(chunk + i * size, bytes, size);
            if (type.getRounded())
              roundToTf32(chunk + i * size);
          }
        int64_t to = swizzled(box.shared + line * rowBytes + byte, map.swizzle);
        for (int block : machine.receiversOf(agent, op))
          std::memcpy(shared(block, to, kChunkBytes), chunk, kChunkBytes);
      }
  }
}

void ValuesOfAgent::load(LoadOp op) {
  const MapValue &map = *values.launch->params[reg(op.getMap()).number].map;
  if (map.isWindow())
    return loadWindow(op, map);
  MapType type = op.getMap().getType();
  int64_t size = type.getElement().getIntOrFloatBitWidth() / 8;
  int64_t part = op.getPart() ? reg(op.getPart()).number : 0;
  std::optional<int64_t> matrix = matrixAt(map, op.getBatches());
  int64_t rowBytes = type.getWidth() * size;
  llvm::SmallVector<int, 4> receivers = machine.receiversOf(agent, op);
  for (const LoadBox &box :
       boxesOf(op, slotBase(op.getRing(), op.getSlot()), part))
    for (int64_t line = 0; line < type.getLines(); ++line)
      for (int64_t byte = 0; byte < rowBytes; byte += kChunkBytes) {
        uint8_t chunk[kChunkBytes] = {};
        int64_t row = int32_t(reg(op.getLine()).number) + box.line + line;
        int64_t col = int32_t(reg(op.getColumn()).number) + box.elementOffset +
                      byte / size;
        for (int64_t i = 0; i < kChunkBytes / size; ++i)
          if (matrix && row >= 0 && row < map.dims[1] && col + i >= 0 &&
              col + i < map.dims[0]) {
            int64_t from = *matrix + row * map.strides[0] + (col + i) * size;
            if (const uint8_t *bytes = values.address(from, size))
              std::memcpy(chunk + i * size, bytes, size);
            if (type.getRounded())
              roundToTf32(chunk + i * size);
          }
        int64_t to = swizzled(box.shared + line * rowBytes + byte, map.swizzle);
        for (int block : receivers)
          std::memcpy(shared(block, to, kChunkBytes), chunk, kChunkBytes);
      }
}

void ValuesOfAgent::storeBytes(int64_t address, const void *bytes,
                               int64_t count) {
  if (!values.store(address, bytes, count))
    machine.complain(agent, Fault::coverage,
                     "stores other numbers where tiles that stand back have "
                     "stored before");
}

void ValuesOfAgent::storeAsync(StoreAsyncOp op) {
  const MapValue &map = *values.launch->params[reg(op.getMap()).number].map;
  MapType type = op.getMap().getType();
  int64_t size = type.getElement().getIntOrFloatBitWidth() / 8;
  int64_t rowBytes = type.getWidth() * size;
  std::optional<int64_t> matrix = matrixAt(map, op.getBatches());
  if (!matrix)
    return;
  RingType ring = op.getRing().getType();
  int64_t base = slotBase(op.getRing(), op.getSlot()) +
                 reg(op.getFrom()).number * ring.getPanelWidth();
  int64_t columns = map.storedColumns(size);
  for (int64_t line = 0; line < type.getLines(); ++line)
    for (int64_t i = 0; i < ring.getWidth(); ++i) {
      int64_t row = int32_t(reg(op.getLine()).number) + line;
      int64_t col = int32_t(reg(op.getColumn()).number) + i;
      if (row >= map.dims[1] || col >= columns)
        continue;
      int64_t from = base + i / type.getWidth() * ring.getPanelBytes() +
                     line * rowBytes + i % type.getWidth() * size;
      int64_t to = *matrix + row * map.strides[0] + col * size;
      storeBytes(to, shared(agent.block, swizzled(from, map.swizzle), size),
                 size);
    }
}

//===----------------------------------------------------------------------===//
// Copies by threads
//===----------------------------------------------------------------------===//

void ValuesOfAgent::copy(CopyOp op) {
  if (op.getTransposed())
    return copyTransposed(op);
  RingType ring = op.getRing().getType();
  const Register &matrix = reg(op.getMatrix());
  auto [lines, width, stride] =
      std::tuple(matrix.extra[0], matrix.extra[1], matrix.extra[2]);
  int64_t size = ring.getElement().getIntOrFloatBitWidth() / 8;
  int64_t bytes = copiedBytes(op.getMatrix().getType().getAlign());
  int64_t base = slotBase(op.getRing(), op.getSlot());
  int64_t pieces = ring.getSlotBytes() / bytes;
  for (int64_t index = 0; index * threads < pieces; ++index)
    for (int64_t thread = 0;
         thread < std::min(threads, pieces - index * threads); ++thread) {
      auto [line, byte] =
          pieceOf<int64_t>(thread, index, threads, ring.getLineBytes(), bytes);
      int64_t row = reg(op.getLine()).number + line;
      int64_t col = reg(op.getColumn()).number + byte / size;
      uint8_t *to =
          shared(agent.block,
                 base + byteOffset<int64_t>(line, byte, ring.getLineBytes(),
                                            ring.getLines()),
                 bytes);
      std::memset(to, 0, bytes);
      int64_t count = std::clamp<int64_t>(width - col, 0, bytes / size) * size;
      if (row >= lines || !count)
        continue;
      int64_t from = matrix.number + (row * stride + col) * size;
      if (const uint8_t *found = values.address(from, count))
        std::memcpy(to, found, count);
    }
}

void ValuesOfAgent::store(StoreOp op) {
  AccType type = op.getAcc().getType();
  const Register &matrix = reg(op.getMatrix());
  ElementType element = toElement(type.getElement());
  Tile &acc = tile(op.getAcc());
  for (int64_t thread = 0; thread < threads; ++thread)
    for (int64_t i = 0; i < acc.count; ++i) {
      auto [row, col] = placeIn(type, thread, i);
      row += reg(op.getLine()).number;
      col += reg(op.getColumn()).number;
      if (row >= matrix.extra[0] || col >= matrix.extra[1])
        continue;
      int64_t to =
          matrix.number + (row * matrix.extra[2] + col) * sizeOf(element);
      uint8_t bytes[8];
      encode(element, acc.at(thread, i), bytes);
      storeBytes(to, bytes, sizeOf(element));
    }
}

double ValuesOfAgent::add(ElementType type, double one, double other) const {
  return values.provenance ? values.provenance->add(one, other)
                           : addAs(type, one, other);
}

//===----------------------------------------------------------------------===//
// Sums in shared memory
//===----------------------------------------------------------------------===//

void ValuesOfAgent::put(PartialPutOp op) {
  AccType type = op.getAcc().getType();
  Tile &acc = tile(op.getAcc());
  for (int64_t thread = 0; thread < threads; ++thread)
    for (int64_t i = 0; i < acc.count; ++i) {
      auto [row, col] = placeIn(type, thread, i);
      if (op.getTransposed())
        std::swap(row, col);
      int64_t to = reg(op.getPartial()).number +
                   partialOffset<int64_t>(reg(op.getLine()).number + row,
                                          reg(op.getColumn()).number + col,
                                          op.getPartial().getType().getCols());
      encode(toElement(type.getElement()), acc.at(thread, i),
             shared(agent.block, to, 4));
    }
}

void ValuesOfAgent::sum(PartialSumOp op) {
  PartialType partial = op.getPartial().getType();
  AccType type = op.getAcc().getType();
  Tile &sum = result(op.getAcc());
  int64_t parts = op.getParts();
  SmallVector<int, 4> blocks = machine.sharersOf(agent, op);
  int64_t partLines = partial.getRows() / parts;
  for (int64_t thread = 0; thread < threads; ++thread)
    for (int64_t i = 0; i < sum.count; ++i) {
      auto [row, col] = placeIn(type, thread, i);
      ElementType element = toElement(type.getElement());
      double total = 0;
      for (int block : blocks)
        for (int64_t part = 0; part < parts; ++part) {
          int64_t line = reg(op.getLine()).number + row + part * partLines;
          int64_t at = reg(op.getPartial()).number +
                       partialOffset<int64_t>(line, col, type.getCols());
          total = add(element, total, decode(element, shared(block, at, 4)));
        }
      sum.at(thread, i) = total;
    }
}

//===----------------------------------------------------------------------===//
// Sums in global memory
//===----------------------------------------------------------------------===//

void ValuesOfAgent::putSums(SumsPutOp op) {
  AccType type = op.getAcc().getType();
  SumsType sums = op.getSums().getType();
  Tile &acc = tile(op.getAcc());
  for (int64_t thread = 0; thread < threads; ++thread)
    for (int64_t i = 0; i < acc.count; ++i) {
      auto [row, col] = placeIn(type, thread, i);
      int64_t line = reg(op.getSlot()).number * sums.getRows() +
                     reg(op.getLine()).number + row;
      int64_t to = line * sums.getCols() + reg(op.getColumn()).number + col;
      if (uint8_t *bytes = values.address(reg(op.getSums()).number + to * 4, 4))
        encode(toElement(type.getElement()), acc.at(thread, i), bytes);
    }
}

void ValuesOfAgent::totalSums(SumsTotalOp op) {
  AccType type = op.getAcc().getType();
  SumsType sums = op.getSums().getType();
  Tile &total = result(op.getAcc());
  for (int64_t thread = 0; thread < threads; ++thread)
    for (int64_t i = 0; i < total.count; ++i) {
      auto [row, col] = placeIn(type, thread, i);
      ElementType element = toElement(type.getElement());
      double sum = -0.0;
      for (int64_t slot = reg(op.getFirst()).number;
           slot < reg(op.getBehind()).number; ++slot) {
        int64_t line = slot * sums.getRows() + reg(op.getLine()).number + row;
        int64_t from =
            reg(op.getSums()).number + (line * sums.getCols() + col) * 4;
        const uint8_t *bytes = values.address(from, 4);
        sum = add(element, sum,
                  bytes ? decode(element, bytes) : unwritten(element));
      }
      total.at(thread, i) = sum;
    }
}
