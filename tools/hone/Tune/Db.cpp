//===- Db.cpp - hone db ---------------------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per subcommand. All have a database file, most have a filter.
//
//===----------------------------------------------------------------------===//

#include "hone/Command/Command.h"
#include "hone/Command/Options.h"
#include "hone/Command/Table.h"
#include "hone/Matmul/KernelText.h"
#include "hone/Tuner/DbExchange.h"
#include "tools/hone/Commands.h"
#include "tools/hone/OptionChecks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

namespace {
/// Values of a subcommand's command line.
struct Settings {
  std::string file, problem, arch, status, origin, other, output = "-", format;
  std::string schedule;
  int64_t keep = 8;
  bool json = false;
};
} // namespace

static Expected<Filter> filterOf(const Settings &settings) {
  Filter filter;
  filter.arch = settings.arch;
  if (!settings.problem.empty()) {
    if (Error error = Problem::parse(settings.problem).moveInto(filter.problem))
      return std::move(error);
  }
  if (!settings.status.empty())
    filter.status = parseStatus(settings.status);
  if (!settings.origin.empty())
    filter.origin = parseOrigin(settings.origin);
  return filter;
}

static std::vector<std::string> rowOf(const Record &record) {
  bool isOk = record.status == Status::ok;
  return {record.problem.str(),
          record.arch,
          toString(record.schedule),
          toString(record.status).str(),
          isOk ? formatv("{0:f2}", record.times.median * 1e6).str() : "",
          toString(record.origin).str(),
          record.provenance.policy,
          record.reason};
}

static Expected<int> listRecords(Database &database, const Settings &settings,
                                 bool bestOnly) {
  Expected<Filter> filter = filterOf(settings);
  if (!filter)
    return filter.takeError();
  filter->bestOnly = bestOnly;
  Table table({"problem", "arch", "schedule", "status", "us", "origin",
               "policy", "reason"});
  if (Error error = database.forEach(
          *filter, [&](const Record &record) { table.addRow(rowOf(record)); }))
    return std::move(error);
  table.print(settings.json);
  return kExitSuccess;
}

/// The records that no build uses, as text: "12 rehearsed records of h200;
/// ...".
static Expected<std::string> unusedIn(Database &database) {
  Expected<std::vector<OriginCount>> counts = database.origins();
  if (!counts)
    return counts.takeError();
  std::vector<std::string> parts;
  for (const OriginCount &count : *counts)
    if (count.origin != Origin::measured)
      parts.push_back(formatv("{0} {1} records of {2}", count.records,
                              toString(count.origin), count.arch));
  return llvm::join(parts, "; ");
}

static Error printUnused(Database &database) {
  Expected<std::string> unused = unusedIn(database);
  if (!unused)
    return unused.takeError();
  if (!unused->empty())
    llvm::errs() << *unused << ": no build uses them\n";
  return Error::success();
}

/// The answer is the same for every toolchain, so none is preferred.
static Expected<int> showBest(Database &database, const Settings &settings) {
  Expected<Problem> problem = Problem::parse(settings.problem);
  if (!problem)
    return problem.takeError();
  Expected<Arch> arch =
      Arch::lookup(settings.arch.empty() ? "h200" : settings.arch);
  if (!arch)
    return arch.takeError();
  Expected<std::optional<Found>> found =
      database.best(*problem, recordArch(*arch), Toolchain());
  if (!found)
    return found.takeError();
  if (!*found) {
    llvm::errs() << "no measured record of this problem on "
                 << recordArch(*arch) << "\n";
    if (Error error = printUnused(database))
      return std::move(error);
    return kExitFailure;
  }
  const Record &record = (*found)->record;
  if (settings.json)
    llvm::outs() << toJson(record) << "\n";
  else
    llvm::outs() << toString(record.schedule) << "\n";
  return kExitSuccess;
}

/// Prints the kernel IR of a schedule, or of the fastest one of any origin.
static Expected<int> showKernel(Database &database, const Settings &settings) {
  Expected<Filter> filter = filterOf(settings);
  if (!filter)
    return filter.takeError();
  filter->bestOnly = settings.schedule.empty();
  std::optional<Record> found;
  if (Error error = database.forEach(*filter, [&](const Record &record) {
        bool isAsked = settings.schedule.empty() ||
                       toString(record.schedule) == settings.schedule;
        if (isAsked && !found)
          found = record;
      }))
    return std::move(error);
  if (!found)
    return llvm::createStringError(formatv(
        "expected a record of this problem, but got none in '{0}'; use hone db "
        "show to list them",
        settings.file));
  KernelTexts texts([&](StringRef name) {
    auto text = database.kernel(name);
    return text ? text->value_or("")
                : (llvm::consumeError(text.takeError()), std::string());
  });
  auto text = texts.of(found->problem, found->arch, found->schedule);
  if (!text)
    return text.takeError();
  llvm::outs() << *text;
  return kExitSuccess;
}

static Expected<int> showStats(Database &database, const Settings &settings) {
  Expected<Totals> totals = database.totals();
  if (!totals)
    return totals.takeError();
  Table table({"what", "count"});
  auto add = [&](StringRef what, int64_t count) {
    table.addRow({what.str(), std::to_string(count)});
  };
  add("problems", totals->problems);
  add("problems x archs", totals->keys);
  add("candidates", totals->candidates);
  for (size_t i = 0; i < totals->byStatus.size(); ++i)
    add(statusNames()[i], totals->byStatus[i]);
  auto failures = countFailures(database);
  if (!failures)
    return failures.takeError();
  for (const auto &[what, count] : *failures)
    add(what, count);
  for (auto [name, count] : llvm::zip_equal(originNames(), totals->byOrigin))
    add(name, count);
  add("toolchains", totals->toolchains);
  add("bytes", totals->fileBytes);
  add("version", totals->version);
  table.print(settings.json);
  return kExitSuccess;
}

static Expected<int> printCount(Expected<int64_t> count, const char *what) {
  if (!count)
    return count.takeError();
  llvm::errs() << *count << " " << what << "\n";
  return kExitSuccess;
}

/// A second merge of the same files changes nothing, so after an error the
/// command can be repeated.
static Expected<int> merge(Database &database, const Settings &settings) {
  int64_t count = 0;
  for (StringRef path : llvm::split(settings.other, ',')) {
    Expected<int64_t> merged = mergeDatabase(database, path);
    if (!merged)
      return merged.takeError();
    count += *merged;
  }
  return printCount(count, "records merged");
}

static Expected<int> exportAll(Database &database, const Settings &settings) {
  Expected<Filter> filter = filterOf(settings);
  if (!filter)
    return filter.takeError();
  std::string format = settings.format;
  if (format.empty())
    format = StringRef(settings.output).ends_with(".mlir") ? "mlir" : "jsonl";
  if (format == "jsonl")
    return printCount(exportRecords(database, *filter, settings.output),
                      "records exported");
  if (filter->status.value_or(Status::ok) != Status::ok)
    return asUsage(llvm::createStringError(
        formatv("expected --status=ok with --format=mlir, but got '{0}'; use "
                "--format=jsonl",
                settings.status)));
  if (Error error = printUnused(database))
    return std::move(error);
  return printCount(exportTuned(database, *filter, settings.output),
                    "lines exported");
}

static Expected<int> checkAll(Database &database, const Settings &) {
  Expected<std::vector<std::string>> faults = database.verify();
  if (!faults)
    return faults.takeError();
  auto ofKernels = faultsOfKernels(database);
  if (!ofKernels)
    return ofKernels.takeError();
  llvm::append_range(*faults, *ofKernels);
  for (const std::string &fault : *faults)
    llvm::outs() << fault << "\n";
  if (faults->empty())
    llvm::outs() << "sound\n";
  if (Error error = printUnused(database))
    return std::move(error);
  return faults->empty() ? kExitSuccess : kExitFailure;
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

namespace {
struct Subcommand {
  StringRef name, about;
  Access access;
  Expected<int> (*run)(Database &, const Settings &);
  /// Letters of its options: p problem, a arch, s status, r origin, f from,
  /// m databases, o output, F format, k keep, S schedule, j json.
  StringRef options;
  /// A command line that works in the root of the source tree.
  StringRef example;
};
} // namespace

static const Subcommand kSubcommands[] = {
    {"list", "the fastest schedule of every problem and arch", Access::read,
     [](Database &database, const Settings &settings) {
       return listRecords(database, settings, /*bestOnly=*/true);
     },
     "parj", "hone db list test/tools/db-v4.db"},
    {"show", "every candidate, with its time or the reason of its failure",
     Access::read,
     [](Database &database, const Settings &settings) {
       return listRecords(database, settings, /*bestOnly=*/false);
     },
     "pasrj", "hone db show test/tools/db-v4.db --status=timeout"},
    {"best", "the schedule that a build takes for one problem", Access::read,
     showBest, "paj", "hone db best test/tools/db-v4.db"},
    {"kernel", "the kernel IR of a schedule, or of the fastest one",
     Access::read, showKernel, "paS", "hone db kernel test/tools/db-v4.db"},
    {"stats",
     "number of problems, and of candidates by status, cause and origin",
     Access::read, showStats, "j", "hone db stats test/tools/db-v4.db"},
    {"merge",
     "adds the records of other databases; newer times replace older ones",
     Access::write, merge, "m",
     "hone db merge all.db --from=test/tools/db-v3.db,test/tools/db-v4.db"},
    {"export", "records as lines of JSON, or the fastest as a tuning file",
     Access::read, exportAll, "pasroF",
     "hone db export test/tools/db-v4.db --output=tuned.mlir"},
    {"import", "adds the records of an export, all or none", Access::write,
     [](Database &database, const Settings &settings) {
       return printCount(importRecords(database, settings.other),
                         "records imported");
     },
     "f", "hone db import new.db --from=test/tools/db-records.jsonl"},
    {"check", "reports damage and unreadable rows; status 1 if there are any",
     Access::read, checkAll, "", "hone db check test/tools/db-v4.db"},
    {"prune", "keeps the fastest few of every problem and arch", Access::update,
     [](Database &database, const Settings &settings) {
       return printCount(database.prune(settings.keep), "records removed");
     },
     "k", "cp test/tools/db-v4.db few.db; hone db prune few.db --keep=1"},
};

static void addOptions(OptionList &options, Settings &settings,
                       StringRef letters) {
  for (char letter : letters)
    switch (letter) {
    case 'p':
      options.add("problem", "TEXT", settings.problem, "only this problem",
                  checkProblem);
      break;
    case 'a':
      options.add("arch", "CHIP", settings.arch, "only this chip", checkArch);
      break;
    case 's':
      options.add("status", "NAME", settings.status,
                  "only ok, illegal, compile-error, wrong, fault or timeout",
                  statusNames());
      break;
    case 'r':
      options.add("origin", "NAME", settings.origin,
                  "only measured, rehearsed or modelled times", originNames());
      break;
    case 'f':
      options.add("from", "FILE", settings.other, "where records come from");
      break;
    case 'm':
      options.add("from", "FILE,...", settings.other, "databases");
      break;
    case 'o':
      options.add("output", "FILE", settings.output, "where records go");
      break;
    case 'F':
      options.add("format", "NAME", settings.format,
                  "jsonl or mlir; by the name of the output if not given",
                  {"jsonl", "mlir"});
      break;
    case 'k':
      options.add("keep", "N", settings.keep,
                  "number of records to keep for each problem and arch");
      break;
    case 'S':
      options.add("schedule", "TEXT", settings.schedule,
                  "schedule of the problem", checkSchedule);
      break;
    case 'j':
      options.add("json", settings.json, "print JSON");
      break;
    }
}

static Expected<int> runOn(const Settings &settings,
                           const Subcommand &command) {
  Expected<Database> database = Database::open(settings.file, command.access);
  if (!database)
    return database.takeError();
  return command.run(*database, settings);
}

static constexpr const char *kExampleProblem =
    " --problem=\"m = 512, n = 512, k = 512, \\\n"
    "  a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero\"";

static int run(const Subcommand &command, llvm::ArrayRef<StringRef> args) {
  Settings settings;
  bool needsProblem = command.name == "best" || command.name == "kernel";
  OptionList options(formatv("hone db {0} FILE [options]", command.name).str(),
                     formatv("{0}\nExample: {1}{2}", command.about,
                             command.example,
                             needsProblem ? kExampleProblem : ""));
  options.positional("FILE", settings.file, "the database");
  addOptions(options, settings, command.options);
  options.require("from");
  if (needsProblem)
    options.require("problem");
  return options.run(args, [&] {
    bool isNew = !llvm::sys::fs::exists(settings.file);
    Expected<int> status = runOn(settings, command);
    if (!status && isNew && command.access == Access::write)
      removeIfEmpty(settings.file);
    return status;
  });
}

int hone::dbCommand(llvm::ArrayRef<StringRef> args) {
  std::vector<Command> commands;
  for (const Subcommand &each : kSubcommands)
    commands.push_back(
        {each.name, each.about,
         [&](llvm::ArrayRef<StringRef> rest) { return run(each, rest); }});
  return runOneOf(commands, args,
                  {"hone db",
                   "Shows and maintains a database of measurements.\n"
                   "Example: hone db list test/tools/db-v4.db",
                   ""});
}
