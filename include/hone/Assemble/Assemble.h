//===- Assemble.h - ptxas and its report on a kernel ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The register allocation of ptxas may make a promising schedule slow. This
// component runs ptxas if there is one (or takes the log of the driver's own
// compiler, which has the same form), and turns its output into plain values:
//
//   PTX --ptxas--> cubin + log --parseLog--> AssemblyReport
//                  cubin --cuobjdump -sass--> machine code --addFences--^
//
// These faults disqualify a kernel:
//
// | fault  | reason                                                    |
// |--------|-----------------------------------------------------------|
// | spills | registers go to memory and back in the main loop          |
// | C75xx  | the compiler dropped something the schedule relies on: it |
// |        | serialized wgmma, or ignored a register budget            |
// | fence  | a MEMBAR in an innermost loop that multiplies: every step |
// |        | waits for all memory of the GPU                           |
//
// A kernel without faults may be kept. Building and running kernels does not
// need this: if ptxas or cuobjdump is missing, its part stays unknown. A
// listing takes ten times as long as ptxas, so a search, which compiles and
// times thousands of kernels, skips it: the measured time includes the cost of
// a fence.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_ASSEMBLE_ASSEMBLE_H
#define HONE_ASSEMBLE_ASSEMBLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hone {

/// One kernel.
struct KernelReport {
  std::string name;
  int64_t registers = 0;                    ///< per thread
  int64_t spillStores = 0, spillLoads = 0;  ///< bytes
  std::vector<std::string> warnings;        ///< C75xx, one line each
  std::optional<int64_t> fencesInMainLoops; ///< unknown without machine code

  /// The kernel's faults, one line each, as in the table above.
  std::vector<std::string> faults() const;
};

/// The kernels of one PTX text.
struct AssemblyReport {
  std::vector<KernelReport> kernels;

  const KernelReport *find(llvm::StringRef kernel) const;
};

/// Parses the log of `ptxas -v`, or of the driver's compiler. A warning that
/// names no kernel counts against every one.
AssemblyReport parseAssemblerLog(llvm::StringRef log);

/// Adds the fences in the output of `cuobjdump -sass` to `report`.
void addFences(llvm::StringRef sass, AssemblyReport &report);

/// Machine code and the report about it.
struct Assembly {
  std::string cubin;
  AssemblyReport report;
};

/// A program of the CUDA toolkit: on the PATH, in CUDA_HOME, or in CUDA_PATH.
std::optional<std::string> findTool(llvm::StringRef name);

/// The version of the ptxas that `assemblePtx` runs, which is that of its
/// toolkit ("13.0"); nothing if there is none.
std::optional<std::string> assemblerVersion();

/// Whether machine code is listed and searched for fences.
enum class Listing { no, yes };

/// Assembles `ptx` for `isa` (sm_90a). An error if there is no ptxas, or it
/// rejects the text.
llvm::Expected<Assembly> assemblePtx(llvm::StringRef ptx, llvm::StringRef isa,
                                     Listing listing = Listing::yes);

} // namespace hone

#endif // HONE_ASSEMBLE_ASSEMBLE_H
