//===- MistakesPlan.cpp - Mistakes in a launch plan -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan says how a kernel is launched: each mistake changes one fact of it.
// The registers of roles are here as well, because the launch must provide
// them.
//
//===----------------------------------------------------------------------===//

#include "MistakesPlan.h"
#include "MistakeList.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::test;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Total registers of all threads of a kernel, in words.
static int64_t registersOf(Operation *op) {
  int64_t sum = 0;
  op->getParentOfType<gpu::GPUFuncOp>().walk([&](kernel::RoleOp role) {
    sum += role.getWarps() * 32 * int64_t(role.getRegisters().value_or(0));
  });
  return sum;
}

void hone::test::listRegisters(MistakeList &list) {
  auto role = dyn_cast<kernel::RoleOp>(list.op);
  if (!role || !role.getRegisters())
    return;
  constexpr int64_t kFile = 65536, kUnit = 8, kMax = 256;
  int64_t now = *role.getRegisters();
  int64_t threads = role.getWarps() * 32;
  auto set = [&](int64_t value, const Twine &why) {
    list.addWrong(Cause::plan, "registers", why, [value](Operation *op) {
      cast<kernel::RoleOp>(op).setRegisters(value);
    });
  };
  // The smallest number that exceeds the register file.
  int64_t more = (kFile - registersOf(role)) / threads / kUnit * kUnit + kUnit;
  if (now + more <= kMax)
    set(now + more, "more than there are");
  if (now > 128)
    list.addWrong(Cause::plan, "registers", "of two blocks", [](Operation *op) {
      Builder builder(op->getContext());
      op->getParentOfType<gpu::GPUFuncOp>()->setAttr(
          NVVM::NVVMDialect::getMinctasmAttrName(),
          builder.getI32IntegerAttr(2));
    });
  set(now + 4, "no multiple of 8");
  set(16, "fewer than 24");
  // Without its own number a role keeps the launch's registers per thread.
  // Other roles then wait for registers that it never frees.
  auto kernel = role->getParentOfType<gpu::GPUFuncOp>();
  int64_t all = 0;
  kernel.walk([&](kernel::RoleOp each) { all += each.getWarps() * 32; });
  int64_t ofLaunch = kFile / all / kUnit * kUnit;
  if (registersOf(role) + (ofLaunch - now) * threads > kFile)
    list.addWrong(Cause::plan, "registers", "are kept",
                  [](Operation *op) { op->removeAttr("registers"); });
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

/// `text` with the `which`-th "ceildiv(" made one that rounds down, or nothing.
static std::optional<std::string> roundedDown(StringRef text, size_t which) {
  constexpr StringRef kName = "ceildiv(";
  size_t at = text.find(kName);
  for (; which-- && at != StringRef::npos; at = text.find(kName, at + 1))
    ;
  if (at == StringRef::npos)
    return std::nullopt;
  size_t from = at + kName.size(), comma = 0, end = from;
  for (int depth = 1; end < text.size(); ++end) {
    depth += text[end] == '(';
    depth -= text[end] == ')';
    if (depth == 0)
      break;
    if (depth == 1 && text[end] == ',')
      comma = end;
  }
  return formatv("{0}(({1}) / ({2})){3}", text.take_front(at),
                 text.slice(from, comma), text.slice(comma + 1, end),
                 text.drop_front(end + 1))
      .str();
}

void PlanMistakes::ofGrid(const KernelLaunch &launch) {
  const std::string gridText = launch.grid[0].str();
  StringRef grid = gridText;
  auto set = [&](const Twine &detail, std::string to) {
    addToLaunch("grid", detail,
                [to](KernelLaunch &launch) { launch.grid[0] = to; });
  };
  const std::string clusterText = launch.cluster[0].str();
  StringRef cluster = clusterText;
  set("a cluster more", formatv("{0} + {1}", grid, cluster));
  // With more blocks than fit the GPU, the running ones wait for a block that
  // never starts.
  const PlanAlternative &alternative =
      subject.plan.alternatives[subject.alternative];
  list.back().cannotBeRight =
      alternative.workspaceZeroed && number + 1 == alternative.launches.size();
  set("a cluster fewer", formatv("max({1}, {0} - {1})", grid, cluster));
  set("half", formatv("max({1}, ({0}) / (2 * {1}) * {1})", grid, cluster));
  for (size_t i = 0; auto text = roundedDown(grid, i); ++i)
    set("rounds down " + Twine(i), formatv("max({1}, {0})", *text, cluster));
  // The limit lies beyond all trials. Any number is right for blocks that take
  // tiles in turn.
  set("at most 65536", formatv("min({0}, 65536)", grid));
  list.back().cannotBeRight =
      !grid.contains("resident(") && !grid.starts_with("min(");
  // The limit lies far beyond all trials.
  set("rest of 2^20", formatv("({0}) % 1048576", grid));
  list.back().cannotBeRight = true;
  for (int axis : {1, 2})
    for (const char *extent : {"0", "2"})
      addWrong("grid", Twine(axis) + " of " + extent,
               [=](KernelLaunch &launch) { launch.grid[axis] = extent; });
  // As many blocks as an otherwise empty chip could hold.
  size_t at = grid.find("resident(");
  if (at == StringRef::npos)
    return;
  size_t comma = grid.find(',', at), end = grid.find(')', at);
  set("asks nobody",
      formatv("{0}(2 * {1}){2}", grid.take_front(at),
              grid.slice(comma + 1, end), grid.drop_front(end + 1)));
  if (!subject.plan.alternatives[subject.alternative].workspaceZeroed)
    return;
  list.back().cannotBeRight = true;
}

void PlanMistakes::ofLaunch(const KernelLaunch &launch) {
  ofGrid(launch);
  auto expression = [&](StringRef kind, PlanFormula(KernelLaunch::*field)[3],
                        StringRef form) {
    std::string before = (launch.*field)[0].str();
    std::string to = formatv(form.str().c_str(), before).str();
    if (to != before)
      addWrong(kind, form,
               [=](KernelLaunch &launch) { (launch.*field)[0] = to; });
    for (int axis : {1, 2})
      addWrong(kind, Twine(axis) + " of 2",
               [=](KernelLaunch &launch) { (launch.*field)[axis] = "2"; });
  };
  expression("block", &KernelLaunch::block, "({0}) + 32");
  expression("block", &KernelLaunch::block, "({0}) / 2");
  expression("cluster", &KernelLaunch::cluster, "({0}) * 2");
  if (launch.cluster[0].str() != "1")
    addWrong("cluster", "none",
             [](KernelLaunch &launch) { launch.cluster[0] = "1"; });
  constexpr int64_t kMax = 232448;
  if (launch.sharedBytes) {
    addWrong("shared", "- 16",
             [](KernelLaunch &launch) { launch.sharedBytes -= 16; });
    addWrong("shared", "half",
             [](KernelLaunch &launch) { launch.sharedBytes /= 2; });
  }
  addWrong("shared", "more than there is",
           [](KernelLaunch &launch) { launch.sharedBytes = kMax + 1024; });
  addToLaunch(
      "programmatic", launch.programmatic ? "no" : "yes",
      [](KernelLaunch &launch) { launch.programmatic = !launch.programmatic; });
}

/// False for the stride of a batch that a factor does not have, and for a
/// number that the module gives.
static bool isUsed(const Subject &subject, StringRef argument) {
  if (subject.constants.count(argument))
    return false;
  bool isInner = argument.starts_with("h");
  if (!isInner && !argument.starts_with("s"))
    return true;
  std::string batches = argument.ends_with("a")   ? subject.batchesA
                        : argument.ends_with("b") ? subject.batchesB
                                                  : "";
  return batches.empty() || StringRef(batches).contains(isInner ? 'h' : 'b');
}

void PlanMistakes::ofGuard(StringRef guard) {
  SmallVector<StringRef> terms;
  guard.split(terms, " && ");
  for (size_t i = 0; i < terms.size(); ++i) {
    size_t at = terms[i].find(" % ");
    int64_t modulus = 0;
    if (at == StringRef::npos ||
        terms[i]
            .drop_front(at + 3)
            .take_until([](char c) { return c == ' '; })
            .getAsInteger(10, modulus))
      continue;
    // Guards with holes where no trial is, and at one number. A launch refuses
    // extents above 2^31 - 1.
    StringRef factor = terms[i].take_front(at);
    bool isExtent = factor == "m" || factor == "n" || factor == "k";
    for (std::string hole :
         {std::string("m > 1000"), formatv("{0} == 1001", factor).str(),
          formatv("{0} > {1}", factor, isExtent ? 2000000000 : 4294967296)
              .str()}) {
      SmallVector<std::string> changed(terms.begin(), terms.end());
      changed[i] = formatv("({0} || {1})", hole, terms[i]);
      std::string text = llvm::join(changed, " && ");
      add("guard", Twine(terms[i]) + " unless " + hole,
          [text](Subject &subject) {
            subject.plan.alternatives[subject.alternative].guard = text;
          })
          .cannotBeRight = isUsed(subject, factor) && modulus > 1;
    }
    for (int64_t weaker : {modulus / 2, int64_t(1)}) {
      SmallVector<std::string> changed(terms.begin(), terms.end());
      changed[i] = formatv("{0} % {1} == 0", terms[i].take_front(at), weaker);
      std::string text = llvm::join(changed, " && ");
      add("guard", Twine(terms[i]) + " as " + Twine(weaker),
          [text](Subject &subject) {
            subject.plan.alternatives[subject.alternative].guard = text;
          })
          .cannotBeRight = isUsed(subject, terms[i].take_front(at));
    }
  }
}

void PlanMistakes::ofWorkspace(const PlanAlternative &alternative) {
  auto set = [&](const Twine &detail, std::string to) {
    add("workspace", detail, [to](Subject &subject) {
      subject.plan.alternatives[subject.alternative].workspaceBytes = to;
    });
  };
  auto &launches = alternative.launches;
  for (size_t i = 0; i + 1 < launches.size(); ++i)
    add("launch", Twine(i) + " is there twice", [i](Subject &subject) {
      auto &launches = subject.plan.alternatives[subject.alternative].launches;
      auto launch = launches[i];
      auto kernel = subject.before[i];
      launches.insert(launches.begin() + i, launch);
      subject.before.insert(subject.before.begin() + i, kernel);
      ++subject.launch;
    });
  for (size_t i = 0; i + 1 < launches.size(); ++i)
    add("launch", Twine(i) + " is missing", [i](Subject &subject) {
      auto &launches = subject.plan.alternatives[subject.alternative].launches;
      launches.erase(launches.begin() + i);
      subject.before.erase(subject.before.begin() + i);
      --subject.launch;
    }).cannotBeRight = true;
  const std::string bytesText = alternative.workspaceBytes.str();
  StringRef bytes = bytesText;
  if (bytes.empty())
    return;
  set("none", "");
  set("half", formatv("({0}) / 2 / 256 * 256", bytes));
  set("- 256", formatv("max(0, ({0}) - 256)", bytes));
  for (size_t i = 0; auto text = roundedDown(bytes, i); ++i)
    set("rounds down " + Twine(i), *text);
  if (alternative.workspaceZeroed)
    add("workspace", "is not cleared", [](Subject &subject) {
      subject.plan.alternatives[subject.alternative].workspaceZeroed = false;
    }).cannotBeRight = true;
}

std::vector<Mistake> hone::test::planMistakesIn(const Subject &subject,
                                                size_t launch) {
  return std::move(PlanMistakes(subject, launch).list);
}
