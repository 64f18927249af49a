//===- ModelFile.h - Weights as bytes ---------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of hone/Model/Model.h, with all its checked parts.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_MODEL_MODELFILE_H
#define HONE_LIB_MODEL_MODELFILE_H

#include "hone/Model/Network.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>

namespace hone::detail {

/// Networks of one shape.
struct FilePart {
  NetworkShape shape;
  std::vector<std::string> names;
  std::vector<float> means, spreads;
  std::vector<Vector> networks;
};

struct ModelFile : FilePart {
  std::map<std::string, std::string> card;
  std::optional<FilePart> writer;

  std::string str() const;
  static llvm::Expected<ModelFile> parse(llvm::StringRef bytes);
};

} // namespace hone::detail

#endif // HONE_LIB_MODEL_MODELFILE_H
