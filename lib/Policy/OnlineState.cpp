//===- OnlineState.cpp - Saved state of online training -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   {"hone-online":1, "dice":"...", "measured":N, "questions":N,
//    "memory":[{"problem":"...","tried":[["SCHEDULE","ok",1.5e-6,0],...]},
//    ...]}\n
//   the reference network of the KL term: floats
//   the trainer's state
//
// The candidates of a problem follow from that network, so only their results
// are stored.
//
//===----------------------------------------------------------------------===//

#include "OnlineKnown.h"
#include "hone/Text/Json.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>
#include <sstream>

using namespace hone;
using llvm::Error;
using llvm::StringRef;
namespace json = llvm::json;

static constexpr StringRef kMagic = "hone-online";

static Error malformed(const char *what) {
  return llvm::createStringError(
      llvm::formatv("expected the state of online learning, but got {0}; "
                    "remove it to begin anew",
                    what));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string Online::state() const {
  json::Array entries;
  for (const std::unique_ptr<Known> &known : memory) {
    json::Array tried;
    for (const auto &[at, result] : known->tried)
      tried.push_back(json::Array{toString(known->schedules[at]),
                                  toString(result.status), result.times.median,
                                  result.spillBytes});
    entries.push_back(json::Object{{"problem", known->problem.str()},
                                   {"tried", std::move(tried)}});
  }
  std::ostringstream diceText;
  diceText << dice;
  std::string text;
  llvm::raw_string_ostream(text)
      << json::Value(json::Object{{kMagic, 1},
                                  {"dice", diceText.str()},
                                  {"measured", measured},
                                  {"questions", int64_t(questions)},
                                  {"memory", std::move(entries)}})
      << "\n";
  text.append(reinterpret_cast<const char *>(before.parameters().data()),
              before.parameters().size() * sizeof(float));
  return text + trainer->state();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Parses ["SCHEDULE", "ok", 1.5e-6, 0] as a candidate and its result: its time
/// and the bytes that it spills.
static std::optional<std::pair<StringRef, Measurement>>
readTried(const json::Value &value) {
  const json::Array *row = value.getAsArray();
  if (!row || row->size() != 4)
    return std::nullopt;
  std::optional<StringRef> schedule = (*row)[0].getAsString();
  std::optional<StringRef> name = (*row)[1].getAsString();
  std::optional<double> seconds = (*row)[2].getAsNumber();
  std::optional<int64_t> spilled = (*row)[3].getAsInteger();
  std::optional<Status> status = name ? parseStatus(*name) : std::nullopt;
  if (!schedule || !status || !seconds || !spilled)
    return std::nullopt;
  Measurement result;
  result.spillBytes = *spilled;
  result.status = *status;
  result.times.median = *seconds;
  // An impossible time invalidates the entry.
  if (result.isOk() && !(*seconds > 0))
    return std::nullopt;
  return std::pair(*schedule, result);
}

void Online::remember(const json::Object &entry) {
  std::optional<StringRef> name = entry.getString("problem");
  const json::Array *tried = entry.getArray("tried");
  auto problem = llvm::find_if(problems, [&](const Problem &each) {
    return name && each.str() == *name;
  });
  if (!tried || problem == problems.end())
    return;
  Known &known = knownOf(*problem);
  std::map<std::string, size_t> places;
  for (auto [at, schedule] : llvm::enumerate(known.schedules))
    places[toString(schedule)] = at;
  for (const json::Value &value : *tried)
    if (auto one = readTried(value))
      if (auto at = places.find(one->first.str()); at != places.end())
        remember(known, at->second, one->second);
}

Error Online::restore(StringRef bytes) {
  auto [line, rest] = bytes.split('\n');
  llvm::Expected<json::Value> value = parseUntrustedJson(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return malformed("no line of JSON at its front");
  }
  const json::Object *head = value->getAsObject();
  if (!head || head->getInteger(kMagic) != 1)
    return malformed("another version");
  const json::Array *entries = head->getArray("memory");
  std::istringstream diceText(head->getString("dice").value_or("").str());
  std::mt19937_64 read;
  diceText >> read;
  if (!entries || !diceText)
    return malformed("no memory and no dice");
  size_t size = before.parameters().size() * sizeof(float);
  if (rest.size() < size)
    return malformed("another network");
  if (Error error = trainer->restore(rest.drop_front(size)))
    return error;
  std::memcpy(before.parameters().data(), rest.data(), size);
  dice = read;
  measured = head->getInteger("measured").value_or(0);
  questions = uint64_t(head->getInteger("questions").value_or(0));
  memory.clear();
  for (const json::Value &entry : *entries)
    if (const json::Object *object = entry.getAsObject())
      remember(*object);
  return Error::success();
}
