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
static constexpr StringRef kMagic = "hone-policy", kWriter = "writer";

static llvm::Error malformed(const llvm::formatv_object_base &what) {
  return llvm::createStringError(formatv(
      "expected weights of a policy, but got {0}; use what hone train wrote",
      what.str()));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void appendTo(std::string &bytes, llvm::ArrayRef<Vector> networks) {
  for (const Vector &parameters : networks)
    for (float value : parameters) {
      char word[4];
      llvm::support::endian::write32le(word, llvm::bit_cast<uint32_t>(value));
      bytes.append(word, 4);
    }
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

static json::Object headOf(const FilePart &part) {
  return json::Object{{"width", part.shape.width},
                      {"heads", part.shape.heads},
                      {"blocks", part.shape.blocks},
                      {"hidden", part.shape.hidden},
                      {"networks", int64_t(part.networks.size())},
                      {"names", arrayOf(part.names)},
                      {"means", arrayOf(part.means)},
                      {"spreads", arrayOf(part.spreads)}};
}

std::string ModelFile::str() const {
  std::string bytes;
  appendTo(bytes, networks);
  json::Object people, head = headOf(*this);
  for (const auto &[key, text] : card)
    people[key] = text;
  head[kMagic] = kVersion;
  head["card"] = std::move(people);
  if (writer) {
    appendTo(bytes, writer->networks);
    head[kWriter] = headOf(*writer);
  }
  head["check"] = checkOf(bytes);
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

static llvm::Error readNames(const json::Object &head, FilePart &file) {
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

/// What a part is made of besides its parameters, and how many networks.
static Expected<int64_t> readHead(const json::Object &head, FilePart &part) {
  int64_t networks = 0;
  if (llvm::Error error = readShape(head, part.shape, networks))
    return std::move(error);
  if (llvm::Error error = readNames(head, part))
    return std::move(error);
  return networks;
}

/// Takes them from the front of `bytes`, which has enough.
static llvm::Error readNetworks(StringRef &bytes, int64_t count,
                                FilePart &part) {
  for (; count > 0; --count) {
    Vector parameters(part.shape.parameters());
    for (float &value : parameters) {
      value =
          llvm::bit_cast<float>(llvm::support::endian::read32le(bytes.data()));
      bytes = bytes.drop_front(4);
      if (!std::isfinite(value))
        return malformed(formatv("a parameter that is no number"));
    }
    part.networks.push_back(std::move(parameters));
  }
  return llvm::Error::success();
}

static Expected<json::Object> readLine(StringRef line) {
  Expected<json::Value> value = parseUntrustedJson(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return malformed(formatv("no line of JSON at its front"));
  }
  json::Object *head = value->getAsObject();
  if (!head || !head->getInteger(kMagic))
    return malformed(formatv("no '{0}' in its first line", kMagic));
  if (head->getInteger(kMagic) != kVersion)
    return malformed(
        formatv("version {0}, not {1}", *head->getInteger(kMagic), kVersion));
  return std::move(*head);
}

/// Compares sizes before anything is allocated; each is at most some 1e15.
static llvm::Error readBody(StringRef bytes, ModelFile &file, int64_t networks,
                            int64_t writers) {
  int64_t size = file.shape.parameters() * networks * 4;
  if (file.writer)
    size += file.writer->shape.parameters() * writers * 4;
  if (int64_t(bytes.size()) != size)
    return malformed(formatv("{0} bytes of parameters where its shape has {1}",
                             bytes.size(), size));
  if (llvm::Error error = readNetworks(bytes, networks, file))
    return error;
  return file.writer ? readNetworks(bytes, writers, *file.writer)
                     : llvm::Error::success();
}

Expected<ModelFile> ModelFile::parse(StringRef bytes) {
  auto [line, rest] = bytes.split('\n');
  Expected<json::Object> head = readLine(line);
  if (!head)
    return head.takeError();
  ModelFile file;
  Expected<int64_t> networks = readHead(*head, file);
  if (!networks)
    return networks.takeError();
  int64_t writers = 0;
  if (const json::Value *given = head->get(kWriter)) {
    if (!given->getAsObject())
      return malformed(formatv("a '{0}' that is none", kWriter));
    Expected<int64_t> count =
        readHead(*given->getAsObject(), file.writer.emplace());
    if (!count)
      return count.takeError();
    writers = *count;
  }
  if (head->getString("check") != StringRef(checkOf(rest)))
    return malformed(formatv("parameters that are not those it was written "
                             "with"));
  if (llvm::Error error = readBody(rest, file, *networks, writers))
    return std::move(error);
  if (const json::Object *card = head->getObject("card"))
    for (const auto &[key, text] : *card)
      file.card[key.str()] = text.getAsString().value_or("").str();
  return file;
}
