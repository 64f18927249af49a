//===- CAPI.cpp - The compiler as a C library -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text in, text out: see hone-c/Hone.h. Diagnostics are collected instead of
// printed, so that a caller can show them where it shows its own.
//
//===----------------------------------------------------------------------===//

#include "hone-c/Hone.h"
#include "hone/Plugin/Register.h"
#include "hone/Schedule/Schedule.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;

struct HoneSession {
  DialectRegistry registry;
  std::unique_ptr<MLIRContext> context;
};

static void give(char **place, const std::string &text) {
  if (place)
    *place = strdup(text.c_str());
}

extern "C" HoneSession *honeSessionCreate(void) {
  auto *session = new HoneSession;
  hone::registerDialects(session->registry);
  hone::registerPasses();
  session->context = std::make_unique<MLIRContext>(session->registry);
  return session;
}

extern "C" void honeSessionDestroy(HoneSession *session) { delete session; }

/// Parses, runs and prints; false with diagnostics in `messages`.
static bool runPipeline(MLIRContext *context, const char *ir,
                        const char *pipeline, std::string &out,
                        llvm::raw_ostream &messages) {
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    messages << diagnostic.getLocation() << ": " << diagnostic << "\n";
    for (Diagnostic &note : diagnostic.getNotes())
      messages << note.getLocation() << ": note: " << note << "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(ir, context);
  if (!module)
    return false;
  PassManager pm(context, ModuleOp::getOperationName());
  if (failed(parsePassPipeline(pipeline, pm, messages)) ||
      failed(pm.run(*module)))
    return false;
  llvm::raw_string_ostream(out) << *module;
  return true;
}

extern "C" int honeRunPipeline(HoneSession *session, const char *ir,
                               const char *pipeline, char **out,
                               char **messages) {
  std::string text, log;
  llvm::raw_string_ostream os(log);
  bool ok = runPipeline(session->context.get(), ir, pipeline, text, os);
  if (out)
    *out = nullptr;
  if (ok)
    give(out, text);
  give(messages, log);
  return ok ? 0 : 1;
}

extern "C" char *honeCheckSchedule(const char *schedule, const char *problem,
                                   const char *arch) {
  auto parsed = hone::parseSchedule(schedule);
  if (!parsed)
    return strdup(llvm::toString(parsed.takeError()).c_str());
  auto asked = hone::Problem::parse(problem);
  if (!asked)
    return strdup(llvm::toString(asked.takeError()).c_str());
  auto machine = hone::Arch::lookup(arch);
  if (!machine)
    return strdup(llvm::toString(machine.takeError()).c_str());
  auto broken = hone::check(*parsed, &*asked, &*machine);
  return broken ? strdup(broken->c_str()) : nullptr;
}

extern "C" char *honeDefaultSchedule(const char *problem, const char *arch,
                                     char **error) {
  auto asked = hone::Problem::parse(problem);
  if (!asked) {
    give(error, llvm::toString(asked.takeError()));
    return nullptr;
  }
  auto machine = hone::Arch::lookup(arch);
  if (!machine) {
    give(error, llvm::toString(machine.takeError()));
    return nullptr;
  }
  return strdup(
      hone::toString(hone::defaultSchedule(*asked, *machine)).c_str());
}

extern "C" void honeFreeText(char *text) { free(text); }
