//===- VerdictCache.cpp - Cache of verdicts -------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of a verdict, and the lookup. Each kernel structure is proven
// once.
//
//===----------------------------------------------------------------------===//

#include "hone/Simulate/VerdictCache.h"
#include "hone/Guards/Places.h"
#include "hone/Text/Replace.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;
using llvm::StringRef;

/// True for attributes that a trial replaces by its own.
static bool isReplaced(StringRef name) {
  constexpr StringRef kNames[] = {
      "a",   "b",     "c",     "m",      "n",        "k",     "lda",
      "ldb", "ldc",   "sa",    "sb",     "sc",       "ha",    "hb",
      "hc",  "batch", "heads", "groups", "segments", "index", "ma"};
  bool isOperand = name.size() > 1 && name[0] == 'e' && llvm::isDigit(name[1]);
  return isOperand || llvm::is_contained(kNames, name);
}

/// The subject without the parts that the proof does not depend on: the
/// module's extents and alignment, whether types or the plan ensure that
/// elements of C do not overlap (in trials they never do), and other
/// alternatives of its plan.
static Subject normalized(Subject subject) {
  PlanAlternative alternative = subject.plan.alternatives[subject.alternative];
  // Other kernels than matmuls are proven unchanged.
  if (subject.isRest) {
    subject.plan.alternatives = {std::move(alternative)};
    subject.alternative = 0;
    return subject;
  }
  size_t batches = llvm::is_contained(subject.plan.args, "heads") ? 2
                   : subject.problem.batch                        ? 1
                                                                  : 0;
  alternative.guard = withoutDistinctPlaces(alternative.guard, batches);
  // A kernel is proven for every extent that its guard accepts, whatever extent
  // the plan assumes; the alternative's decisions are among the constants.
  alternative.extent.clear();
  alternative.decisions.clear();
  subject.plan.alternatives = {std::move(alternative)};
  subject.alternative = 0;
  Problem &problem = subject.problem;
  problem.m = problem.n = problem.k = kDynamic;
  // The guard states the operands' alignment.
  problem.a.align = sizeOf(problem.a.type);
  problem.b.align = sizeOf(problem.b.type);
  problem.alignC = sizeOf(problem.c);
  if (problem.batch)
    problem.batch = kDynamic;
  if (problem.groups)
    problem.groups = kDynamic;
  llvm::StringMap<int64_t> decisions;
  for (const auto &constant : subject.constants)
    if (!isReplaced(constant.getKey()))
      decisions[constant.getKey()] = constant.getValue();
  subject.constants = std::move(decisions);
  return subject;
}

namespace {
/// Hashes a list of texts, each with its length, so that different lists have
/// different hashes. Kernels are identified by their index in the plan, because
/// their names are hashes that depend on the program.
class Digest {
public:
  explicit Digest(std::vector<std::string> names) : names(std::move(names)) {}

  void add(std::string text) {
    for (auto [i, name] : llvm::enumerate(names))
      replaceAll(text, name, "kernel" + std::to_string(i));
    hash.update((Twine(text.size()) + ":").str());
    hash.update(text);
  }
  void add(int64_t number) { add(std::to_string(number)); }
  void add(gpu::GPUFuncOp kernel) {
    std::string text;
    llvm::raw_string_ostream os(text);
    kernel->print(os);
    if (auto module = kernel->getParentOfType<gpu::GPUModuleOp>())
      os << "\n" << module.getTargetsAttr();
    add(text);
  }
  /// The function of a rest kernel, and the tables that it reads.
  void add(mlir::func::FuncOp function) {
    std::string text = "no function";
    if (function) {
      text.clear();
      llvm::raw_string_ostream os(text);
      function->print(os);
      function.walk([&](memref::GetGlobalOp get) {
        if (Operation *table = SymbolTable::lookupNearestSymbolFrom(
                function, get.getNameAttr()))
          os << "\n" << *table;
      });
    }
    add(text);
  }
  std::string take() { return llvm::toHex(hash.final(), /*LowerCase=*/true); }

private:
  std::vector<std::string> names;
  llvm::SHA256 hash;
};
} // namespace

static std::string digestOfNormalized(const Subject &subject) {
  std::vector<std::string> names;
  for (const KernelLaunch &launch : subject.plan.alternatives.front().launches)
    names.push_back(launch.entry);
  Digest digest(std::move(names));
  digest.add(HONE_SIMULATOR);
  digest.add(subject.before.size());
  for (gpu::GPUFuncOp before : subject.before)
    digest.add(before);
  digest.add(subject.kernel);
  digest.add(subject.plan.str());
  digest.add(subject.launch);
  if (subject.isRest) {
    digest.add(subject.function);
    return digest.take();
  }
  digest.add(subject.problem.str());
  digest.add(subject.operands.size());
  for (auto &[type, dims] : subject.operands) {
    digest.add(toString(type).str());
    digest.add(dims);
  }
  digest.add(subject.batchesA);
  digest.add(subject.batchesB);
  std::map<std::string, int64_t> decisions;
  for (const auto &constant : subject.constants)
    decisions[constant.getKey().str()] = constant.getValue();
  for (auto &[name, value] : decisions) {
    digest.add(name);
    digest.add(value);
  }
  return digest.take();
}

std::string simulate::digestOf(const Subject &subject) {
  return digestOfNormalized(normalized(subject));
}

char UndecidedError::ID = 0;

VerdictCache::Judgement VerdictCache::judge(const Subject &subject) {
  SimulateOptions options;
  options.maxFindings = 1;
  auto proof = simulate::prove(subject, options);
  if (!proof)
    return {llvm::toString(proof.takeError()), true};
  if (proof->passed())
    return {};
  gpu::GPUFuncOp kernel = subject.kernel;
  const Finding &finding = proof->findings.front();
  bool isDecided =
      finding.fault != Fault::notModelled && finding.fault != Fault::untried;
  std::string why = formatv(
      "expected a kernel {6}, but got '{0}', "
      "where '{1}' {2} [{3}; {4}; {5}]",
      kernel.getName(), finding.at.op, finding.text, toString(finding.fault),
      finding.at.str(), proof->at ? proof->at->str() : "all sizes",
      subject.isRest                  ? "that computes its function"
      : finding.fault == Fault::order ? "that adds as its numbers state"
                                      : "whose barriers are right");
  return {std::move(why), isDecided};
}

std::optional<VerdictCache::Judgement>
VerdictCache::find(StringRef digest) const {
  if (auto known = verdicts.find(digest); known != verdicts.end())
    return known->second;
  if (file.contains(digest))
    return Judgement();
  return std::nullopt;
}

void VerdictCache::keep(StringRef digest, const Judgement &judgement) {
  verdicts[digest] = judgement;
  if (!judgement.why.empty())
    return;
  if (llvm::Error error = file.add(digest))
    unwritten = llvm::toString(std::move(error));
}

bool VerdictCache::isProven(const Subject &subject) {
  // A verdict is about the kernel, not about its callers.
  if (!subject.findings.empty())
    return false;
  std::string digest = digestOf(subject);
  std::lock_guard<std::mutex> lock(mutex);
  auto known = find(digest);
  return known && known->why.empty();
}

llvm::Error VerdictCache::prove(const Subject &asked) {
  if (!asked.findings.empty()) {
    const Finding &finding = asked.findings.front();
    return llvm::createStringError("'" + finding.at.op + "' " + finding.text);
  }
  Subject subject = normalized(asked);
  std::string digest = digestOfNormalized(subject);
  auto answer = [](const Judgement &judgement) -> llvm::Error {
    if (judgement.why.empty())
      return llvm::Error::success();
    if (!judgement.isDecided)
      return llvm::make_error<UndecidedError>(judgement.why);
    return llvm::createStringError(judgement.why);
  };
  {
    std::lock_guard<std::mutex> lock(mutex);
    ++questions;
    if (auto known = find(digest))
      return answer(*known);
  }
  // Two threads with the same request both simulate, and get the same result.
  Judgement judgement = judge(subject);
  std::lock_guard<std::mutex> lock(mutex);
  ++runs;
  keep(digest, judgement);
  return answer(judgement);
}

llvm::Error VerdictCache::prove(ModuleOp module) {
  FailureOr<std::vector<Subject>> subjects = subjectsOf(module);
  if (failed(subjects))
    return llvm::createStringError("expected launch plans that can be read");
  for (const Subject &subject : *subjects)
    if (llvm::Error error = prove(subject))
      return error;
  return llvm::Error::success();
}

std::vector<std::string> VerdictCache::takeComplaints() {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<std::string> complaints;
  if (!hasComplained && !file.complaint().empty())
    complaints.push_back(file.complaint());
  hasComplained = true;
  if (!unwritten.empty())
    complaints.push_back(std::exchange(unwritten, ""));
  return complaints;
}
