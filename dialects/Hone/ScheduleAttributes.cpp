//===- ScheduleAttributes.cpp - Schedules as attributes -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `#hone.schedule` and `#hone.ranges`.
//
//===----------------------------------------------------------------------===//

#include "dialects/Hone/Assignments.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace hone;

//===----------------------------------------------------------------------===//
// ScheduleAttr
//===----------------------------------------------------------------------===//

/// Parses `, decision = value` into `schedule`.
static ParseResult parseDecision(AsmParser &parser, Schedule &schedule,
                                 SmallVectorImpl<StringRef> &seen) {
  AttrAssignment decision;
  if (parseAssignment(parser, decision))
    return failure();
  bool isKnown = decision.name == kRewrites || !schedule[decision.name].empty();
  if (llvm::Error error =
          schedule.decideInText(decision.name, decision.value)) {
    failParse(parser, isKnown ? decision.valueLoc : decision.nameLoc,
              std::move(error));
    return failure();
  }
  if (llvm::is_contained(seen, decision.name))
    return parser.emitError(decision.nameLoc, "expected '")
           << decision.name << "' once, but got it twice";
  seen.push_back(decision.name);
  return success();
}

/// `kind, decision = value, ...`
static ParseResult parseKindAndDecisions(AsmParser &parser,
                                         Schedule &schedule) {
  StringRef kind;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&kind))
    return failure();
  llvm::Expected<Schedule> made = makeSchedule(kind);
  if (!made) {
    failParse(parser, loc, made.takeError());
    return failure();
  }
  schedule = *made;
  SmallVector<StringRef> seen;
  while (succeeded(parser.parseOptionalComma()))
    if (parseDecision(parser, schedule, seen))
      return failure();
  return success();
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  Schedule schedule;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parseKindAndDecisions(parser, schedule) || parser.parseGreater())
    return {};
  return parser.getChecked<ScheduleAttr>(loc, parser.getContext(), schedule);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<" << hone::toString(getValue()) << ">";
}

LogicalResult
ScheduleAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                     Schedule value) {
  if (std::optional<std::string> broken = check(value))
    return emitError() << *broken;
  return success();
}

//===----------------------------------------------------------------------===//
// RangesAttr
//===----------------------------------------------------------------------===//

/// `m to 64: ws, ...`
static ParseResult parseRange(AsmParser &parser, ScheduleRange &range) {
  StringRef extent;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&extent))
    return failure();
  if (extent.size() != 1)
    return parser.emitError(loc, "expected m, n or k, but got '")
           << extent << "'";
  range.extent = extent.front();
  if (parser.parseKeyword("to"))
    return failure();
  SMLoc boundLoc = parser.getCurrentLocation();
  if (startsLongInteger(boundLoc))
    return parser.emitError(boundLoc,
                            "expected a bound of at most 20 digits, but got "
                            "more");
  return failure(parser.parseInteger(range.max) || parser.parseColon() ||
                 parseKindAndDecisions(parser, range.schedule));
}

Attribute RangesAttr::parse(AsmParser &parser, Type) {
  ScheduleRanges ranges;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  do
    if (parseRange(parser, ranges.emplace_back()))
      return {};
  while (succeeded(parser.parseOptionalVerticalBar()));
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RangesAttr>(loc, parser.getContext(), ranges);
}

void RangesAttr::print(AsmPrinter &printer) const {
  printer << "<" << hone::toString(getValue()) << ">";
}

LogicalResult
RangesAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   ScheduleRanges value) {
  if (value.empty())
    return emitError() << "expected a range or more, but got none";
  if (std::optional<std::string> broken = check(value))
    return emitError() << *broken;
  return success();
}
