//===- GemmTables.h - Data of several problems on a device ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search asks about some dozens of problems at a time, one candidate of each
// in turns. To lay a problem's table, which is to fill its matrices and compute
// a reference for them, takes longer than to check and time a candidate. So
// tables stay laid as long as there is room, and the one that was used longest
// ago makes room for the next:
//
//   GemmTables tables(context, arch, std::move(kit));
//   Expected<GemmTable *> table = tables.get(problem);   // laid, or found
//   table->data->verify(launch, ...);
//
// With its table a problem keeps its yardstick, the kernel by which times of
// trials are compared (BriefTiming.h).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_WORKERS_GEMMTABLES_H
#define HONE_LIB_WORKERS_GEMMTABLES_H

#include "hone/Matmul/GemmData.h"
#include "hone/Workers/BriefTiming.h"
#include <list>

namespace hone {

struct GemmTable {
  std::string problem;
  std::unique_ptr<GemmKit> kit; ///< whose memory it is
  std::unique_ptr<GemmData> data;
  size_t sets = 1;
  std::string fallback; ///< the problem's default schedule
  double least = 0;     ///< seconds of the problem's arithmetic at its peak
  /// The problem's first kernel that ran, and what it is called by.
  std::optional<Yardstick> yardstick;
  std::string yardstickKey;
};

class GemmTables {
public:
  /// The tables have a quarter of the memory that is free now.
  static llvm::Expected<std::unique_ptr<GemmTables>>
  create(mlir::MLIRContext &context, Arch arch, std::unique_ptr<GemmKit> kit);

  /// The table of a problem. Those of others may go, this one does not before
  /// the next call.
  llvm::Expected<GemmTable *> get(const Problem &problem);
  /// No yardstick is this kernel any more.
  void forgetKernel(llvm::StringRef key);

private:
  GemmTables(mlir::MLIRContext &context, Arch arch,
             std::unique_ptr<GemmKit> kit, size_t most)
      : context(context), arch(std::move(arch)), spare(std::move(kit)),
        most(most) {}
  llvm::Expected<std::unique_ptr<GemmKit>> kitForNext();
  void clearLast();
  llvm::Error lay(GemmTable &table, const Problem &problem);
  size_t bytes() const;

  mlir::MLIRContext &context;
  Arch arch;
  std::unique_ptr<GemmKit> spare; ///< one that no table has
  size_t most;                    ///< bytes of all tables
  std::list<GemmTable> tables;    ///< the one that was used last comes first
};

} // namespace hone

#endif // HONE_LIB_WORKERS_GEMMTABLES_H
