//===- VerdictFile.cpp - File of proven kernels ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See VerdictFile.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Simulate/VerdictFile.h"
#include "hone/Text/File.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace hone::simulate;
using llvm::formatv;
using llvm::StringRef;

static constexpr StringRef kHeader = "hone-verdicts 1";
static constexpr StringRef kWord = "proven ";
static constexpr size_t kDigits = 64;
/// A million verdicts; a larger file is not a file of verdicts.
static constexpr uint64_t kMaxBytes = uint64_t(80) << 20;

std::string VerdictFile::beside(StringRef database) {
  return database.empty() ? "" : (database + ".verdicts").str();
}

VerdictFile::VerdictFile(std::string file) : path(std::move(file)) {
  llvm::sys::fs::file_status status;
  if (path.empty() || llvm::sys::fs::status(path, status, /*follow=*/false) ==
                          std::errc::no_such_file_or_directory)
    return;
  std::string why = llvm::sys::fs::is_symlink_file(status)
                        ? formatv("expected a file of verdicts, but got "
                                  "'{0}': a link",
                                  path)
                              .str()
                        : readFrom(path);
  if (why.empty())
    return;
  // It is neither read nor written.
  fault = why + "; it is ignored";
  path.clear();
}

/// The reason that it is not a file of verdicts, or an empty text.
std::string VerdictFile::readFrom(StringRef file) {
  auto buffer = readFile(file, {"a file of verdicts", kMaxBytes});
  if (!buffer)
    return llvm::toString(buffer.takeError());
  StringRef text = (*buffer)->getBuffer();
  // A writer that is killed may leave a part of the header.
  StringRef first = text.split('\n').first;
  if (!text.empty() &&
      !(first.starts_with("hone-") && kHeader.starts_with(first)))
    return formatv("expected a file of verdicts, but got '{0}': something that "
                   "does not begin with '{1}'",
                   file, kHeader);
  read(text);
  return "";
}

void VerdictFile::read(StringRef text) {
  for (size_t number = 1; !text.empty(); ++number) {
    auto [line, rest] = text.split('\n');
    text = rest;
    // Such a line results if a writer appends to an incomplete line, or if two
    // writers start with an empty file at once.
    if (line.empty() || line == kHeader)
      continue;
    StringRef digest = line;
    bool isVerdict = digest.consume_front(kWord) && digest.size() == kDigits &&
                     llvm::all_of(digest, llvm::isHexDigit);
    if (isVerdict)
      digests.insert(digest);
    else if (fault.empty())
      fault = formatv("'{0}': expected '{1}' and {2} digits in line {3}, but "
                      "got something else; such lines are ignored",
                      path, kWord.trim(), kDigits, number);
  }
}

llvm::Error VerdictFile::add(StringRef digest) {
  if (path.empty() || !digests.insert(digest).second)
    return llvm::Error::success();
  auto failed = [&] {
    return llvm::createStringError(formatv(
        "cannot write verdicts to '{0}': {1}", path, llvm::sys::StrError()));
  };
  constexpr mode_t kMode = 0666;
  int file =
      ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
             kMode);
  if (file < 0)
    return failed();
  auto close = llvm::scope_exit([&] { ::close(file); });
  struct stat status;
  if (::fstat(file, &status) != 0)
    return failed();
  std::string line;
  char last = '\n';
  if (status.st_size == 0)
    line = (kHeader + "\n").str();
  else if (::pread(file, &last, 1, status.st_size - 1) == 1 && last != '\n')
    line = "\n";
  line += (kWord + digest + "\n").str();
  if (::write(file, line.data(), line.size()) != ssize_t(line.size()))
    return failed();
  return llvm::Error::success();
}
