//===- Object.cpp - Linking of object code compiled elsewhere -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jit.cpp has the compilation.
//
//===----------------------------------------------------------------------===//

#include "hone/Jit/Object.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

using namespace hone;
using llvm::StringRef;

LinkedObject::LinkedObject(std::unique_ptr<llvm::orc::LLJIT> linker)
    : linker(std::move(linker)) {}
LinkedObject::~LinkedObject() = default;

llvm::Expected<std::unique_ptr<LinkedObject>>
LinkedObject::create(StringRef bytes) {
  llvm::InitializeNativeTarget();
  auto linker = llvm::orc::LLJITBuilder().create();
  if (!linker)
    return linker.takeError();
  std::unique_ptr<LinkedObject> object(new LinkedObject(std::move(*linker)));
  // The session reports the reason; the error of a failed lookup has none.
  object->linker->getExecutionSession().setErrorReporter(
      [to = object.get()](llvm::Error error) {
        to->complaints += "; " + llvm::toString(std::move(error));
      });
  if (llvm::Error error = object->linker->addObjectFile(
          llvm::MemoryBuffer::getMemBufferCopy(bytes, "object")))
    return llvm::joinErrors(
        llvm::createStringError("expected an object file for this CPU"),
        std::move(error));
  return object;
}

llvm::Expected<void *> LinkedObject::lookup(StringRef name) {
  auto address = linker->lookup("_mlir_ciface_" + name.str());
  if (address)
    return address->toPtr<void *>();
  std::string why = llvm::toString(address.takeError());
  return llvm::createStringError(llvm::formatv(
      "expected a public function that links, but got '{0}': {1}{2}", name, why,
      complaints));
}
