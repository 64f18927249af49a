//===- TuneDefaults.h - The search of hone tune -----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All commands run the same search: `hone tune`, the pass `hone-tune` and `hone
// bench gemm --search=tune` start from tuneDefaults(), set their own options,
// and call completeSearch() for the rest.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_POLICY_TUNEDEFAULTS_H
#define HONE_POLICY_TUNEDEFAULTS_H

#include "hone/Search/Search.h"

namespace hone {

class Model;

/// The default options of a search; docs/Search.md has their table. `rewrites`
/// is -1 until completeSearch() sets it for the policy.
SearchOptions tuneDefaults();

/// The schedule that a build uses for a problem without a record; nothing if
/// that is the default.
using BuildChoice = decltype(SearchOptions::ofBuild);
/// Makes one, when a search needs it.
using BuildChoiceFactory = std::function<llvm::Expected<BuildChoice>()>;

/// Sets the options that depend on the machine and on the policy's name: the
/// policy that proposes on `arch` and its maker, the number of rewrites, the
/// schedule of a build (if `choiceOfBuild` is given), and, if times are
/// measured, shipped schedules to start from. A search by recorded or modelled
/// times gets none, so that it is judged by its own results. An existing maker
/// makes the adviser of the policy, or the policy itself if policyMaker does
/// not accept the name `policy`. Learned policies have the model `own`, which
/// must outlive the search, or the built-in one for null. Returns a remark for
/// users (PolicyChoice).
llvm::Expected<std::string>
completeSearch(SearchOptions &search, const Arch &arch, bool isMeasured,
               const BuildChoiceFactory &choiceOfBuild,
               const Model *own = nullptr);

} // namespace hone

#endif // HONE_POLICY_TUNEDEFAULTS_H
