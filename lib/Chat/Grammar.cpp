//===- Grammar.cpp - Grammars of an answer --------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Grammar.h. Each decision is described as JSON schema, as GBNF and in
// words.
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
  return llvm::itostr(choice.most).size() - 1;
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

/// The pattern of "128x256x64", with values for each number.
static std::string patternOf(const Decision &decision) {
  std::vector<std::string> parts;
  for (const Choice &choice : choicesOf(decision))
    parts.push_back(isListed(choice)
                        ? "(" + llvm::join(textsOf(choice), "|") + ")"
                        : formatv("[1-9][0-9]{{0,{0}}", moreDigits(choice)));
  return "^" + llvm::join(parts, "x") + "$";
}

static void writeNumber(OStream &json, const Choice &choice) {
  json.attribute("type", "integer");
  if (isListed(choice)) {
    json.attribute("enum", llvm::json::Array(valuesOf(choice)));
    return;
  }
  json.attribute("minimum", choice.least);
  json.attribute("maximum", choice.most);
  if (choice.step > 1 && choice.least % choice.step == 0)
    json.attribute("multipleOf", choice.step);
}

static void writeDecided(OStream &json, const Decision &decision) {
  if (!decision.words.empty()) {
    json.attribute("type", "string");
    json.attributeArray("enum", [&] {
      for (StringRef word : decision.words)
        json.value(word);
    });
  } else if (decision.size() == 1) {
    writeNumber(json, decision.choices[0]);
  } else {
    json.attribute("type", "string");
    json.attribute("pattern", patternOf(decision));
  }
}

/// Strict servers require every property to be named; a decision without effect
/// is null.
static void writeDecision(OStream &json, const Decision &decision) {
  json.attributeObject(decision.name, [&] {
    if (!decision.matters)
      return writeDecided(json, decision);
    json.attributeArray("anyOf", [&] {
      json.object([&] { writeDecided(json, decision); });
      json.object([&] { json.attribute("type", "null"); });
    });
  });
}

static void writeKind(OStream &json, const Kind &kind) {
  json.attribute("type", "object");
  json.attributeObject("properties", [&] {
    json.attributeObject("kind", [&] {
      json.attribute("type", "string");
      json.attributeArray("enum", [&] { json.value(kind.name); });
    });
    for (const Decision &decision : decisionsOf(kind))
      writeDecision(json, decision);
  });
  json.attributeArray("required", [&] {
    json.value("kind");
    for (const Decision &decision : decisionsOf(kind))
      json.value(decision.name);
  });
  json.attribute("additionalProperties", false);
}

static void writeSchedules(OStream &json, Kinds kinds, size_t most) {
  json.attribute("type", "array");
  json.attribute("minItems", 1);
  json.attribute("maxItems", int64_t(most));
  json.attributeObject("items", [&] {
    json.attributeArray("anyOf", [&] {
      for (const Kind *kind : kinds)
        json.object([&] { writeKind(json, *kind); });
    });
  });
}

/// Written attribute by attribute, because a server decodes them in this order:
/// the kind must come before the decisions that depend on it.
std::string hone::jsonSchema(Kinds kinds, size_t most) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream);
  json.object([&] {
    json.attribute("type", "object");
    json.attributeObject("properties", [&] {
      json.attributeObject("plan", [&] { json.attribute("type", "string"); });
      json.attributeObject("schedules",
                           [&] { writeSchedules(json, kinds, most); });
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
    return alternatives(mapped(
        decision.words, [](StringRef word) { return stringLiteral(word); }));
  std::string numbers =
      llvm::join(llvm::map_range(choicesOf(decision), numberRule), " \"x\" ");
  if (decision.size() == 1)
    return numbers;
  return literal("\"") + " " + numbers + " " + literal("\"");
}

static std::string kindRule(const Kind &kind) {
  std::string rule = ruleOf(kind) + " ::= \"{\" " + stringLiteral("kind") +
                     " colon " + stringLiteral(kind.name);
  for (const Decision &decision : decisionsOf(kind)) {
    std::string decided = decidedRule(decision);
    if (decision.matters)
      decided = "(" + decided + " | \"null\")";
    rule += " comma " + stringLiteral(decision.name) + " colon " + decided;
  }
  return rule + " \"}\"\n";
}

std::string hone::gbnf(Kinds kinds, size_t most) {
  std::vector<std::string> names;
  std::string rules;
  for (const Kind *kind : kinds) {
    names.push_back(ruleOf(*kind));
    rules += kindRule(*kind);
  }
  return formatv(
             "root ::= \"{{\" {0} colon text comma {1} colon \"[\" schedule "
             "(comma schedule){{0,{2}} \"]\" \"}\"\n",
             stringLiteral("plan"), stringLiteral("schedules"), most - 1)
             .str() +
         "schedule ::= " + llvm::join(names, " | ") + "\n" + rules +
         "colon ::= \":\" \" \"?\n"
         "comma ::= \",\" [ \\n]?\n" +
         formatv("text ::= \"\\\"\" [^\"\\\\\\x00-\\x1f]{{0,{0}} \"\\\"\"\n",
                 kMaxPlanCharacters)
             .str();
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static std::string inWords(const Choice &choice) {
  if (choice.count() <= 8)
    return llvm::join(textsOf(choice), ", ");
  std::string text = formatv("{0} to {1}", choice.least, choice.most);
  if (choice.step == 0)
    return text + " doubling";
  return choice.step == 1
             ? text
             : text + formatv(" in steps of {0}", choice.step).str();
}

static std::string inWords(const Decision &decision, const Schedule &usual) {
  std::string values =
      decision.words.empty()
          ? llvm::join(llvm::map_range(choicesOf(decision),
                                       [](const Choice &choice) {
                                         return inWords(choice);
                                       }),
                       " x ")
          : llvm::join(decision.words, ", ");
  return formatv("- {0}: {1}. Values: {2}. Usually {3}.{4}{5}\n", decision.name,
                 decision.help, values, decision.print(usual[decision.name]),
                 decision.when == When::runTime ? " Costs no new compilation."
                                                : "",
                 decision.matters ? " null where it decides nothing." : "");
}

std::string hone::describeDecisions(Kinds kinds) {
  std::string text;
  for (const Kind *kind : kinds) {
    text += ("kind " + kind->name + "\n").str();
    const Schedule usual(*kind);
    for (const Decision &decision : decisionsOf(*kind))
      text += inWords(decision, usual);
  }
  return text;
}

std::string hone::describeLaws(Kinds kinds) {
  std::string text;
  for (const LawInfo &law : laws(kinds))
    text +=
        formatv("- c{0}{1}: {2}\n", law.number,
                law.kind.empty() ? "" : " (" + law.kind + ")", law.statement);
  return text;
}

std::string hone::toAnswerText(const Schedule &schedule) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream);
  json.object([&] {
    json.attribute("kind", schedule.kind().name);
    for (const Decision &decision : schedule.kind().decisions) {
      ArrayRef<int64_t> numbers = schedule[decision.name];
      if (namesWholeKernel(decision) && !wholeKernelOf(schedule))
        continue;
      if (decision.matters && !decision.matters(schedule))
        json.attribute(decision.name, nullptr);
      else if (decision.words.empty() && numbers.size() == 1)
        json.attribute(decision.name, numbers.front());
      else
        json.attribute(decision.name, decision.print(numbers));
    }
  });
  return text;
}
