//===- Options.cpp - Options of one subcommand ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing is by table, and so is help: a description starts in the column after
// the longest option.
//
//===----------------------------------------------------------------------===//

#include "hone/Command/Options.h"
#include "hone/Text/Number.h"
#include "hone/Text/Suggest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace hone;
using llvm::formatv;
using llvm::StringRef;

llvm::Expected<int64_t> hone::parseNumber(StringRef text, int64_t min) {
  // The maximum of extents, and enough for every other number. Products in
  // smaller units stay within 64 bits.
  constexpr int64_t kMax = INT32_MAX;
  int64_t number;
  if (text.trim().getAsInteger(10, number) || number < min)
    return llvm::createStringError(
        min < 0 ? formatv("expected a number of at least {0}, but got '{1}'",
                          min, text)
                      .str()
                : formatv("expected a {0} number, but got '{1}'",
                          min > 0 ? "positive" : "natural", text)
                      .str());
  if (number > kMax)
    return llvm::createStringError(
        formatv("expected a number of at most {0}, but got '{1}'", kMax, text));
  return number;
}

llvm::Expected<std::vector<int64_t>> hone::parseNumbers(StringRef text,
                                                        int64_t min) {
  std::vector<int64_t> numbers;
  for (StringRef part : llvm::split(text, ',')) {
    llvm::Expected<int64_t> number = parseNumber(part, min);
    if (!number)
      return number.takeError();
    numbers.push_back(*number);
  }
  return numbers;
}

llvm::Expected<double> hone::parseReal(StringRef text) {
  constexpr double kMax = INT32_MAX;
  double number = realNumber(text.trim()).value_or(0);
  if (!(number > 0 && number <= kMax))
    return llvm::createStringError(
        formatv("expected a positive number, but got '{0}'", text));
  return number;
}

char UsageError::ID = 0;

llvm::Error hone::asUsage(llvm::Error error) {
  return llvm::make_error<UsageError>(llvm::toString(std::move(error)));
}

int hone::reportError(llvm::Error error, ExitStatus status) {
  if (error.isA<UsageError>())
    status = kExitUsage;
  // Earlier output comes first, also if both streams go to one file.
  llvm::outs().flush();
  llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
  return status;
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

OptionList::OptionList(std::string usage, std::string about)
    : usage(std::move(usage)), about(std::move(about)) {}

/// The separator between the values of a list, or 0.
static char separatorOf(StringRef placeholder) {
  return placeholder.ends_with(",...")   ? ','
         : placeholder.ends_with(";...") ? ';'
                                         : 0;
}

void OptionList::add(StringRef name, StringRef placeholder, std::string &value,
                     StringRef help, ValueCheck check) {
  std::string text = help.str();
  if (!value.empty())
    text += " (default " + value + ")";
  char separator = separatorOf(placeholder);
  items.push_back({name.str(), placeholder.str(), text,
                   [&value, separator](StringRef arg, bool again) {
                     value = again ? value + separator + arg.str() : arg.str();
                     return llvm::Error::success();
                   },
                   std::move(check)});
}

void OptionList::add(StringRef name, StringRef placeholder, std::string &value,
                     StringRef help, llvm::ArrayRef<StringRef> words) {
  std::vector<std::string> all(words.begin(), words.end());
  add(name, placeholder, value, help,
      [name = name.str(), all = std::move(all)](StringRef text) {
        return llvm::is_contained(all, text)
                   ? llvm::Error::success()
                   : llvm::createStringError(
                         formatv("--{0}: expected one of {1}, but got '{2}'",
                                 name, llvm::join(all, ", "), text));
      });
}

/// Sets a number by its reader; a list grows.
template <typename T, typename ReadT>
static llvm::Error setNumber(T &value, llvm::Expected<ReadT> read,
                             bool again = false) {
  if (!read)
    return read.takeError();
  if constexpr (std::is_arithmetic_v<T>) {
    value = *read;
  } else {
    if (!again)
      value.clear(); // the default
    llvm::append_range(value, *read);
  }
  return llvm::Error::success();
}

void OptionList::add(StringRef name, StringRef placeholder, int64_t &value,
                     StringRef help, int64_t min) {
  std::string text = help.str();
  if (value)
    text += formatv(" (default {0})", value);
  items.push_back({name.str(), placeholder.str(), text,
                   [&value, min](StringRef arg, bool) {
                     return setNumber(value, parseNumber(arg, min));
                   },
                   nullptr});
}

void OptionList::add(StringRef name, StringRef placeholder, double &value,
                     StringRef help) {
  std::string text = help.str();
  if (value > 0)
    llvm::raw_string_ostream(text)
        << " (default " << llvm::format("%g", value) << ")";
  items.push_back({name.str(), placeholder.str(), text,
                   [&value](StringRef arg, bool) {
                     return setNumber(value, parseReal(arg));
                   },
                   nullptr});
}

void OptionList::add(StringRef name, StringRef placeholder, double &value,
                     double unit, StringRef help, int64_t min) {
  std::string text = help.str();
  if (value > 0)
    text += formatv(" (default {0})", std::llround(value / unit));
  items.push_back({name.str(), placeholder.str(), text,
                   [&value, unit, min](StringRef arg, bool) -> llvm::Error {
                     int64_t units = 0;
                     if (llvm::Error error =
                             setNumber(units, parseNumber(arg, min)))
                       return error;
                     value = double(units) * unit;
                     return llvm::Error::success();
                   },
                   nullptr});
}

void OptionList::add(StringRef name, StringRef placeholder,
                     std::vector<int64_t> &value, StringRef help, int64_t min) {
  items.push_back({name.str(), placeholder.str(), help.str(),
                   [&value, min](StringRef arg, bool again) {
                     return setNumber(value, parseNumbers(arg, min), again);
                   },
                   nullptr});
}

void OptionList::add(StringRef name, bool &value, StringRef help) {
  items.push_back({name.str(), "", help.str(),
                   [&value](StringRef, bool) {
                     value = true;
                     return llvm::Error::success();
                   },
                   nullptr});
}

void OptionList::positional(StringRef name, std::string &value, StringRef help,
                            bool isNeeded) {
  needsPosition = isNeeded;
  position = Item{name.str(), "", help.str(),
                  [&value](StringRef arg, bool) {
                    value = arg.str();
                    return llvm::Error::success();
                  },
                  nullptr};
}

void OptionList::require(StringRef name) {
  for (Item &item : items)
    item.isNeeded |= item.name == name;
}

void OptionList::abbreviate(char letter, StringRef name) {
  abbreviations.push_back({std::string("-") + letter, name.str()});
}

StringRef OptionList::longFor(StringRef arg) const {
  for (const auto &[shortName, name] : abbreviations)
    if (arg == shortName)
      return name;
  return "";
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

llvm::Error OptionList::setItem(const Item &item, StringRef arg,
                                int &count) const {
  auto [name, value] = arg.drop_front(2).split('=');
  if (arg.contains('=') == item.placeholder.empty())
    return llvm::createStringError(
        item.placeholder.empty()
            ? formatv("expected --{0} alone, but got '{1}'", name, arg).str()
            : formatv("expected a value, but got '{1}'; use --{0}={2}", name,
                      arg, item.placeholder)
                  .str());
  if (count++ && !separatorOf(item.placeholder))
    return llvm::createStringError(formatv(
        "expected --{0} once, but got '{1}' as well; remove one", name, arg));
  if (llvm::Error error = item.set(value, /*again=*/count > 1))
    return llvm::createStringError("--" + item.name + ": " +
                                   llvm::toString(std::move(error)));
  return item.check ? item.check(value) : llvm::Error::success();
}

llvm::Error OptionList::set(StringRef arg, Counts &counts) const {
  auto refused = [&] {
    std::vector<std::string> spelled;
    for (const Item &item : items)
      spelled.push_back("--" + item.name);
    return llvm::createStringError(formatv(
        "expected an option, but got '{0}'; use --help for the list{1}", arg,
        didYouMean(arg.split('=').first,
                   std::vector<StringRef>(spelled.begin(), spelled.end()))));
  };
  if (!arg.starts_with("--")) {
    if (!position || counts.back()++ || arg.empty())
      return refused();
    return position->set(arg, /*again=*/false);
  }
  StringRef name = arg.drop_front(2).split('=').first;
  auto item =
      llvm::find_if(items, [&](const Item &each) { return each.name == name; });
  return item == items.end()
             ? refused()
             : setItem(*item, arg, counts[item - items.begin()]);
}

std::optional<int> OptionList::parse(llvm::ArrayRef<StringRef> args) const {
  if (llvm::is_contained(args, "--help") || llvm::is_contained(args, "-h")) {
    printHelp();
    return kExitSuccess;
  }
  Counts counts(items.size() + 1);
  for (size_t i = 0; i < args.size(); ++i) {
    std::string arg = args[i].str();
    // `-o DIR` is `--out=DIR`.
    if (StringRef name = longFor(arg); !name.empty())
      arg = "--" + name.str() +
            (i + 1 < args.size() ? "=" + args[++i].str() : "");
    if (llvm::Error error = set(arg, counts))
      return reportError(std::move(error), kExitUsage);
  }
  for (auto [item, count] : llvm::zip(items, counts))
    if (item.isNeeded && !count)
      return reportError(
          llvm::createStringError(formatv("expected --{0}={1}, but got none; "
                                          "use {2}",
                                          item.name, item.placeholder, usage)),
          kExitUsage);
  if (needsPosition && !counts.back())
    return reportError(
        llvm::createStringError(formatv(
            "expected {0}, but got nothing; use {1}", position->name, usage)),
        kExitUsage);
  return std::nullopt;
}

int OptionList::run(llvm::ArrayRef<StringRef> args,
                    llvm::function_ref<llvm::Expected<int>()> command) const {
  if (std::optional<int> status = parse(args))
    return *status;
  llvm::Expected<int> status = command();
  return status ? *status : reportError(status.takeError());
}

std::string OptionList::spelling(const Item &item) const {
  for (const auto &[shortName, name] : abbreviations)
    if (item.name == name)
      return shortName + " " + item.placeholder;
  return "--" + item.name +
         (item.placeholder.empty() ? "" : "=" + item.placeholder);
}

void OptionList::printHelp() const {
  size_t width = std::max<size_t>(StringRef("--help").size(),
                                  position ? position->name.size() : 0);
  for (const Item &item : items)
    width = std::max(width, spelling(item).size());
  llvm::outs() << "usage: " << usage << "\n\n" << about << "\n\n";
  auto line = [&](StringRef name, StringRef help) {
    llvm::outs() << "  " << llvm::left_justify(name, width + 2) << help << "\n";
  };
  if (position)
    line(position->name, position->help);
  for (const Item &item : items)
    line(spelling(item), item.help);
  line("--help", "this text");
}
