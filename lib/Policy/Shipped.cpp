//===- Shipped.cpp - The weights that are built in ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// data/policy/h200.weights, whose card says how they were made. A plugin has no
// folder of its own to look for files in, so they are part of it.
//
//===----------------------------------------------------------------------===//

#include "hone/Policy/Model.h"

using namespace hone;

static constexpr unsigned char kWeights[] = {
#embed HONE_WEIGHTS
};

const Model &Model::shipped() {
  static const Model model = llvm::cantFail(
      parse({reinterpret_cast<const char *>(kWeights), sizeof(kWeights)}),
      "the weights that are built in do not read back");
  return model;
}
