//===- Record.cpp - Conversion of records to lines of JSON ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Record.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Database/Record.h"
#include "hone/Schedule/MachineFile.h"
#include "hone/Schedule/Roofline.h"
#include "hone/Text/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace hone;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;

std::string hone::recordArch(const Arch &arch) {
  return arch.isHost() ? "host" : arch.chip;
}

Toolchain hone::thisToolchain(StringRef driver) {
  return {driver.str(), LLVM_VERSION_STRING, HONE_VERSION, kSpaceVersion};
}

//===----------------------------------------------------------------------===//
// Origins
//===----------------------------------------------------------------------===//

static constexpr StringRef kOrigins[] = {"measured", "rehearsed", "modelled"};
static_assert(std::size(kOrigins) == kOriginCount);

llvm::ArrayRef<StringRef> hone::originNames() { return kOrigins; }

StringRef hone::toString(Origin origin) { return kOrigins[size_t(origin)]; }

std::optional<Origin> hone::parseOrigin(StringRef text) {
  const auto *found = llvm::find(kOrigins, text);
  if (found == std::end(kOrigins))
    return std::nullopt;
  return Origin(found - std::begin(kOrigins));
}

Origin hone::originOf(const Toolchain &toolchain) {
  return toolchain.driver == kRehearsalDriver ? Origin::rehearsed
         : toolchain.driver == kReplayDriver  ? Origin::modelled
                                              : Origin::measured;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static json::Value valueOf(const Problem &problem) { return problem.str(); }
static json::Value valueOf(const Schedule &schedule) {
  return toString(schedule);
}
static json::Value valueOf(Status status) { return toString(status); }
static json::Value valueOf(Grade grade) { return toString(grade); }
static json::Value valueOf(Origin origin) { return toString(origin); }
template <typename T>
static json::Value valueOf(const T &value) {
  return value;
}

std::string hone::toJson(const Record &record) {
  json::Object object;
  Record::visit(record, [&](StringRef name, const auto &value) {
    object[name] = valueOf(value);
  });
  if (record.reason.empty())
    object.erase("reason");
  // A record without a time has its status and reason, but no measured values.
  if (!record.isOk())
    Measurement::visit(record, [&](StringRef name, const auto &) {
      if (name != "status" && name != "reason")
        object.erase(name);
    });
  return formatv("{0}", json::Value(std::move(object))).str();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads the fields of an object, and records the first invalid one.
class Reader {
public:
  explicit Reader(const json::Object &object) : object(object) {}

  void operator()(StringRef name, std::string &text) {
    constexpr StringRef kOptional[] = {"reason", "policy", "model"};
    if (std::optional<StringRef> value = object.getString(name))
      text = value->str();
    else if (!llvm::is_contained(kOptional, name) || object.get(name))
      fail(name, "a text");
  }
  void operator()(StringRef name, int64_t &number) {
    if (const json::Value *value = object.get(name))
      number = value->getAsInteger().value_or(-1);
    if (number < 0)
      fail(name, "a number of 0 or more");
  }
  void operator()(StringRef name, double &number) {
    if (const json::Value *value = object.get(name))
      number = value->getAsNumber().value_or(-1);
    if (!std::isfinite(number) || number < 0)
      fail(name, "a finite number of 0 or more");
  }
  void operator()(StringRef name, Problem &problem) {
    keep(name, problem, [](StringRef text) { return Problem::parse(text); });
  }
  void operator()(StringRef name, Schedule &schedule) {
    keep(name, schedule, [](StringRef text) { return parseSchedule(text); });
  }
  void operator()(StringRef name, Status &status) {
    if (auto found = parseStatus(object.getString(name).value_or("")))
      status = *found;
    else
      fail(name, "one of " + llvm::join(statusNames(), ", "));
  }
  /// Lines of older versions have no grade.
  void operator()(StringRef name, Grade &grade) {
    if (!object.get(name))
      return;
    if (auto found = parseGrade(object.getString(name).value_or("")))
      grade = *found;
    else
      fail(name, "one of trial, finalist, chosen");
  }
  /// Lines of older versions have no origin; see `recordFromJson`.
  void operator()(StringRef name, Origin &origin) {
    if (!object.get(name))
      return;
    if (auto found = parseOrigin(object.getString(name).value_or("")))
      origin = *found;
    else
      fail(name, "one of " + llvm::join(originNames(), ", "));
  }
  const std::string &getFault() const { return fault; }

private:
  template <typename T, typename ParseT>
  void keep(StringRef name, T &value, ParseT parse) {
    std::string text;
    (*this)(name, text);
    if (!fault.empty())
      return;
    Expected<T> found = parse(text);
    if (found)
      value = std::move(*found);
    else
      fault = llvm::toString(found.takeError());
  }
  void fail(StringRef name, const llvm::Twine &what) {
    if (fault.empty())
      fault = formatv("expected '{0}' to be {1}, but got {2}", name, what.str(),
                      object.get(name) ? "something else" : "nothing")
                  .str();
  }

  const json::Object &object;
  std::string fault;
};
} // namespace

Expected<Record> hone::recordFromJson(StringRef line) {
  Expected<json::Value> value = parseUntrustedJson(line);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  if (!object)
    return llvm::createStringError("expected a JSON object");
  Reader read(*object);
  Record record;
  Record::visit(record, read);
  if (!read.getFault().empty())
    return llvm::createStringError(read.getFault());
  if (!object->get("origin"))
    record.origin = originOf(record.toolchain);
  if (std::optional<std::string> fault = faultOf(record))
    return llvm::createStringError(*fault);
  return record;
}

/// The first number that is NaN or below 0. Times have further checks; a seed
/// may have any value.
static std::optional<std::string> faultOfNumbers(const Record &record) {
  std::optional<std::string> fault;
  Record::visit(record, [&](StringRef name, const auto &value) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
      if (!fault && name != "seed" &&
          (!std::isfinite(double(value)) || value < 0))
        fault = formatv("expected '{0}' to be a finite number of 0 or more, "
                        "but got {1}",
                        name, value);
  });
  return fault;
}

/// The arch of a record; nothing for the machine of a file, whose numbers are
/// not here.
static Expected<std::optional<Arch>> archOf(const Record &record) {
  // A record is not a reason to read a file.
  if (Arch::isFile(record.arch))
    return llvm::createStringError(
        "expected 'arch' to be the name of a machine, but got a file");
  Expected<Arch> arch = Arch::lookup(record.arch);
  if (arch)
    return std::move(*arch);
  StringRef whole = StringRef(record.arch).split('/').first;
  if (!isMachineName(record.arch) || llvm::is_contained(Arch::names(), whole))
    return arch.takeError();
  llvm::consumeError(arch.takeError());
  return std::nullopt;
}

std::optional<std::string> hone::faultOf(const Record &record) {
  Expected<std::optional<Arch>> arch = archOf(record);
  if (!arch)
    return llvm::toString(arch.takeError());
  if (auto fault = faultOfNumbers(record))
    return fault;
  if (record.status != Status::ok)
    return std::nullopt;
  const Quantiles &times = record.times;
  auto us = [](double seconds) { return seconds * 1e6; };
  // The comparisons are written so that a NaN fails them.
  if (!(times.median > 0) || times.samples < 1)
    return formatv("expected a time above 0 and a sample, but got {0:f3} us of "
                   "{1}",
                   us(times.median), times.samples)
        .str();
  if (!(times.p10 >= 0 && times.p10 <= times.median &&
        times.median <= times.p90 && std::isfinite(times.p90)))
    return formatv("expected p10, median and p90 in order, but got {0:f3}, "
                   "{1:f3} and {2:f3} us",
                   us(times.p10), us(times.median), us(times.p90))
        .str();
  double min = *arch ? minSeconds(record.problem, **arch) : 0;
  if (times.median < min)
    return formatv("expected a time of {0:f3} us or more, because {1} computes "
                   "and reads no faster, but got {2:e3} us",
                   us(min), record.arch, us(times.median))
        .str();
  // A host record may come from another CPU than this one, so the user of its
  // schedule checks the laws again, as for the machine of a file.
  bool isHere = *arch && !(*arch)->isHost();
  return check(record.schedule, &record.problem, isHere ? &**arch : nullptr);
}
