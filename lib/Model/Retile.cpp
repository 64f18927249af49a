//===- Retile.cpp - Other tiles for promising forms -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Retile.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Retile.h"
#include "hone/Space/CostModel.h"
#include "hone/Space/Draw.h"
#include "hone/Space/Space.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <map>

using namespace hone;
using namespace hone::detail;

std::vector<Schedule> detail::bestOfForms(llvm::ArrayRef<Judged> all,
                                          size_t forms) {
  std::map<std::string, Judged> best;
  for (const Judged &one : all) {
    auto [at, isNew] = best.try_emplace(formOf(*one.schedule), one);
    if (!isNew && one.logSeconds < at->second.logSeconds)
      at->second = one;
  }
  auto order = llvm::to_vector(llvm::make_second_range(best));
  llvm::stable_sort(order, [](const Judged &one, const Judged &other) {
    return one.logSeconds < other.logSeconds;
  });
  std::vector<Schedule> schedules;
  for (const Judged &one : llvm::ArrayRef(order).take_front(forms))
    schedules.push_back(*one.schedule);
  return schedules;
}

std::vector<Schedule> detail::retiled(llvm::ArrayRef<Judged> all, size_t forms,
                                      const Problem &problem,
                                      const Arch &arch) {
  constexpr double kWrong = 1.25; ///< possible error factor
  double min = HUGE_VAL;
  for (const Judged &one : all)
    min = std::min(min, estimateSeconds(problem, arch, *one.schedule));
  std::vector<Schedule> variants;
  for (const Schedule &best : bestOfForms(all, forms))
    llvm::append_range(variants,
                       tileVariants(best, problem, arch, kWrong * min));
  return variants;
}
