//===- KernelAnswer.cpp - Kernels as changes of others --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelAnswer.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/KernelAnswer.h"
#include "hone/Chat/Answer.h"
#include "hone/Text/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::Expected;
using llvm::formatv;
using llvm::StringLiteral;
using llvm::StringRef;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The object with candidates in a text; other brackets may precede it.
static std::optional<json::Object> objectIn(StringRef text) {
  constexpr int kMaxTries = 32;
  text = afterThoughts(text);
  text = text.take_front(text.rfind('}') + 1);
  for (int tried = 0; tried < kMaxTries; ++tried) {
    text = text.drop_front(std::min(text.find('{'), text.size()));
    if (text.empty())
      return std::nullopt;
    Expected<json::Value> value = parseUntrustedJson(text);
    json::Object *object = value ? value->getAsObject() : nullptr;
    if (object && object->getArray("candidates"))
      return std::move(*object);
    if (!value)
      llvm::consumeError(value.takeError());
    text = text.drop_front();
  }
  return std::nullopt;
}

namespace hone {
/// Found by LLVM's readers of arrays.
static bool fromJSON(const json::Value &value, Edit &edit, json::Path path) {
  json::ObjectMapper fields(value, path);
  return fields && fields.map("find", edit.find) &&
         fields.map("replace", edit.replace);
}
} // namespace hone

static Expected<KernelChange> changeOf(const json::Value &value) {
  KernelChange change;
  json::Path::Root root("candidate");
  json::ObjectMapper fields(value, root);
  if (!fields || !fields.map("parent", change.parent) ||
      !fields.mapOptional("rewrites", change.rewrites) ||
      !fields.mapOptional("edits", change.edits))
    return llvm::createStringError("expected a candidate of the form, but got "
                                   "another: " +
                                   llvm::toString(root.getError()));
  if (change.rewrites.empty() == change.edits.empty())
    return llvm::createStringError(
        formatv("expected rewrites or edits of the parent, but got {0}",
                change.edits.empty() ? "neither" : "both"));
  return change;
}

Expected<KernelAnswer> hone::parseKernelAnswer(StringRef text) {
  constexpr size_t kMaxPlan = 200;
  std::optional<json::Object> object = objectIn(text);
  if (!object)
    return llvm::createStringError("expected a JSON object with 'candidates', "
                                   "but got something else");
  KernelAnswer answer;
  answer.plan = printable(object->getString("plan").value_or(""), kMaxPlan);
  const json::Array &candidates = *object->getArray("candidates");
  for (size_t at = 0; at < std::min(candidates.size(), kMaxCandidates); ++at) {
    Expected<KernelChange> change = changeOf(candidates[at]);
    if (change)
      answer.changes.push_back(std::move(*change));
    else
      answer.refused.push_back(llvm::toString(change.takeError()));
  }
  return answer;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// A form with the names of parents and the number of candidates.
static std::string filled(StringRef form, const std::string &parents) {
  std::string text = form.str();
  for (const auto &[name, value] :
       {std::pair<StringRef, std::string>("$parents", parents),
        {"$max", std::to_string(kMaxCandidates)},
        {"$more", std::to_string(kMaxCandidates - 1)}})
    if (size_t at = text.find(name.data()); at != std::string::npos)
      text.replace(at, name.size(), value);
  return text;
}

std::string KernelChange::str() const {
  json::Array found;
  for (const Edit &edit : edits)
    found.push_back(
        json::Object{{"find", edit.find}, {"replace", edit.replace}});
  return formatv("{{\"parent\":{0},\"rewrites\":{1},\"edits\":{2}}",
                 json::Value(parent), json::Value(json::Array(rewrites)),
                 json::Value(std::move(found)));
}

std::string hone::kernelAnswerSchema(llvm::ArrayRef<std::string> parents) {
  constexpr StringLiteral kForm =
      R"({"type":"object","properties":{"plan":{"type":"string"},)"
      R"("candidates":{"type":"array","minItems":1,"maxItems":$max,"items":)"
      R"({"type":"object","properties":{"parent":{"enum":["$parents"]},)"
      R"("rewrites":{"type":"array","items":{"type":"string"}},)"
      R"("edits":{"type":"array","items":{"type":"object","properties":)"
      R"({"find":{"type":"string"},"replace":{"type":"string"}},)"
      R"("required":["find","replace"],"additionalProperties":false}}},)"
      R"("required":["parent","rewrites","edits"],)"
      R"("additionalProperties":false}}},"required":["plan","candidates"],)"
      R"("additionalProperties":false})";
  return filled(kForm, llvm::join(parents, "\",\""));
}

std::string hone::kernelAnswerGrammar(llvm::ArrayRef<std::string> parents) {
  constexpr StringLiteral kForm =
      R"(root ::= "{\"plan\":" text ",\"candidates\":[" candidate more "]}"
more ::= ("," candidate){0,$more}
candidate ::= "{\"parent\":" parent ",\"rewrites\":[" change "]}"
parent ::= "\"$parents\""
change ::= text ("," text)* "],\"edits\":[" | "],\"edits\":[" edit ("," edit)*
edit ::= "{\"find\":" text ",\"replace\":" text "}"
text ::= "\"" ([^"\\\x00-\x1f] | "\\" ["\\/nt])* "\""
)";
  return filled(kForm, llvm::join(parents, "\\\"\" | \"\\\""));
}
