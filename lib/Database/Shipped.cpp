//===- Shipped.cpp - Built-in measurements --------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Shipped.h. The text is split into lines on its first use. After that only
// the list of problems changes, which is made on its first use.
//
//===----------------------------------------------------------------------===//

#include "hone/Database/Shipped.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include <map>
#include <mutex>
#include <set>

using namespace hone;
using llvm::StringRef;

static constexpr uint8_t kPackedH100[] = {
#embed HONE_TUNED_H100
};
static constexpr uint8_t kPackedH200[] = {
#embed HONE_TUNED_H200
};

static std::string unpacked(llvm::ArrayRef<uint8_t> packed, size_t size) {
  llvm::SmallVector<uint8_t> bytes;
  llvm::cantFail(llvm::compression::zstd::decompress(packed, bytes, size),
                 "the measurements that are built in do not unpack");
  return llvm::toStringRef(bytes).str();
}

StringRef hone::shippedTuningText() {
  static const std::string text = unpacked(kPackedH100, HONE_TUNED_H100_BYTES) +
                                  unpacked(kPackedH200, HONE_TUNED_H200_BYTES);
  return text;
}

namespace {

/// The parts of a line, as they are in the text.
struct Line {
  StringRef problem, chip, schedule, facts;
};

/// By problem and chip.
using Lines = std::map<std::pair<StringRef, StringRef>, Line>;

/// The text up to `end`, which is also removed; all of it if there is no `end`.
StringRef takeUntil(StringRef &text, StringRef end) {
  auto [taken, rest] = text.split(end);
  text = rest;
  return taken;
}

/// hone.tuned #hone.problem<...> on #hone.arch<...> = #hone.schedule<...> {...}
std::optional<Line> lineOf(StringRef text) {
  if (!text.consume_front("hone.tuned #hone.problem<"))
    return std::nullopt;
  Line line;
  line.problem = takeUntil(text, "> on #hone.arch<");
  line.chip = takeUntil(text, "> = #hone.schedule<");
  line.schedule = takeUntil(text, "> {");
  line.facts = text;
  return line;
}

const Lines &shippedLines() {
  static const Lines lines = [] {
    Lines lines;
    for (StringRef rest = shippedTuningText(); !rest.empty();)
      if (std::optional<Line> line = lineOf(takeUntil(rest, "\n")))
        lines.try_emplace({line->problem, line->chip}, *line);
    return lines;
  }();
  return lines;
}

/// The text of a fact: `name = "text"`.
std::string textOf(StringRef facts, StringRef name) {
  size_t at = facts.find((name + " = \"").str());
  if (at == StringRef::npos)
    return "";
  return facts.substr(at).split('"').second.split('"').first.str();
}

/// The value of a fact: `name = 1`; 0 if there is none.
int64_t numberOf(StringRef facts, StringRef name) {
  size_t at = facts.find((" " + name + " = ").str());
  int64_t number = 0;
  if (at != StringRef::npos)
    facts.substr(at + name.size() + 4).consumeInteger(10, number);
  return number;
}

class ShippedLookup : public Lookup {
public:
  explicit ShippedLookup(Toolchain today) : today(std::move(today)) {}

  std::optional<Found> find(const Problem &problem,
                            const std::string &chip) override {
    std::string text = problem.str();
    auto line = shippedLines().find({text, chip});
    if (line == shippedLines().end())
      return std::nullopt;
    llvm::Expected<Schedule> schedule = parseSchedule(line->second.schedule);
    if (!schedule) {
      llvm::consumeError(schedule.takeError());
      return std::nullopt;
    }
    Found found;
    found.record.problem = problem;
    found.record.arch = chip;
    found.record.schedule = *schedule;
    Toolchain &toolchain = found.record.toolchain;
    toolchain.llvm = textOf(line->second.facts, "llvm");
    toolchain.hone = textOf(line->second.facts, "hone");
    toolchain.driver = textOf(line->second.facts, "driver");
    toolchain.space = numberOf(line->second.facts, "space");
    found.isStale = !today.covers(toolchain);
    return found;
  }

  const std::vector<Problem> &problems(const std::string &chip) override {
    std::lock_guard<std::mutex> lock(mutex);
    auto [known, isNew] = byChip.try_emplace(chip);
    if (!isNew)
      return known->second;
    for (const auto &[key, line] : shippedLines()) {
      if (line.chip != chip)
        continue;
      llvm::Expected<Problem> problem = Problem::parse(line.problem);
      if (problem)
        known->second.push_back(std::move(*problem));
      else
        llvm::consumeError(problem.takeError());
    }
    return known->second;
  }

  std::string name() const override { return "shipped tuning"; }

private:
  Toolchain today;
  std::mutex mutex;
  std::map<std::string, std::vector<Problem>> byChip;
};

} // namespace

std::shared_ptr<Lookup> hone::shippedTuning(Toolchain today) {
  return std::make_shared<ShippedLookup>(std::move(today));
}

/// The chips of the measurements, as machines.
static const std::vector<Arch> &shippedChips() {
  static const std::vector<Arch> chips = [] {
    std::set<StringRef> names;
    for (const auto &[key, line] : shippedLines())
      names.insert(line.chip);
    std::vector<Arch> chips;
    for (StringRef name : names)
      chips.push_back(llvm::cantFail(Arch::lookup(name)));
    return chips;
  }();
  return chips;
}

std::vector<NearMachine> hone::shippedNear(const Arch &machine) {
  constexpr double kMax = 1;
  return nearMachines(machine, shippedChips(), kMax);
}

std::vector<Schedule> hone::shippedSchedules(const Problem &problem,
                                             const Arch &arch) {
  std::shared_ptr<Lookup> shipped = shippedTuning(thisToolchain());
  for (const NearMachine &near : shippedNear(arch))
    if (std::optional<Found> found = shipped->find(problem, near.chip))
      return {std::move(found->record.schedule)};
  return {};
}
