//===- MessageFields.h - Fields of every message ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each message lists its fields once, for visitors that write or read them
// (Messages.cpp): `visit(message, visitor, &message)`, where the pointer
// selects the overload and `message` may be const. A kernel's images are binary
// and not among the fields.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_WORKERS_MESSAGEFIELDS_H
#define HONE_LIB_WORKERS_MESSAGEFIELDS_H

#include "hone/Workers/Protocol.h"

namespace hone::protocol {

template <typename Self, typename V>
void visit(Self &self, V &field, const KernelFacts *) {
  field("registers", self.registers);
  field("spill_bytes", self.spillBytes);
  field("fault", self.fault);
}

template <typename Self, typename V>
void visit(Self &self, V &field, const Measurement *) {
  Measurement::visit(self, field);
}

template <typename Self, typename V>
void visit(Self &self, V &field, const Compile *) {
  field("number", self.number);
  field("problem", self.problem);
  field("schedule", self.schedule);
  field("arch", self.arch);
  field("code", self.code);
  field("fallback", self.fallback);
  field("kernel_ir", self.kernelIr);
  field("batches_b", self.batchesB);
  field("kernel_text", self.kernelText);
  field("inject", self.inject);
}

template <typename Self, typename V>
void visit(Self &self, V &field, const Kernel *) {
  field("key", self.key);
  field("plan", self.plan);
  field("facts", self.facts);
}

template <typename Self, typename V>
void visit(Self &self, V &field, const Compiled *) {
  field("number", self.number);
  field("status", self.status);
  field("reason", self.reason);
  field("seconds", self.seconds);
}

template <typename Self, typename V>
void visit(Self &self, V &field, const Open *) {
  field("device", self.device);
  field("library", self.library);
}

template <typename Self, typename V>
void visit(Self &self, V &field, const Opened *) {
  field("name", self.name);
  field("arch", self.arch);
  field("driver", self.driver);
  field("cuda", self.cuda);
}

template <typename Self, typename V>
void visit(Self &self, V &field, const Refused *) {
  field("reason", self.reason);
}

template <typename Self, typename V>
void visit(Self &self, V &field, const Drop *) {
  field("key", self.key);
}

template <typename Self, typename V>
void visit(Self &self, V &field, const Entered *) {
  field("schedule", self.entrant.schedule);
  field("rival", self.entrant.rival);
  field("rank", self.entrant.rank);
  field("part", self.entrant.part);
  field("programmatic", self.entrant.programmatic);
  field("key", self.key);
  field("inject", self.inject);
}

template <typename Self, typename V>
void visit(Self &self, V &field, const Measure *) {
  field("number", self.number);
  field("problem", self.problem);
  field("entrants", self.entrants);
  field("best", self.best);
  field("rounds", self.rounds);
  field("most_rounds", self.maxRounds);
  field("protocol", self.protocol);
}

template <typename Self, typename V>
void visit(Self &self, V &field, const Began *) {
  field("number", self.number);
  field("which", self.which);
}

template <typename Self, typename V>
void visit(Self &self, V &field, const Beat *) {
  field("number", self.number);
}

template <typename Self, typename V>
void visit(Self &self, V &field, const Spent *) {
  field("laying", self.laying);
  field("checking", self.checking);
  field("timing", self.timing);
  field("finals", self.finals);
}

template <typename Self, typename V>
void visit(Self &self, V &field, const Measured *) {
  field("number", self.number);
  field("results", self.results);
  field("rounds", self.rounds);
  field("drift", self.drift);
  field("held_back", self.heldBack);
  field("seconds", self.seconds);
  field("spent", self.spent);
}

} // namespace hone::protocol

#endif // HONE_LIB_WORKERS_MESSAGEFIELDS_H
