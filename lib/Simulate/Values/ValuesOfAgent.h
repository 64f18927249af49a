//===- ValuesOfAgent.h - Numbers of one op ----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The leader of a group, or of a block, executes an op for all of its threads.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_VALUESOFAGENT_H
#define HONE_LIB_SIMULATE_VALUESOFAGENT_H

#include "Elements.h"
#include "Values.h"
#include "dialects/Kernel/AddressMap.h"

namespace hone::simulate {

/// The rows of A that mma.sync, or wgmma of one band, reads from a warp:
/// elements of k are adjacent.
std::vector<float> rowsOfWarp(const Tile &a, int64_t warp, int64_t bands,
                              int64_t bytes);
/// The same for the columns of B that mma.sync reads.
std::vector<float> colsOfWarp(const Tile &b, int64_t warp, int64_t pieces,
                              int64_t bytes);

/// `lines` lines of `depth` elements, one after the other, so that those of one
/// k are adjacent.
std::vector<float> turned(llvm::ArrayRef<float> lines, int64_t depth);
/// The products of `rows` rows with `cols` columns, whose elements of one k are
/// adjacent, each summed in the order of k; by rows.
std::vector<float> productOf(llvm::ArrayRef<float> a, llvm::ArrayRef<float> b,
                             int64_t rows, int64_t cols);

/// Calls `body` with each element of a warp's accumulators: its number in the
/// tile of all threads, and its row and column.
template <typename Body>
void forElements(int64_t warp, int64_t bands, int64_t pieces, Body body) {
  int64_t count = bands * pieces * 4;
  for (int64_t lane = 0; lane < 32; ++lane) {
    int64_t at = (warp * 32 + lane) * count;
    for (int64_t band = 0; band < bands; ++band)
      for (int64_t piece = 0; piece < pieces; ++piece)
        for (int64_t i = 0; i < 4; ++i)
          body(at++, band * 16 + lane / 4 + i / 2 * 8,
               piece * 8 + lane % 4 * 2 + i % 2);
  }
}

/// A table of rows and columns: row, column, row, column, ...
struct Places {
  const std::vector<int32_t> &of;
  int64_t count; ///< elements of a thread

  std::pair<int64_t, int64_t> at(int64_t thread, int64_t index) const {
    return (*this)[thread * count + index];
  }
  std::pair<int64_t, int64_t> operator[](int64_t element) const {
    return {of[element * 2], of[element * 2 + 1]};
  }
};

class ValuesOfAgent {
public:
  ValuesOfAgent(Values &values, Machine &machine, Agent &agent,
                mlir::Operation *op);
  void run();

private:
  const Register &reg(mlir::Value value) const;
  Tile &tile(mlir::Value value) const;
  std::shared_ptr<Tile> make(mlir::Type type) const;
  Tile &result(mlir::Value value);
  Tile &copyOf(mlir::Value value, const Tile &from);
  int64_t slotBase(mlir::Value ring, mlir::Value slot) const;
  uint8_t *shared(int64_t block, int64_t offset, int64_t count) const;
  /// Row and column of each thread's elements in a tile.
  Places placesIn(kernel::AccType type);

  /// The offsets of `count` elements of each thread, which depend on the op and
  /// on two numbers.
  template <typename Body>
  const Offsets &offsetsOf(mlir::Operation *op, int64_t one, int64_t other,
                           int64_t count, Body offsetOf) {
    return values.tables.get({op, one, other}, threads, count, offsetOf);
  }
  /// The block's memory at `base`, if all `places` are inside of it.
  uint8_t *allShared(int64_t block, int64_t base, const Offsets &places,
                     int64_t bytes) const;
  /// All elements of a tile in the agent's block.
  void readShared(ElementType type, int64_t base, const Offsets &from,
                  Tile &tile);
  void writeShared(ElementType type, int64_t base, const Offsets &to,
                   const Tile &tile);

  /// The sum of two sums.
  double add(ElementType type, double one, double other) const;

  // Values.cpp
  std::optional<int64_t> matrixAt(const MapValue &map,
                                  mlir::ValueRange batches);
  void load(kernel::LoadOp op);
  void loadWindow(kernel::LoadOp op, const MapValue &map);
  void storeAsync(kernel::StoreAsyncOp op);
  void copy(kernel::CopyOp op);
  void store(kernel::StoreOp op);
  void putSums(kernel::SumsPutOp op);
  void totalSums(kernel::SumsTotalOp op);
  void put(kernel::PartialPutOp op);
  void sum(kernel::PartialSumOp op);
  // ValuesLines.cpp
  void storeLines(kernel::StoreLinesOp op);
  void copyLines(kernel::CopyLinesOp op);
  void transposeLines(kernel::TransposeLinesOp op);
  void copyTransposed(kernel::CopyOp op);
  std::vector<uint32_t> readWords(const Register &source, int64_t size,
                                  int64_t line, int64_t column, int64_t count);
  void writePiece(mlir::Value target, mlir::Value low, int64_t size,
                  int64_t line, int64_t column,
                  llvm::MutableArrayRef<uint32_t> words);
  /// Stores to an operand, or to nowhere. Tiles that store an element twice
  /// must store the same.
  void storeBytes(int64_t address, const void *bytes, int64_t count);
  void putGlobal(int64_t address, const void *bytes, int64_t count);
  // ValuesProducts.cpp
  void read(kernel::ReadOp op);
  void multiply(kernel::MmaOp op);
  int64_t rowsFrom(kernel::ReadOp op) const;
  // ValuesSlots.cpp
  std::vector<float> readSlot(mlir::Value ring, mlir::Value slot, int64_t first,
                              int64_t step, bool transposed, int64_t count);
  template <typename OpT>
  void multiplyRows(OpT op, const std::vector<float> &a);
  void addRows(ElementType type, const std::vector<float> &products,
               const Tile *before, Tile &acc);
  // ValuesOrders.cpp: the same ops in a run with nodes
  template <typename OpT>
  void orderRows(OpT op, const std::vector<float> &a,
                 const std::vector<float> &b, bool keep);
  void orderFragments(kernel::MmaOp op);
  void multiplySlots(kernel::MmaAsyncOp op);
  void multiplyFetched(kernel::MmaFetchedOp op);
  // ValuesProducts.cpp
  void slice(kernel::SliceOp op);
  void epilogue(kernel::EpilogueOp op);
  /// For a StageOp, or in the other direction for an UnstageOp.
  template <typename Op>
  void stage(Op op);
  struct Input;
  Input inputOf(mlir::Value value);
  double inputElement(const Input &input, int64_t row, int64_t col) const;
  // ValuesWords.cpp
  void gather(kernel::ReadOp op, int64_t slot, Tile &fragment);
  void readOwn(kernel::ReadOp op, int64_t slot, Tile &fragment);
  void split(kernel::SplitOp op);
  void multiplyByThreads(kernel::FmaOp op);

  Values &values;
  Machine &machine;
  Agent &agent;
  mlir::Operation *op;
  int role;
  int64_t threads, group;
};

} // namespace hone::simulate

#endif // HONE_LIB_SIMULATE_VALUESOFAGENT_H
