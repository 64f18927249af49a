//===- Frames.cpp - Messages in a stream of bytes -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Protocol.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Text/Json.h"
#include "hone/Workers/Protocol.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::protocol;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;

static constexpr StringRef kMagic = "hone-worker ";

std::string protocol::frame(const json::Value &message) {
  std::string text = formatv("{0}", message);
  return formatv("{0}{1} {2}\n{3}", kMagic, kVersion, text.size(), text);
}

/// A printable excerpt of unexpected bytes.
static std::string excerpt(StringRef bytes) {
  constexpr size_t kMax = 60;
  std::string text;
  llvm::raw_string_ostream(text).write_escaped(bytes.take_front(kMax));
  return text;
}

/// Parses the header line of a message.
static Error parseHeader(StringRef line, size_t &length) {
  StringRef rest = line;
  int64_t version;
  if (!rest.consume_front(kMagic) || rest.consumeInteger(10, version) ||
      !rest.consume_front(" ") || rest.getAsInteger(10, length))
    return llvm::createStringError(
        formatv("expected a frame, but got '{0}'", excerpt(line)));
  if (version != kVersion)
    return llvm::createStringError(
        formatv("expected a worker of protocol {0}, but got {1}; use the "
                "program that came with this hone",
                kVersion, version));
  if (length > kMaxBytes)
    return llvm::createStringError(
        formatv("expected a frame of at most {0} bytes, but got {1}", kMaxBytes,
                length));
  return Error::success();
}

/// Drops consumed bytes only here: with many small messages, a copy per message
/// would be slow.
void FrameReader::feed(StringRef bytes) {
  pending.erase(0, std::exchange(taken, 0));
  pending.append(bytes.begin(), bytes.end());
}

llvm::Expected<std::optional<json::Value>> FrameReader::next() {
  constexpr size_t kLongestHeader = 64;
  StringRef bytes = StringRef(pending).drop_front(taken);
  size_t end = bytes.take_front(kLongestHeader).find('\n');
  if (end == StringRef::npos && bytes.size() < kLongestHeader &&
      bytes.starts_with(kMagic.take_front(bytes.size())))
    return std::nullopt;
  size_t length = 0;
  if (Error error =
          parseHeader(bytes.take_front(std::min(end, kLongestHeader)), length))
    return std::move(error);
  StringRef text = bytes.drop_front(end + 1);
  if (text.size() < length)
    return std::nullopt;
  llvm::Expected<json::Value> message =
      parseUntrustedJson(text.take_front(length));
  if (!message)
    return message.takeError();
  taken += end + 1 + length;
  return std::optional<json::Value>(std::move(*message));
}

StringRef protocol::kindOf(const json::Value &message) {
  const json::Object *object = message.getAsObject();
  return object ? object->getString("is").value_or("") : "";
}
