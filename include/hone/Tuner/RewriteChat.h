//===- RewriteChat.h - Kernels from a language model ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model gets a kernel, and writes another one. Its answer is untrusted text,
// and is treated like a file from an unknown source:
//
//   question -> answer -> read, placed, proven -> checked, timed -> kept
//      ^                        | reason               | time
//      +------------------------+----------------------+
//
// The messages of the parser, the verifier or the proof are part of the next
// question, with the kernel that they are about. So the model gets the same
// messages as a person. With a clock, the next question also has the kernel's
// time, next to those of the original and of the fastest so far. The dialogue
// then goes on; without a clock it ends at the first proven kernel. A repeated
// answer is neither proven nor timed again.
//
// A hand-written kernel takes part in a final with the schedule that it was
// built from, as in `hone tune --kernel`, and with a rival, the fastest kernel
// so far. All are assembled, checked, timed in turns, and checked again. The
// result is in seconds, or the message with which a search refuses a candidate.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_REWRITECHAT_H
#define HONE_TUNER_REWRITECHAT_H

#include "hone/Chat/Chat.h"
#include "hone/Matmul/WholeKernelFile.h"
#include "hone/Search/Search.h"
#include "hone/Workers/Workers.h"
#include <map>

namespace hone {

/// Seconds of a final's median, or the reason why the kernel has none.
struct KernelTimes {
  double kernel = 0, base = 0;
  double rival = 0; ///< 0: there was none
  std::string refusal;
};

class KernelClock {
public:
  /// Starts workers for `device`, "0", or for a rehearsal ("smooth"). All
  /// kernels are timed on this problem, whose extents must be known.
  static llvm::Expected<std::unique_ptr<KernelClock>>
  start(Problem problem, llvm::StringRef device, llvm::StringRef rehearse,
        llvm::StringRef worker);

  const Arch &arch() { return workers->arch(); }
  /// A refusal if the kernel spills, is wrong, or hangs; an error if the kernel
  /// is not the cause. The file must have been proven.
  llvm::Expected<KernelTimes> time(const WholeKernelFile &file,
                                   const WholeKernelFile *rival);
  /// The choice of a final between this kernel, the default, the schedule that
  /// it was built from, and the database's records. All results are kept in the
  /// database, the kernel's text too.
  llvm::Expected<Schedule> keep(const WholeKernelFile &file,
                                const std::string &path);

private:
  using Records = std::map<std::string, Record>; ///< by schedule
  llvm::Expected<SearchResult> search(std::vector<Schedule> schedules,
                                      Database *database,
                                      const SearchHooks &hooks);
  llvm::Expected<Records> final(std::vector<Schedule> schedules);

  Problem problem;
  std::map<std::string, std::string> texts; ///< of kernels, by name
  std::unique_ptr<Workers> workers;
};

/// Requests another kernel to replace the one in `path`, `attempts` times at
/// most, and reports the result of each. Returns the first proven kernel, or
/// with a clock the fastest one. An error if none is proven.
llvm::Expected<WholeKernelFile> askForKernel(mlir::MLIRContext &context,
                                             Chat &chat, llvm::StringRef path,
                                             const Arch &arch, int64_t attempts,
                                             KernelClock *clock);

} // namespace hone

#endif // HONE_TUNER_REWRITECHAT_H
