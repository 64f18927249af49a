//===- TreesFile.cpp - Trees as bytes -------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   {"hone-trees":1,"depth":6,"trees":1000,"names":[...],"edges":[3,...],
//    "card":{...},"check":"..."}\n
//   edges of the first input, of the second, ...: f32
//   tree by tree: questions (input u16, most u8), leaves (f32)
//
// The number of bytes follows from the first line, and is compared before any
// allocation.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/CardedFile.h"
#include "hone/Model/Trees.h"
#include "hone/Text/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace hone;
using namespace hone::detail;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;
namespace endian = llvm::support::endian;

static constexpr CardedFile kTreesFile = {"trees", "hone-trees", 1};
static constexpr int64_t kMaxTrees = 1 << 16, kMaxEdges = 255;
static constexpr size_t kQuestionBytes = 3;

namespace hone {
struct TreesFile {
  static std::string bytesOf(const Trees &trees);
  static std::string headOf(const Trees &trees, StringRef bytes);
  static Error readEdges(const std::vector<int64_t> &counts, StringRef &bytes,
                         Trees &trees);
  static Error readTrees(int64_t count, int64_t depth, StringRef &bytes,
                         Trees &trees);
  static Expected<Trees> parse(StringRef bytes);
};
} // namespace hone

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string TreesFile::bytesOf(const Trees &trees) {
  std::string bytes;
  for (const std::vector<float> &cuts : trees.edges)
    for (float edge : cuts)
      appendNumber(bytes, edge);
  for (const Trees::Tree &tree : trees.trees) {
    for (Trees::Question question : tree.questions) {
      bytes.push_back(char(question.input & 0xff));
      bytes.push_back(char(question.input >> 8));
      bytes.push_back(char(question.max));
    }
    for (float leaf : tree.leaves)
      appendNumber(bytes, leaf);
  }
  return bytes;
}

std::string TreesFile::headOf(const Trees &trees, StringRef bytes) {
  json::Array edges;
  for (const std::vector<float> &cuts : trees.edges)
    edges.push_back(int64_t(cuts.size()));
  size_t leaves = trees.trees.empty() ? 2 : trees.trees.front().leaves.size();
  json::Object head{{kTreesFile.magic, kTreesFile.version},
                    {"depth", int64_t(llvm::countr_zero(leaves))},
                    {"trees", int64_t(trees.trees.size())},
                    {"names", arrayOf(trees.names)},
                    {"edges", std::move(edges)},
                    {"card", objectOf(trees.card)},
                    {"check", checkOf(bytes)}};
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(head));
  return text;
}

std::string Trees::str() const {
  std::string bytes = TreesFile::bytesOf(*this);
  return TreesFile::headOf(*this, bytes) + "\n" + bytes;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Expected<std::vector<int64_t>> countsOf(const json::Object &head,
                                               size_t inputs) {
  const json::Array *array = head.getArray("edges");
  if (!array || array->size() != inputs)
    return kTreesFile.malformed(formatv("no {0} 'edges'", inputs));
  std::vector<int64_t> counts;
  for (const json::Value &value : *array) {
    Expected<int64_t> count =
        kTreesFile.readSize(&value, "edges", 0, kMaxEdges);
    if (!count)
      return count.takeError();
    counts.push_back(*count);
  }
  return counts;
}

Error TreesFile::readEdges(const std::vector<int64_t> &counts, StringRef &bytes,
                           Trees &trees) {
  for (int64_t count : counts) {
    std::vector<float> cuts;
    for (; count > 0; --count) {
      float edge = takeNumber(bytes);
      if (!std::isfinite(edge) || (!cuts.empty() && !(edge > cuts.back())))
        return kTreesFile.malformed(formatv("edges that do not ascend"));
      cuts.push_back(edge);
    }
    trees.edges.push_back(std::move(cuts));
  }
  return Error::success();
}

Error TreesFile::readTrees(int64_t count, int64_t depth, StringRef &bytes,
                           Trees &trees) {
  size_t leaves = size_t(1) << depth;
  for (; count > 0; --count) {
    Trees::Tree tree;
    for (size_t at = 0; at + 1 < leaves; ++at) {
      Trees::Question question{endian::read16le(bytes.data()),
                               uint8_t(bytes[2])};
      bytes = bytes.drop_front(kQuestionBytes);
      if (question.input >= trees.names.size())
        return kTreesFile.malformed(formatv("a question about input {0} of {1}",
                                            question.input,
                                            trees.names.size()));
      tree.questions.push_back(question);
    }
    for (size_t at = 0; at < leaves; ++at) {
      tree.leaves.push_back(takeNumber(bytes));
      if (!std::isfinite(tree.leaves.back()))
        return kTreesFile.malformed(formatv("a leaf that is not a number"));
    }
    trees.trees.push_back(std::move(tree));
  }
  return Error::success();
}

Expected<Trees> TreesFile::parse(StringRef bytes) {
  auto [line, rest] = bytes.split('\n');
  Expected<json::Object> head = kTreesFile.readHead(line);
  if (!head)
    return head.takeError();
  Trees trees;
  Expected<std::vector<std::string>> names = kTreesFile.readNames(*head);
  if (!names)
    return names.takeError();
  trees.names = std::move(*names);
  Expected<int64_t> depth =
      kTreesFile.readSize(head->get("depth"), "depth", 1, Trees::kDeepest);
  if (!depth)
    return depth.takeError();
  Expected<int64_t> count =
      kTreesFile.readSize(head->get("trees"), "trees", 0, kMaxTrees);
  if (!count)
    return count.takeError();
  Expected<std::vector<int64_t>> counts = countsOf(*head, trees.names.size());
  if (!counts)
    return counts.takeError();
  size_t leaves = size_t(1) << *depth, edges = 0;
  for (int64_t each : *counts)
    edges += size_t(each);
  size_t size =
      edges * kNumberBytes +
      size_t(*count) * ((leaves - 1) * kQuestionBytes + leaves * kNumberBytes);
  if (rest.size() != size)
    return kTreesFile.malformed(
        formatv("{0} bytes where its first line has {1}", rest.size(), size));
  if (head->getString("check") != StringRef(checkOf(rest)))
    return kTreesFile.malformed(
        formatv("trees that are not those it was written with"));
  if (Error error = readEdges(*counts, rest, trees))
    return std::move(error);
  if (Error error = readTrees(*count, *depth, rest, trees))
    return std::move(error);
  trees.card = readCard(*head);
  return trees;
}

Expected<Trees> Trees::parse(StringRef bytes, Kinds kinds) {
  Expected<Trees> trees = TreesFile::parse(bytes);
  if (trees)
    trees->origins = placesAmong(Reader::names(kinds), trees->names);
  return trees;
}

Expected<Trees> Trees::readFile(const std::string &path, Kinds kinds) {
  auto buffer = hone::readFile(path, {"trees of a policy", kMaxPolicyBytes});
  if (!buffer)
    return buffer.takeError();
  return parse((*buffer)->getBuffer(), kinds);
}
