//===- Sources.cpp - Schedule sources of hone-select-schedule -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Sources.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Plugin/Sources.h"
#include "hone/Database/Shipped.h"
#include "hone/Plugin/TuningFile.h"
#include "hone/Schedule/MachineDistance.h"
#include "hone/Sources/LearnedSource.h"
#include "hone/Sources/ModelSource.h"
#include "hone/Sources/RangedSource.h"
#include "hone/Sources/UnseenSource.h"
#include "hone/Text/File.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace hone;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static LogicalResult report(MLIRContext *context, const Twine &text) {
  return emitError(UnknownLoc::get(context)) << "option 'database': " << text;
}

/// Reports the errors of a tuning file at their locations.
static LogicalResult report(MLIRContext *context,
                            const TuningFileError &error) {
  std::optional<InFlightDiagnostic> said;
  for (const Complaint &complaint : error.getComplaints()) {
    Location place = FileLineColLoc::get(context, complaint.file,
                                         complaint.line, complaint.column);
    if (complaint.isNote && said) {
      said->attachNote(place) << complaint.text;
      continue;
    }
    said.emplace(emitError(place));
    *said << complaint.text;
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static FailureOr<std::shared_ptr<Lookup>>
openDatabase(MLIRContext *context, const std::string &path, bool soundOnly) {
  auto failed = [&](llvm::Error error) {
    return report(context, llvm::toString(std::move(error)));
  };
  llvm::Expected<Database> database = Database::open(path, Access::read);
  if (!database)
    return failed(database.takeError());
  if (soundOnly)
    if (llvm::Error error = database->verifyPages())
      return failed(std::move(error));
  auto warn = [context](const std::string &fault) {
    emitWarning(UnknownLoc::get(context))
        << "option 'database': " << fault
        << "; unreadable records count as missing";
  };
  llvm::Expected<std::shared_ptr<Lookup>> lookup =
      makeLookup(std::move(*database), thisToolchain(), Origin::measured, warn);
  if (!lookup)
    return failed(lookup.takeError());
  return std::move(*lookup);
}

static FailureOr<std::shared_ptr<Lookup>>
openTuningFile(MLIRContext *context, llvm::MemoryBufferRef buffer) {
  llvm::Expected<TuningFile> file = parseTuningFile(buffer);
  if (!file) {
    llvm::handleAllErrors(file.takeError(), [&](const TuningFileError &error) {
      (void)report(context, error);
    });
    return failure();
  }
  std::vector<Found> records;
  Toolchain today = thisToolchain();
  for (TunedLine &line : file->lines) {
    bool isStale = line.hasToolchain && !today.covers(line.record.toolchain);
    records.push_back({std::move(line.record), isStale});
  }
  return makeLookup(std::move(records), "tuning file",
                    std::move(file->kernels));
}

FailureOr<std::shared_ptr<Lookup>> hone::openLookup(MLIRContext *context,
                                                    const std::string &path,
                                                    bool soundOnly) {
  constexpr llvm::StringLiteral kMagic = "SQLite format 3";
  constexpr llvm::StringLiteral kNoun = "a database or a tuning file";
  llvm::Expected<std::string> start = readStart(path, kNoun, kMagic.size());
  if (!start)
    return report(context, llvm::toString(start.takeError()));
  // For SQLite, an empty file is a database without tables.
  if (start->empty() || *start == kMagic)
    return openDatabase(context, path, soundOnly);
  auto buffer = readFile(path, {kNoun, kMaxModuleBytes});
  if (!buffer)
    return report(context, llvm::toString(buffer.takeError()));
  return openTuningFile(context, **buffer);
}

//===----------------------------------------------------------------------===//
// The chain
//===----------------------------------------------------------------------===//

namespace {
/// A source that drops illegal answers. Built-in measurements were not
/// requested, so an answer that does not fit the problem is not an error: for
/// sm_90, for example, which is the same chip without every instruction.
class Legal : public ScheduleSource {
public:
  explicit Legal(std::shared_ptr<ScheduleSource> source)
      : source(std::move(source)) {}
  std::optional<Answer> ask(const Problem &problem, const Arch &arch) override {
    std::optional<Answer> answer = source->ask(problem, arch);
    if (!answer || check(answer->schedule, &problem, &arch))
      return std::nullopt;
    return answer;
  }
  std::vector<std::string> notices(const Arch &arch) override {
    return source->notices(arch);
  }

private:
  std::shared_ptr<ScheduleSource> source;
};

/// Asks about the problem with the usual numbers, which most measurements have.
/// An answer that the problem's own numbers forbid is passed on: the build
/// remarks on the law.
class OfUsualNumbers : public ScheduleSource {
public:
  explicit OfUsualNumbers(std::shared_ptr<ScheduleSource> source)
      : source(std::move(source)) {}
  std::optional<Answer> ask(const Problem &problem, const Arch &arch) override {
    return source->ask(problem.withUsualNumbers(), arch);
  }
  std::vector<std::string> notices(const Arch &arch) override {
    return source->notices(arch);
  }

private:
  std::shared_ptr<ScheduleSource> source;
};

/// Asks the shipped measurements of the chips with similar numbers, the closest
/// first. Those of the same machine, whatever its name, are measurements, those
/// of another are guesses.
class OfNearChips : public ScheduleSource {
public:
  OfNearChips(std::shared_ptr<ScheduleSource> source, bool isSame)
      : source(std::move(source)), isSame(isSame) {}
  std::optional<Answer> ask(const Problem &problem, const Arch &arch) override {
    Arch machine = arch;
    for (const NearMachine &near : shippedNear(arch)) {
      if (isSame != (near.distance < kSameMachine))
        continue;
      machine.chip = near.chip; // the name of its records
      if (std::optional<Answer> answer = source->ask(problem, machine))
        return isSame ? *answer : guessed(std::move(*answer), near);
    }
    return std::nullopt;
  }

private:
  static Answer guessed(Answer answer, const NearMachine &near) {
    answer.basis = Basis::guess;
    answer.source += ", of " + near.chip;
    return answer;
  }

  std::shared_ptr<ScheduleSource> source;
  bool isSame;
};
} // namespace

/// Several kernels for an unknown extent, from the answers of `fixed` for known
/// ones.
static std::shared_ptr<ScheduleSource>
ofShipped(std::shared_ptr<ScheduleSource> source, bool isSame) {
  return std::make_shared<Legal>(
      std::make_shared<OfNearChips>(std::move(source), isSame));
}

/// The same for exactly the problem that is asked about, whatever its numbers.
static std::shared_ptr<ScheduleSource>
ofShippedExact(const std::shared_ptr<Lookup> &shipped, bool isSame) {
  return std::make_shared<OfUsualNumbers>(
      ofShipped(makeExactSource(shipped), isSame));
}

static std::shared_ptr<ScheduleSource>
rangedOf(const ScheduleSources &fixed,
         std::vector<std::shared_ptr<Lookup>> measured, unsigned max,
         bool guesses) {
  llvm::erase(measured, nullptr);
  RangeRule rule;
  rule.max = max;
  // Only the policy's answers take long.
  rule.asksAll = !guesses;
  return makeRangedSource(fixed, std::move(measured), rule,
                          guesses ? learnedJudge() : RangeJudge());
}

FailureOr<ScheduleSources> hone::openSources(MLIRContext *context,
                                             const SourceOptions &options) {
  std::shared_ptr<Lookup> own, shipped;
  if (!options.database.empty()) {
    auto lookup = openLookup(context, options.database, options.soundOnly);
    if (failed(lookup))
      return failure();
    own = *lookup;
  }
  if (options.shipped)
    shipped = shippedTuning(thisToolchain());

  // The sources for problems with known extents.
  ScheduleSources fixed;
  auto add = [&](ScheduleSources &sources, auto make) {
    if (own)
      sources.push_back(make(own));
    if (shipped)
      sources.push_back(ofShipped(make(shipped), /*isSame=*/true));
  };
  if (own)
    fixed.push_back(makeExactSource(own));
  if (shipped)
    fixed.push_back(ofShippedExact(shipped, /*isSame=*/true));
  size_t exact = fixed.size();
  auto addGuesses = [&](ScheduleSources &sources, size_t looks) {
    if (!options.guess)
      return;
    add(sources, [](std::shared_ptr<Lookup> lookup) {
      return makeNearestSource(std::move(lookup), kSameExtents);
    });
    if (shipped) {
      sources.push_back(ofShippedExact(shipped, /*isSame=*/false));
      for (const auto &source : {makeRoundedSource(shipped),
                                 makeNearestSource(shipped, kSameExtents)})
        sources.push_back(ofShipped(source, /*isSame=*/false));
    }
    sources.push_back(std::make_shared<LearnedSource>(looks));
    if (own)
      sources.push_back(makeNearestSource(own));
    sources.push_back(std::make_shared<ModelSource>());
  };
  addGuesses(fixed, quickDraw().looks);
  ScheduleSources sources(fixed.begin(), fixed.begin() + exact);
  // An unknown extent needs answers for many values, each of them quickly.
  ScheduleSources brief(fixed.begin(), fixed.begin() + exact);
  addGuesses(brief, kBriefLooks);
  if (options.ranges > 1)
    sources.push_back(
        rangedOf(brief, {own, shipped}, options.ranges, options.guess));
  add(sources, makeRoundedSource);
  sources.insert(sources.end(), fixed.begin() + exact, fixed.end());
  return sources;
}

llvm::Expected<
    std::function<std::optional<Schedule>(const Problem &, const Arch &)>>
hone::choiceOfBuild() {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  auto sources = openSources(&context, SourceOptions());
  if (failed(sources))
    return llvm::createStringError("expected the sources that a build asks");
  return [sources = *sources](const Problem &problem,
                              const Arch &arch) -> std::optional<Schedule> {
    for (const std::shared_ptr<ScheduleSource> &source : sources)
      if (std::optional<Answer> answer = source->ask(problem, arch))
        if (!check(answer->schedule, &problem, &arch))
          return answer->schedule;
    return std::nullopt;
  };
}
