//===- CAPI.cpp - C interface of the compiler -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text or bytecode in, text out: see hone-c/Hone.h. Diagnostics and remarks are
// collected instead of printed, so that a caller can show them with its own.
//
//===----------------------------------------------------------------------===//

#include "hone-c/Hone.h"
#include "hone-c/Runtime.h"
#include "hone/Driver/Compile.h"
#include "hone/Jit/Object.h"
#include "hone/Plugin/Register.h"
#include "hone/Schedule/Ranges.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <cstdlib>
#include <cstring>
#include <mutex>

using namespace mlir;

extern "C" int honeVersion(void) { return HONE_VERSION_NUMBER; }

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

namespace {
/// The messages of a run, one per line. Passes may add them from several
/// threads.
class Messages {
public:
  void add(Location location, StringRef kind, const Twine &text) {
    std::lock_guard<std::mutex> lock(mutex);
    llvm::raw_string_ostream os(lines);
    if (auto place = location->findInstanceOf<FileLineColLoc>())
      os << place.getFilename().getValue() << ":" << place.getLine() << ":"
         << place.getColumn() << ": ";
    os << kind << ": " << text << "\n";
  }
  void add(StringRef text) {
    std::lock_guard<std::mutex> lock(mutex);
    lines += text;
  }
  std::string take() {
    std::lock_guard<std::mutex> lock(mutex);
    return std::exchange(lines, "");
  }

private:
  std::mutex mutex;
  std::string lines;
};

/// Passes report changes, and missed ones with the reason, through the remark
/// engine and not as diagnostics.
class RemarkKeeper : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit RemarkKeeper(Messages &messages) : messages(messages) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string text;
    for (const auto &part : remark.getArgs())
      text += part.val;
    messages.add(remark.getLocation(), "remark", text);
  }

private:
  Messages &messages;
};
} // namespace

static StringRef toString(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("expected a severity");
}

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

struct HoneSession {
  Messages messages;
  std::unique_ptr<MLIRContext> context;
};

/// Registers everything in mlir-opt, and Hone.
static void registerEverythingOnce(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllGPUToLLVMIRTranslations(registry);
  hone::registerDialects(registry);
  static bool once = [] {
    registerAllPasses();
    return true;
  }();
  (void)once;
  hone::registerPasses();
}

extern "C" HoneSession *honeSessionCreate(void) {
  auto *session = new HoneSession;
  DialectRegistry registry;
  registerEverythingOnce(registry);
  session->context = std::make_unique<MLIRContext>(registry);
  // Messages have a location; only compiler developers need the op in generic
  // form.
  session->context->printOpOnDiagnostic(false);
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis =
      categories.failed = ".*";
  (void)remark::enableOptimizationRemarks(
      *session->context, std::make_unique<RemarkKeeper>(session->messages),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
  return session;
}

extern "C" void honeSessionDestroy(HoneSession *session) { delete session; }

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

static void give(char **place, const std::string &text) {
  if (place)
    *place = strdup(text.c_str());
}

/// Parses text or bytecode in a copy: the lexer needs a terminating NUL and the
/// bytecode reader needs alignment.
static OwningOpRef<ModuleOp> parse(MLIRContext *context, StringRef ir) {
  constexpr uint64_t kAlignment = 64;
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      ir.size(), "module", llvm::Align(kAlignment));
  if (!buffer) {
    emitError(UnknownLoc::get(context),
              "expected a module that fits in memory");
    return nullptr;
  }
  llvm::copy(ir, buffer->getBufferStart());
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, context);
}

namespace {
/// Keeps the diagnostics of its scope.
class DiagnosticKeeper : public ScopedDiagnosticHandler {
public:
  DiagnosticKeeper(MLIRContext *context, Messages &messages)
      : ScopedDiagnosticHandler(context, [&messages](Diagnostic &diagnostic) {
          messages.add(diagnostic.getLocation(),
                       toString(diagnostic.getSeverity()), diagnostic.str());
          for (Diagnostic &note : diagnostic.getNotes())
            messages.add(note.getLocation(), "note", note.str());
          return success();
        }) {}
};
} // namespace

/// Parses, runs and prints; on failure returns false with the reasons in
/// `messages`.
static bool runPipeline(MLIRContext *context, StringRef ir, StringRef pipeline,
                        std::string &out, Messages &messages) {
  DiagnosticKeeper keeper(context, messages);
  OwningOpRef<ModuleOp> module = parse(context, ir);
  if (!module)
    return false;
  PassManager pm(context, ModuleOp::getOperationName());
  std::string complaint;
  llvm::raw_string_ostream os(complaint);
  bool isParsed = succeeded(parsePassPipeline(pipeline, pm, os));
  messages.add(complaint);
  if (!isParsed || failed(pm.run(*module)))
    return false;
  llvm::raw_string_ostream(out) << *module;
  return true;
}

extern "C" int honeRunPipelineOnBytes(HoneSession *session, const void *ir,
                                      size_t size, const char *pipeline,
                                      char **out, char **messages) {
  for (char **place : {out, messages})
    if (place)
      *place = nullptr;
  if (!session || !ir || !pipeline) {
    give(messages, "error: expected a session, a module and a pipeline, but "
                   "got NULL\n");
    return 1;
  }
  std::string text;
  bool ok = runPipeline(session->context.get(),
                        StringRef(static_cast<const char *>(ir), size),
                        pipeline, text, session->messages);
  if (ok)
    give(out, text);
  give(messages, session->messages.take());
  return ok ? 0 : 1;
}

extern "C" int honeRunPipeline(HoneSession *session, const char *ir,
                               const char *pipeline, char **out,
                               char **messages) {
  return honeRunPipelineOnBytes(session, ir, ir ? strlen(ir) : 0, pipeline, out,
                                messages);
}

//===----------------------------------------------------------------------===//
// Object code
//===----------------------------------------------------------------------===//

/// Parses and compiles; on failure returns false with the reasons in
/// `messages`.
static bool emitObject(MLIRContext *context, StringRef ir, StringRef cpu,
                       std::string &object, Messages &messages) {
  DiagnosticKeeper keeper(context, messages);
  OwningOpRef<ModuleOp> module = parse(context, ir);
  if (!module)
    return false;
  hone::ObjectOptions options;
  options.cpu = cpu.str();
  options.isLinkedInMemory = false;
  llvm::Expected<std::string> compiled = hone::compileObject(*module, options);
  if (!compiled) {
    messages.add("error: " + llvm::toString(compiled.takeError()) + "\n");
    return false;
  }
  object = std::move(*compiled);
  return true;
}

extern "C" int honeEmitObject(HoneSession *session, const void *ir,
                              size_t irSize, const char *cpu, char **object,
                              size_t *objectSize, char **messages) {
  for (char **place : {object, messages})
    if (place)
      *place = nullptr;
  if (!session || !ir || !object || !objectSize) {
    give(messages, "error: expected a session, a module and a place for the "
                   "object, but got NULL\n");
    return 1;
  }
  std::string bytes;
  bool ok = emitObject(session->context.get(),
                       StringRef(static_cast<const char *>(ir), irSize),
                       cpu ? cpu : "", bytes, session->messages);
  if (ok) {
    *objectSize = bytes.size();
    *object = static_cast<char *>(malloc(bytes.size()));
    memcpy(*object, bytes.data(), bytes.size());
  }
  give(messages, session->messages.take());
  return ok ? 0 : 1;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

struct HoneProgram {
  HoneProgram() = default;
  HoneProgram(const HoneProgram &) = delete;
  ~HoneProgram() {
    for (void *handle : handles)
      honeUnregisterImage(handle);
  }

  std::vector<std::string> images;
  std::vector<void *> handles;
  std::unique_ptr<hone::Jit> jit;
};

/// Parses, compiles and registers; on failure returns null with the reasons in
/// `messages`.
static std::unique_ptr<HoneProgram> load(MLIRContext *context, StringRef ir,
                                         Messages &messages) {
  DiagnosticKeeper keeper(context, messages);
  OwningOpRef<ModuleOp> module = parse(context, ir);
  if (!module)
    return nullptr;
  auto program = std::make_unique<HoneProgram>();
  program->images = hone::imagesOf(*module);
  for (const std::string &image : program->images)
    program->handles.push_back(honeRegisterImage(image.data(), image.size()));
  hone::JitOptions options;
  options.symbols = hone::runtimeSymbols();
  auto jit = hone::Jit::create(*module, options);
  if (!jit) {
    messages.add("error: " + llvm::toString(jit.takeError()) + "\n");
    return nullptr;
  }
  program->jit = std::move(*jit);
  return program;
}

extern "C" int honeProgramCreate(HoneSession *session, const void *ir,
                                 size_t size, HoneProgram **program,
                                 char **messages) {
  if (messages)
    *messages = nullptr;
  if (program)
    *program = nullptr;
  if (!session || !ir || !program) {
    give(messages, "error: expected a session, a module and a place for the "
                   "program, but got NULL\n");
    return 1;
  }
  *program =
      load(session->context.get(),
           StringRef(static_cast<const char *>(ir), size), session->messages)
          .release();
  give(messages, session->messages.take());
  return *program ? 0 : 1;
}

extern "C" void honeProgramDestroy(HoneProgram *program) { delete program; }

extern "C" void *honeProgramFunction(HoneProgram *program, const char *name) {
  if (!program || !name)
    return nullptr;
  auto function = program->jit->lookupAddress(name);
  if (function)
    return *function;
  llvm::consumeError(function.takeError());
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

namespace {
/// The subject of the functions on schedules.
struct Case {
  hone::Problem problem;
  hone::Arch arch;
};
} // namespace

static llvm::Expected<Case> readCase(const char *problem, const char *arch) {
  if (!problem || !arch)
    return llvm::createStringError(
        "expected a problem and an arch, but got NULL");
  llvm::Expected<hone::Problem> asked = hone::Problem::parse(problem);
  if (!asked)
    return asked.takeError();
  llvm::Expected<hone::Arch> machine = hone::Arch::lookup(arch);
  if (!machine)
    return machine.takeError();
  return Case{*asked, *machine};
}

extern "C" char *honeCheckSchedule(const char *schedule, const char *problem,
                                   const char *arch) {
  if (!schedule)
    return strdup("expected a schedule, but got NULL");
  llvm::Expected<hone::RangedSchedule> parsed =
      hone::parseRangedSchedule(schedule);
  if (!parsed)
    return strdup(llvm::toString(parsed.takeError()).c_str());
  llvm::Expected<Case> asked = readCase(problem, arch);
  if (!asked)
    return strdup(llvm::toString(asked.takeError()).c_str());
  auto broken = hone::check(parsed->last, &asked->problem, &asked->arch);
  if (!broken)
    broken = hone::check(parsed->ranges, &asked->problem, &asked->arch);
  return broken ? strdup(broken->c_str()) : nullptr;
}

extern "C" char *honeDefaultSchedule(const char *problem, const char *arch,
                                     char **error) {
  if (error)
    *error = nullptr;
  llvm::Expected<Case> asked = readCase(problem, arch);
  if (!asked) {
    give(error, llvm::toString(asked.takeError()));
    return nullptr;
  }
  return strdup(
      hone::toString(hone::defaultSchedule(asked->problem, asked->arch))
          .c_str());
}

extern "C" void honeFreeText(char *text) { free(text); }
