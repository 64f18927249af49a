//===- DbExchange.cpp - Records in files ----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DbExchange.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/DbExchange.h"
#include "hone/Numerics/Cause.h"
#include "hone/Plugin/TuningFile.h"
#include "hone/Text/File.h"
#include "passes/WholeKernel.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

/// Adds the records of `from` to `to`.
static Expected<int64_t> mergeRecords(Database &to, Database &from) {
  std::vector<Record> records;
  if (Error error = from.forEach(
          {}, [&](const Record &record) { records.push_back(record); }))
    return std::move(error);
  Expected<std::vector<std::string>> names = from.kernelNames();
  if (!names)
    return names.takeError();
  std::vector<WholeKernel> kernels;
  for (const std::string &name : *names) {
    Expected<std::optional<std::string>> text = from.kernel(name);
    if (!text)
      return text.takeError();
    if (*text)
      kernels.push_back({name, std::move(**text)});
  }
  if (records.empty() && kernels.empty())
    return llvm::createStringError(
        "expected records to merge, but got a database without any");
  if (Error error = to.add(records, kernels))
    return std::move(error);
  return int64_t(records.size());
}

Expected<std::vector<std::string>> hone::faultsOfKernels(Database &database) {
  std::vector<std::string> faults;
  Expected<std::vector<std::string>> names = database.kernelNames();
  if (!names)
    return names.takeError();
  for (const std::string &name : *names) {
    Expected<std::optional<std::string>> text = database.kernel(name);
    if (!text)
      return text.takeError();
    if (!*text)
      continue; // the database says it
    if (std::optional<std::string> fault = faultOfText({name, **text}))
      faults.push_back("kernel " + name + ": " + *fault);
  }
  return faults;
}

Expected<int64_t> hone::mergeDatabase(Database &database, StringRef path) {
  Expected<Database> other = Database::open(path.str(), Access::read);
  if (!other)
    return other.takeError();
  auto faults = faultsOfKernels(*other);
  if (!faults)
    return faults.takeError();
  if (!faults->empty())
    return llvm::createStringError(
        formatv("'{0}': {1}", path, faults->front()));
  return mergeRecords(database, *other);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
/// The kernels that schedules name, each once, before the first schedule that
/// names it.
class KernelsOnce {
public:
  explicit KernelsOnce(Database &from) : from(from) {}
  /// The kernel, if it was not returned before.
  Expected<std::optional<WholeKernel>> take(const Schedule &schedule) {
    std::optional<std::string> name = wholeKernelOf(schedule);
    if (!name || !taken.insert(*name).second)
      return std::nullopt;
    Expected<std::optional<std::string>> text = from.kernel(*name);
    if (!text)
      return text.takeError();
    if (!*text)
      return std::nullopt;
    return WholeKernel{*name, std::move(**text)};
  }

private:
  Database &from;
  std::set<std::string> taken;
};
} // namespace

Expected<int64_t> hone::exportRecords(Database &from, const Filter &filter,
                                      const std::string &path) {
  int64_t count = 0;
  KernelsOnce kernels(from);
  std::string text;
  Error failed = Error::success();
  Error error = from.forEach(filter, [&](const Record &record) {
    auto kernel = kernels.take(record.schedule);
    if (!kernel)
      failed = llvm::joinErrors(std::move(failed), kernel.takeError());
    else if (*kernel)
      text += toJson(**kernel) + "\n";
    text += toJson(record) + "\n";
    ++count;
  });
  if ((error = llvm::joinErrors(std::move(failed), std::move(error))))
    return std::move(error);
  if ((error = writeFile(path, text)))
    return std::move(error);
  return count;
}

/// All chips with records.
static Expected<std::set<std::string>> chipsOf(Database &database,
                                               const Filter &filter) {
  std::set<std::string> chips;
  Filter best = filter;
  best.bestOnly = true;
  if (Error error = database.forEach(
          best, [&](const Record &record) { chips.insert(record.arch); }))
    return std::move(error);
  return chips;
}

Expected<int64_t> hone::exportTuned(Database &from, const Filter &filter,
                                    const std::string &path) {
  Expected<std::set<std::string>> chips = chipsOf(from, filter);
  if (!chips)
    return chips.takeError();
  int64_t count = 0;
  KernelsOnce kernels(from);
  std::string text =
      "// What hone measured to be fastest, a problem a line. Lines may be "
      "sorted, removed\n// and added, and files concatenated; a problem "
      "stands here once for a chip.\n";
  for (const std::string &chip : *chips) {
    // The reader of the file may have another CPU.
    if (chip == "host") {
      llvm::errs() << "left out: measurements on a CPU; use --format=jsonl\n";
      continue;
    }
    if (Error error = Arch::lookup(chip).takeError()) {
      llvm::consumeError(std::move(error));
      llvm::errs() << "left out: measurements on " << chip
                   << ", the machine of a file; use --format=jsonl\n";
      continue;
    }
    Expected<std::vector<Problem>> problems = from.problems(chip);
    if (!problems)
      return problems.takeError();
    for (const Problem &problem : *problems) {
      if (filter.problem && !(problem == *filter.problem))
        continue;
      // The same query as a build's, so the result is the same.
      Expected<std::optional<Found>> found =
          from.best(problem, chip, thisToolchain());
      if (!found)
        return found.takeError();
      if (!*found)
        continue;
      auto kernel = kernels.take((*found)->record.schedule);
      if (!kernel)
        return kernel.takeError();
      if (*kernel)
        text += tuningText(**kernel);
      text += tuningLine((*found)->record);
      ++count;
    }
  }
  if (Error error = writeFile(path, text))
    return std::move(error);
  return count;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// The contents of a file for a database.
struct Brought {
  std::vector<Record> records;
  std::vector<WholeKernel> kernels;
};
} // namespace

/// Reads a line, which is a record or a kernel.
static Error takeLine(StringRef line, Brought &brought) {
  if (std::optional<Expected<WholeKernel>> kernel = kernelFromJson(line)) {
    if (!*kernel)
      return kernel->takeError();
    brought.kernels.push_back(std::move(**kernel));
    return Error::success();
  }
  Expected<Record> record = recordFromJson(line);
  if (!record)
    return record.takeError();
  brought.records.push_back(std::move(*record));
  return Error::success();
}

static Expected<Brought> parseLines(llvm::MemoryBuffer &buffer,
                                    const std::string &path) {
  Brought brought;
  for (llvm::line_iterator line(buffer, /*SkipBlanks=*/true); !line.is_at_end();
       ++line)
    if (Error error = takeLine(*line, brought))
      return llvm::createStringError(formatv("'{0}' line {1}: {2}", path,
                                             line.line_number(),
                                             toString(std::move(error))));
  return brought;
}

static Expected<Brought> parseTuned(llvm::MemoryBuffer &buffer) {
  Expected<TuningFile> file = parseTuningFile(buffer);
  if (!file)
    return file.takeError();
  Brought brought;
  brought.kernels = std::move(file->kernels);
  for (TunedLine &line : file->lines) {
    std::optional<std::string> fault = faultOf(line.record);
    if (!line.hasTime)
      fault = "expected a time ('us'), because a database keeps measurements, "
              "but got none";
    if (fault) {
      line.place.text = *fault;
      return llvm::make_error<TuningFileError>(std::vector{line.place});
    }
    brought.records.push_back(std::move(line.record));
  }
  return brought;
}

Expected<int64_t> hone::importRecords(Database &to, const std::string &path) {
  auto buffer = readFileOrStdin(path, {"a file of records", kMaxModuleBytes});
  if (!buffer)
    return buffer.takeError();
  // A line of JSON is an object; nothing in a tuning file begins like one.
  bool isJson = (*buffer)->getBuffer().ltrim().starts_with("{");
  Expected<Brought> brought =
      isJson ? parseLines(**buffer, path) : parseTuned(**buffer);
  if (!brought)
    return brought.takeError();
  for (const WholeKernel &kernel : brought->kernels)
    if (std::optional<std::string> fault = faultOfText(kernel))
      return llvm::createStringError(
          formatv("'{0}': kernel {1}: {2}", path, kernel.name, *fault));
  if (brought->records.empty() && brought->kernels.empty())
    return llvm::createStringError(
        formatv("expected records in '{0}', but got none", path));
  if (Error error = to.add(brought->records, brought->kernels))
    return std::move(error);
  return int64_t(brought->records.size());
}

Expected<std::map<std::string, int64_t>>
hone::countFailures(Database &database) {
  std::map<std::string, int64_t> counts;
  for (StringRef name : statusNames()) {
    Filter filter;
    filter.status = parseStatus(name);
    if (filter.status == Status::ok)
      continue;
    if (Error error = database.forEach(filter, [&](const Record &record) {
          ++counts[formatv("{0} ({1})", causeOf(record),
                           record.provenance.policy)];
        }))
      return std::move(error);
  }
  return counts;
}
