//===- CorpusFiles.cpp - The folder of a corpus ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CorpusFiles.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Corpus/CorpusFiles.h"
#include "hone/Database/Record.h"
#include "hone/Schedule/Spelling.h"
#include "hone/Text/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/xxhash.h"

using namespace hone;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;

static std::string hashOf(StringRef text) {
  constexpr size_t kDigits = 16;
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true)
      .substr(0, kDigits);
}

/// All layouts and types of a shape are in one split.
static StringRef splitOf(const Problem &problem) {
  std::string shape =
      formatv("{0}x{1}x{2}", problem.m, problem.n, problem.k).str();
  uint64_t tenth = llvm::xxh3_64bits(shape) % 10;
  return tenth == 0 ? "test" : tenth == 1 ? "valid" : "train";
}

llvm::Expected<std::string> CorpusFiles::place(StringRef kind, StringRef ending,
                                               StringRef text) {
  std::string name = formatv("{0}/{1}.{2}", kind, hashOf(text), ending);
  if (!written.insert(name).second)
    return name;
  std::string path = folder + "/" + name;
  if (std::error_code error =
          llvm::sys::fs::create_directories(folder + "/" + kind.str()))
    return llvm::createStringError(
        formatv("expected a folder to write, but got '{0}': {1}", folder,
                error.message()));
  if (Error error = writeFile(path, text))
    return std::move(error);
  return name;
}

Error CorpusFiles::add(const CorpusPair &pair, CorpusCounts &counts) {
  if (!pairs.insert(pair.loops + pair.gpu.ptx).second) {
    ++counts.duplicates;
    return Error::success();
  }
  llvm::json::Object files;
  for (auto [kind, ending, text] : {std::tuple("linalg", "mlir", &pair.linalg),
                                    {"c", "c", &pair.loops},
                                    {"llvm", "ll", &pair.llvmIr},
                                    {"kernel", "mlir", &pair.gpu.kernelIr},
                                    {"ptx", "ptx", &pair.gpu.ptx}}) {
    auto name = place(kind, ending, *text);
    if (!name)
      return name.takeError();
    files[kind] = *name;
  }
  const Problem &problem = pair.problem;
  std::string schedule = toString(pair.schedule);
  StringRef split = splitOf(problem);
  llvm::json::Object line{{"id", hashOf(problem.str() + schedule)},
                          {"split", split},
                          {"m", problem.m},
                          {"n", problem.n},
                          {"k", problem.k},
                          {"layout", layoutOf(problem)},
                          {"types", typesOf(problem)},
                          {"problem", problem.str()},
                          {"schedule", schedule},
                          {"files", std::move(files)},
                          {"proof_sizes", int64_t(pair.gpu.sizes)},
                          {"gpu_error", pair.gpu.error},
                          {"c_error", pair.host.loops},
                          {"host_error", pair.host.host},
                          {"c_host_different", pair.host.different}};
  lines += formatv("{0}\n", llvm::json::Value(std::move(line)));
  ++counts.pairs;
  ++counts.splits[split.str()];
  counts.problems.insert(problem.str());
  return Error::success();
}

static constexpr llvm::StringLiteral kCard = R"(# A corpus of matrix products

{0} pairs of {1} problems, with {2} kernels for {3}; train {4}, valid {5}, test {6}. Written by `hone corpus`, hone {7},
LLVM {8}.

| file of a pair | contents |
|---|---|
| `linalg` | the product on tensors, as MLIR |
| `kernel` | the GPU's kernel as kernel IR, with its launch; for any extents |
| `ptx` | the same kernel for the driver |
| `c` | a loop nest written from the problem, `void matmul(a, b, c)` |
| `llvm` | LLVM IR of the CPU's kernel, before optimization; for any extents |

**Checks.** `hone-match` finds the problem in the linalg. The kernel IR is proven by the simulator at `proof_sizes`
sizes, barriers and numbers; the PTX is made from that module. The C and the CPU's kernel ran on N(0, 1) data. Errors
are the largest of each, in units of the tolerance of `hone run`; up to 1 is correct. `c_host_different` counts elements
in which the two differ by a rounding.

**Splits** go by M, N and K: all layouts, types and schedules of a shape are in one. A kernel is for any extents, so its
text may be in several splits, with the C of other shapes.

**Duplicates.** No two pairs have the same C and the same PTX. {9} were left out.

**Limits.** Plain products of f16, bf16 and f32 alone. No time of a GPU is in the data, and no program of other authors.
)";

Error CorpusFiles::finish(const CorpusCounts &counts, StringRef arch) {
  auto in = [&](const char *split) {
    auto found = counts.splits.find(split);
    return found == counts.splits.end() ? 0 : found->second;
  };
  Toolchain today = thisToolchain();
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return llvm::createStringError(
        formatv("expected a folder to write, but got '{0}': {1}", folder,
                error.message()));
  if (Error error = writeFile(
          folder + "/README.md",
          formatv(kCard.data(), counts.pairs, counts.problems.size(),
                  counts.kernels, arch, in("train"), in("valid"), in("test"),
                  today.hone, today.llvm, counts.duplicates)
              .str()))
    return error;
  return writeFile(folder + "/pairs.jsonl", lines);
}
