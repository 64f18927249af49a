//===- GemmTables.h - Data of several problems on a device ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search measures candidates of some dozens of problems in turns. The table
// of a problem has its filled matrices and their reference. Building it takes
// longer than checking and timing a candidate. So tables stay while there is
// memory, and the least recently used table is evicted first:
//
//   GemmTables tables(context, arch, std::move(kit));
//   Expected<GemmTable *> table = tables.get(problem);   // built, or found
//   table->data->verify(launch, ...);
//
// A table also has the problem's yardstick, the reference kernel for comparing
// times of trials (BriefTiming.h).
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
  std::unique_ptr<GemmKit> kit; ///< owner of the memory
  std::unique_ptr<GemmData> data;
  size_t sets = 1;
  std::string fallback; ///< the problem's default schedule
  double min = 0;       ///< minimum seconds of the arithmetic, at peak rate
  /// The problem's first kernel that ran, and its key.
  std::optional<Yardstick> yardstick;
  std::string yardstickKey;
};

class GemmTables {
public:
  /// Creates tables that may use a quarter of the free memory.
  static llvm::Expected<std::unique_ptr<GemmTables>>
  create(mlir::MLIRContext &context, Arch arch, std::unique_ptr<GemmKit> kit);

  /// Returns the table of a problem. It stays valid until the next call; other
  /// tables may be evicted.
  llvm::Expected<GemmTable *> get(const Problem &problem);
  /// Removes a yardstick made from this kernel.
  void forgetKernel(llvm::StringRef key);

private:
  GemmTables(mlir::MLIRContext &context, Arch arch,
             std::unique_ptr<GemmKit> kit, size_t max)
      : context(context), arch(std::move(arch)), spare(std::move(kit)),
        max(max) {}
  llvm::Expected<std::unique_ptr<GemmKit>> kitForNext();
  void clearLast();
  llvm::Error lay(GemmTable &table, const Problem &problem);
  size_t bytes() const;

  mlir::MLIRContext &context;
  Arch arch;
  std::unique_ptr<GemmKit> spare; ///< a kit without a table
  size_t max;                     ///< maximum bytes of all tables
  std::list<GemmTable> tables;    ///< the most recently used first
};

} // namespace hone

#endif // HONE_LIB_WORKERS_GEMMTABLES_H
