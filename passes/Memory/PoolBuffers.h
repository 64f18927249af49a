//===- PoolBuffers.h - The parts of hone-pool-buffers -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffers of a function that nothing but the device uses become parts of
// one *pool*. Work of the device is done in the order of the program, so two of
// them may have the same place if no op between the first and the last use of
// one uses the other.
//
//   PoolBuffersTenants.cpp  which buffers, and how long each is in use
//   PoolBuffersPlaces.cpp   where each is in the pool
//   PoolBuffers.cpp         the pool, and who allocates it
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_MEMORY_POOLBUFFERS_H
#define HONE_PASSES_MEMORY_POOLBUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <vector>

namespace hone {

/// What a place is aligned to; allocators of GPUs give as much.
inline constexpr int64_t kPlaceAlignment = 256;

//===----------------------------------------------------------------------===//
// Tenants
//===----------------------------------------------------------------------===//

/// Something that has a place in the pool: a buffer, or the pool of a function
/// that is called.
struct Tenant {
  mlir::gpu::AllocOp alloc;
  mlir::gpu::DeallocOp dealloc;
  mlir::func::CallOp call; ///< instead of both
  /// From which op of a block to which other it is in use.
  mlir::Operation *first = nullptr, *last = nullptr;
  /// How many bytes; of a buffer with open extents, those of an element times
  /// the extents that are known.
  int64_t bytes = 0;
  bool isOpen = false;
};

/// The buffers of `function` that can be in a pool, in program order. Where one
/// is freed must be plain, and its size known when the function begins.
std::vector<Tenant> findTenants(mlir::func::FuncOp function);

/// True if `op` runs as a step of its function, not beside others.
bool isInOrder(mlir::Operation *op, mlir::func::FuncOp function);

/// True if both are in use at some time.
bool areTogether(const Tenant &a, const Tenant &b);

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Where each tenant is. Those of known sizes come first; behind them are
/// slots, each for buffers with open extents that take turns.
class Places {
public:
  explicit Places(llvm::ArrayRef<Tenant> tenants);

  bool isStatic() const { return slots.empty(); }
  /// What the tenants of known sizes take.
  int64_t staticBytes() const { return knownBytes; }

  /// The values of a pool in a function: the offset of each tenant, and how
  /// many bytes there are. They are made where the builder is, from arguments
  /// that are mapped.
  struct Values {
    llvm::SmallVector<mlir::Value> offsets;
    mlir::Value bytes;
  };
  Values write(mlir::OpBuilder &builder, mlir::Location loc,
               mlir::IRMapping &mapping) const;

private:
  void placeKnown();
  void placeOpen();

  llvm::ArrayRef<Tenant> tenants;
  std::vector<int64_t> offsets;                 ///< of those of known sizes
  std::vector<llvm::SmallVector<size_t>> slots; ///< tenants of each
  int64_t knownBytes = 0;
};

} // namespace hone

#endif // HONE_PASSES_MEMORY_POOLBUFFERS_H
