//===- Pack.cpp - Compression of data that is built in --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: hone-pack IN OUT
//
// Writes IN, compressed by zstd, to OUT. A program of the build alone
// (hone_embed in the top CMakeLists.txt).
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

namespace zstd = llvm::compression::zstd;

static int fail(const llvm::Twine &message) {
  llvm::errs() << "hone-pack: " << message << "\n";
  return EXIT_FAILURE;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return fail("expected IN and OUT");
  if (!zstd::isAvailable())
    return fail("expected an LLVM with zstd, but got one without");
  auto file = llvm::MemoryBuffer::getFile(argv[1]);
  if (!file)
    return fail(argv[1] + llvm::Twine(": ") + file.getError().message());
  llvm::SmallVector<uint8_t> packed;
  zstd::compress(llvm::arrayRefFromStringRef((*file)->getBuffer()), packed,
                 zstd::BestSizeCompression);
  std::error_code error;
  llvm::ToolOutputFile out(argv[2], error, llvm::sys::fs::OF_None);
  if (error)
    return fail(argv[2] + llvm::Twine(": ") + error.message());
  out.os() << llvm::toStringRef(packed);
  out.keep();
  return EXIT_SUCCESS;
}
