//===- element-type.cpp - f64 as a type of elements -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type of element-type.patch: in MLIR, in the text of a problem, for
// cuBLAS, and in kinds.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "hone/Numerics/Tolerance.h"
#include "hone/Schedule/EpilogueFunction.h"
#include "hone/Schedule/Host.h"
#include "lib/Device/CublasTypes.h"
#include "lib/Schedule/CommonLaws.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hone;

int main() {
  MLIRContext context;
  std::optional<ElementType> type =
      toAnyElementType(Float64Type::get(&context));
  if (!type)
    return 1;
  llvm::outs() << toString(*type) << " of " << sizeOf(*type) << " bytes, sums "
               << toString(accumulatorOf(*type)) << ", code "
               << cublas::typeCode(*type) << ", precision "
               << llvm::APFloat::semanticsPrecision(semanticsOf(*type))
               << ", roundoff " << unitRoundoff(*type) << "\n";
  llvm::Expected<Problem> problem =
      Problem::parse("m = 8, n = 8, k = 8, a = f64:row:8, b = f64:col:8, "
                     "acc = f64, c = f64:8, init = zero");
  if (!problem) {
    llvm::outs() << llvm::toString(problem.takeError()) << "\n";
    return 1;
  }
  llvm::outs() << problem->str() << "\n"
               << Host::kind().refuseTypes(*problem).value_or("taken") << "\n"
               << hone::detail::refuseTensorCoreTypes(*problem).value_or(
                      "taken")
               << "\n";
  return 0;
}
