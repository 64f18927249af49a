//===- Completion.h - Legal completions of partial schedules ----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule that is written number by number must not end where every next
// number breaks a law. So after each number there has to be a proof that the
// rest can be filled in: one legal schedule that begins with the numbers so
// far, the *witness*. The space is far too large to list, so a witness is
// searched for:
//
//   Completion completion(problem, arch);
//   std::optional<Schedule> witness = completion.begin(kind);
//   Schedule wish = *witness;
//   wish.numbers()[2] = 192;             // the next number, tile.n
//   completion.complete(wish, 3)         // the same, and as few other numbers
//                                        // after the third as possible differ
//
// Why a search, and not a propagator for each law? A law is a function of a
// whole schedule, and a propagator would be a second text of it: 70 of them to
// write, and one more with every law that is added. The search uses the laws as
// they are. Three properties make it fast:
//
// 1. Most numbers change no law, so the witness of the words before, with the
//    new number, is the witness in most cases.
// 2. The first law that is broken says where to change it. A law names the
//    numbers that it depends on: its message says what it expected and what it
//    got, so a number belongs to the law's *scope* if changing it changes the
//    message, or the law is then kept. Scopes are learned where a law is
//    broken, until several places in a row teach nothing new. Only free numbers
//    of the scope are changed, and a change counts if the first broken law comes
//    later.
// 3. A dead end is remembered. If every assignment of the free numbers in the
//    scopes of the broken laws breaks one of these laws, no completion exists,
//    whatever the other numbers are. The fixed numbers in these scopes are then
//    a *nogood*: for example `side = a, tile.m = 72`, which is found once and
//    holds for every tile.n. Where there are too many assignments, single
//    changes and pairs are tried. A limit ("expected at most 232448 bytes, but
//    got ...") is out of reach if it is exceeded with every free number at the
//    end of its range towards which the limit was kept before.
//
// So a number may be refused although it has a completion, if that is far away
// from the witness. A thorough search finds such completions: it is for a
// number that is known to be wanted, not for each that may follow.
//
// Every witness passes `check` and `checkMemory` as a whole. So an error in a
// scope can hide a legal schedule, but never admit an illegal one.
//
// A new decision, law or kind needs no change here. Numbers of handwritten
// kernels are never written (WholeKernel.h), and rewrites only on request.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SPACE_COMPLETION_H
#define HONE_SPACE_COMPLETION_H

#include "hone/Schedule/Schedule.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <memory>

namespace hone {

namespace detail {
class LawSearch;
} // namespace detail

struct CompletionOptions {
  bool rewrites = false; ///< whether numbers of rewrites may be written
};

class Completion {
public:
  Completion(const Problem &problem, const Arch &arch, Kinds kinds = allKinds(),
             CompletionOptions options = {});
  ~Completion();

  /// A legal schedule of a kind, close to its default; nothing if the kind has
  /// none for this problem on this machine.
  std::optional<Schedule> begin(const Kind &kind);
  /// A legal schedule with the first `fixed` numbers of `wish`. Its other
  /// numbers are those of `wish`, as far as the laws allow. A thorough search
  /// takes up to some milliseconds, and finds more.
  std::optional<Schedule> complete(const Schedule &wish, size_t fixed,
                                   bool isThorough = false);
  /// True if the last search for a completion of this kind failed without a
  /// proof that there is none.
  bool gaveUp(const Kind &kind) const;
  /// `witness`, with one free number after the other changed while the price
  /// falls; about `looks` schedules are priced, several at once.
  using Prices =
      llvm::function_ref<std::vector<double>(llvm::ArrayRef<Schedule>)>;
  Schedule improved(const Schedule &witness, size_t fixed, size_t looks,
                    Prices pricesOf);

  /// The values of a number that are worth writing: all, or, of more than 256,
  /// the smallest and two for each doubling.
  llvm::ArrayRef<int64_t> valuesOf(const Kind &kind, size_t at) const;
  /// True if these are all that may be written.
  bool offersAll(const Kind &kind, size_t at) const;

  /// Law evaluations so far, a measure of the effort.
  size_t answers() const;

  const Problem problem;
  const Arch arch;
  const Kinds kinds;

private:
  std::vector<Schedule> changesOf(const Schedule &row, size_t fixed,
                                  size_t &at);

  std::map<const Kind *, std::unique_ptr<detail::LawSearch>> searches;
};

} // namespace hone

#endif // HONE_SPACE_COMPLETION_H
