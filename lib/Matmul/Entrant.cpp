//===- Entrant.cpp - Entrants of a measurement ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/Entrant.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;
using llvm::StringRef;

static constexpr StringRef kRivals[] = {"cublas", "cublaslt-heuristic",
                                        "cublaslt-auto", "cublaslt-padded"};
static constexpr StringRef kParts[] = {"whole", "product", "separate"};
static constexpr StringRef kProtocols[] = {"device", "wall-offline",
                                           "wall-server"};

template <typename EnumT>
static std::optional<EnumT> parse(llvm::ArrayRef<StringRef> names,
                                  StringRef text) {
  const auto *found = llvm::find(names, text);
  if (found == names.end())
    return std::nullopt;
  return static_cast<EnumT>(found - names.begin());
}

StringRef hone::toString(Rival rival) { return kRivals[size_t(rival)]; }
StringRef hone::toString(Part part) { return kParts[size_t(part)]; }
StringRef hone::toString(Protocol protocol) {
  return kProtocols[size_t(protocol)];
}
std::optional<Rival> hone::parseRival(StringRef text) {
  return parse<Rival>(kRivals, text);
}
std::optional<Part> hone::parsePart(StringRef text) {
  return parse<Part>(kParts, text);
}
std::optional<Protocol> hone::parseProtocol(StringRef text) {
  return parse<Protocol>(kProtocols, text);
}

bool hone::isRanked(Rival rival) {
  return rival == Rival::cublasLtAuto || rival == Rival::cublasLtPadded;
}

bool hone::hasOddLines(const Problem &problem) {
  constexpr int64_t kWordBytes = 16;
  return std::min({problem.a.align, problem.b.align, problem.alignC}) <
         kWordBytes;
}

std::string hone::toString(const Entrant &entrant) {
  return entrant.schedule ? toString(*entrant.schedule)
                          : toString(entrant.rival).str();
}

Problem hone::problemFor(const Entrant &entrant, const Problem &problem) {
  Problem result = problem;
  if (entrant.part != Part::whole)
    result.epilogue.clear();
  return result;
}
