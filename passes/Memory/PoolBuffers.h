//===- PoolBuffers.h - The parts of hone-pool-buffers -----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffers of a function that only the device uses become parts of one
// *pool*. Device work runs in program order, so two buffers may share a place
// if no op between the first and the last use of one uses the other.
//
//   PoolBuffersTenants.cpp  the buffers, and how long each is in use
//   PoolBuffersPlaces.cpp   the place of each in the pool
//   PoolBuffers.cpp         the pool and its allocation
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_MEMORY_POOLBUFFERS_H
#define HONE_PASSES_MEMORY_POOLBUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <vector>

namespace hone {

/// The alignment of a place; allocators of GPUs guarantee it.
inline constexpr int64_t kPlaceAlignment = 256;

//===----------------------------------------------------------------------===//
// Tenants
//===----------------------------------------------------------------------===//

/// An entry of the pool: a buffer, or the pool of a called function.
struct Tenant {
  mlir::gpu::AllocOp alloc;
  mlir::gpu::DeallocOp dealloc;
  mlir::func::CallOp call; ///< instead of both
  /// The first and the last op, in one block, between which it is in use.
  mlir::Operation *first = nullptr, *last = nullptr;
  /// The size in bytes; for a buffer with dynamic extents, the element size
  /// times the static extents.
  int64_t bytes = 0;
  bool isOpen = false;
};

/// The buffers of `function` that can be in a pool, in program order. The place
/// of the deallocation must be unambiguous, and the size known when the
/// function begins.
std::vector<Tenant> findTenants(mlir::func::FuncOp function);

/// True if `op` runs as a step of its function, not in parallel with others.
bool isInOrder(mlir::Operation *op, mlir::func::FuncOp function);

/// True if both are in use at the same time.
bool areTogether(const Tenant &a, const Tenant &b);

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The place of each tenant. Those of static sizes come first. Slots follow,
/// each shared by buffers with dynamic extents that are used in turn.
class Places {
public:
  explicit Places(llvm::ArrayRef<Tenant> tenants);

  bool isStatic() const { return slots.empty(); }
  /// The bytes of the tenants of static sizes.
  int64_t staticBytes() const { return knownBytes; }

  /// The values of a pool in a function: the offset of each tenant, and the
  /// size in bytes. They are created at the insertion point, from mapped
  /// arguments.
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
