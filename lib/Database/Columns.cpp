//===- Columns.cpp - Conversion of records to rows ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Columns.h.
//
//===----------------------------------------------------------------------===//

#include "Columns.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <vector>

using namespace hone;
using namespace hone::detail;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

template <typename T>
static std::vector<std::string> namesOf() {
  std::vector<std::string> names;
  T fields;
  T::visit(fields,
           [&](StringRef name, auto &) { names.push_back(name.str()); });
  return names;
}

static bool isOfToolchain(StringRef name) {
  return llvm::is_contained(namesOf<Toolchain>(), name);
}

/// The columns of the table of candidates itself.
static std::vector<std::string> ownColumns() {
  std::vector<std::string> names = namesOf<Record>();
  llvm::erase_if(names, [](const std::string &name) {
    return name == "problem" || isOfToolchain(name);
  });
  return names;
}

/// The texts of `each` for every name, separated by commas.
static std::string
listOf(const std::vector<std::string> &names,
       llvm::function_ref<std::string(const std::string &)> each) {
  return llvm::join(llvm::map_range(names, each), ", ");
}

static constexpr StringRef kProblem =
    "(SELECT id FROM problems WHERE text = :problem)";
static constexpr StringRef kToolchain =
    "(SELECT id FROM toolchains WHERE driver = :driver AND llvm = :llvm "
    "AND hone = :hone AND space = :space)";

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Of each key and toolchain only the latest chosen candidate keeps that grade.
std::string detail::demotionText() {
  return formatv(R"sql(
UPDATE candidates SET grade = 1
WHERE :status = 'ok' AND :grade = 2 AND grade = 2 AND origin = :origin
  AND measured_at <= :measured_at AND problem = {0} AND arch = :arch
  AND schedule <> :schedule AND toolchain = {1}
)sql",
                 kProblem, kToolchain);
}

std::string detail::insertionText() {
  std::vector<std::string> own = ownColumns(), changing = own;
  llvm::erase_if(changing, [](const std::string &name) {
    return name == "arch" || name == "schedule";
  });
  auto value = [](const std::string &name) {
    return name == "grade" ? R"sql(
  CASE WHEN :grade = 2 AND EXISTS (SELECT 1 FROM candidates newer
    WHERE newer.problem = key.problem AND newer.arch = :arch
      AND newer.grade = 2 AND newer.toolchain = key.toolchain
      AND newer.origin = :origin
      AND newer.measured_at > :measured_at AND newer.schedule <> :schedule)
  THEN 1 ELSE :grade END)sql"
                           : ":" + name;
  };
  return formatv(R"sql(
WITH key AS (SELECT {0} AS problem, {1} AS toolchain)
INSERT INTO candidates (problem, toolchain, {2})
SELECT key.problem, key.toolchain, {3} FROM key WHERE true
ON CONFLICT (problem, arch, schedule, toolchain) DO UPDATE SET {4}
WHERE excluded.origin < candidates.origin
  OR (excluded.origin = candidates.origin
    AND excluded.measured_at >= candidates.measured_at
    AND (excluded.status <> 'ok' OR candidates.status <> 'ok'
      OR excluded.grade >= candidates.grade))
)sql",
                 kProblem, kToolchain,
                 listOf(own, [](const std::string &name) { return name; }),
                 listOf(own, value),
                 listOf(changing, [](const std::string &name) {
                   return name + " = excluded." + name;
                 }));
}

/// In ORDER BY a plain 0 would be the number of a column.
std::string detail::gradeText(int64_t version) {
  return version < 2 ? "CAST(0 AS INTEGER)" : "c.grade";
}

std::string detail::originText(int64_t version) {
  if (version >= 6)
    return "c.origin";
  return formatv("CASE t.driver WHEN '{0}' THEN {1} WHEN '{2}' THEN {3} "
                 "ELSE {4} END",
                 kRehearsalDriver, int64_t(Origin::rehearsed), kReplayDriver,
                 int64_t(Origin::modelled), int64_t(Origin::measured));
}

Origin detail::originOfNumber(int64_t number) {
  constexpr auto kLast = int64_t(Origin::modelled);
  return Origin(number < 0 || number > kLast ? kLast : number);
}

std::string detail::selectionText(int64_t version) {
  auto column = [&](const std::string &name) {
    return name == "problem"     ? "p.text"
           : name == "grade"     ? gradeText(version)
           : name == "origin"    ? originText(version)
           : isOfToolchain(name) ? "t." + name
                                 : "c." + name;
  };
  return "SELECT " + listOf(namesOf<Record>(), column) +
         " FROM candidates c JOIN problems p ON p.id = c.problem "
         "JOIN toolchains t ON t.id = c.toolchain ";
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {
/// Binds fields to the parameters of the same name.
class Binder {
public:
  explicit Binder(Statement &statement) : statement(statement) {}
  void operator()(StringRef name, const Problem &value) {
    statement.bind(name, value.str());
  }
  void operator()(StringRef name, const Schedule &value) {
    statement.bind(name, toString(value));
  }
  void operator()(StringRef name, Status value) {
    statement.bind(name, toString(value));
  }
  void operator()(StringRef name, Grade value) {
    statement.bind(name, int64_t(value));
  }
  void operator()(StringRef name, Origin value) {
    statement.bind(name, int64_t(value));
  }
  template <typename T>
  void operator()(StringRef name, const T &value) {
    statement.bind(name, value);
  }

private:
  Statement &statement;
};

/// Reads fields from the columns of a row, one by one.
class RowReader {
public:
  explicit RowReader(const Statement &row) : row(row) {}
  void operator()(StringRef, std::string &value) { value = row.text(column++); }
  void operator()(StringRef, int64_t &value) { value = row.integer(column++); }
  void operator()(StringRef, double &value) { value = row.real(column++); }
  void operator()(StringRef, Grade &value) {
    value = Grade(std::clamp<int64_t>(row.integer(column++), 0, 2));
  }
  void operator()(StringRef, Origin &value) {
    value = originOfNumber(row.integer(column++));
  }
  void operator()(StringRef, Problem &value) {
    keep(value, Problem::parse(row.text(column++)));
  }
  void operator()(StringRef, Schedule &value) {
    keep(value, parseSchedule(row.text(column++)));
  }
  void operator()(StringRef, Status &value) {
    std::string text = row.text(column++);
    std::optional<Status> found = parseStatus(text);
    value = found.value_or(Status());
    if (!found && fault.empty())
      fault = formatv("expected a status, but got '{0}'", text);
  }
  std::string fault; ///< of the first column that cannot be read

private:
  template <typename T>
  void keep(T &value, Expected<T> found) {
    if (found)
      value = std::move(*found);
    else if (fault.empty())
      fault = llvm::toString(found.takeError());
    else
      llvm::consumeError(found.takeError());
  }

  const Statement &row;
  int column = 0;
};
} // namespace

void detail::bind(Statement &statement, const Record &record) {
  Record::visit(record, Binder(statement));
}

Expected<Record> detail::recordOf(const Statement &row) {
  RowReader reader(row);
  Record record;
  Record::visit(record, reader);
  if (!reader.fault.empty())
    return llvm::createStringError(reader.fault);
  if (std::optional<std::string> fault = faultOf(record))
    return llvm::createStringError(*fault);
  return record;
}

llvm::Error
detail::forEachRow(Statement &select,
                   llvm::function_ref<bool(Expected<Record>)> each) {
  return select.forEach([&] { return each(recordOf(select)); });
}
