//===- WriteAheadLog.cpp - Merge of a database and its log ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format is SQLite's (https://sqlite.org/fileformat2.html#walformat): a
// header, then frames of a page each. Every frame has the header's two salts
// and the checksum of everything before it, which separates it from frames of
// an earlier pass through the same file. The last frame of a transaction has
// the number of pages of the database.
//
//===----------------------------------------------------------------------===//

#include "WriteAheadLog.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using llvm::StringRef;

static constexpr size_t kHeaderBytes = 32, kFrameHeaderBytes = 24;
static constexpr uint32_t kMagic = 0x377f0682, kVersion = 3007000;
static constexpr size_t kMaxBytes = size_t(1) << 31;
static constexpr uint32_t kSmallestPage = 512, kLargestPage = 65536;

static uint32_t word(StringRef bytes, size_t at) {
  return llvm::support::endian::read32be(bytes.data() + at);
}

namespace {
class Checksum {
public:
  explicit Checksum(bool isBigEndian) : isBigEndian(isBigEndian) {}

  /// Adds a multiple of 8 bytes.
  void add(StringRef bytes) {
    auto read = [&](size_t at) {
      return isBigEndian ? llvm::support::endian::read32be(bytes.data() + at)
                         : llvm::support::endian::read32le(bytes.data() + at);
    };
    for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first += read(at) + second;
      second += read(at + 4) + first;
    }
  }
  bool stands(StringRef bytes, size_t at) const {
    return word(bytes, at) == first && word(bytes, at + 4) == second;
  }

private:
  bool isBigEndian;
  uint32_t first = 0, second = 0;
};
} // namespace

std::string hone::detail::withLog(StringRef database, StringRef log) {
  std::string result = database.str();
  if (log.size() < kHeaderBytes || (word(log, 0) & ~1u) != kMagic ||
      word(log, 4) != kVersion)
    return result;
  size_t page = word(log, 8);
  Checksum sum(/*isBigEndian=*/word(log, 0) & 1);
  sum.add(log.take_front(24));
  if (!llvm::isPowerOf2_64(page) || page < kSmallestPage ||
      page > kLargestPage || !sum.stands(log, 24))
    return result;
  StringRef salts = log.substr(16, 8);

  size_t begin = kHeaderBytes, frameBytes = kFrameHeaderBytes + page;
  size_t begun = begin; // of the first frame without a complete transaction
  for (; begin + frameBytes <= log.size(); begin += frameBytes) {
    StringRef frame = log.substr(begin, frameBytes);
    sum.add(frame.take_front(8));
    sum.add(frame.drop_front(kFrameHeaderBytes));
    if (frame.substr(8, 8) != salts || !sum.stands(frame, 16) ||
        word(frame, 0) == 0)
      break;
    uint32_t pages = word(frame, 4);
    if (pages == 0)
      continue;
    if (pages > kMaxBytes / page)
      break;
    result.resize(pages * page);
    for (; begun <= begin; begun += frameBytes) {
      size_t at = (size_t(word(log, begun)) - 1) * page;
      if (at < result.size())
        result.replace(at, page,
                       log.substr(begun + kFrameHeaderBytes, page).str());
    }
  }
  return result;
}
