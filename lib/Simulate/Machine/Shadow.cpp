//===- Shadow.cpp - Last accesses to each byte ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cells, and the order of accesses to them; see Shadow.h.
//
//===----------------------------------------------------------------------===//

#include "Shadow.h"

using namespace hone::simulate;

void Shadow::split(int64_t at) {
  auto next = cells.upper_bound(at);
  if (next == cells.begin())
    return;
  auto cell = std::prev(next);
  if (cell->first == at || cell->second.end <= at)
    return;
  Cell upper = cell->second;
  cell->second.end = at;
  cells.emplace(at, std::move(upper));
}

void Shadow::forCells(ByteRange range, llvm::function_ref<void(Cell &)> visit) {
  auto cell = cells.lower_bound(range.begin);
  bool isOneCell = cell != cells.end() && cell->first == range.begin &&
                   cell->second.end == range.end;
  if (!isOneCell) {
    split(range.begin);
    split(range.end);
    cell = cells.lower_bound(range.begin);
  }
  for (int64_t at = range.begin; at < range.end; at = cell++->second.end) {
    if (cell == cells.end() || cell->first > at) {
      int64_t end =
          cell == cells.end() ? range.end : std::min(range.end, cell->first);
      cell = cells.emplace_hint(cell, at, Cell{end, {}, {}, {}, {}});
    }
    visit(cell->second);
  }
}

/// Requires that an access whose issuer has this `clock` comes after `earlier`
/// ones.
static void requireOver(llvm::ArrayRef<Access> earlier, const Access &access,
                        const Clock &clock, Fault fault, const char *text,
                        Complaints complain) {
  for (const Access &each : earlier)
    if (each.instance != access.instance && !clock.includes(each.epoch))
      complain(fault, text, each.event);
}

/// Requires that the threads that wrote have fenced. Then their writes are
/// visible to an engine, and precede the engine's own writes.
static void requireVisible(llvm::ArrayRef<Access> writes, const Access &access,
                           const Knowledge &who, Complaints complain) {
  if (!access.async)
    return;
  for (const Access &each : writes)
    if (!each.async && who.past.includes(each.epoch) &&
        !who.fenced.includes(each.epoch))
      complain(Fault::proxy,
               "an engine may not see what threads wrote here; expected a "
               "kernel.proxy.fence of these threads between them, in front of "
               "the barrier",
               each.event);
}

void Shadow::read(ByteRange range, const Access &access, const Knowledge &who,
                  Complaints complain) {
  forCells(range, [&](Cell &cell) {
    if (cell.writes.empty())
      complain(Fault::unfilled, "reads shared memory that was never written",
               -1);
    requireOver(cell.writes, access, who.seen, Fault::unfilled,
                "reads shared memory that may not be filled yet", complain);
    requireVisible(cell.writes, access, who, complain);
    for (Access &each : cell.reads)
      if (each.epoch.line == access.epoch.line && each.async == access.async) {
        each = access;
        return;
      }
    cell.reads.push_back(access);
  });
}

void Shadow::write(ByteRange range, const Access &access, const Knowledge &who,
                   Complaints complain) {
  constexpr const char *kReading =
      "overwrites shared memory that may still be read";
  constexpr const char *kWriting =
      "overwrites shared memory that may still be written";
  forCells(range, [&](Cell &cell) {
    bool joins =
        !cell.writes.empty() && cell.writes[0].instance == access.instance;
    const Accesses &writes = joins ? cell.writesBefore : cell.writes;
    requireOver(writes, access, who.past, Fault::overwritten, kWriting,
                complain);
    requireVisible(writes, access, who, complain);
    requireOver(cell.reads, access, who.past, Fault::overwritten, kReading,
                complain);
    if (joins) {
      requireOver(cell.readsBefore, access, who.past, Fault::overwritten,
                  kReading, complain);
      cell.writes.push_back(access);
      return;
    }
    cell.writesBefore = std::move(cell.writes);
    cell.readsBefore = std::move(cell.reads);
    cell.writes = {access};
    cell.reads = {};
  });
}
