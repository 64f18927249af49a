//===- Names.cpp - Argument names in C ------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module does not keep the names of its values. But the location of an
// argument is the place of its name in the text, and a location can have a
// name, which lasts through all passes.
//
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "hone/Export/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// From the source
//===----------------------------------------------------------------------===//

/// `a` if `%a` is at `place`; otherwise "".
static StringRef nameAt(ArrayRef<StringRef> lines, FileLineColLoc place) {
  if (place.getLine() == 0 || place.getLine() > lines.size() ||
      place.getColumn() == 0)
    return "";
  StringRef rest = lines[place.getLine() - 1].drop_front(std::min<size_t>(
      place.getColumn() - 1, lines[place.getLine() - 1].size()));
  if (!rest.consume_front("%"))
    return "";
  return rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
}

void hone::nameArguments(ModuleOp module, StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  module.walk([&](func::FuncOp function) {
    for (BlockArgument argument : function.getArguments()) {
      auto place = dyn_cast<FileLineColLoc>(argument.getLoc());
      StringRef name = place ? nameAt(lines, place) : "";
      if (!name.empty())
        argument.setLoc(NameLoc::get(StringAttr::get(module.getContext(), name),
                                     argument.getLoc()));
    }
  });
}

//===----------------------------------------------------------------------===//
// In C
//===----------------------------------------------------------------------===//

bool hone::isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// True for keywords of C and C++, and names used in the header.
static bool isReserved(StringRef name) {
  static const llvm::StringSet<> words = {
      "alignas",  "alignof",   "and",       "asm",       "auto",     "bool",
      "break",    "case",      "catch",     "char",      "class",    "concept",
      "const",    "continue",  "decltype",  "default",   "delete",   "do",
      "double",   "else",      "enum",      "explicit",  "export",   "extern",
      "false",    "final",     "float",     "for",       "friend",   "goto",
      "if",       "import",    "inline",    "int",       "long",     "module",
      "mutable",  "namespace", "new",       "noexcept",  "not",      "nullptr",
      "operator", "or",        "private",   "protected", "public",   "register",
      "requires", "restrict",  "return",    "short",     "signed",   "sizeof",
      "static",   "stream",    "struct",    "switch",    "template", "this",
      "throw",    "true",      "try",       "typedef",   "typeid",   "typename",
      "union",    "unsigned",  "using",     "virtual",   "void",     "volatile",
      "while",    "xor",       "constexpr", "unix",      "linux"};
  return words.contains(name);
}

/// The name of an argument in the source, if it is a C identifier; otherwise
/// "".
static std::string nameOf(Location location) {
  auto named = location->findInstanceOf<NameLoc>();
  std::string name = named ? named.getName().str() : "";
  if (!isIdentifier(name) || name.front() == '_')
    return "";
  return isReserved(name) ? name + "_" : name;
}

/// Gives every argument a name, with a number if names would collide.
void hone::chooseNames(ExportedFunction &function, func::FuncOp op) {
  unsigned results = 0;
  for (auto [index, argument] : llvm::enumerate(function.arguments)) {
    std::string own = nameOf(op.getArgument(index).getLoc());
    if (argument.isResult)
      argument.name = formatv("result{0}", results++).str();
    else
      argument.name = own.empty() ? formatv("arg{0}", index).str() : own;
  }
  llvm::StringSet<> seen;
  bool isUnique =
      llvm::all_of(function.parameters(), [&](const Parameter &parameter) {
        return seen.insert(parameter.name).second;
      });
  if (isUnique)
    return;
  for (auto [index, argument] : llvm::enumerate(function.arguments))
    argument.name = formatv("arg{0}", index).str();
}
