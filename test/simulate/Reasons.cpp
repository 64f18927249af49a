//===- Reasons.cpp - Changes that are no mistakes -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is right for a reason that one can give, and that no walk through orders
// would show.
//
//===----------------------------------------------------------------------===//

#include "Judge.h"
#include "dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;
using namespace hone::simulate;
using namespace hone::test;
using llvm::StringRef;

llvm::StringRef hone::test::whyRight(const Subject &good,
                                     const Mistake &mistake) {
  std::string name = mistake.str();
  StringRef text = name;
  if (text == "delete kernel.depend.release" ||
      text.ends_with("kernel.depend.release only block 0"))
    return "it only lets the next kernel start early";
  if (text == "move kernel.depend.wait into role producer")
    return "consumers touch global memory behind what it announces";
  if (text.contains("-1 pending"))
    return "waits for more than it has to: slower, not wrong";
  if (text == "programmatic plan no")
    return "waits for the kernel before: slower, not wrong";
  return "";
}
