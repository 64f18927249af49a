//===- TrainingState.cpp - Saved position of a training -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TrainingState.h.
//
//===----------------------------------------------------------------------===//

#include "TrainingState.h"
#include "hone/Model/CardedFile.h"
#include "hone/Policy/TrainingRun.h"
#include "hone/Text/File.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::detail;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

Expected<std::optional<Resumed>> detail::readState(const std::string &path) {
  if (path.empty() || !llvm::sys::fs::exists(path))
    return std::nullopt;
  // The state holds the model twice, and the optimizer's data for each weight.
  constexpr uint64_t kMaxStateBytes = 8 * detail::kMaxPolicyBytes;
  auto buffer = readFile(path, {"the state of a training", kMaxStateBytes});
  if (!buffer)
    return buffer.takeError();
  auto [line, rest] = (*buffer)->getBuffer().split('\n');
  llvm::SmallVector<StringRef> words;
  line.split(words, ' ');
  size_t network = 0, size = 0;
  if (words.size() != 3 ||
      !llvm::is_contained({"synthetic", "recorded", "online"}, words[0]) ||
      words[1].getAsInteger(10, network) || words[2].getAsInteger(10, size) ||
      size > rest.size())
    return llvm::createStringError(
        formatv("expected the state of a training, but got '{0}'; use another "
                "path, or remove it",
                path));
  return Resumed{words[0].str(), network, rest.take_front(size).str(),
                 rest.drop_front(size).str()};
}

Error TrainingRun::saveState(StringRef phase, size_t network,
                             const std::string &state,
                             const Model &model) const {
  if (settings.state.empty())
    return Error::success();
  return writeFile(
      settings.state,
      formatv("{0} {1} {2}\n", phase, network, state.size()).str() + state +
          model.str());
}
