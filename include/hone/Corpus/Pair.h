//===- Pair.h - One operator in five languages ------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of a paired corpus, and the checks that each has passed:
//
// | text      | made of                | check                                |
// |-----------|------------------------|--------------------------------------|
// | linalg    | the problem            | hone-match finds the problem in it   |
// | C         | the problem            | compiled, run, compared with f64     |
// | LLVM IR   | a schedule of this CPU | compiled, run, compared with f64 and |
// |           |                        | with the C                           |
// | kernel IR | a schedule of a GPU    | proven by the simulator, numbers too |
// | PTX       | the kernel IR          | made from the proven module          |
//
// A kernel serves all problems of its class, so it is built and proven once.
// One object of each class is for one thread.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CORPUS_PAIR_H
#define HONE_CORPUS_PAIR_H

#include "hone/Schedule/Schedule.h"
#include "mlir/IR/MLIRContext.h"
#include <map>
#include <memory>

namespace hone {

class LinkedObject;

/// Why there is no C or linalg of a problem; nothing if there is.
std::optional<std::string> unpairable(const Problem &problem);
/// A function of tensors that multiplies, and rounds once.
std::string linalgOf(const Problem &problem);
/// `void matmul(a, b, c)` with a loop for each of M, N and K.
std::string loopNestOf(const Problem &problem);

/// An error unless the linalg's only matmul is the problem.
llvm::Error checkLinalg(mlir::MLIRContext &context, llvm::StringRef text,
                        const Problem &problem);

/// Kernel IR and PTX that are proven.
struct GpuTexts {
  std::string kernelIr, ptx;
  size_t sizes = 0; ///< that the proof tried
  double error = 0; ///< the largest, in units of the tolerance
};
llvm::Expected<GpuTexts> makeGpuTexts(mlir::MLIRContext &context,
                                      const Problem &problem,
                                      const Schedule &schedule,
                                      llvm::StringRef arch);

/// Errors of the CPU's texts, in units of the tolerance.
struct HostErrors {
  double loops = 0, host = 0;
  int64_t different = 0; ///< elements in which the two differ by a rounding
};

/// The CPU's side of pairs.
class HostSide {
public:
  /// Compiles C with this program; `folder` is for its outputs.
  HostSide(std::string compiler, std::string folder);
  ~HostSide();
  /// The LLVM IR of the host's kernel for the problem's class.
  llvm::Expected<std::string> llvmIr(const Problem &problem);
  /// Runs both on one set of data.
  llvm::Expected<HostErrors> check(const Problem &problem,
                                   llvm::StringRef loops);

private:
  struct Kernel {
    std::string llvmIr;
    std::unique_ptr<LinkedObject> object;
    void *function = nullptr;
  };
  llvm::Expected<Kernel *> kernelOf(const Problem &problem);

  std::string compiler, folder;
  std::unique_ptr<mlir::MLIRContext> context;
  std::map<std::string, Kernel> kernels;
};

} // namespace hone

#endif // HONE_CORPUS_PAIR_H
