//===- Grammar.cpp - Grammars of an answer --------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Grammar.h. Each decision is described as JSON schema and as GBNF.
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/Grammar.h"
#include "hone/Schedule/WholeKernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace hone;
using llvm::ArrayRef;
using llvm::formatv;
using llvm::StringRef;

/// More values than this are described as a range.
static constexpr int64_t kMaxListed = 64;
static constexpr size_t kMaxPlanCharacters = 240;

static ArrayRef<Choice> choicesOf(const Decision &decision) {
  return ArrayRef(decision.choices).take_front(decision.size());
}

/// The decisions of a model: it cannot name a whole kernel.
static auto decisionsOf(const Kind &kind) {
  return llvm::make_filter_range(kind.decisions, [](const Decision &decision) {
    return !namesWholeKernel(decision);
  });
}

static bool isListed(const Choice &choice) {
  return choice.count() <= kMaxListed;
}

template <typename Range, typename Function>
static std::vector<std::string> mapped(const Range &range, Function &&text) {
  std::vector<std::string> all;
  for (const auto &each : range)
    all.push_back(text(each));
  return all;
}

static std::vector<int64_t> valuesOf(const Choice &choice) {
  std::vector<int64_t> values;
  for (int64_t at = 0; at < choice.count(); ++at)
    values.push_back(choice.at(at));
  return values;
}

static std::vector<std::string> textsOf(const Choice &choice) {
  return mapped(valuesOf(choice),
                [](int64_t value) { return llvm::itostr(value); });
}

/// The number of digits of the largest value, minus one.
static size_t moreDigits(const Choice &choice) {
  return llvm::itostr(choice.max).size() - 1;
}

std::vector<const Kind *> hone::kindsFor(const Problem &problem,
                                         const Arch &arch, Kinds kinds) {
  std::vector<const Kind *> some;
  for (const Kind *kind : kinds)
    if (!kind->refuseArch(arch) && !kind->refuseTypes(problem))
      some.push_back(kind);
  return some;
}

//===----------------------------------------------------------------------===//
// JSON schema
//===----------------------------------------------------------------------===//

using llvm::json::OStream;

/// The decisions before the list of rewrites, or those in it.
static auto decisionsOf(const Kind &kind, bool areRewrites) {
  return llvm::make_filter_range(decisionsOf(kind),
                                 [areRewrites](const Decision &decision) {
                                   return decision.isRewrite == areRewrites;
                                 });
}

/// A regular expression for the values of a decision: "(1|2|4)x(1|2|4)".
static std::string patternOf(const Decision &decision) {
  if (!decision.words.empty())
    return "(" + llvm::join(decision.words, "|") + ")";
  std::vector<std::string> parts;
  for (const Choice &choice : choicesOf(decision))
    parts.push_back(isListed(choice)
                        ? "(" + llvm::join(textsOf(choice), "|") + ")"
                        : formatv("[1-9][0-9]{{0,{0}}", moreDigits(choice)));
  return llvm::join(parts, "x");
}

/// Each decision may be missing; those that are there are in the table's order.
static std::string patternOf(const Kind &kind) {
  std::string pattern = kind.name.str();
  for (const Decision &decision : decisionsOf(kind, /*areRewrites=*/false))
    pattern +=
        formatv("(, {0} = {1})?", decision.name, patternOf(decision)).str();
  std::vector<std::string> rewrites = mapped(
      decisionsOf(kind, /*areRewrites=*/true), [](const Decision &decision) {
        return formatv("{0}\\({1}\\)", decision.name, patternOf(decision))
            .str();
      });
  if (rewrites.empty())
    return pattern;
  std::string one = "(" + llvm::join(rewrites, "|") + ")";
  return pattern + formatv("(, rewrites = \\[{0}(, {0})*\\])?", one).str();
}

/// Written attribute by attribute, because a server decodes them in this order:
/// the plan comes before the schedules.
std::string hone::jsonSchema(Kinds kinds, size_t max) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream);
  std::vector<std::string> patterns =
      mapped(kinds, [](const Kind *kind) { return patternOf(*kind); });
  json.object([&] {
    json.attribute("type", "object");
    json.attributeObject("properties", [&] {
      json.attributeObject("plan", [&] { json.attribute("type", "string"); });
      json.attributeObject("schedules", [&] {
        json.attribute("type", "array");
        json.attribute("minItems", 1);
        json.attribute("maxItems", int64_t(max));
        json.attributeObject("items", [&] {
          json.attribute("type", "string");
          json.attribute("pattern", "^(" + llvm::join(patterns, "|") + ")$");
        });
      });
    });
    json.attribute("required", llvm::json::Array{"plan", "schedules"});
    json.attribute("additionalProperties", false);
  });
  return text;
}

//===----------------------------------------------------------------------===//
// GBNF
//===----------------------------------------------------------------------===//

/// A GBNF literal for `text`, and one for `text` as a JSON string.
static std::string literal(StringRef text) {
  std::string escaped;
  for (char character : text)
    escaped += character == '"' || character == '\\'
                   ? std::string("\\") + character
                   : std::string(1, character);
  return "\"" + escaped + "\"";
}
static std::string stringLiteral(StringRef text) {
  return literal("\"" + text.str() + "\"");
}

/// Names of rules cannot have underscores.
static std::string ruleOf(const Kind &kind) {
  std::string name = ("kind-" + kind.name).str();
  llvm::replace(name, '_', '-');
  return name;
}

static std::string alternatives(ArrayRef<std::string> all) {
  return "(" + llvm::join(all, " | ") + ")";
}

static std::string numberRule(const Choice &choice) {
  if (!isListed(choice))
    return formatv("[1-9] [0-9]{{0,{0}}", moreDigits(choice));
  return alternatives(mapped(
      textsOf(choice), [](const std::string &text) { return literal(text); }));
}

static std::string decidedRule(const Decision &decision) {
  if (!decision.words.empty())
    return alternatives(mapped(decision.words, literal));
  return llvm::join(llvm::map_range(choicesOf(decision), numberRule),
                    " \"x\" ");
}

static std::string kindRule(const Kind &kind) {
  std::string rule = ruleOf(kind) + " ::= " + literal("\"" + kind.name.str());
  for (const Decision &decision : decisionsOf(kind, /*areRewrites=*/false))
    rule +=
        formatv(" ({0} {1})?", literal((", " + decision.name + " = ").str()),
                decidedRule(decision))
            .str();
  std::string rewrite = "rewrite-" + ruleOf(kind);
  std::vector<std::string> rewrites = mapped(
      decisionsOf(kind, /*areRewrites=*/true), [](const Decision &decision) {
        return literal((decision.name + "(").str()) + " " +
               decidedRule(decision) + " \")\"";
      });
  if (!rewrites.empty())
    rule += formatv(" (\", rewrites = [\" {0} (\", \" {0})* \"]\")?", rewrite)
                .str();
  rule += " " + literal("\"") + "\n";
  if (!rewrites.empty())
    rule += rewrite + " ::= " + llvm::join(rewrites, " | ") + "\n";
  return rule;
}

std::string hone::gbnf(Kinds kinds, size_t max) {
  std::vector<std::string> names;
  std::string rules;
  for (const Kind *kind : kinds) {
    names.push_back(ruleOf(*kind));
    rules += kindRule(*kind);
  }
  return formatv(
             "root ::= \"{{\" {0} colon text comma {1} colon \"[\" schedule "
             "(comma schedule){{0,{2}} \"]\" \"}\"\n",
             stringLiteral("plan"), stringLiteral("schedules"), max - 1)
             .str() +
         "schedule ::= " + llvm::join(names, " | ") + "\n" + rules +
         "colon ::= \":\" \" \"?\n"
         "comma ::= \",\" [ \\n]?\n" +
         formatv("text ::= \"\\\"\" [^\"\\\\\\x00-\\x1f]{{0,{0}} \"\\\"\"\n",
                 kMaxPlanCharacters)
             .str();
}

std::string hone::toAnswerText(const Schedule &schedule) {
  const Schedule usual(schedule.kind());
  std::string text = schedule.kind().name.str();
  for (const Schedule::Decided &one : schedule.decided()) {
    const Decision &decision = *one.decision;
    if (!decision.isRewrite && one.numbers != usual[decision.name] &&
        (!decision.matters || decision.matters(schedule)))
      text += formatv(", {0} = {1}", decision.name, one.text());
  }
  std::vector<std::string> rewrites =
      mapped(schedule.rewrites(), [](const Schedule::Decided &one) {
        return formatv("{0}({1})", one.decision->name, one.text()).str();
      });
  return rewrites.empty()
             ? text
             : text + ", rewrites = [" + llvm::join(rewrites, ", ") + "]";
}
