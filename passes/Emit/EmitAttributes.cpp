//===- EmitAttributes.cpp - Attributes as text for stock tools ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stock mlir-opt, mlir-translate and mlir-runner refuse an attribute of an
// unregistered dialect anywhere in a module. Such an attribute stays readable:
// it becomes its text, under the name without the prefix that the dialect
// verifies.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "passes/Emit/Emit.h"

using namespace mlir;
using namespace hone;

static bool isOwn(const Dialect &dialect) {
  return isa<HoneDialect, kernel::KernelDialect>(dialect);
}

static StringAttr textOf(Attribute attribute) {
  MLIRContext *context = attribute.getContext();
  if (auto problem = dyn_cast<ProblemAttr>(attribute))
    return StringAttr::get(context, problem.getValue().str());
  if (auto schedule = dyn_cast<ScheduleAttr>(attribute))
    return StringAttr::get(context, toString(schedule.getValue()));
  if (auto ranges = dyn_cast<RangesAttr>(attribute))
    return StringAttr::get(context, toString(ranges.getValue()));
  if (auto dims = dyn_cast<DimsAttr>(attribute))
    return StringAttr::get(context, dims.getLetters());
  if (auto arch = dyn_cast<ArchAttr>(attribute))
    return StringAttr::get(context, arch.getValue().name);
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return StringAttr::get(context, text);
}

/// True for names that other programs look up in the output.
static bool isForOthers(StringRef name) {
  return name == kernel::kPlansAttr || name == "hone.memory";
}

/// `hone.schedule = #hone.schedule<...>` becomes `schedule = "..."`. If the
/// name is taken, its attribute stays. Attributes that are text already only
/// lose the prefix, which was for Hone's passes.
static void renameDiscardable(Operation *op) {
  SmallVector<NamedAttribute> own;
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    if (isOwn(attribute.getValue().getDialect()) ||
        (attribute.getName().strref().starts_with("hone.") &&
         !isForOthers(attribute.getName())))
      own.push_back(attribute);
  for (NamedAttribute attribute : own) {
    StringRef name = attribute.getName().strref();
    name.consume_front("hone.");
    op->removeDiscardableAttr(attribute.getName());
    if (!op->hasAttr(name) && !op->getInherentAttr(name))
      op->setDiscardableAttr(name, isOwn(attribute.getValue().getDialect())
                                       ? textOf(attribute.getValue())
                                       : attribute.getValue());
  }
}

void hone::attributesToText(Operation *root) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](Attribute attribute) -> std::optional<Attribute> {
    if (auto plan = dyn_cast<kernel::PlanAttr>(attribute))
      return kernel::planLines(plan);
    if (!isOwn(attribute.getDialect()))
      return std::nullopt;
    return textOf(attribute);
  });
  root->walk([&](Operation *op) {
    // Hone's ops need their attributes; stock tools refuse them in any case.
    if (op->getDialect() && isOwn(*op->getDialect()))
      return;
    renameDiscardable(op);
    replacer.replaceElementsIn(op, /*replaceAttrs=*/true, /*replaceLocs=*/true,
                               /*replaceTypes=*/true);
  });
}
