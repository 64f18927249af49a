//===- Scribe.cpp - Schedules written for one problem ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Scribe.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Scribe.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;

Scribe::Scribe(const Model &model, const Problem &problem, const Arch &arch,
               Kinds kinds, LawMaskOptions options)
    : model(model), language(kinds),
      reader(model.writersReader(problem, arch, kinds)),
      untrained(untrainedWriter({}, 0, kinds)),
      completion(problem, arch, kinds),
      rewriting(problem, arch, kinds, {/*rewrites=*/true}),
      mask(completion, language, reader, options) {}

std::string Scribe::fault() const {
  if (!mask.isEmpty())
    return "";
  return llvm::formatv("expected a legal schedule on {0} for {1}, but found "
                       "none; use another machine or type",
                       completion.arch.name, completion.problem.str());
}

Writer Scribe::writerOf(Mask &of, llvm::ArrayRef<Tried> context) const {
  if (model.writer)
    return Writer(*model.writer, language, of, context);
  bool hasJudges = !model.networks.empty() || model.trees;
  return Writer(untrained, language, of, context, hasJudges ? &model : nullptr);
}

std::vector<Written> Scribe::write(llvm::ArrayRef<Tried> context,
                                   size_t count) {
  if (mask.isEmpty())
    return {};
  return writerOf(mask, context).beams(count);
}

std::vector<Written> Scribe::rewrite(const Schedule &schedule,
                                     llvm::ArrayRef<Tried> context,
                                     size_t count) {
  size_t numbers = 0;
  for (const Decision &decision : schedule.kind().decisions) {
    if (decision.isRewrite)
      break;
    numbers += decision.size();
  }
  if (numbers == schedule.numbers().size())
    return {};
  LawMask of(rewriting, language, reader, schedule, numbers);
  std::vector<Written> all = writerOf(of, context).beams(count + 1);
  llvm::erase_if(all,
                 [&](const Written &one) { return one.schedule == schedule; });
  if (all.size() > count)
    all.erase(all.begin() + count, all.end());
  return all;
}
