//===- File.h - Reading and writing whole files -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paths come from a command line, and files are untrusted: an endless device, a
// pipe without a writer, a sparse file of terabytes. Every reader states the
// kind of file that it expects and its max size, and gets the bytes or an error
// that names the unmet condition:
//
//   auto file = readFile(path, {"a transcript", 256 * kMiB});
//   if (!file)
//     return file.takeError(); // expected a transcript of at most 256 MiB, ...
//
// MLIR's bytecode is refused everywhere: its reader trusts its input, and a
// damaged file corrupts the heap. A tool that accepts bytecode states so
// (FileKind::withBytecode).
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEXT_FILE_H
#define HONE_TEXT_FILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdint>
#include <memory>

namespace hone {

constexpr uint64_t kKiB = uint64_t(1) << 10, kMiB = kKiB << 10;

/// The largest file of MLIR that is read: it may contain constants.
constexpr uint64_t kMaxModuleBytes = 1024 * kMiB;

/// The kind of file that a reader expects.
struct FileKind {
  llvm::StringRef noun; ///< with its article: "a transcript"
  uint64_t maxBytes;
  bool allowsBytecode = false;

  FileKind withBytecode() const { return {noun, maxBytes, true}; }
};

/// The bytes of a regular file, followed by a NUL. Never blocks.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readFile(llvm::StringRef path, FileKind kind);
/// The same, or all of standard input if `path` is "-".
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readFileOrStdin(llvm::StringRef path, FileKind kind);

/// The same, unpacked by zstd if the name ends in ".zst"; the maximum is also
/// that of the unpacked bytes.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readMaybePacked(llvm::StringRef path, FileKind kind);

/// The first bytes of a regular file, or all of a shorter one.
llvm::Expected<std::string> readStart(llvm::StringRef path,
                                      llvm::StringRef noun, uint64_t maxBytes);

/// True if the bytes begin as MLIR's bytecode does.
bool isBytecode(llvm::StringRef bytes);
/// An error if they do.
llvm::Error requireText(llvm::StringRef bytes, llvm::StringRef name);

/// An error unless `path` names no file yet or a regular one. For use before
/// opening a path with a function that may block.
llvm::Error requireRegularOrNew(llvm::StringRef path, llvm::StringRef noun);

/// An error unless `writeFile` can write there. For use before the work whose
/// result is to be written.
llvm::Error requireWritable(llvm::StringRef path);

/// Writes a file as a whole: first under a random name in the same folder, so
/// that a killed process leaves the old file, and a planted link is not
/// followed.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef bytes);

} // namespace hone

#endif // HONE_TEXT_FILE_H
