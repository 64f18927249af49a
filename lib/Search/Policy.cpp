//===- Policy.cpp - Policies by name --------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three of them are lists; the others have files of their own.
//
//===----------------------------------------------------------------------===//

#include "hone/Search/Policy.h"
#include "Policies.h"
#include "hone/Text/Suggest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace hone;
using namespace hone::detail;
using llvm::StringRef;

namespace {
/// Proposes the schedules of a list, from its front.
class ListPolicy : public Policy {
public:
  explicit ListPolicy(std::vector<Schedule> list) : list(std::move(list)) {}

  std::vector<Schedule> propose(size_t count) override {
    size_t end = std::min(next + count, list.size());
    std::vector<Schedule> some(list.begin() + next, list.begin() + end);
    next = end;
    return some;
  }

private:
  std::vector<Schedule> list;
  size_t next = 0;
};
} // namespace

static std::unique_ptr<Policy> listPolicy(std::vector<Schedule> list) {
  return std::make_unique<ListPolicy>(std::move(list));
}

static std::unique_ptr<Policy> defaultPolicy(const Problem &problem,
                                             const Arch &arch,
                                             const Within &isWithin,
                                             Kinds kinds) {
  std::optional<Schedule> usual = legalDefault(problem, arch, isWithin, kinds);
  return listPolicy(usual ? std::vector{*usual} : std::vector<Schedule>());
}

static std::unique_ptr<Policy> makeModel(Space space, uint64_t) {
  return listPolicy(space.ranked());
}

static std::unique_ptr<Policy> makeExhaustive(Space space, uint64_t) {
  return listPolicy(space.listed());
}

namespace {
struct Entry {
  StringRef name;
  /// None: the default alone, without a search of the space.
  std::unique_ptr<Policy> (*make)(Space space, uint64_t seed);
};
} // namespace

static constexpr Entry kPolicies[] = {{kDefaultPolicy, nullptr},
                                      {"model", makeModel},
                                      {"exhaustive", makeExhaustive},
                                      {"random", makeRandomPolicy},
                                      {"evolution", makeEvolutionPolicy}};

llvm::ArrayRef<StringRef> hone::policyNames() {
  static constexpr auto names = [] {
    std::array<StringRef, std::size(kPolicies)> names = {};
    for (size_t at = 0; at < names.size(); ++at)
      names[at] = kPolicies[at].name;
    return names;
  }();
  return names;
}

uint64_t hone::seedFor(const Problem &problem, int64_t seed) {
  constexpr uint64_t kSpread = 0x9e3779b97f4a7c15;
  return llvm::xxh3_64bits(problem.str()) ^ (uint64_t(seed) * kSpread);
}

llvm::Error hone::unknownPolicy(StringRef name,
                                llvm::ArrayRef<StringRef> names) {
  return llvm::createStringError(
      llvm::formatv("expected a policy, but got '{0}'; use {1} or {2}{3}", name,
                    llvm::join(names.drop_back(), ", "), names.back(),
                    didYouMean(name, names)));
}

llvm::Expected<std::unique_ptr<Policy>>
hone::makePolicy(StringRef name, const Problem &problem, const Arch &arch,
                 int64_t seed, Within isWithin, Kinds kinds) {
  for (const Entry &entry : kPolicies)
    if (entry.name == name)
      return entry.make
                 ? entry.make(Space(problem, arch, std::move(isWithin), kinds),
                              seedFor(problem, seed))
                 : defaultPolicy(problem, arch, isWithin, kinds);
  return unknownPolicy(name, policyNames());
}
