//===- Population.cpp - Proven kernels on islands -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Population.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/Population.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>
#include <tuple>

using namespace hone;
using llvm::StringRef;

bool hone::isBetter(const KernelMember &one, const KernelMember &other) {
  auto rank = [](const KernelMember &member) {
    return std::tuple(member.fraction == 0, member.fraction, member.ticks,
                      StringRef(member.name()));
  };
  return rank(one) < rank(other);
}

//===----------------------------------------------------------------------===//
// Niches
//===----------------------------------------------------------------------===//

/// A line without the names of its values.
static std::string bareLine(StringRef line) {
  std::string bare;
  while (!line.empty()) {
    auto [before, after] = line.split('%');
    bare += before;
    if (before.size() == line.size())
      break;
    bare += '%';
    line = after.drop_while([](char one) {
      return llvm::isAlnum(one) || StringRef("_$.-#").contains(one);
    });
  }
  return bare;
}

/// The number of each line of the kernel's events, with its role and op.
static std::map<std::pair<std::string, std::string>, int64_t>
eventsOf(StringRef text) {
  std::map<std::pair<std::string, std::string>, int64_t> events;
  std::string role = "block";
  for (StringRef line : llvm::split(text, '\n')) {
    size_t at = line.find("kernel.");
    bool isType = at != 0 && at != StringRef::npos && line[at - 1] == '!';
    if (at == StringRef::npos || isType)
      continue;
    StringRef op = line.substr(at + StringRef("kernel.").size());
    op = op.take_until([](char one) { return one == ' '; });
    if (op == "role")
      role = line.split('"').second.split('"').first.str();
    ++events[{role + ": " + op.str(), bareLine(line.trim())}];
  }
  return events;
}

std::string hone::nicheOf(StringRef before, StringRef after) {
  auto left = eventsOf(before), right = eventsOf(after);
  std::set<std::string> differing;
  for (const auto *events : {&left, &right})
    for (const auto &[event, count] : *events)
      if (left[event] != right[event])
        differing.insert(event.first);
  return differing.empty() ? "order" : llvm::join(differing, ", ");
}

//===----------------------------------------------------------------------===//
// Islands
//===----------------------------------------------------------------------===//

Population::Population(MemberPtr first, size_t islands) : islands(islands) {
  for (Island &island : this->islands)
    island[first->niche] = first;
}

std::vector<MemberPtr> Population::inOrder(const Island &island) {
  std::vector<MemberPtr> members;
  for (const auto &[niche, member] : island)
    members.push_back(member);
  llvm::sort(members, [](const MemberPtr &one, const MemberPtr &other) {
    return isBetter(*one, *other);
  });
  return members;
}

void Population::add(size_t island, MemberPtr member) {
  Island &here = islands[island];
  MemberPtr &there = here[member->niche];
  if (!there || isBetter(*member, *there))
    there = std::move(member);
  if (here.size() > kMaxMembers)
    here.erase(inOrder(here).back()->niche);
}

std::vector<MemberPtr> Population::parents(size_t island,
                                           uint64_t drawn) const {
  std::vector<MemberPtr> members = inOrder(islands[island]);
  if (members.size() > 1)
    std::swap(members[1], members[1 + drawn % (members.size() - 1)]);
  members.resize(std::min<size_t>(members.size(), 2));
  return members;
}

std::vector<MemberPtr> Population::winners(size_t max) const {
  Island all; // by name
  for (const Island &island : islands)
    for (const auto &[niche, member] : island)
      if (member->fraction > 0)
        all[member->name()] = member;
  std::vector<MemberPtr> members = inOrder(all);
  members.resize(std::min(members.size(), max));
  return members;
}

void Population::migrate() {
  std::vector<MemberPtr> moving;
  for (const Island &island : islands)
    moving.push_back(inOrder(island).front());
  for (auto [from, member] : llvm::enumerate(moving))
    add((from + 1) % islands.size(), member);
}
