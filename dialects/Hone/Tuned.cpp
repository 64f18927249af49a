//===- Tuned.cpp - A line of a tuning file --------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifier of one line. Laws between lines (a key has one line) are for the
// reader of the file, because files are combined without MLIR, too.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Hone.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace hone;

/// Verifies that a time, if present, is valid.
static LogicalResult verifyTime(TunedOp op, StringRef name,
                                std::optional<APFloat> time) {
  if (!time)
    return success();
  double us = time->convertToDouble();
  if (std::isfinite(us) && us > 0)
    return success();
  return op.emitOpError() << "expected '" << name
                          << llvm::formatv("' to be a time above 0, but got "
                                           "{0:f3}",
                                           us)
                                 .str();
}

LogicalResult TunedOp::verify() {
  Arch arch = getArch().getValue();
  if (arch.isHost())
    return emitOpError()
           << "expected the name of a chip, but got 'host', which names "
              "another machine for each reader of the file";
  Problem problem = getProblem().getValue();
  if (std::optional<std::string> law =
          check(getSchedule().getValue(), &problem, &arch))
    return emitOpError() << *law;
  if (failed(verifyTime(*this, "us", getUs())) ||
      failed(verifyTime(*this, "p10", getP10())) ||
      failed(verifyTime(*this, "p90", getP90())))
    return failure();
  if (!getUs())
    return success();
  auto us = [](const APFloat &time) { return time.convertToDouble(); };
  double median = us(*getUs());
  double p10 = us(getP10().value_or(*getUs()));
  double p90 = us(getP90().value_or(*getUs()));
  if (p10 > median || median > p90)
    return emitOpError() << llvm::formatv(
                                "expected p10, us and p90 in order, but got "
                                "{0:f3}, {1:f3} and {2:f3}",
                                p10, median, p90)
                                .str();
  return success();
}
