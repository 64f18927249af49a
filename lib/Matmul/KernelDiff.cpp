//===- KernelDiff.cpp - Diff of kernels -----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelDiff.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/KernelDiff.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hone;

/// A line and its sign.
using SignedLine = std::pair<char, StringRef>;

static SmallVector<std::string> linesOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.walk([&](gpu::GPUFuncOp kernel) {
    kernel.print(stream, OpPrintingFlags().useLocalScope());
    stream << "\n";
  });
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  return llvm::map_to_vector(lines, [](StringRef line) { return line.str(); });
}

/// The line without the numbers of values and kernels, which change with every
/// op before them.
static std::string comparable(StringRef line) {
  std::string text;
  while (!line.empty()) {
    char first = line.front();
    if (first != '%' && first != '@') {
      text += first;
      line = line.drop_front();
      continue;
    }
    StringRef name = line.drop_front().take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_'; });
    text += first;
    if (first == '%')
      text += name.rtrim("0123456789").rtrim('_');
    line = line.drop_front(1 + name.size());
  }
  return text;
}

static SmallVector<SignedLine> compare(ArrayRef<std::string> before,
                                       ArrayRef<std::string> after) {
  auto keys = [](ArrayRef<std::string> lines) {
    return llvm::map_to_vector(
        lines, [](const std::string &line) { return comparable(line); });
  };
  SmallVector<std::string> one = keys(before), other = keys(after);
  // The length of the longest common rest, from each pair of lines on.
  std::vector<std::vector<int>> rest(one.size() + 1,
                                     std::vector<int>(other.size() + 1));
  for (size_t i = one.size(); i-- > 0;)
    for (size_t j = other.size(); j-- > 0;)
      rest[i][j] = one[i] == other[j]
                       ? 1 + rest[i + 1][j + 1]
                       : std::max(rest[i + 1][j], rest[i][j + 1]);
  SmallVector<SignedLine> lines;
  for (size_t i = 0, j = 0; i < one.size() || j < other.size();) {
    if (i < one.size() && j < other.size() && one[i] == other[j]) {
      lines.push_back({' ', after[j]});
      ++i, ++j;
    } else if (j == other.size() ||
               (i < one.size() && rest[i + 1][j] >= rest[i][j + 1])) {
      lines.push_back({'-', before[i++]});
    } else {
      lines.push_back({'+', after[j++]});
    }
  }
  return lines;
}

void hone::printKernelDiff(ModuleOp before, ModuleOp after, bool whole) {
  const SmallVector<std::string> one = linesOf(before), other = linesOf(after);
  const SmallVector<SignedLine> lines = compare(one, other);
  constexpr size_t kAround = 3;
  size_t printed = 0;
  for (size_t at = 0; at < lines.size(); ++at) {
    size_t from = at > kAround ? at - kAround : 0;
    size_t to = std::min(lines.size(), at + kAround + 1);
    bool isNear = std::any_of(lines.begin() + from, lines.begin() + to,
                              [](auto &line) { return line.first != ' '; });
    if (!whole && !isNear)
      continue;
    if (printed < at)
      llvm::outs() << "  ...\n";
    printed = at + 1;
    llvm::outs() << lines[at].first << " " << lines[at].second << "\n";
  }
}
