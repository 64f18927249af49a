//===- Shipped.cpp - Built-in weights -------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data of data/policy/hopper.weights and hopper.trees, whose cards record
// how they were made. They are linked in, because a plugin has no folder of its
// own to load files from.
//
//===----------------------------------------------------------------------===//

#include "hone/Model/Model.h"

using namespace hone;

static constexpr unsigned char kWeights[] = {
#embed HONE_WEIGHTS
};
static constexpr unsigned char kTrees[] = {
#embed HONE_TREES
};

template <size_t kSize>
static llvm::StringRef textOf(const unsigned char (&bytes)[kSize]) {
  return {reinterpret_cast<const char *>(bytes), kSize};
}

const Model &Model::shipped() {
  static const Model whole = [] {
    Model model =
        llvm::cantFail(parse(textOf(kWeights)),
                       "the weights that are built in do not read back");
    model.trees =
        llvm::cantFail(Trees::parse(textOf(kTrees)),
                       "the trees that are built in do not read back");
    return model;
  }();
  return whole;
}

llvm::Expected<Model> Model::readFiles(const std::string &weights,
                                       const std::string &trees) {
  llvm::Expected<Model> model =
      weights.empty() ? llvm::Expected<Model>(shipped()) : readFile(weights);
  if (model && !trees.empty())
    if (llvm::Error error = Trees::readFile(trees).moveInto(model->trees))
      return std::move(error);
  return model;
}
