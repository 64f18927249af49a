//===- TuneDefaults.h - The search of hone tune -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One search, whichever command asks for it: `hone tune`, the pass `hone-tune`
// and `hone bench gemm --search=tune` start from tuneDefaults(), overwrite what
// their options name, and have completeSearch() do the rest.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_TUNEDEFAULTS_H
#define HONE_POLICY_TUNEDEFAULTS_H

#include "hone/Search/Search.h"

namespace hone {

/// The options of a search that names none; docs/Tune.md has their table.
/// `rewrites` is -1 until completeSearch() knows the policy.
SearchOptions tuneDefaults();

/// What a build takes for a problem that no database knows; nothing where that
/// is the default.
using BuildChoice = decltype(SearchOptions::ofBuild);
/// Makes one, when a search needs it.
using BuildChoiceFactory = std::function<llvm::Expected<BuildChoice>()>;

/// Fills in what depends on the machine and on the policy's name: the policy
/// that proposes on `arch` and its maker, the number of rewrites, what a build
/// takes (where `choiceOfBuild` is given), and, if times are measured, shipped
/// schedules to start from. A search by recorded or modelled times is judged by
/// what it finds itself. A maker that is there already is an adviser of the
/// policy, or makes it where `policy` is no name that policyMaker takes.
/// Returns a remark for people (PolicyChoice).
llvm::Expected<std::string>
completeSearch(SearchOptions &search, const Arch &arch, bool isMeasured,
               const BuildChoiceFactory &choiceOfBuild);

} // namespace hone

#endif // HONE_POLICY_TUNEDEFAULTS_H
