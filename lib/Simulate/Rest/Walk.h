//===- Walk.h - Walk through a rest kernel, op by op ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Goes through a kernel once, for any thread, and compares it with its
// function, step by step. Two forms of loops distribute points over threads:
//
//   for c = block * T + thread to chunks step blocks * T    all blocks together
//   for c = thread to chunks step T                         the threads of one
//
// with T threads in a block. Either form takes each number below `chunks`
// exactly once, in some order: b * T + t + i * (G * T) with b < G, t < T takes
// every number once. So within the loop, c is any one chunk of points. In the
// second form the block's number is that of a row of points.
//
// The points of a step are computed in one of three ways:
//
//   - each is computed and stored;
//   - each is stored after inner loops, in which one thread computes the sum;
//   - threads compute their parts of a row's sum; then they exchange the parts
//     (Threads.h), and one thread adds the sum to the result.
//
// The body of a step may have loops. Both the kernel and the function compute
// any round of such a loop from the same values, and yield the same.
//
// Everything else is a finding, or not modelled.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_SIMULATE_REST_WALK_H
#define HONE_LIB_SIMULATE_REST_WALK_H

#include "Launch.h"
#include "Threads.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <set>

namespace hone::simulate::rest {

/// The target of a pointer: bytes from the start of an array, or of a symbol in
/// shared memory.
struct Pointer {
  std::optional<Shared> shared;
  unsigned array = 0;
  int64_t align = 1; ///< of the start
  Polynomial bytes;
};

class Walk {
public:
  Walk(const Subject &subject, Function &function, const Launch &launch,
       Terms &terms, Symbol thread, Symbol block, Polynomial blocks);

  /// The findings; none if the kernel computes its function.
  std::vector<Finding> run();

private:
  using Results = llvm::SmallVector<TermId>;
  /// The state of the current step.
  struct Progress {
    llvm::SmallVector<unsigned> rows, shared; ///< its loops
    /// Points of a chunk along the last loop and the two before, and the chunks
    /// of a line that follow each other; 0 for all of them.
    int64_t width = 1, columns = 1, rowsAtOnce = 1, slice = 0;
    std::vector<Point> points; ///< of a chunk
    /// The open inner loops in which one thread sums.
    llvm::SmallVector<unsigned> inner;
    unsigned depth = 0;
    bool isRows = false;     ///< a block has one row
    bool isReducing = false; ///< threads have parts of a row's sums
    bool isFolded = false;   ///< one thread's sum is proven correct
    /// The results that each point must have.
    std::vector<Results> expected;
    std::set<std::pair<unsigned, unsigned>> stored; ///< result, point
    /// The elements that may be read at these points.
    std::set<TermId> readable;
    /// The combining op of each result.
    llvm::SmallVector<std::string> combiners;
  };

  // Ops (Walk.cpp).
  void walk(mlir::Block &block);
  void walkOp(mlir::Operation &op);
  void walkBranch(mlir::scf::IfOp branch);
  void walkBarrier(mlir::Operation *op);
  void walkShuffle(mlir::Operation *op);
  std::optional<TermId> valueOf(mlir::Value value);
  std::optional<llvm::SmallVector<TermId>> lanesOf(mlir::Value value);
  std::optional<llvm::SmallVector<TermId>>
  lanesOf(mlir::DenseElementsAttr constant);
  std::optional<TermId> computeValue(mlir::Value value);
  bool fail(mlir::Operation *op, Fault fault, std::string text);
  bool isUnknown(mlir::Operation *op, llvm::StringRef what);

  // Promises (WalkPromises.cpp).
  bool checkKernel();
  bool checkPromises(mlir::Operation *op);
  bool checkRange(mlir::Operation *op);
  bool checkAccess(mlir::Operation *op);

  // Loops (WalkLoops.cpp).
  void walkLoop(mlir::scf::ForOp loop);
  void walkChunks(mlir::scf::ForOp loop);
  void walkBodyLoop(mlir::scf::ForOp loop);
  bool takesEachChunk(mlir::scf::ForOp loop, const Polynomial &chunks);
  bool bindRows(mlir::scf::ForOp loop);
  bool readTile(mlir::scf::ForOp loop);
  bool cutChunks(mlir::scf::ForOp loop, const Polynomial &chunks);
  bool preparePoints(mlir::scf::ForOp loop);
  bool checkPoint(mlir::Operation *op, const Point &point);
  void finishPoints(mlir::scf::ForOp loop);
  /// Positions along `loops`, the last one running fastest, and their number.
  /// Steps along the last loops are `by`, the last one first.
  Polynomial digitsOf(llvm::ArrayRef<unsigned> loops,
                      llvm::ArrayRef<int64_t> by, int64_t slice, Point &point);
  bool evaluatePoints(mlir::Operation *op, llvm::ArrayRef<TermId> before);
  void allow(TermId id, std::set<TermId> &readable);

  // Sums (WalkSums.cpp).
  void startParts(mlir::scf::ForOp loop);
  void finishParts(mlir::scf::ForOp loop);
  void walkInner(mlir::scf::ForOp loop);
  bool openInner(mlir::scf::ForOp loop);
  bool carrySums(mlir::scf::ForOp loop, unsigned depth,
                 llvm::SmallVector<TermId> &before);
  bool foldSums(mlir::scf::ForOp loop, unsigned depth);
  bool addsUp(mlir::scf::ForOp loop, unsigned result, TermId next);

  // Memory (WalkMemory.cpp).
  std::optional<Pointer> pointerOf(mlir::Value value);
  std::optional<Pointer> pointerOf(mlir::LLVM::GlobalOp global);
  void walkLoad(mlir::Operation *op);
  void walkStore(mlir::Operation *op);
  void loadShared(mlir::Operation *op, const Pointer &at);
  void storeShared(mlir::Operation *op, const Pointer &at, mlir::Value value);
  bool checkGlobal(mlir::Operation *op, const Pointer &at, mlir::Type type,
                   int64_t align);
  bool checkRead(mlir::Operation *op, TermId element);
  void storePoint(mlir::Operation *op, TermId element, TermId value);
  void storeRow(mlir::Operation *op, TermId element, TermId value);
  bool startAccess(mlir::Operation *op);
  void endStep();

  const GenericStep *step() const {
    return current < function.steps().size() ? &function.steps()[current]
                                             : nullptr;
  }
  TermId elementOf(unsigned result, const Point &point);
  /// Numbers the results of all steps: parts that one step leaves in shared
  /// memory do not belong to another step's sum.
  unsigned partOf(unsigned result) const {
    constexpr unsigned kMaxResults = 64;
    return unsigned(current) * kMaxResults + result;
  }

  mlir::gpu::GPUFuncOp kernel;
  Function &function;
  const Launch &launch;
  Terms &terms;
  Symbol thread;
  Polynomial blockNumber, blocks;
  Threads threads;
  std::vector<Finding> findings;

  /// Values of ops with effects; and of others, for the current rows.
  llvm::DenseMap<mlir::Value, TermId> fixed, computed;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<TermId>> vectors;
  Threads::Mask active;
  bool isMasked = false, inChunks = false, hasWaited = false;
  size_t current = 0;
  Progress now;
  unsigned events = 0;
  unsigned bodyDepth = 0; ///< open loops of the step's body
  int64_t epoch = 0, lastStepEpoch = -1;
};

} // namespace hone::simulate::rest

#endif // HONE_LIB_SIMULATE_REST_WALK_H
