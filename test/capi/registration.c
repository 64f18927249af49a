// The dialects and passes of Hone in a context of mlir-c.
//
// RUN: %cc %s -isystem %llvm_include -L%mlir_lib_dir -Wl,-rpath,%mlir_lib_dir %libhone \
// RUN:   -Wl,-rpath-link,%hone_obj/lib -lMLIRCAPIFunc -lMLIRCAPIIR -lMLIR -lLLVM -lstdc++ -o %t
// RUN: %t | FileCheck %s
#include "hone-c/Registration.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Pass.h"
#include <stdio.h>

static const char *ir =
    "func.func @mm(%a: memref<64x64xf16>, %b: memref<64x64xf16>,"
    "              %c: memref<64x64xf32>) {\n"
    "  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>)"
    "                outs(%c : memref<64x64xf32>)\n"
    "  return\n"
    "}\n";

static const char *kernelFunction = "func.func @f() {\n"
                                    "  kernel.depend.wait\n"
                                    "  return\n"
                                    "}\n";

static void print(MlirStringRef text, void *unused) {
  (void)unused;
  fwrite(text.data, 1, text.length, stdout);
}

/* Parses a module, runs a pipeline and prints the module; or prints what
 * failed. */
static void run(MlirContext context, const char *text, const char *pipeline) {
  MlirModule module =
      mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  if (mlirModuleIsNull(module)) {
    printf("no module\n");
    return;
  }
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirOperation op = mlirModuleGetOperation(module);
  if (mlirLogicalResultIsFailure(mlirParsePassPipeline(
          mlirPassManagerGetAsOpPassManager(manager),
          mlirStringRefCreateFromCString(pipeline), print, NULL)))
    printf("no pipeline\n");
  else if (mlirLogicalResultIsFailure(mlirPassManagerRunOnOp(manager, op)))
    printf("no run\n");
  else
    mlirOperationPrint(op, print, NULL);
  mlirPassManagerDestroy(manager);
  mlirModuleDestroy(module);
}

/* A context that has one dialect of Hone and func. */
static void testHandle(MlirDialectHandle handle, const char *text) {
  MlirContext context = mlirContextCreate();
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__func__(), context);
  print(mlirDialectHandleGetNamespace(handle), NULL);
  printf(": %zd", mlirContextGetNumLoadedDialects(context));
  mlirDialectHandleRegisterDialect(handle, context);
  MlirDialect dialect = mlirDialectHandleLoadDialect(handle, context);
  printf(" -> ");
  print(mlirDialectGetNamespace(dialect), NULL);
  printf("\n");
  run(context, text, "builtin.module()");
  mlirContextDestroy(context);
}

int main(void) {
  // CHECK: hone: {{[0-9]+}} -> hone
  // CHECK: hone.problem
  testHandle(
      mlirGetDialectHandle__hone__(),
      "module attributes {a.b = #hone.arch<h200>, a.p = #hone.problem<m = "
      "64, n = 64, k = 64, a = f16:row:16, b = f16:row:16, acc = f32, "
      "c = f32:16, init = read>} {}");
  // CHECK: kernel: {{[0-9]+}} -> kernel
  // CHECK: kernel.depend.wait
  testHandle(mlirGetDialectHandle__kernel__(), kernelFunction);

  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterHoneDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, true);
  mlirDialectRegistryDestroy(registry);

  // Passes have names once they are registered.
  // CHECK: does not refer to a registered pass
  // CHECK: no pipeline
  run(context, ir, "builtin.module(hone-match)");
  mlirRegisterHonePasses();
  mlirRegisterHonePasses();
  // CHECK: hone.matmul
  run(context, ir, "builtin.module(hone-match)");
  // CHECK: gpu.binary @hone_sm_90a
  // CHECK: llvm.call @honeLaunch
  run(context, ir, "builtin.module(hone-pipeline{arch=sm_90a})");
  mlirContextDestroy(context);
  return 0;
}
