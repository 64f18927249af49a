//===- Record.cpp - Records as lines of JSON ------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Record.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Database/Record.h"
#include "hone/Schedule/Roofline.h"
#include "hone/Text/Json.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace hone;
using llvm::Error;
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
// Writing
//===----------------------------------------------------------------------===//

std::string hone::toJson(const Record &record) {
  const Toolchain &toolchain = record.toolchain;
  const Provenance &by = record.provenance;
  json::Object object{
      {"problem", record.problem.str()},
      {"arch", record.arch},
      {"schedule", toString(record.schedule)},
      {"status", toString(record.status)},
      {"driver", toolchain.driver},
      {"llvm", toolchain.llvm},
      {"hone", toolchain.hone},
      {"space", toolchain.space},
      {"policy", by.policy},
      {"model", by.model},
      {"seed", by.seed},
      {"cost_seconds", by.costSeconds},
      {"measured_at", record.measuredAt},
  };
  if (!record.reason.empty())
    object["reason"] = record.reason;
  if (record.status == Status::ok) {
    object["median"] = record.times.median;
    object["p10"] = record.times.p10;
    object["p90"] = record.times.p90;
    object["samples"] = record.times.samples;
    object["error"] = record.error;
    object["clock_mhz"] = record.clockMHz;
    object["registers"] = record.registers;
    object["spill_bytes"] = record.spillBytes;
    object["grade"] = toString(record.grade);
  }
  return formatv("{0}", json::Value(std::move(object))).str();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Takes the fields of an object, and remembers the first that is not as
/// expected.
class Reader {
public:
  explicit Reader(const json::Object &object) : object(object) {}

  std::string text(StringRef name, bool isNeeded = true) {
    if (std::optional<StringRef> value = object.getString(name))
      return value->str();
    if (isNeeded || object.get(name))
      fail(name, "a text");
    return "";
  }
  int64_t integer(StringRef name) {
    const json::Value *value = object.get(name);
    if (!value)
      return 0;
    std::optional<int64_t> number = value->getAsInteger();
    if (!number || *number < 0)
      fail(name, "a number of 0 or more");
    return number.value_or(0);
  }
  double real(StringRef name) {
    const json::Value *value = object.get(name);
    if (!value)
      return 0;
    std::optional<double> number = value->getAsNumber();
    if (!number || !std::isfinite(*number) || *number < 0)
      fail(name, "a finite number of 0 or more");
    return number.value_or(0);
  }
  void fail(StringRef name, StringRef what) {
    if (fault.empty())
      fault = formatv("expected '{0}' to be {1}, but got {2}", name, what,
                      object.get(name) ? "something else" : "nothing")
                  .str();
  }
  const std::string &getFault() const { return fault; }

private:
  const json::Object &object;
  std::string fault;
};
} // namespace

static Record readNumbers(Reader &read) {
  Record record;
  record.arch = read.text("arch");
  record.reason = read.text("reason", /*isNeeded=*/false);
  record.toolchain = {read.text("driver"), read.text("llvm"), read.text("hone"),
                      read.integer("space")};
  record.times = {read.real("median"), read.real("p10"), read.real("p90"),
                  read.integer("samples")};
  record.error = read.real("error");
  record.registers = read.integer("registers");
  record.spillBytes = read.integer("spill_bytes");
  record.clockMHz = read.real("clock_mhz");
  record.provenance = {read.text("policy", false), read.text("model", false),
                       read.integer("seed"), read.real("cost_seconds")};
  record.measuredAt = read.integer("measured_at");
  return record;
}

Expected<Record> hone::recordFromJson(StringRef line) {
  Expected<json::Value> value = parseUntrustedJson(line);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  if (!object)
    return llvm::createStringError("expected a JSON object");
  Reader read(*object);
  Record record = readNumbers(read);
  std::string problem = read.text("problem"), schedule = read.text("schedule");
  std::optional<Status> status = parseStatus(read.text("status"));
  if (!status)
    read.fail("status", "one of " + llvm::join(statusNames(), ", "));
  // Lines of older versions have none.
  std::string gradeText = read.text("grade", /*isNeeded=*/false);
  std::optional<Grade> grade =
      gradeText.empty() ? Grade::trial : parseGrade(gradeText);
  if (!grade)
    read.fail("grade", "one of trial, finalist, chosen");
  if (!read.getFault().empty())
    return llvm::createStringError(read.getFault());
  record.status = *status;
  record.grade = *grade;
  Expected<Problem> parsedProblem = Problem::parse(problem);
  if (!parsedProblem)
    return parsedProblem.takeError();
  record.problem = *parsedProblem;
  Expected<Schedule> parsedSchedule = parseSchedule(schedule);
  if (!parsedSchedule)
    return parsedSchedule.takeError();
  record.schedule = *parsedSchedule;
  if (std::optional<std::string> fault = faultOf(record))
    return llvm::createStringError(*fault);
  return record;
}

std::optional<std::string> hone::faultOf(const Record &record) {
  Expected<Arch> arch = Arch::lookup(record.arch);
  if (!arch)
    return llvm::toString(arch.takeError());
  for (auto [name, value] : {std::pair{"error", record.error},
                             {"clock_mhz", record.clockMHz},
                             {"cost_seconds", record.provenance.costSeconds},
                             {"registers", double(record.registers)},
                             {"spill_bytes", double(record.spillBytes)},
                             {"measured_at", double(record.measuredAt)}})
    if (!std::isfinite(value) || value < 0)
      return formatv("expected '{0}' to be a finite number of 0 or more, but "
                     "got {1}",
                     name, value)
          .str();
  if (record.status != Status::ok)
    return std::nullopt;
  const Times &times = record.times;
  auto us = [](double seconds) { return seconds * 1e6; };
  // Comparisons are written so that what is no number fails them.
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
  if (double least = leastSeconds(record.problem, *arch); times.median < least)
    return formatv("expected a time of {0:f3} us or more, because {1} computes "
                   "and reads no faster, but got {2:e3} us",
                   us(least), record.arch, us(times.median))
        .str();
  return check(record.schedule, &record.problem, &*arch);
}
