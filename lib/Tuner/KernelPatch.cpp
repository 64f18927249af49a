//===- KernelPatch.cpp - Edits of a kernel's text -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelPatch.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Tuner/KernelPatch.h"
#include "hone/Chat/Answer.h"
#include "hone/Schedule/WholeKernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"
#include <vector>

using namespace hone;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

using Lines = llvm::SmallVector<StringRef, 0>;

static Lines linesOf(StringRef text) {
  Lines lines;
  text.split(lines, '\n');
  return lines;
}

/// The lines of an edit without empty ones at its ends.
static Lines trimmedLines(StringRef text) {
  Lines lines = linesOf(text);
  for (StringRef &line : lines)
    line = line.trim();
  while (!lines.empty() && lines.back().empty())
    lines.pop_back();
  auto first = llvm::find_if(lines, [](StringRef one) { return !one.empty(); });
  lines.erase(lines.begin(), first);
  return lines;
}

/// The places where `wanted` begins in `lines`.
static std::vector<size_t> placesOf(ArrayRef<StringRef> lines,
                                    ArrayRef<StringRef> wanted) {
  std::vector<size_t> places;
  for (size_t at = 0; at + wanted.size() <= lines.size(); ++at)
    if (lines.slice(at, wanted.size()) == wanted)
      places.push_back(at);
  return places;
}

static Error refuse(size_t edit, const llvm::Twine &why) {
  return llvm::createStringError(formatv("edit {0}: ", edit + 1) + why);
}

/// The only place of the lines that an edit finds.
static Expected<size_t> placeOf(ArrayRef<StringRef> lines,
                                ArrayRef<StringRef> wanted, size_t edit) {
  if (wanted.empty())
    return refuse(edit, "expected lines to find, but got none");
  std::vector<size_t> places = placesOf(lines, wanted);
  if (places.size() == 1)
    return places.front();
  std::string line = printable(wanted.front(), 100);
  if (!places.empty())
    return refuse(edit, formatv("expected lines that the parent has once, but "
                                "it has them {0} times; use more lines around "
                                "'{1}'",
                                places.size(), line));
  size_t firsts = llvm::count(lines, wanted.front());
  return refuse(edit, formatv("expected lines of the parent, but it has them 0 "
                              "times; it has the first of {0}, '{1}', {2} "
                              "times",
                              wanted.size(), line, firsts));
}

Expected<std::string> hone::applyPatch(StringRef text, ArrayRef<Edit> edits) {
  if (edits.empty() || edits.size() > kMaxEdits)
    return llvm::createStringError(formatv(
        "expected 1 to {0} edits, but got {1}", kMaxEdits, edits.size()));
  Lines lines = linesOf(text), bare = lines;
  for (StringRef &line : bare)
    line = line.trim();
  constexpr size_t kNone = -1;
  std::vector<size_t> owners(lines.size(), kNone), starts;
  size_t bytes = text.size();
  for (auto [number, edit] : llvm::enumerate(edits)) {
    Lines wanted = trimmedLines(edit.find);
    Expected<size_t> place = placeOf(bare, wanted, number);
    if (!place)
      return place.takeError();
    for (size_t &owner :
         llvm::MutableArrayRef(owners).slice(*place, wanted.size())) {
      if (owner != kNone)
        return refuse(number, formatv("expected other lines than edit {0}, but "
                                      "got some of the same; use one edit",
                                      owner + 1));
      owner = number;
    }
    starts.push_back(*place);
    bytes += edit.replace.size();
  }
  if (bytes > kMaxKernelBytes)
    return llvm::createStringError(
        formatv("expected a kernel of at most {0} bytes, but got {1}",
                kMaxKernelBytes, bytes));
  std::string patched;
  for (auto [at, owner] : llvm::enumerate(owners)) {
    if (owner == kNone)
      patched += (lines[at] + "\n").str();
    else if (starts[owner] == at)
      patched += edits[owner].replace + "\n";
  }
  return patched;
}
