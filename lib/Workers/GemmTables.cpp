//===- GemmTables.cpp - Data of several problems on a device --------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GemmTables.h.
//
//===----------------------------------------------------------------------===//

#include "GemmTables.h"
#include "hone/Schedule/Roofline.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;
using llvm::Error;

llvm::Expected<std::unique_ptr<GemmTables>>
GemmTables::create(mlir::MLIRContext &context, Arch arch,
                   std::unique_ptr<GemmKit> kit) {
  constexpr size_t kShare = 4;
  auto free = kit->device->getFreeBytes();
  if (!free)
    return free.takeError();
  return std::unique_ptr<GemmTables>(
      new GemmTables(context, std::move(arch), std::move(kit), *free / kShare));
}

size_t GemmTables::bytes() const {
  size_t all = 0;
  for (const GemmTable &table : tables)
    all += table.kit->bytes();
  return all;
}

/// Keeps its memory for the next table, as allocation takes longer than
/// filling.
void GemmTables::clearLast() {
  // The graphs recorded on the data are destroyed before the data.
  tables.back().yardstick.reset();
  tables.back().data.reset();
  spare = std::move(tables.back().kit);
  tables.pop_back();
}

llvm::Expected<std::unique_ptr<GemmKit>> GemmTables::kitForNext() {
  // More than the number of problems that a search has open at once.
  constexpr size_t kMax = 64;
  while (!tables.empty() && (tables.size() >= kMax || bytes() >= max))
    clearLast();
  if (spare)
    return std::move(spare);
  return tables.front().kit->another();
}

Error GemmTables::lay(GemmTable &table, const Problem &problem) {
  auto task = GemmTask::of(context, problem);
  if (!task)
    return task.takeError();
  table.problem = problem.str();
  table.sets = GemmData::countSets(*table.kit, problem);
  table.fallback = toString(defaultSchedule(problem, arch));
  table.min = *problem.flops() / (peakTflops(problem, arch) * 1e12);
  return GemmData::create(*table.kit, std::move(*task), table.sets)
      .moveInto(table.data);
}

llvm::Expected<GemmTable *> GemmTables::get(const Problem &problem) {
  auto found = llvm::find_if(tables, [&](const GemmTable &table) {
    return table.problem == problem.str();
  });
  if (found != tables.end()) {
    tables.splice(tables.begin(), tables, found);
    return &tables.front();
  }
  auto kit = kitForNext();
  if (!kit)
    return kit.takeError();
  GemmTable table;
  table.kit = std::move(*kit);
  Error error = lay(table, problem);
  // A large problem may need the memory of all other tables.
  if (error && !tables.empty()) {
    llvm::consumeError(std::move(error));
    while (!tables.empty())
      clearLast();
    spare.reset();
    error = lay(table, problem);
  }
  if (error) {
    spare = std::move(table.kit);
    return std::move(error);
  }
  tables.push_front(std::move(table));
  return &tables.front();
}

void GemmTables::forgetKernel(llvm::StringRef key) {
  for (GemmTable &table : tables)
    if (table.yardstickKey == key)
      table.yardstick.reset();
}
