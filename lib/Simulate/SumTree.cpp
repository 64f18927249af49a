//===- SumTree.cpp - The order in which products are added ----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of trees, the tree of a class, and the tree of a kernel: guessed from
// one run, and built for every run to compare it.
//
//===----------------------------------------------------------------------===//

#include "hone/Simulate/SumTree.h"
#include "Trials/TrialStart.h"
#include "Values/Provenance.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// "al.k8"
static std::string textOf(const SumLeaf &leaf) {
  constexpr llvm::StringRef kParts[] = {"", "al.", "bl.", "al.bl."};
  return (kParts[size_t(leaf.parts)] + "k" + llvm::Twine(leaf.width)).str();
}

/// True if the leaf continues where `before` ends.
static bool follows(const SumLeaf &before, const SumLeaf &leaf) {
  return leaf.first == before.first + before.width &&
         leaf.width == before.width && leaf.parts == before.parts;
}

/// Leaves in runs: "al.k8 x 4, k8 x 4"; those that do not begin at 0 with their
/// first element.
static std::string textOf(llvm::ArrayRef<SumLeaf> leaves) {
  std::string text;
  for (size_t i = 0, end; i < leaves.size(); i = end) {
    for (end = i + 1;
         end < leaves.size() && follows(leaves[end - 1], leaves[end]);)
      ++end;
    text += (i ? ", " : "") + textOf(leaves[i]);
    if (end - i > 1)
      text += formatv(" x {0}", end - i);
    if (leaves[i].first)
      text += formatv(" from {0}", leaves[i].first);
  }
  return text;
}

/// True if the instructions of a period are those of k, one after the other.
static bool isInOrder(llvm::ArrayRef<SumLeaf> leaves) {
  for (size_t i = 1; i < leaves.size(); ++i)
    if (!follows(leaves[i - 1], leaves[i]))
      return false;
  return leaves.front().first == 0 &&
         leaves.front().parts == FactorParts::whole;
}

std::string SumTree::str() const {
  bool isPlain = isInOrder(leaves);
  std::string text =
      isPlain ? ::textOf(leaves.front()) + " in order" : ::textOf(leaves);
  if (inBlocks)
    text += formatv(", in sums of {0}", period);
  else if (!isPlain)
    text += formatv(", for each {0}", period);
  if (parts > 1)
    text += formatv(", in {0} parts of whole {1}s", parts, unit);
  return text;
}

/// The leaves of an accumulator that starts at zero; empty if it starts with a
/// sum.
std::vector<SumLeaf> Provenance::leavesOf(uint32_t node) const {
  std::vector<SumLeaf> found;
  for (; node != kZero; node = nodes[node].left) {
    if (node == kUnknown || nodes[node].isSum)
      return {};
    found.push_back(leaves[nodes[node].right].at);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::string Provenance::textOf(uint32_t node) const {
  if (node == kZero)
    return "nothing";
  if (node == kUnknown)
    return "unknown";
  // Accumulators from the last to the first.
  std::vector<std::string> sums;
  for (;;) {
    uint32_t one = nodes[node].isSum ? nodes[node].right : node;
    std::vector<SumLeaf> chain = leavesOf(one);
    sums.push_back(chain.empty()
                       ? "(" + std::to_string(nodes[one].first) + " ...)"
                       : ::textOf(chain));
    if (one == node)
      break;
    node = nodes[node].left;
  }
  constexpr size_t kMax = 4;
  std::string text;
  for (size_t i = 0; i < std::min(sums.size(), kMax); ++i)
    text += (i ? " + " : "") + sums[sums.size() - 1 - i];
  if (sums.size() > kMax)
    text += formatv(" + {0} more", sums.size() - kMax);
  return text;
}

//===----------------------------------------------------------------------===//
// Trees of nodes
//===----------------------------------------------------------------------===//

uint32_t Provenance::build(const SumTree &tree, int64_t k) {
  int64_t unit = std::max<int64_t>(tree.unit, 1);
  int64_t run = llvm::divideCeil(llvm::divideCeil(k, unit), tree.parts) * unit;
  uint32_t total = kZero;
  for (int64_t begin = 0; begin < k; begin += run) {
    uint32_t ofPart = kZero;
    int64_t end = std::min(begin + run, k);
    for (int64_t at = begin; at < end; at += tree.period) {
      uint32_t sum = tree.inBlocks ? uint32_t(kZero) : ofPart;
      for (SumLeaf leaf : tree.leaves) {
        leaf.first += at;
        sum = accumulate(sum, leafAt(leaf, end));
      }
      ofPart = tree.inBlocks ? add(ofPart, sum) : sum;
    }
    total = add(total, ofPart);
  }
  return total;
}

std::vector<SumTree> Provenance::guess(uint32_t node, int64_t unit) const {
  // The first accumulator.
  uint32_t first = node;
  while (first > kUnknown && nodes[first].isSum)
    first = nodes[first].left;
  std::vector<SumLeaf> chain = leavesOf(first);
  if (chain.empty())
    return {};
  auto begin = [&](size_t count) {
    SumTree tree;
    tree.leaves.assign(chain.begin(), chain.begin() + count);
    tree.period = 0;
    for (const SumLeaf &leaf : tree.leaves)
      tree.period = std::max(tree.period, leaf.first + leaf.width);
    return tree;
  };
  std::vector<SumTree> all = {begin(1)};
  SumTree blocks = begin(chain.size());
  blocks.inBlocks = true;
  if (first != node)
    all.push_back(blocks);
  for (int64_t parts = 2; parts <= Numbers::kMaxParts; ++parts)
    for (SumTree tree : {begin(1), blocks}) {
      tree.parts = parts;
      tree.unit = unit;
      all.push_back(std::move(tree));
    }
  // Other orders within a step.
  constexpr size_t kMax = 64;
  for (size_t count = 2; count <= std::min(kMax, chain.size() / 2); ++count)
    all.push_back(begin(count));
  return all;
}

//===----------------------------------------------------------------------===//
// The tree of a class
//===----------------------------------------------------------------------===//

std::optional<SumTree> simulate::treeOfClass(const Problem &problem,
                                             bool hasWgmma) {
  if (isInteger(problem.acc))
    return std::nullopt;
  constexpr int64_t kLineBytes = 32, kUnitBytes = 128;
  int64_t bytes = sizeOf(problem.a.type);
  bool isExact =
      problem.a.type == ElementType::f32 && problem.products == Products::exact;
  int64_t width = isExact ? 1 : kLineBytes / bytes;
  SumTree tree;
  tree.leaves = {{0, width}};
  tree.period = width;
  if (problem.products == Products::tf32x3) {
    // Small products first; wgmma has three chains of a panel of 128 bytes.
    int64_t ofBlock = hasWgmma ? kUnitBytes / bytes : width;
    tree.leaves.clear();
    for (FactorParts parts :
         {FactorParts::lowA, FactorParts::lowB, FactorParts::whole})
      for (int64_t k = 0; k < ofBlock; k += width)
        tree.leaves.push_back({k, width, parts});
    tree.period = ofBlock;
    tree.inBlocks = true;
  }
  if (problem.products == Products::blocks) {
    tree.period = hasWgmma ? kBlock : width;
    tree.leaves.clear();
    for (int64_t k = 0; k < tree.period; k += width)
      tree.leaves.push_back({k, width});
    tree.inBlocks = true;
  }
  tree.parts = problem.numbers.parts;
  tree.unit = tree.parts > 1 ? kUnitBytes / bytes : 0;
  return tree;
}

//===----------------------------------------------------------------------===//
// The tree of a kernel
//===----------------------------------------------------------------------===//

namespace {
/// Runs a kernel at several sizes, and finds the tree of all.
class KernelTree {
public:
  KernelTree(const Subject &subject, const SimulateOptions &options)
      : subject(subject), options(options), provenance(subject.problem) {
    this->options.reference = nullptr;
    this->options.provenance = &provenance;
  }

  llvm::Error run(llvm::ArrayRef<Trial> trials);
  KernelSums finish();

private:
  struct RunRoots {
    Trial trial;
    std::vector<Provenance::Root> roots;
  };

  bool hasWgmma() const;
  /// The first run that does not have this tree, if there is one.
  const RunRoots *differsFrom(const SumTree &tree);
  void complain(const RunRoots &run, std::string text);
  void compareWithClass();

  const Subject &subject;
  SimulateOptions options;
  Provenance provenance;
  std::vector<RunRoots> runs;
  KernelSums result;
};
} // namespace

bool KernelTree::hasWgmma() const {
  gpu::GPUFuncOp kernel = subject.kernel;
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  for (Attribute target : module.getTargetsAttr().getValue())
    if (auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(target))
      return nvvm.getChip() == "sm_90a";
  return false;
}

void KernelTree::complain(const RunRoots &run, std::string text) {
  result.findings.push_back(
      {Fault::order, std::move(text), Place::of(subject.kernel)});
  result.at = run.trial;
}

llvm::Error KernelTree::run(llvm::ArrayRef<Trial> trials) {
  for (const Trial &trial : trials) {
    if (trial.reachOnly)
      continue;
    provenance.restart();
    auto verdict = simulate::simulate(subject, trial, options);
    if (!verdict)
      return verdict.takeError();
    options.maxWork -= verdict->work;
    runs.push_back({trial, std::move(provenance.roots)});
    if (verdict->passed() && !provenance.isFull()) {
      if (runs.back().roots.empty()) // of no group
        runs.pop_back();
      continue;
    }
    result.findings = std::move(verdict->findings);
    if (result.findings.empty())
      complain(runs.back(), "has more sums than can be compared");
    result.at = trial;
    break;
  }
  return llvm::Error::success();
}

const KernelTree::RunRoots *KernelTree::differsFrom(const SumTree &tree) {
  for (const RunRoots &run : runs)
    if (run.roots.size() != 1 ||
        run.roots.front().node != provenance.build(tree, run.trial.k))
      return &run;
  return nullptr;
}

/// The first size at which the kernel has another tree than its class.
void KernelTree::compareWithClass() {
  std::optional<SumTree> tree = treeOfClass(subject.problem, hasWgmma());
  const RunRoots *run = tree ? differsFrom(*tree) : nullptr;
  if (!run)
    return;
  complain(*run, formatv("adds {0}; expected {1}, where numbers are {2}",
                         result.text.empty()
                             ? provenance.textOf(run->roots.front().node)
                             : result.text,
                         tree->str(), subject.problem.numbers.str()));
}

KernelSums KernelTree::finish() {
  if (!result.findings.empty() || runs.empty())
    return std::move(result);
  for (const RunRoots &run : runs)
    if (run.roots.size() > 1) {
      const Provenance::Root &one = run.roots[0], &other = run.roots[1];
      complain(run, formatv("adds {0} for element ({1}, {2}), but {3} for "
                            "element ({4}, {5}) of batch {6}",
                            provenance.textOf(one.node), one.row, one.column,
                            provenance.textOf(other.node), other.row,
                            other.column, other.batch));
      return std::move(result);
    }
  // Any run may be too short to show the tree.
  const RunRoots *longest =
      &*llvm::max_element(runs, [](const RunRoots &one, const RunRoots &other) {
        return one.trial.k < other.trial.k;
      });
  int64_t unit = stepsOf(subject.kernel).tile;
  const RunRoots *differs = nullptr;
  for (const SumTree &tree :
       provenance.guess(longest->roots.front().node, unit)) {
    const RunRoots *other = differsFrom(tree);
    if (!other) {
      result.text = tree.str();
      break;
    }
    differs = differs ? differs : other;
  }
  if (subject.problem.numbers.isInvariant())
    compareWithClass();
  else if (result.text.empty() && differs)
    complain(*differs, formatv("adds {0}, and {1} at {2}",
                               provenance.textOf(differs->roots.front().node),
                               provenance.textOf(longest->roots.front().node),
                               longest->trial.str()));
  return std::move(result);
}

llvm::Expected<KernelSums> simulate::sumsOf(const Subject &subject,
                                            llvm::ArrayRef<Trial> trials,
                                            const SimulateOptions &options) {
  // Sums of integers are the same in every order.
  if (isInteger(subject.problem.acc))
    return KernelSums{"exact, in any order", {}, std::nullopt};
  KernelTree tree(subject, options);
  if (llvm::Error error = tree.run(trials))
    return std::move(error);
  return tree.finish();
}
