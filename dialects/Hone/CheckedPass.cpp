//===- CheckedPass.cpp - Checks of the options of passes ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CheckedPass.h.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/CheckedPass.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace hone;

namespace {
mlir::detail::PassOptions &optionsOf(Pass &pass);
/// MLIR has no public way to the options of a pass. An explicit instantiation
/// may name a private member.
template <mlir::detail::PassOptions Pass::*Member>
struct Access {
  friend mlir::detail::PassOptions &optionsOf(Pass &pass) {
    return pass.*Member;
  }
};
template struct Access<&Pass::passOptions>;
} // namespace

/// Takes the next "name=value" from `text`. Quotes and braces may enclose
/// spaces.
static StringRef takeOption(StringRef &text) {
  text = text.ltrim();
  char quote = 0;
  int depth = 0;
  size_t end = 0;
  for (; end < text.size(); ++end) {
    char c = text[end];
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (llvm::isSpace(c) && depth == 0)
      break;
    else
      depth += (c == '{') - (c == '}');
  }
  StringRef option = text.take_front(end);
  text = text.drop_front(end);
  return option;
}

/// The words that an option takes; empty if it takes other values.
static SmallVector<StringRef> acceptedWords(llvm::cl::Option &option) {
  // LLVM gives the words of options without a name alone.
  StringRef name = std::exchange(option.ArgStr, "");
  SmallVector<StringRef> words;
  option.getExtraOptionNames(words);
  option.ArgStr = name;
  llvm::erase(words, "");
  return words;
}

LogicalResult hone::parseOptions(mlir::detail::PassOptions &options,
                                 StringRef text, llvm::raw_ostream &errors) {
  // MLIR hides this base, which has the options by name.
  const auto &known = ((llvm::cl::SubCommand &)options).OptionsMap;
  llvm::StringSet<> seen;
  for (StringRef rest = text; !rest.trim().empty();) {
    auto [name, value] = takeOption(rest).split('=');
    auto found = known.find(name);
    if (found == known.end())
      continue; // MLIR reports it
    if (!seen.insert(name).second) {
      errors << "expected option '" << name
             << "' once, but got it twice; remove one\n";
      return failure();
    }
    SmallVector<StringRef> words = acceptedWords(*found->second);
    if (words.empty() || value.empty() || llvm::is_contained(words, value))
      continue;
    errors << "option '" << name << "': expected one of "
           << llvm::join(words, ", ") << ", but got '" << value << "'\n";
    return failure();
  }
  return options.parseFromString(text, errors);
}

LogicalResult hone::parseOptions(Pass &pass, StringRef text,
                                 OptionErrors errorHandler) {
  std::string complaint;
  llvm::raw_string_ostream errors(complaint);
  return succeeded(parseOptions(optionsOf(pass), text, errors))
             ? success()
             : errorHandler(complaint);
}
