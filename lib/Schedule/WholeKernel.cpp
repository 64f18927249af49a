//===- WholeKernel.cpp - Kernels that no schedule describes ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WholeKernel.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/WholeKernel.h"
#include "Text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"

using namespace hone;
using namespace hone::detail;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static constexpr size_t kDigits = 15;

static std::string nameOf(StringRef text) {
  auto hash = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  std::string digits = llvm::toHex(hash, /*LowerCase=*/true).substr(0, kDigits);
  // A name of zeros alone means that there is no kernel.
  if (digits.find_first_not_of('0') == std::string::npos)
    digits.back() = '1';
  return "k" + digits;
}

WholeKernel WholeKernel::of(std::string text) {
  std::string name = nameOf(text);
  return {std::move(name), std::move(text)};
}

bool hone::isKernelName(StringRef name) {
  return name.consume_front("k") && name.size() == kDigits &&
         name.find_first_not_of("0123456789abcdef") == StringRef::npos &&
         name.find_first_not_of('0') != StringRef::npos;
}

std::optional<std::string> hone::faultOf(const WholeKernel &kernel) {
  if (kernel.text.size() > kMaxKernelBytes)
    return formatv("expected kernel IR of at most {0} bytes, but got {1}",
                   kMaxKernelBytes, kernel.text.size())
        .str();
  std::string name = nameOf(kernel.text);
  if (name == kernel.name)
    return std::nullopt;
  return formatv("expected the text of kernel {0}, but got that of {1}",
                 quoted(kernel.name), name)
      .str();
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

bool hone::namesWholeKernel(const Decision &decision) {
  return decision.isRewrite && decision.words.empty();
}

static const Decision *decisionOf(const Kind &kind) {
  const Decision *found = llvm::find_if(kind.decisions, namesWholeKernel);
  return found == kind.decisions.end() ? nullptr : found;
}

std::optional<std::string> hone::wholeKernelOf(const Schedule &schedule) {
  const Decision *decision = decisionOf(schedule.kind());
  if (!decision)
    return std::nullopt;
  std::string name = decision->print(schedule[decision->name]);
  return isKernelName(name) ? std::optional(name) : std::nullopt;
}

llvm::Expected<Schedule> hone::withWholeKernel(Schedule base, StringRef name) {
  const Decision *decision = decisionOf(base.kind());
  if (!decision)
    return failure("expected a kind whose kernels can be replaced, but got " +
                   base.kind().name + "; use ws");
  llvm::cantFail(base.decide(kRewrites, "[]"));
  if (llvm::Error error = base.decide(decision->name, name))
    return std::move(error);
  return base;
}

//===----------------------------------------------------------------------===//
// Untrusted text
//===----------------------------------------------------------------------===//

namespace {
/// Counts open brackets and the length of numbers, character by character,
/// outside of strings and comments.
class Counter {
public:
  explicit Counter(StringRef text) : text(text) {}
  std::optional<TooMuch> run();

private:
  /// True if the character is part of a string or a comment.
  bool isQuoted();
  void count(char character);

  static constexpr unsigned kDeepest = 128;
  static constexpr size_t kMaxDigits = 400;
  /// For the number of a result, `%0#12`, or the number of results, `%0:12`:
  /// MLIR's parser allocates that many results.
  static constexpr size_t kMaxResultDigits = 4;

  StringRef text;
  size_t at = 0;
  unsigned line = 1, depth = 0;
  size_t digits = 0;
  bool isResult = false; ///< this number is the number of a result
  bool isName = false;   ///< this text is the name of a value
  bool inString = false, inComment = false;
};
} // namespace

bool Counter::isQuoted() {
  char character = text[at];
  if (character == '\n')
    inComment = false;
  else if (!inString && text.substr(at).starts_with("//"))
    inComment = true;
  if (inString && character == '\\') {
    ++at; // an escaped quote does not end the string
    return true;
  }
  if (!inComment && character == '"')
    inString = !inString;
  return inString || inComment;
}

void Counter::count(char character) {
  digits = llvm::isHexDigit(character) ? digits + 1 : 0;
  isResult =
      digits ? isResult : character == '#' || (isName && character == ':');
  isName =
      character == '%' || (isName && (llvm::isAlnum(character) ||
                                      StringRef("_$.-").contains(character)));
  // The `>` of an arrow closes no bracket.
  bool isArrow = character == '>' && at > 0 && text[at - 1] == '-';
  if (StringRef("([{<").contains(character))
    ++depth;
  else if (StringRef(")]}>").contains(character) && !isArrow && depth > 0)
    --depth;
}

std::optional<TooMuch> Counter::run() {
  for (; at < text.size(); ++at) {
    line += text[at] == '\n';
    if (isQuoted())
      continue;
    count(text[at]);
    if (depth > kDeepest)
      return TooMuch{
          line, formatv("expected at most {0} levels of brackets, but got more",
                        kDeepest)};
    if (isResult && digits > kMaxResultDigits &&
        llvm::isDigit(text[at - digits + 1]))
      return TooMuch{line, formatv("expected numbers of results of at most {0} "
                                   "digits, but got more",
                                   kMaxResultDigits)};
    if (digits > kMaxDigits)
      return TooMuch{line,
                     formatv("expected numbers of at most {0} digits, but got "
                             "more",
                             kMaxDigits)};
  }
  return std::nullopt;
}

std::optional<TooMuch> hone::tooMuchOf(StringRef text) {
  return Counter(text).run();
}
