//===- VerdictFile.cpp - Which kernels were proven ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See VerdictFile.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Simulate/VerdictFile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace hone::simulate;
using llvm::formatv;
using llvm::StringRef;

static constexpr StringRef kHeader = "hone-verdicts 1";
static constexpr StringRef kWord = "proven ";
static constexpr size_t kDigits = 64;
/// A million verdicts; whatever is larger is no file of ours.
static constexpr uint64_t kMostBytes = uint64_t(80) << 20;

std::string VerdictFile::beside(StringRef database) {
  return database.empty() ? "" : (database + ".verdicts").str();
}

VerdictFile::VerdictFile(std::string file) : path(std::move(file)) {
  struct stat status;
  if (path.empty() || ::stat(path.c_str(), &status) != 0)
    return;
  if (!S_ISREG(status.st_mode) || uint64_t(status.st_size) > kMostBytes) {
    fault = formatv("'{0}': expected a file of verdicts, but got something "
                    "else; it is ignored",
                    path);
    return;
  }
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (buffer)
    read((*buffer)->getBuffer());
  else
    fault = formatv("'{0}': expected a file of verdicts, but got: {1}; it is "
                    "ignored",
                    path, buffer.getError().message());
}

void VerdictFile::read(StringRef text) {
  for (size_t number = 1; !text.empty(); ++number) {
    auto [line, rest] = text.split('\n');
    text = rest;
    // A writer that meets half a line, or an empty file at the same moment as
    // another, leaves one of these.
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
    return llvm::createStringError(
        formatv("expected to write verdicts to '{0}', but got: {1}", path,
                llvm::sys::StrError()));
  };
  constexpr mode_t kMode = 0666;
  int file =
      ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, kMode);
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
