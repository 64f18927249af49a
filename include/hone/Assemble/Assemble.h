//===- Assemble.h - What the assembler says of a kernel ---------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule looks good on paper until ptxas has given out the registers. This
// room runs ptxas where there is one (or takes the log of the driver's own
// compiler, which reads the same), and turns what is said into plain values:
//
//   PTX --ptxas--> cubin + log --parseLog--> AssemblyReport
//                  cubin --cuobjdump -sass--> machine code --addFences--^
//
// What counts against a kernel:
//
// | fault   | because                                                        |
// |---------|----------------------------------------------------------------|
// | spills  | registers go to memory and back in the loop that matters       |
// | C75xx   | the compiler gave up something the schedule relies on: it      |
// |         | serialized wgmma, or ignored a register budget                 |
// | fence   | a MEMBAR in an innermost loop that multiplies: every step      |
// |         | waits for all memory of the GPU                                |
//
// A kernel without faults may be kept. Nothing here is needed to build or run
// one: where ptxas or cuobjdump is missing, that part is unknown.
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
  int64_t registers = 0;                    ///< of a thread
  int64_t stackBytes = 0;                   ///< of a thread
  int64_t spillStores = 0, spillLoads = 0;  ///< bytes
  std::vector<std::string> warnings;        ///< C75xx, one line each
  std::optional<int64_t> fencesInMainLoops; ///< unknown without machine code

  /// What counts against the kernel, one line each, as in the table above.
  std::vector<std::string> faults() const;
};

/// The kernels of one PTX text.
struct AssemblyReport {
  std::vector<KernelReport> kernels;

  const KernelReport *find(llvm::StringRef kernel) const;
  /// True if nothing counts against any kernel.
  bool mayBeKept() const;
};

/// Reads the log of `ptxas -v`, or of the driver's compiler. A warning that
/// does not say which kernel it means counts against every one.
AssemblyReport parseAssemblerLog(llvm::StringRef log);

/// Adds to `report` what `cuobjdump -sass` printed for its kernels.
void addFences(llvm::StringRef sass, AssemblyReport &report);

/// Machine code and what was said about it.
struct Assembly {
  std::string cubin;
  AssemblyReport report;
};

/// A program of the CUDA toolkit: on the PATH, in CUDA_HOME, or in CUDA_PATH.
std::optional<std::string> findTool(llvm::StringRef name);

/// Version of the ptxas that `assemblePtx` runs, as of its toolkit ("13.0");
/// nothing where there is none.
std::optional<std::string> assemblerVersion();

/// Assembles `ptx` for `isa` (sm_90a). An error if there is no ptxas, or it
/// does not take the text.
llvm::Expected<Assembly> assemblePtx(llvm::StringRef ptx, llvm::StringRef isa);

} // namespace hone

#endif // HONE_ASSEMBLE_ASSEMBLE_H
