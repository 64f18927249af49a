"""usage: readme_library.py README > program.cpp

Puts the C++ block of the README into a program that reads a module, runs the block's passes,
and prints what comes out.
"""

import re
import sys

PROGRAM = """%s
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

static void prepare(mlir::DialectRegistry &registry) {
%s
}
static void fill(mlir::OpPassManager &passManager) {
%s
}
int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  mlir::DialectRegistry registry;
  prepare(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  mlir::PassManager passManager(&context);
  fill(passManager);
  if (!module || mlir::failed(passManager.run(*module)))
    return 1;
  llvm::outs() << *module << "\\n\\n";
  return 0;
}
"""

blocks = re.findall(r"```cpp\n(.*?)```", open(sys.argv[1], encoding="utf-8").read(), re.S)
if len(blocks) != 1:
    sys.exit(f"expected one block of C++ in the README, but got {len(blocks)}")
lines = blocks[0].splitlines()
includes = [line for line in lines if line.startswith("#include")]
before = [line for line in lines if "registry" in line]
rest = [line for line in lines if line not in includes and line not in before]
print(PROGRAM % ("\n".join(includes), "\n".join(before), "\n".join(rest)))
