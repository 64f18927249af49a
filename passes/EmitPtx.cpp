//===- EmitPtx.cpp - Kernel modules to PTX and machine code ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX comes from LLVM alone. ptxas is run by hand and only for cubins, because
// MLIR's own way to a binary swallows what ptxas has to say.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/Emit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace hone;

/// Name of the first function that the PTX declares and does not define.
static std::optional<StringRef> unresolvedCall(StringRef ptx) {
  size_t at = ptx.find(".extern .func");
  if (at == StringRef::npos)
    return std::nullopt;
  // ".extern .func  (.param .b32 r) name ("; the result is optional.
  StringRef rest = ptx.substr(at + StringRef(".extern .func").size()).ltrim();
  if (rest.consume_front("("))
    rest = rest.split(')').second.ltrim();
  return rest.take_until([](char c) { return c == '(' || isspace(c); });
}

FailureOr<std::string> hone::translateToPtx(gpu::GPUModuleOp module) {
  ArrayAttr targets = module.getTargetsAttr();
  if (!targets || targets.size() != 1 || !isa<NVVM::NVVMTargetAttr>(targets[0]))
    return module.emitError(
               "expected one #nvvm.target on a module with launch plans, but "
               "got ")
           << Attribute(targets ? targets
                                : ArrayAttr::get(module.getContext(), {}));
  auto target = dyn_cast<gpu::TargetAttrInterface>(targets[0]);
  if (!target)
    return module.emitError(
               "expected a target that can be serialized, but got ")
           << module.getTargetsAttr()[0]
           << "; register the NVVM target interface";
  gpu::TargetOptions options(
      /*toolkitPath=*/{}, /*librariesToLink=*/{}, /*cmdOptions=*/{},
      /*elfSection=*/{}, gpu::CompilationTarget::Assembly);
  auto serialized = target.serializeToObject(module, options);
  if (!serialized)
    return module.emitError(
        "expected the kernels to translate to PTX, but LLVM refused");
  // The serializer may append the terminator that JIT loaders want.
  std::string ptx(serialized->data(), serialized->size());
  while (!ptx.empty() && ptx.back() == '\0')
    ptx.pop_back();
  if (auto name = unresolvedCall(ptx))
    return module.emitError(
               "expected kernels that call no library, but got a call of '")
           << *name << "'";
  return ptx;
}

/// ptxas on the PATH, in CUDA_HOME, or where the toolkit installs itself.
static std::optional<std::string> findPtxas() {
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (auto root = llvm::sys::Process::GetEnv(variable)) {
      SmallString<128> path(*root);
      llvm::sys::path::append(path, "bin", "ptxas");
      if (llvm::sys::fs::can_execute(path))
        return std::string(path);
    }
  return std::nullopt;
}

FailureOr<std::string> hone::assemble(gpu::GPUModuleOp module, StringRef ptx) {
  auto ptxas = findPtxas();
  if (!ptxas)
    return module.emitError(
        "expected ptxas on the PATH or in CUDA_HOME for format=cubin, "
        "but got none; use format=ptx, which needs no toolkit");
  SmallString<64> source, object, log;
  for (auto [path, suffix] :
       {std::pair(&source, "ptx"), {&object, "cubin"}, {&log, "log"}})
    if (std::error_code error =
            llvm::sys::fs::createTemporaryFile("hone", suffix, *path))
      return module.emitError("cannot create a temporary file: ")
             << error.message();
  llvm::FileRemover removeSource(source), removeObject(object), removeLog(log);
  {
    std::error_code error;
    llvm::raw_fd_ostream os(source, error);
    os << ptx;
    os.close();
    if (os.has_error())
      return module.emitError("cannot write ")
             << source << ": " << os.error().message();
  }
  auto target = cast<NVVM::NVVMTargetAttr>(module.getTargetsAttr()[0]);
  std::string arch = ("-arch=" + target.getChip()).str();
  StringRef args[] = {*ptxas, arch, "-v", source, "-o", object};
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log),
                                          StringRef(log)};
  int status =
      llvm::sys::ExecuteAndWait(*ptxas, args, /*Env=*/std::nullopt, redirects,
                                /*SecondsToWait=*/300);
  auto report = llvm::MemoryBuffer::getFile(log);
  StringRef text = report ? (*report)->getBuffer() : StringRef();
  if (status != 0)
    return module.emitError("expected ptxas to accept the kernels, but got: ")
           << text.trim();
  for (StringRef line : llvm::split(text, '\n'))
    if (line.contains("warning") || (line.contains("spill stores") &&
                                     !line.contains(" 0 bytes spill stores")))
      module.emitWarning("ptxas: ") << line.trim();
  auto code = llvm::MemoryBuffer::getFile(object, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!code)
    return module.emitError("cannot read ")
           << object << ": " << code.getError().message();
  return (*code)->getBuffer().str();
}
