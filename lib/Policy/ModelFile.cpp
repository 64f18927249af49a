//===- ModelFile.cpp - Weights as bytes -----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See hone/Policy/Model.h.
//
//===----------------------------------------------------------------------===//

#include "ModelFile.h"
#include "hone/Text/Json.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cmath>

using namespace hone;
using namespace hone::detail;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;

static constexpr int64_t kVersion = 1;
static constexpr StringRef kMagic = "hone-policy";

static llvm::Error malformed(const llvm::formatv_object_base &what) {
  return llvm::createStringError(formatv(
      "expected weights of a policy, but got {0}; use what hone train wrote",
      what.str()));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static std::string bytesOf(llvm::ArrayRef<Vector> networks) {
  std::string bytes;
  for (const Vector &parameters : networks)
    for (float value : parameters) {
      char word[4];
      llvm::support::endian::write32le(word, llvm::bit_cast<uint32_t>(value));
      bytes.append(word, 4);
    }
  return bytes;
}

static std::string checkOf(StringRef bytes) {
  return formatv("{0:x-}", llvm::xxh3_64bits(bytes)).str();
}

template <typename RangeT>
static json::Array arrayOf(const RangeT &values) {
  json::Array array;
  for (const auto &value : values)
    array.push_back(value);
  return array;
}

std::string ModelFile::str() const {
  std::string bytes = bytesOf(networks);
  json::Object people;
  for (const auto &[key, text] : card)
    people[key] = text;
  json::Object head{{kMagic, kVersion},
                    {"width", shape.width},
                    {"heads", shape.heads},
                    {"blocks", shape.blocks},
                    {"hidden", shape.hidden},
                    {"networks", int64_t(networks.size())},
                    {"names", arrayOf(names)},
                    {"means", arrayOf(means)},
                    {"spreads", arrayOf(spreads)},
                    {"card", std::move(people)},
                    {"check", checkOf(bytes)}};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << json::Value(std::move(head)) << "\n" << bytes;
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// A natural number of a moderate size.
static llvm::Error readSize(const json::Object &head, StringRef name,
                            int64_t most, int64_t &value) {
  std::optional<int64_t> read = head.getInteger(name);
  if (!read || *read < 1 || *read > most)
    return malformed(formatv("no '{0}' of 1 to {1}", name, most));
  value = *read;
  return llvm::Error::success();
}

static llvm::Error readShape(const json::Object &head, NetworkShape &shape,
                             int64_t &networks) {
  constexpr int64_t kWidest = 4096, kMostBlocks = 64, kMostNetworks = 64;
  for (auto [name, most, value] : {std::tuple{"width", kWidest, &shape.width},
                                   {"heads", kWidest, &shape.heads},
                                   {"blocks", kMostBlocks, &shape.blocks},
                                   {"hidden", 4 * kWidest, &shape.hidden},
                                   {"networks", kMostNetworks, &networks}})
    if (llvm::Error error = readSize(head, name, most, *value))
      return error;
  if (shape.width % shape.heads)
    return malformed(
        formatv("{0} heads for a width of {1}", shape.heads, shape.width));
  return llvm::Error::success();
}

static llvm::Error readNumbers(const json::Object &head, StringRef name,
                               size_t count, std::vector<float> &numbers) {
  const json::Array *array = head.getArray(name);
  if (!array || array->size() != count)
    return malformed(formatv("no {0} '{1}'", count, name));
  for (const json::Value &value : *array) {
    std::optional<double> number = value.getAsNumber();
    if (!number || !std::isfinite(float(*number)))
      return malformed(formatv("a value of '{0}' that is no number", name));
    numbers.push_back(float(*number));
  }
  return llvm::Error::success();
}

static llvm::Error readNames(const json::Object &head, ModelFile &file) {
  constexpr size_t kMostNames = 4096;
  const json::Array *names = head.getArray("names");
  if (!names || names->empty() || names->size() > kMostNames)
    return malformed(formatv("no names"));
  llvm::StringSet<> seen;
  for (const json::Value &name : *names) {
    std::optional<StringRef> text = name.getAsString();
    if (!text)
      return malformed(formatv("a name that is no text"));
    if (!seen.insert(*text).second)
      return malformed(formatv("the name '{0}' twice", *text));
    file.names.push_back(text->str());
  }
  file.shape.inputs = file.names.size();
  if (llvm::Error error =
          readNumbers(head, "means", file.names.size(), file.means))
    return error;
  if (llvm::Error error =
          readNumbers(head, "spreads", file.names.size(), file.spreads))
    return error;
  for (float spread : file.spreads)
    if (!(spread > 0))
      return malformed(formatv("a spread of {0}", spread));
  return llvm::Error::success();
}

static llvm::Error readNetworks(StringRef bytes, int64_t count,
                                ModelFile &file) {
  // At most some 1e15, which is no overflow; and compared before it is
  // allocated.
  int64_t each = file.shape.parameters();
  if (int64_t(bytes.size()) != each * count * 4)
    return malformed(formatv("{0} bytes of parameters where its shape has {1}",
                             bytes.size(), each * count * 4));
  for (; count > 0; --count) {
    Vector parameters(each);
    for (float &value : parameters) {
      value =
          llvm::bit_cast<float>(llvm::support::endian::read32le(bytes.data()));
      bytes = bytes.drop_front(4);
      if (!std::isfinite(value))
        return malformed(formatv("a parameter that is no number"));
    }
    file.networks.push_back(std::move(parameters));
  }
  return llvm::Error::success();
}

Expected<ModelFile> ModelFile::parse(StringRef bytes) {
  auto [line, rest] = bytes.split('\n');
  Expected<json::Value> value = parseUntrustedJson(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return malformed(formatv("no line of JSON at its front"));
  }
  const json::Object *head = value->getAsObject();
  if (!head || !head->getInteger(kMagic))
    return malformed(formatv("no '{0}' in its first line", kMagic));
  if (head->getInteger(kMagic) != kVersion)
    return malformed(
        formatv("version {0}, not {1}", *head->getInteger(kMagic), kVersion));
  ModelFile file;
  int64_t networks = 0;
  if (llvm::Error error = readShape(*head, file.shape, networks))
    return std::move(error);
  if (llvm::Error error = readNames(*head, file))
    return std::move(error);
  if (head->getString("check") != StringRef(checkOf(rest)))
    return malformed(formatv("parameters that are not those it was written "
                             "with"));
  if (llvm::Error error = readNetworks(rest, networks, file))
    return std::move(error);
  if (const json::Object *card = head->getObject("card"))
    for (const auto &[key, text] : *card)
      file.card[key.str()] = text.getAsString().value_or("").str();
  return file;
}
