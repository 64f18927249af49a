//===- ModelFile.cpp - Weights as bytes -----------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See hone/Model/Model.h.
//
//===----------------------------------------------------------------------===//

#include "ModelFile.h"
#include "hone/Model/CardedFile.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace hone;
using namespace hone::detail;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;

static constexpr StringRef kWriter = "writer", kBits = "bits";
static constexpr int64_t kHalfBits = 8 * kHalfBytes;
static constexpr CardedFile kWeightsFile = {"weights", "hone-policy", 1};

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static bool areHalves(llvm::ArrayRef<Vector> networks) {
  return llvm::all_of(networks, [](const Vector &parameters) {
    return llvm::all_of(
        parameters, [](float value) { return roundedToHalf(value) == value; });
  });
}

static void appendTo(std::string &bytes, llvm::ArrayRef<Vector> networks,
                     bool halves) {
  for (const Vector &parameters : networks)
    for (float value : parameters)
      halves ? appendHalf(bytes, value) : appendNumber(bytes, value);
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
  const bool halves =
      areHalves(networks) && (!writer || areHalves(writer->networks));
  std::string bytes;
  appendTo(bytes, networks, halves);
  json::Object head = headOf(*this);
  head[kWeightsFile.magic] = kWeightsFile.version;
  head["card"] = objectOf(card);
  if (halves)
    head[kBits] = kHalfBits;
  if (writer) {
    appendTo(bytes, writer->networks, halves);
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

static llvm::Error readShape(const json::Object &head, NetworkShape &shape,
                             int64_t &networks) {
  constexpr int64_t kWidest = 4096, kMaxBlocks = 64, kMaxNetworks = 64;
  for (auto [name, max, value] : {std::tuple{"width", kWidest, &shape.width},
                                  {"heads", kWidest, &shape.heads},
                                  {"blocks", kMaxBlocks, &shape.blocks},
                                  {"hidden", 4 * kWidest, &shape.hidden},
                                  {"networks", kMaxNetworks, &networks}}) {
    Expected<int64_t> size =
        kWeightsFile.readSize(head.get(name), name, 1, max);
    if (!size)
      return size.takeError();
    *value = *size;
  }
  if (shape.width % shape.heads)
    return kWeightsFile.malformed(
        formatv("{0} heads for a width of {1}", shape.heads, shape.width));
  return llvm::Error::success();
}

static llvm::Error readNumbers(const json::Object &head, StringRef name,
                               size_t count, std::vector<float> &numbers) {
  const json::Array *array = head.getArray(name);
  if (!array || array->size() != count)
    return kWeightsFile.malformed(formatv("no {0} '{1}'", count, name));
  for (const json::Value &value : *array) {
    std::optional<double> number = value.getAsNumber();
    if (!number || !std::isfinite(float(*number)))
      return kWeightsFile.malformed(
          formatv("a value of '{0}' that is not a number", name));
    numbers.push_back(float(*number));
  }
  return llvm::Error::success();
}

static llvm::Error readNames(const json::Object &head, FilePart &file) {
  Expected<std::vector<std::string>> names = kWeightsFile.readNames(head);
  if (!names)
    return names.takeError();
  file.names = std::move(*names);
  file.shape.inputs = file.names.size();
  if (llvm::Error error =
          readNumbers(head, "means", file.names.size(), file.means))
    return error;
  if (llvm::Error error =
          readNumbers(head, "spreads", file.names.size(), file.spreads))
    return error;
  for (float spread : file.spreads)
    if (!(spread > 0))
      return kWeightsFile.malformed(formatv("a spread of {0}", spread));
  return llvm::Error::success();
}

/// Reads the header of a part, without its parameters; returns the number of
/// networks.
static Expected<int64_t> readHead(const json::Object &head, FilePart &part) {
  int64_t networks = 0;
  if (llvm::Error error = readShape(head, part.shape, networks))
    return std::move(error);
  if (llvm::Error error = readNames(head, part))
    return std::move(error);
  return networks;
}

/// Takes networks from the front of `bytes`, which must be long enough.
static llvm::Error readNetworks(StringRef &bytes, int64_t count, bool halves,
                                FilePart &part) {
  for (; count > 0; --count) {
    Vector parameters(part.shape.parameters());
    for (float &value : parameters) {
      value = halves ? takeHalf(bytes) : takeNumber(bytes);
      if (!std::isfinite(value))
        return kWeightsFile.malformed(
            formatv("a parameter that is not a number"));
    }
    part.networks.push_back(std::move(parameters));
  }
  return llvm::Error::success();
}

/// Compares sizes before any allocation; each is at most about 1e15.
static llvm::Error readBody(StringRef bytes, ModelFile &file, int64_t networks,
                            int64_t writers, bool halves) {
  int64_t size = file.shape.parameters() * networks;
  if (file.writer)
    size += file.writer->shape.parameters() * writers;
  size *= int64_t(halves ? kHalfBytes : kNumberBytes);
  if (int64_t(bytes.size()) != size)
    return kWeightsFile.malformed(formatv(
        "{0} bytes of parameters where its shape has {1}", bytes.size(), size));
  if (llvm::Error error = readNetworks(bytes, networks, halves, file))
    return error;
  return file.writer ? readNetworks(bytes, writers, halves, *file.writer)
                     : llvm::Error::success();
}

Expected<ModelFile> ModelFile::parse(StringRef bytes) {
  auto [line, rest] = bytes.split('\n');
  Expected<json::Object> head = kWeightsFile.readHead(line);
  if (!head)
    return head.takeError();
  ModelFile file;
  Expected<int64_t> networks = readHead(*head, file);
  if (!networks)
    return networks.takeError();
  int64_t writers = 0;
  if (const json::Value *given = head->get(kWriter)) {
    if (!given->getAsObject())
      return kWeightsFile.malformed(
          formatv("a '{0}' that is not one", kWriter));
    Expected<int64_t> count =
        readHead(*given->getAsObject(), file.writer.emplace());
    if (!count)
      return count.takeError();
    writers = *count;
  }
  if (head->getString("check") != StringRef(checkOf(rest)))
    return kWeightsFile.malformed(
        formatv("parameters that are not those it was written "
                "with"));
  const json::Value *bits = head->get(kBits);
  if (bits && bits->getAsInteger() != kHalfBits)
    return kWeightsFile.malformed(
        formatv("'{0}' other than {1}", kBits, kHalfBits));
  if (llvm::Error error =
          readBody(rest, file, *networks, writers, /*halves=*/bits))
    return std::move(error);
  file.card = readCard(*head);
  return file;
}
