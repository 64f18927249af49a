//===- Gbnf.h - Matcher of texts against a GBNF grammar ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads grammars in llama.cpp's spelling: rules, literals, sets of characters,
// groups, `|`, `?`, `*`, `+`, `{n,m}`. Matching goes from a set of places in
// the text to the set of places after it, so alternatives need no backtracking.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_CHAT_GBNF_H
#define HONE_TEST_CHAT_GBNF_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace hone::test {

class Gbnf {
public:
  /// A grammar that cannot be read matches nothing.
  explicit Gbnf(llvm::StringRef text) {
    for (llvm::StringRef line : llvm::split(text, '\n')) {
      auto [name, body] = line.split("::=");
      if (line.trim().empty())
        continue;
      rest = body;
      rules[name.trim().str()] = alternatives();
      isSound = isSound && rest.trim().empty() && isName(name.trim());
    }
  }

  bool matches(llvm::StringRef text) const {
    return isSound && rules.count("root") &&
           rules.at("root")(text, {0}).count(text.size());
  }

private:
  using Places = std::set<size_t>;
  using Matcher = std::function<Places(llvm::StringRef, const Places &)>;

  static bool isName(llvm::StringRef name) {
    return !name.empty() && llvm::all_of(name, [](char one) {
      return llvm::isAlnum(one) || one == '-';
    });
  }

  Matcher alternatives() {
    std::vector<Matcher> all = {sequence()};
    while (rest.ltrim().starts_with("|")) {
      rest = rest.ltrim().drop_front();
      all.push_back(sequence());
    }
    return [all](llvm::StringRef text, const Places &from) {
      Places to;
      for (const Matcher &one : all)
        for (size_t at : one(text, from))
          to.insert(at);
      return to;
    };
  }

  Matcher sequence() {
    std::vector<Matcher> all;
    for (rest = rest.ltrim();
         !rest.empty() && rest.front() != '|' && rest.front() != ')' && isSound;
         rest = rest.ltrim())
      all.push_back(repeated(single()));
    isSound = isSound && !all.empty();
    return [all](llvm::StringRef text, Places places) {
      for (const Matcher &one : all)
        places = one(text, places);
      return places;
    };
  }

  Matcher repeated(Matcher one) {
    unsigned min = 1, max = 1;
    if (rest.consume_front("?"))
      min = 0;
    else if (rest.consume_front("*"))
      min = 0, max = ~0u;
    else if (rest.consume_front("+"))
      max = ~0u;
    else if (rest.consume_front("{"))
      isSound = isSound && !rest.consumeInteger(10, min) &&
                rest.consume_front(",") && !rest.consumeInteger(10, max) &&
                rest.consume_front("}");
    return [one, min, max](llvm::StringRef text, const Places &from) {
      Places here = from, to = min == 0 ? from : Places();
      for (unsigned times = 1; times <= max && !here.empty(); ++times) {
        here = one(text, here);
        if (times >= min)
          to.insert(here.begin(), here.end());
      }
      return to;
    };
  }

  Matcher single() {
    if (rest.consume_front("\""))
      return literal();
    if (rest.consume_front("["))
      return characters();
    if (rest.consume_front("(")) {
      Matcher inside = alternatives();
      rest = rest.ltrim();
      isSound = isSound && rest.consume_front(")");
      return inside;
    }
    llvm::StringRef name = rest.take_while(
        [](char one) { return llvm::isAlnum(one) || one == '-'; });
    isSound = isSound && !name.empty();
    rest = rest.drop_front(name.size());
    return [this, name = name.str()](llvm::StringRef text, const Places &from) {
      auto rule = rules.find(name);
      return rule == rules.end() ? Places() : rule->second(text, from);
    };
  }

  /// One character of a literal or a set, which may be escaped.
  char character() {
    char one = rest.front();
    rest = rest.drop_front();
    if (one != '\\' || rest.empty())
      return one;
    one = rest.front();
    rest = rest.drop_front();
    if (one == 'n')
      return '\n';
    if (one != 'x')
      return one;
    unsigned code = 0;
    isSound = isSound && !rest.take_front(2).getAsInteger(16, code);
    rest = rest.drop_front(2);
    return char(code);
  }

  Matcher literal() {
    std::string wanted;
    while (!rest.empty() && rest.front() != '"')
      wanted += character();
    isSound = isSound && rest.consume_front("\"");
    return [wanted](llvm::StringRef text, const Places &from) {
      Places to;
      for (size_t at : from)
        if (text.substr(at).starts_with(wanted))
          to.insert(at + wanted.size());
      return to;
    };
  }

  Matcher characters() {
    bool isNegated = rest.consume_front("^");
    std::set<char> set;
    while (!rest.empty() && rest.front() != ']') {
      char first = character(), last = first;
      if (rest.consume_front("-"))
        last = character();
      for (int one = first; one <= last; ++one)
        set.insert(char(one));
    }
    isSound = isSound && rest.consume_front("]");
    return [set, isNegated](llvm::StringRef text, const Places &from) {
      Places to;
      for (size_t at : from)
        if (at < text.size() && (set.count(text[at]) != 0) != isNegated)
          to.insert(at + 1);
      return to;
    };
  }

  llvm::StringRef rest; ///< the unread part
  bool isSound = true;
  std::map<std::string, Matcher> rules;
};

} // namespace hone::test

#endif // HONE_TEST_CHAT_GBNF_H
