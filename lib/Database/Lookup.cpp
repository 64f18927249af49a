//===- Lookup.cpp - Lookup of records for builds --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Lookup.h. A database is one connection with a lock, and a lookup takes
// some microseconds.
//
//===----------------------------------------------------------------------===//

#include "hone/Database/Lookup.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <mutex>
#include <utility>

using namespace hone;

//===----------------------------------------------------------------------===//
// Records that do not count
//===----------------------------------------------------------------------===//

static std::string describe(const OriginCount &count) {
  return llvm::formatv("{0} {1} of {2}", count.records, toString(count.origin),
                       count.arch);
}

/// The notices of a lookup that uses records of `origin`.
static std::vector<std::string> noticesOf(llvm::StringRef name,
                                          llvm::ArrayRef<OriginCount> counts,
                                          llvm::StringRef chip, Origin origin) {
  bool isThere = false;
  std::vector<std::string> others, unused, notices;
  for (const OriginCount &count : counts) {
    if (count.origin != origin)
      (count.arch == chip ? unused : others).push_back(describe(count));
    else if (count.arch == chip)
      isThere = true;
    else
      others.push_back(describe(count));
  }
  if (!isThere)
    notices.push_back(llvm::formatv(
        "{0}: expected {1} records of {2}, but got {3}", name, toString(origin),
        chip, others.empty() ? "none" : llvm::join(others, ", ") + " alone"));
  if (!unused.empty())
    notices.push_back(
        llvm::formatv("{0}: not used: {1}, because builds use {2} times alone",
                      name, llvm::join(unused, ", "), toString(origin)));
  return notices;
}

//===----------------------------------------------------------------------===//
// Lookups
//===----------------------------------------------------------------------===//

namespace {

class DatabaseLookup : public Lookup {
public:
  DatabaseLookup(Database database, Toolchain today, Origin origin,
                 FaultSink onFault)
      : database(std::move(database)), today(std::move(today)),
        onHost(this->today), origin(origin), onFault(std::move(onFault)) {
    if (llvm::Expected<Arch> host = Arch::lookup("host"))
      onHost.driver = host->isa;
    else
      llvm::consumeError(host.takeError());
  }

  std::optional<Found> find(const Problem &problem,
                            const std::string &chip) override {
    std::lock_guard<std::mutex> lock(mutex);
    return valueOr(
        database.best(problem, chip, chip == "host" ? onHost : today, origin));
  }
  std::vector<Record> measured(const Problem &problem,
                               const std::string &chip) override {
    std::lock_guard<std::mutex> lock(mutex);
    Filter filter;
    filter.problem = problem;
    filter.arch = chip;
    filter.status = Status::ok;
    filter.origin = origin;
    std::vector<Record> records;
    note(database.forEach(
        filter, [&](const Record &record) { records.push_back(record); }));
    return records;
  }
  const std::vector<Problem> &problems(const std::string &chip) override {
    std::lock_guard<std::mutex> lock(mutex);
    auto [known, isNew] = byChip.try_emplace(chip);
    if (isNew)
      known->second = valueOr(database.problems(chip, origin));
    return known->second;
  }
  std::optional<std::string> kernel(llvm::StringRef name) override {
    std::lock_guard<std::mutex> lock(mutex);
    return valueOr(database.kernel(name));
  }
  std::vector<std::string> notices(const std::string &chip) override {
    std::lock_guard<std::mutex> lock(mutex);
    llvm::Expected<std::vector<OriginCount>> counts = database.origins();
    if (!counts)
      return {name() + ": " + llvm::toString(counts.takeError())};
    return noticesOf(name(), *counts, chip, origin);
  }
  std::string name() const override { return "database"; }

private:
  template <typename T>
  T valueOr(llvm::Expected<T> value, T otherwise = {}) {
    if (value)
      return *value;
    note(value.takeError());
    return otherwise;
  }

  /// Reports only the first error.
  void note(llvm::Error error) {
    if (!error)
      return;
    std::string text = llvm::toString(std::move(error));
    if (FaultSink sink = std::exchange(onFault, nullptr))
      sink(text);
  }

  std::mutex mutex;
  Database database;
  Toolchain today, onHost; ///< a CPU of another name is another toolchain
  const Origin origin;
  FaultSink onFault;
  std::map<std::string, std::vector<Problem>> byChip;
};

/// Immutable, so it needs no lock.
class ListLookup : public Lookup {
public:
  ListLookup(std::vector<Found> records, std::string name,
             std::vector<WholeKernel> list)
      : listName(std::move(name)) {
    for (WholeKernel &kernel : list)
      kernels[kernel.name] = std::move(kernel.text);
    for (Found &found : records) {
      ++counts[{found.record.arch, found.record.origin}];
      if (found.record.origin != Origin::measured)
        continue;
      std::string problem = found.record.problem.str();
      byChip[found.record.arch].found.try_emplace(std::move(problem),
                                                  std::move(found));
    }
    for (auto &[chip, known] : byChip)
      for (const auto &[text, found] : known.found)
        known.problems.push_back(found.record.problem);
  }

  std::optional<Found> find(const Problem &problem,
                            const std::string &chip) override {
    auto known = byChip.find(chip);
    if (known == byChip.end())
      return std::nullopt;
    for (const Problem &form : {problem, problem.abbreviated()})
      if (auto found = known->second.found.find(form.str());
          found != known->second.found.end()) {
        Found answer = found->second;
        answer.record.problem = problem;
        return answer;
      }
    return std::nullopt;
  }
  const std::vector<Problem> &problems(const std::string &chip) override {
    static const std::vector<Problem> none;
    auto known = byChip.find(chip);
    return known == byChip.end() ? none : known->second.problems;
  }
  std::optional<std::string> kernel(llvm::StringRef name) override {
    auto found = kernels.find(name.str());
    return found == kernels.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<std::string> notices(const std::string &chip) override {
    std::vector<OriginCount> all;
    for (const auto &[key, count] : counts)
      all.push_back({key.first, key.second, count});
    return noticesOf(name(), all, chip, Origin::measured);
  }
  std::string name() const override { return listName; }

private:
  struct OfChip {
    std::map<std::string, Found> found; ///< by the problem's text
    std::vector<Problem> problems;
  };
  std::map<std::string, OfChip> byChip;
  std::map<std::pair<std::string, Origin>, int64_t> counts;
  std::map<std::string, std::string> kernels; ///< by name
  std::string listName;
};

class ExactSource : public ScheduleSource {
public:
  explicit ExactSource(std::shared_ptr<Lookup> lookup)
      : lookup(std::move(lookup)) {}

  std::optional<Answer> ask(const Problem &problem, const Arch &arch) override {
    std::optional<Found> found = lookup->find(problem, recordArch(arch));
    if (!found)
      return std::nullopt;
    return Answer{found->record.schedule,
                  lookup->name() + ", exact" +
                      (found->isStale ? ", stale" : ""),
                  Basis::exact};
  }
  std::vector<std::string> notices(const Arch &arch) override {
    return lookup->notices(recordArch(arch));
  }
  std::optional<std::string> kernel(llvm::StringRef name) override {
    return lookup->kernel(name);
  }

private:
  std::shared_ptr<Lookup> lookup;
};

} // namespace

std::vector<Record> Lookup::measured(const Problem &problem,
                                     const std::string &chip) {
  std::optional<Found> found = find(problem, chip);
  return found ? std::vector<Record>{std::move(found->record)}
               : std::vector<Record>();
}

llvm::Expected<std::shared_ptr<Lookup>> hone::makeLookup(Database database,
                                                         Toolchain today,
                                                         Origin origin,
                                                         FaultSink onFault) {
  if (llvm::Error error = database.hold())
    return std::move(error);
  return std::make_shared<DatabaseLookup>(std::move(database), std::move(today),
                                          origin, std::move(onFault));
}

std::shared_ptr<Lookup> hone::makeLookup(std::vector<Found> records,
                                         std::string name,
                                         std::vector<WholeKernel> kernels) {
  return std::make_shared<ListLookup>(std::move(records), std::move(name),
                                      std::move(kernels));
}

std::shared_ptr<ScheduleSource>
hone::makeExactSource(std::shared_ptr<Lookup> lookup) {
  return std::make_shared<ExactSource>(std::move(lookup));
}
