//===- Answer.cpp - Schedules parsed from an answer -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Answer.h. JSON is parsed in three ways: the whole text, the text between
// its outermost brackets, and strings and flat objects anywhere in it. A
// schedule is one of these, so the last way finds all schedules of a truncated
// text.
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/Answer.h"
#include "hone/Schedule/WholeKernel.h"
#include "hone/Text/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;

static constexpr size_t kMaxKeptPlan = 160, kLongestRefused = 400;
/// Max refusals to keep: they go back to the model, which gains nothing from a
/// hundred at once.
static constexpr size_t kMaxRefusals = 32;

std::string hone::printable(StringRef text, size_t max) {
  std::string result;
  for (char character : text.trim().take_front(max))
    result += llvm::isPrint(character) ? character : ' ';
  return result + (text.trim().size() > max ? "..." : "");
}

//===----------------------------------------------------------------------===//
// One schedule
//===----------------------------------------------------------------------===//

/// A number of a decision in the form of the schedule parser.
static std::optional<std::string> numberText(const json::Value &value) {
  if (std::optional<int64_t> number = value.getAsInteger())
    return llvm::itostr(*number);
  return std::nullopt;
}

/// A string, a number, or a list of numbers.
static Expected<std::string> decidedText(StringRef name,
                                         const json::Value &value) {
  if (std::optional<StringRef> text = value.getAsString())
    return text->str();
  if (std::optional<std::string> number = numberText(value))
    return *number;
  std::vector<std::string> parts;
  if (const json::Array *array = value.getAsArray()) {
    for (const json::Value &part : *array)
      if (std::optional<std::string> number = numberText(part))
        parts.push_back(*number);
    if (!parts.empty() && parts.size() == array->size())
      return llvm::join(parts, "x");
  }
  return llvm::createStringError("expected '" + printable(name, 40) +
                                 "' to be a number or a string, but got " +
                                 printable(formatv("{0}", value).str(), 40));
}

/// Sets decisions without effect to their usual value, because the model gives
/// them no meaning.
static void settleIdle(Schedule &schedule) {
  const Schedule usual(schedule.kind());
  for (const Decision &decision : schedule.kind().decisions)
    if (decision.matters && !decision.matters(schedule))
      llvm::cantFail(
          schedule.decide(decision.name, decision.print(usual[decision.name])));
}

static Expected<Schedule> readObject(const json::Object &object, Kinds kinds) {
  std::optional<StringRef> name = object.getString("kind");
  if (!name)
    return llvm::createStringError(
        "expected a schedule with its 'kind', but got none");
  Expected<Schedule> schedule = makeSchedule(*name, kinds);
  if (!schedule)
    return schedule;
  for (const auto &[key, value] : object) {
    if (key == "kind" || value.kind() == json::Value::Null)
      continue;
    Expected<std::string> text = decidedText(key, value);
    if (!text)
      return text.takeError();
    if (Error error = schedule->decide(key, *text))
      return std::move(error);
  }
  return schedule;
}

/// A schedule that breaks a law is an error, and is set.
static Expected<Schedule> readSchedule(const json::Value &value,
                                       const AnswerTerms &terms,
                                       std::optional<Schedule> &illegal) {
  Expected<Schedule> schedule = llvm::createStringError(
      "expected a schedule to be an object, but got something else");
  if (const json::Object *object = value.getAsObject()) {
    llvm::consumeError(schedule.takeError());
    schedule = readObject(*object, terms.kinds);
  } else if (std::optional<StringRef> text = value.getAsString()) {
    llvm::consumeError(schedule.takeError());
    schedule = parseSchedule(*text, terms.kinds);
  }
  if (!schedule)
    return schedule;
  if (wholeKernelOf(*schedule))
    return llvm::createStringError(
        "expected decisions about a kernel, but got the name of one");
  settleIdle(*schedule);
  // The result is parsed again from the schedule's own text.
  Expected<Schedule> again = parseSchedule(toString(*schedule), terms.kinds);
  if (!again)
    return again;
  std::optional<std::string> broken =
      check(*again, &terms.problem, &terms.arch);
  if (broken)
    illegal = *again;
  else
    broken = checkMemory(*again, terms.problem);
  if (!broken)
    return again;
  return llvm::createStringError(*broken);
}

static void add(Suggestions &answer, const json::Value &value,
                const AnswerTerms &terms) {
  std::optional<Schedule> illegal;
  Expected<Schedule> schedule = readSchedule(value, terms, illegal);
  if (!schedule) {
    std::string reason = llvm::toString(schedule.takeError());
    if (answer.refused.size() < kMaxRefusals)
      answer.refused.push_back(
          {printable(formatv("{0}", value).str(), kLongestRefused),
           printable(reason, kLongestRefused), illegal});
    return;
  }
  std::string text = toString(*schedule);
  if (llvm::none_of(answer.schedules, [&](const Schedule &other) {
        return toString(other) == text;
      }))
    answer.schedules.push_back(std::move(*schedule));
}

//===----------------------------------------------------------------------===//
// Locating schedules
//===----------------------------------------------------------------------===//

/// The schedules of a whole answer; null if it has another form.
static const json::Array *schedulesOf(const json::Value &value) {
  if (const json::Object *object = value.getAsObject())
    return object->getArray("schedules");
  return value.getAsArray();
}

/// A single schedule without an array around it.
static bool isSchedule(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  return object && object->getString("kind");
}

/// Every `{...}` without another bracket in it, in order. A quote outside
/// brackets is prose.
static std::vector<StringRef> flatObjects(StringRef text, size_t max) {
  std::vector<StringRef> objects;
  size_t begin = StringRef::npos;
  for (size_t at = 0; at < text.size() && objects.size() < max;) {
    char character = text[at];
    if (character == '"' && begin != StringRef::npos) {
      at = endOfJsonString(text, at);
      continue;
    }
    if (character == '{')
      begin = at;
    if (character == '}' && begin != StringRef::npos) {
      objects.push_back(text.slice(begin, at + 1));
      begin = StringRef::npos;
    }
    ++at;
  }
  return objects;
}

/// The complete JSON strings that begin with the name of a kind, in order, but
/// for values of an object.
static std::vector<StringRef> quotedSchedules(StringRef text,
                                              const AnswerTerms &terms) {
  // A hostile text may have a string without an end at each quote.
  size_t tries = 4 * terms.max;
  std::vector<StringRef> strings;
  for (size_t at = text.find('"');
       at != StringRef::npos && tries > 0 && strings.size() < terms.max;
       at = text.find('"', at + 1)) {
    StringRef rest = text.drop_front(at + 1);
    StringRef name = rest.take_while(
        [](char one) { return llvm::isAlnum(one) || one == '_'; });
    bool isKind = llvm::any_of(
        terms.kinds, [&](const Kind *kind) { return kind->name == name; });
    if (!isKind || text.take_front(at).rtrim().ends_with(":"))
      continue;
    --tries;
    size_t end = endOfJsonString(text, at);
    if (end > at + 1 && text[end - 1] == '"')
      strings.push_back(text.slice(at + 1, end - 1));
  }
  return strings;
}

/// The text from the first bracket to the last.
static StringRef betweenBrackets(StringRef text) {
  size_t begin = text.find_first_of("{["), end = text.find_last_of("}]");
  if (begin == StringRef::npos || end == StringRef::npos || end < begin)
    return "";
  return text.slice(begin, end + 1);
}

StringRef hone::afterThoughts(StringRef text) {
  constexpr llvm::StringLiteral kEnd = "</think>";
  size_t at = text.rfind(kEnd);
  return at == StringRef::npos ? text : text.drop_front(at + kEnd.size());
}

static bool addWhole(Suggestions &answer, StringRef text,
                     const AnswerTerms &terms) {
  Expected<json::Value> value = parseUntrustedJson(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return false;
  }
  const json::Array *array = schedulesOf(*value);
  if (!array && !isSchedule(*value))
    return false;
  if (const json::Object *object = value->getAsObject())
    answer.plan =
        printable(object->getString("plan").value_or(""), kMaxKeptPlan);
  if (!array) {
    add(answer, *value, terms);
    return true;
  }
  size_t looked = std::min(array->size(), terms.max);
  for (size_t at = 0; at < looked; ++at)
    add(answer, (*array)[at], terms);
  answer.surplus = array->size() - looked;
  return true;
}

/// Adds the schedules of a text that is truncated or has prose between them.
static void addPieces(Suggestions &answer, StringRef text,
                      const AnswerTerms &terms) {
  for (StringRef piece : flatObjects(text, terms.max)) {
    Expected<json::Value> value = parseUntrustedJson(piece);
    if (!value)
      llvm::consumeError(value.takeError());
    else if (isSchedule(*value))
      add(answer, *value, terms);
  }
  for (StringRef string : quotedSchedules(text, terms))
    add(answer, json::Value(string), terms);
}

Expected<Suggestions> hone::parseAnswer(StringRef text,
                                        const AnswerTerms &terms) {
  StringRef rest = afterThoughts(text).trim();
  Suggestions answer;
  if (!addWhole(answer, rest, terms) &&
      !addWhole(answer, betweenBrackets(rest), terms))
    addPieces(answer, rest, terms);
  if (answer.schedules.empty() && answer.refused.empty())
    return llvm::createStringError("expected schedules in JSON, but got '" +
                                   printable(rest, 80) + "'");
  return answer;
}
