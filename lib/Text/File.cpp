//===- File.cpp - Reading and writing of whole files ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See File.h. A file is opened without blocking and checked through its
// descriptor, so that it cannot be replaced between the two steps.
//
//===----------------------------------------------------------------------===//

#include "hone/Text/File.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

using namespace hone;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::MemoryBuffer;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static Error fail(StringRef path, StringRef noun, const llvm::Twine &got) {
  return llvm::createStringError(
      formatv("expected {0}, but got '{1}': {2}", noun, path, got.str()));
}

static std::string sizeText(uint64_t bytes) {
  if (bytes >= kMiB && bytes % kMiB == 0)
    return formatv("{0} MiB", bytes / kMiB);
  if (bytes >= kKiB && bytes % kKiB == 0)
    return formatv("{0} KiB", bytes / kKiB);
  return formatv("{0} bytes", bytes);
}

static Error tooLarge(StringRef path, FileKind kind, const llvm::Twine &got) {
  return llvm::createStringError(
      formatv("expected {0} of at most {1}, but got '{2}': {3}", kind.noun,
              sizeText(kind.maxBytes), path, got.str()));
}

/// The description of a file that is not regular.
static StringRef nounOf(mode_t mode) {
  if (S_ISDIR(mode))
    return "a folder";
  if (S_ISFIFO(mode))
    return "a pipe";
  if (S_ISSOCK(mode))
    return "a socket";
  return "a device";
}

//===----------------------------------------------------------------------===//
// Bytecode
//===----------------------------------------------------------------------===//

bool hone::isBytecode(StringRef bytes) { return bytes.starts_with("ML\xefR"); }

Error hone::requireText(StringRef bytes, StringRef name) {
  if (!isBytecode(bytes))
    return Error::success();
  return llvm::createStringError(
      formatv("'{0}': expected text, but got MLIR bytecode; use the output of "
              "'hone-opt --accept-bytecode', if you trust the file",
              name));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Everything up to the end of the file; on failure none, with errno set. Reads
/// one byte past the maximum to detect a larger file.
static std::optional<std::string> readUpTo(int file, uint64_t maxBytes,
                                           uint64_t expectedBytes) {
  constexpr size_t kStep = 64 * kKiB;
  std::string bytes;
  bytes.reserve(std::min(maxBytes, expectedBytes) + 1);
  while (bytes.size() <= maxBytes) {
    size_t before = bytes.size();
    size_t room =
        std::min<uint64_t>(std::max<uint64_t>(kStep, bytes.capacity() - before),
                           maxBytes + 1 - before);
    bytes.resize(before + room);
    ssize_t got = ::read(file, bytes.data() + before, room);
    if (got < 0 && errno != EINTR)
      return std::nullopt;
    bytes.resize(before + std::max<ssize_t>(got, 0));
    if (got == 0)
      break;
  }
  return bytes;
}

static Expected<std::unique_ptr<MemoryBuffer>>
readDescriptor(int file, uint64_t expectedBytes, StringRef path,
               FileKind kind) {
  std::optional<std::string> bytes =
      readUpTo(file, kind.maxBytes, expectedBytes);
  if (!bytes)
    return fail(path, kind.noun, llvm::sys::StrError());
  if (bytes->size() > kind.maxBytes)
    return tooLarge(path, kind, "it has more");
  if (!kind.allowsBytecode)
    if (Error error = requireText(*bytes, path))
      return std::move(error);
  return MemoryBuffer::getMemBufferCopy(*bytes, path);
}

namespace {
/// A regular file that is open for reading.
class OpenFile {
public:
  explicit OpenFile(StringRef path)
      : descriptor(::open(path.str().c_str(),
                          O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {}
  OpenFile(const OpenFile &) = delete;
  ~OpenFile() {
    if (descriptor >= 0)
      ::close(descriptor);
  }

  /// Its size, or an error.
  Expected<uint64_t> size(StringRef path, StringRef noun) const {
    struct stat status;
    if (descriptor < 0 || ::fstat(descriptor, &status) != 0)
      return fail(path, noun, llvm::sys::StrError());
    if (!S_ISREG(status.st_mode))
      return fail(path, noun, nounOf(status.st_mode));
    return uint64_t(status.st_size);
  }
  int get() const { return descriptor; }

private:
  int descriptor;
};
} // namespace

Expected<std::unique_ptr<MemoryBuffer>> hone::readFile(StringRef path,
                                                       FileKind kind) {
  OpenFile file(path);
  Expected<uint64_t> bytes = file.size(path, kind.noun);
  if (!bytes)
    return bytes.takeError();
  if (*bytes > kind.maxBytes)
    return tooLarge(path, kind, "it has " + sizeText(*bytes));
  return readDescriptor(file.get(), *bytes, path, kind);
}

Expected<std::unique_ptr<MemoryBuffer>> hone::readMaybePacked(StringRef path,
                                                              FileKind kind) {
  namespace zstd = llvm::compression::zstd;
  auto file = readFile(path, kind);
  if (!file || !path.ends_with(".zst"))
    return file;
  if (!zstd::isAvailable())
    return llvm::createStringError(
        formatv("this build of LLVM has no zstd; unpack '{0}'", path));
  llvm::SmallVector<uint8_t, 0> text;
  auto packed = llvm::arrayRefFromStringRef((*file)->getBuffer());
  if (Error error = zstd::decompress(packed, text, kind.maxBytes))
    return llvm::createStringError(
        formatv("expected {0} packed by zstd, but got '{1}' ({2})", kind.noun,
                path, llvm::toString(std::move(error))));
  return MemoryBuffer::getMemBufferCopy(llvm::toStringRef(text), path);
}

Expected<std::string> hone::readStart(StringRef path, StringRef noun,
                                      uint64_t maxBytes) {
  OpenFile file(path);
  Expected<uint64_t> size = file.size(path, noun);
  if (!size)
    return size.takeError();
  std::optional<std::string> bytes = readUpTo(file.get(), maxBytes, maxBytes);
  if (!bytes)
    return fail(path, noun, llvm::sys::StrError());
  return bytes->substr(0, maxBytes);
}

Expected<std::unique_ptr<MemoryBuffer>> hone::readFileOrStdin(StringRef path,
                                                              FileKind kind) {
  if (path != "-")
    return readFile(path, kind);
  return readDescriptor(STDIN_FILENO, /*expectedBytes=*/0, "<stdin>", kind);
}

Error hone::requireRegularOrNew(StringRef path, StringRef noun) {
  struct stat status;
  if (::stat(path.str().c_str(), &status) != 0 || S_ISREG(status.st_mode))
    return Error::success();
  return fail(path, noun, nounOf(status.st_mode));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kToWrite = "a file to write";

static Error notWritten(StringRef path, Error error) {
  return fail(path, kToWrite, llvm::toString(std::move(error)));
}

/// Standard output, a device or a pipe: a temporary file cannot be renamed to
/// these.
static bool isStream(StringRef path) {
  struct stat status;
  return path == "-" || (::stat(path.str().c_str(), &status) == 0 &&
                         !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

/// Writes, and checks that everything was written.
static Error writeAll(llvm::raw_fd_ostream &os, StringRef bytes) {
  os << bytes;
  os.flush();
  std::error_code code = os.error();
  os.clear_error();
  return llvm::errorCodeToError(code);
}

/// A temporary file with a random name, which cannot collide.
static Expected<llvm::sys::fs::TempFile> makePart(StringRef path) {
  if (Error error = requireRegularOrNew(path, kToWrite))
    return std::move(error);
  auto part = llvm::sys::fs::TempFile::create(path + ".%%%%%%%%.part");
  if (!part)
    return notWritten(path, part.takeError());
  return part;
}

Error hone::requireWritable(StringRef path) {
  if (isStream(path))
    return Error::success();
  auto part = makePart(path);
  return part ? part->discard() : part.takeError();
}

static Error writeToStream(StringRef path, StringRef bytes) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  return code ? llvm::errorCodeToError(code) : writeAll(os, bytes);
}

static Error writeToPart(llvm::sys::fs::TempFile &part, StringRef path,
                         StringRef bytes) {
  llvm::raw_fd_ostream os(part.FD, /*shouldClose=*/false);
  if (Error error = writeAll(os, bytes)) {
    llvm::consumeError(part.discard());
    return error;
  }
  return part.keep(path);
}

Error hone::writeFile(StringRef path, StringRef bytes) {
  if (isStream(path)) {
    Error error = writeToStream(path, bytes);
    return error ? notWritten(path, std::move(error)) : Error::success();
  }
  auto part = makePart(path);
  if (!part)
    return part.takeError();
  Error error = writeToPart(*part, path, bytes);
  return error ? notWritten(path, std::move(error)) : Error::success();
}
