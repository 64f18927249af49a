//===- Transcript.cpp - Record of questions and answers -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Transcript.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/Transcript.h"
#include "hone/Text/File.h"
#include "hone/Text/Json.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;

/// A question as an object with its keys in a fixed order.
static json::Object toObject(const ChatQuestion &question, StringRef model) {
  return json::Object{{"model", model},
                      {"system", question.system},
                      {"text", question.text},
                      {"schema", question.schema},
                      {"answer_tokens", question.answerTokens},
                      {"temperature", question.temperature},
                      {"seed", question.seed}};
}

std::string ChatQuestion::hash(StringRef model) const {
  constexpr size_t kBytes = 16;
  std::string text = formatv("{0}", json::Value(toObject(*this, model))).str();
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(llvm::ArrayRef(digest).take_front(kBytes),
                     /*LowerCase=*/true);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Expected<std::pair<std::string, ChatAnswer>>
parseLine(StringRef line, std::string &model) {
  Expected<json::Value> value = parseUntrustedJson(line);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  std::optional<StringRef> hash =
      object ? object->getString("hash") : std::nullopt;
  std::optional<StringRef> text =
      object ? object->getString("answer") : std::nullopt;
  std::optional<StringRef> fault =
      object ? object->getString("fault") : std::nullopt;
  if (!hash || text.has_value() == fault.has_value())
    return llvm::createStringError(
        "expected 'hash' and one of 'answer' and 'fault'");
  if (const json::Object *question = object->getObject("question"))
    model = question->getString("model").value_or("").str();
  ChatAnswer answer;
  answer.text = text.value_or("").str();
  answer.fault = fault.value_or("").str();
  if (fault && fault->empty())
    return llvm::createStringError(
        "expected a text in 'fault', but got an empty one");
  answer.isCut = object->getBoolean("cut").value_or(false);
  return std::make_pair(hash->str(), std::move(answer));
}

Expected<Transcript> Transcript::read(const std::string &path) {
  constexpr uint64_t kMaxBytes = 1024 * kMiB;
  auto file = readFile(path, {"a transcript", kMaxBytes});
  if (!file)
    return file.takeError();
  Transcript result;
  StringRef rest = (*file)->getBuffer();
  for (size_t number = 1; !rest.empty(); ++number) {
    // An aborted run leaves an incomplete last line.
    bool isWhole = rest.contains('\n');
    auto [line, after] = rest.split('\n');
    rest = after;
    if (line.trim().empty() || !isWhole)
      continue;
    std::string model;
    auto parsed = parseLine(line, model);
    if (!parsed)
      return llvm::createStringError(
          formatv("'{0}' line {1}: {2}", path, number,
                  llvm::toString(parsed.takeError())));
    if (result.firstModel.empty())
      result.firstModel = model;
    result.answers[parsed->first].all.push_back(std::move(parsed->second));
  }
  return result;
}

std::optional<ChatAnswer> Transcript::find(const std::string &hash) {
  auto at = answers.find(hash);
  if (at == answers.end())
    return std::nullopt;
  Answers &found = at->second;
  const ChatAnswer &answer = found.all[found.next];
  found.next = std::min(found.next + 1, found.all.size() - 1);
  return answer;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Error Transcript::append(const std::string &path, StringRef model,
                         const ChatQuestion &question,
                         const ChatAnswer &answer) {
  json::Object line{{"hash", question.hash(model)},
                    {"question", toObject(question, model)},
                    {"cut", answer.isCut},
                    {"calls", answer.cost.calls},
                    {"question_tokens", answer.cost.questionTokens},
                    {"answer_tokens", answer.cost.answerTokens},
                    {"seconds", answer.cost.seconds},
                    {"dollars", answer.cost.dollars}};
  if (answer.isOk())
    line["answer"] = answer.text;
  else
    line["fault"] = answer.fault;
  std::error_code code;
  llvm::raw_fd_ostream file(path, code, llvm::sys::fs::CD_OpenAlways,
                            llvm::sys::fs::FA_Write, llvm::sys::fs::OF_Append);
  if (!code) {
    // A single write, so that lines of two runs do not mix.
    std::string text = formatv("{0}\n", json::Value(std::move(line)));
    file.SetBufferSize(text.size() + 1);
    file << text;
    file.close();
    code = file.error();
    file.clear_error();
  }
  if (!code)
    return Error::success();
  return llvm::createStringError(
      formatv("expected a transcript to write, but got '{0}': {1}", path,
              code.message()));
}
