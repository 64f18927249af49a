//===- KernelClock.h - Times of handwritten kernels -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handwritten kernels take part in one final with the schedule that they were
// built from, as in `hone tune --kernel`. All are assembled, checked, timed in
// turns, and checked again, so no two finals are compared. A kernel's result is
// in seconds, or the message with which a search refuses a candidate.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_KERNELCLOCK_H
#define HONE_TUNER_KERNELCLOCK_H

#include "hone/Matmul/WholeKernelFile.h"
#include "hone/Search/Search.h"
#include "hone/Workers/Workers.h"
#include <map>

namespace hone {

/// Seconds of a final's median, or the reason why the kernel has none.
struct KernelTime {
  double seconds = 0;
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
  const Problem &timed() const { return problem; }
  /// The times of kernels of one base, which come first, then that of the base.
  /// A refusal if a kernel spills, is wrong, or hangs; an error if no kernel is
  /// the cause. The files must have been proven.
  llvm::Expected<std::vector<KernelTime>>
  time(llvm::ArrayRef<const WholeKernelFile *> files);
  /// The choice of a final between this kernel, the default, the schedule that
  /// it was built from, and the database's records. All results are kept in the
  /// database, the kernel's text too.
  llvm::Expected<Schedule> keep(const WholeKernelFile &file,
                                const std::string &path);

private:
  llvm::Expected<SearchResult> search(std::vector<Schedule> schedules,
                                      Database *database,
                                      const SearchHooks &hooks);

  Problem problem;
  std::map<std::string, std::string> texts; ///< of kernels, by name
  std::unique_ptr<Workers> workers;
};

} // namespace hone

#endif // HONE_TUNER_KERNELCLOCK_H
