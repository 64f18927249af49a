//===- KernelQuestion.cpp - The question for a kernel ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelQuestion.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/KernelQuestion.h"
#include "hone/Chat/Brief.h"
#include "hone/Schedule/WarpSpecialized.h"
#include "hone/Simulate/Simulate.h"
#include "hone/Tuner/KernelAnswer.h"
#include "hone/Tuner/KernelShort.h"
#include "passes/Rewrite/Rewrite.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using llvm::formatv;
using llvm::StringRef;
using simulate::Fault;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Ops that a kernel of roles and rings may have, though this one has none.
static constexpr llvm::StringLiteral kMore[] = {
    "arrive",       "await",      "barrier",       "depend.release",
    "depend.wait",  "expect",     "group.barrier", "map.prefetch",
    "mma.wait",     "prefetch",   "proxy.fence",   "role.barrier",
    "store.commit", "store.wait", "unstage",
};

/// Generated from the definitions of the dialect's ops.
static constexpr llvm::StringLiteral kSummaries =
#include "dialects/Kernel/KernelOps.summaries.inc"
    ;

/// "kernel.await $barriers [ $slot ] phase $phase : type($barriers)"
static std::string formOf(StringRef text) {
  text.consume_front("operation ::=");
  std::string form;
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(text, words, " \n");
  for (StringRef word : words)
    if (word != "attr-dict")
      form += (form.empty() ? "" : " ") + word.str();
  llvm::erase(form, '`');
  return form;
}

std::string hone::opReference(StringRef kernel) {
  std::string text;
  llvm::SmallVector<StringRef> ops;
  kSummaries.split(ops, "### `kernel.", /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef op : ops) {
    auto [name, rest] = op.split('`');
    std::string word = ("kernel." + name + " ").str();
    bool isThere = kernel.contains(word) ||
                   kernel.contains(StringRef(word).drop_back().str() + "\n");
    if (!isThere && !llvm::is_contained(kMore, name))
      continue;
    auto [summary, form] = rest.split("\n_").second.split("_\n");
    text += formatv("{0}: {1}\n", isThere ? name.str() : formOf(form), summary);
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

static std::string lawsText() {
  static constexpr std::pair<Fault, StringRef> kLaws[] = {
      {Fault::unfilled, "a slot is read after a wait for the loads into it"},
      {Fault::overwritten, "a slot is filled, or staged, after a wait for all "
                           "that read it"},
      {Fault::proxy, "a proxy.fence and a barrier separate writes of threads "
                     "from an engine that reads them"},
      {Fault::fence, "an mma.fence precedes the first mma.async of a group"},
      {Fault::pending, "accumulators are used after the mma.wait that ends "
                       "their products"},
      {Fault::count, "a phase has as many arrivals as its barriers state, and "
                     "the bytes that expect announced"},
      {Fault::phase,
       "an arrival or a wait meets one phase alone: await has the "
       "phase that flips each time the ring wraps"},
      {Fault::deadlock, "no roles wait for each other, at any number of steps"},
      {Fault::depend, "global memory is read and written after depend.wait"},
      {Fault::bounds, "accesses stay within slots, rings and matrices"},
      {Fault::coverage, "each element of C is written once"},
      {Fault::value, "each number is that of the product"},
      {Fault::untried, "no comparison is true at sizes alone that a proof does "
                       "not try, as the hundredth step"},
  };
  std::string text;
  for (const auto &[fault, law] : kLaws)
    text += formatv("{0}: {1}\n", toString(fault), law);
  return text;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string hone::kernelSystemText() {
  return "You make GPU kernels faster. A kernel is written in an MLIR dialect "
         "in which one op is one hardware event: loads by the copy engine into "
         "a ring of slots, barriers with phases, groups of products, stores. "
         "Nothing is synchronized unless an op does it.";
}

static std::string taskText() {
  return formatv(
      "Propose up to {0} kernels that are faster and compute the same, each as "
      "a change of a kernel below: rewrites of the menu, or edits. An edit has "
      "whole lines to \"find\", which occur exactly once in that kernel as it "
      "is below, and the lines that \"replace\" them. Prefer a few different "
      "ideas to many forms of one.\n"
      "Keep name, parameters, attributes, shared memory and the arithmetic of "
      "the epilogue. Ops are those below, arith on integers, scf.for and "
      "scf.if. A simulator checks every order of events and every number; the "
      "fastest kernels are timed.\n"
      "Answer with a JSON object: {{\"plan\": \"one sentence\", "
      "\"candidates\": [{{\"parent\": \"k...\", \"rewrites\": "
      "[\"flight(0)\"], \"edits\": []}, {{\"parent\": \"k...\", "
      "\"rewrites\": [], \"edits\": [{{\"find\": \"lines\", \"replace\": "
      "\"lines\"}]}]}\n",
      kMaxCandidates);
}

static std::string machineText(const Arch &arch) {
  return formatv("{0} ({1}): {2} processors at {3:f2} GHz, {4} bytes of shared "
                 "memory a block, {5} registers a processor, {6:f0} GB/s, "
                 "{7:f0} TFLOP/s\n",
                 arch.chip, arch.isa, arch.processors, arch.clockGHz,
                 arch.sharedPerBlock, arch.registersPerProcessor,
                 arch.memoryGBs, arch.peakTflops);
}

/// "flight(0), flight(2): groups of products in flight ..."
static std::string menuText(llvm::ArrayRef<std::string> names) {
  std::string text;
  for (const rewrite::Rewrite &one : rewrite::menu()) {
    std::vector<StringRef> here;
    for (StringRef name : names)
      if (name.split('(').first == one.name)
        here.push_back(name);
    if (!here.empty())
      text +=
          formatv("{0}: {1}\n", llvm::join(here, ", "),
                  briefOf(WarpSpecialized::kind(), rewrite::decisionOf(one)));
  }
  return text;
}

std::string hone::timeText(const KernelMember &member) {
  if (member.fraction == 0)
    return "not timed";
  return formatv("{0:f2} us, {1:f3} of the kernel that it began as",
                 member.seconds * 1e6, member.fraction);
}

/// The second parent as differences from the first, if these are few.
static std::string parentText(const Shorthand &shorthand,
                              const KernelMember &first,
                              const KernelMember &member) {
  std::string whole = shorthand.kernel(member.file.kernel.text);
  if (&first == &member)
    return whole + "\n";
  std::string few =
      lineDifferences(shorthand.kernel(first.file.kernel.text), whole);
  return few.empty()
             ? whole + "\n"
             : formatv("{0}, but for these lines:\n{1}", first.name(), few)
                   .str();
}

/// The parts that all questions share come first: servers keep them.
std::string hone::kernelQuestionText(const KernelFacts &facts) {
  const Shorthand shorthand(facts.start.kernel.text);
  std::string text = taskText();
  auto add = [&](StringRef title, const std::string &part) {
    if (!part.empty())
      text += formatv("\n# {0}\n{1}", title, part);
  };
  const KernelMember &best = *facts.parents.front();
  add("Laws", lawsText());
  add("Problem",
      formatv("{0}\nThe kernel began as {1}\n{2}", facts.problem.str(),
              toString(facts.start.base), machineText(facts.arch)));
  add("Ops", opReference(best.file.kernel.text));
  add("Types of kernels below, also in answers", shorthand.legend());
  add("Waits of " + best.name(), best.waits);
  add("Rewrites that apply to " + best.name(), menuText(facts.rewrites));
  std::string winners;
  for (const MemberPtr &winner : facts.winners)
    if (!winner->origin.empty())
      winners += formatv("{0}: {1}: {2}\n", winner->name(), timeText(*winner),
                         shorthand.shorten(winner->origin));
  add("Fastest so far", winners);
  add("Refused of the last answer",
      shorthand.shorten(llvm::join(facts.refused, "")));
  for (const MemberPtr &parent : facts.parents)
    add(formatv("Kernel {0}: {1}", parent->name(), timeText(*parent)).str(),
        parentText(shorthand, best, *parent));
  return text;
}
