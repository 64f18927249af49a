//===- MatchBatches.cpp - Merged dimensions and batches -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program may have several dimensions of one kind. Dimensions adjacent in
// every operand are one dimension of the matmul. Each remaining dimension of a
// kind is a batch: attention's batch and head, which have the sequence between
// them, and rows that are not adjacent and share one B.
//
//   scores[b, h, i, j] = sum over d of q[b, i, h, d] * k[b, j, h, d]
//
//           b  h  i  j  d
//   letters b  h  m  n  k    in Q and K a sequence lies between b and h
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/Match/MatchContraction.h"

using namespace mlir;
using namespace hone;
using namespace hone::match;

namespace {
/// Loops that are one dimension of the matmul, outermost first.
using Run = SmallVector<unsigned>;

class Batches {
public:
  Batches(ArrayRef<Access> operands, ArrayRef<int64_t> extents,
          std::string &letters)
      : operands(operands), extents(extents), letters(letters) {}

  /// Names the batches. Returns the reason if a matmul cannot have them, or an
  /// empty string.
  std::string name();

private:
  bool isOneIn(const Access &operand, unsigned outer, unsigned inner) const;
  bool isOne(unsigned outer, unsigned inner) const;
  SmallVector<Run> runsOf(char letter) const;
  size_t mainRun(char letter, ArrayRef<Run> runs) const;
  double sizeOf(const Run &run) const;

  ArrayRef<Access> operands;
  ArrayRef<int64_t> extents;
  std::string &letters;
};
} // namespace

/// The loops that run over an operand, outermost first, without those of one
/// element. A loop that is cut into pieces occurs once per piece.
static SmallVector<unsigned> loopsOf(const Access &access, StringRef letters) {
  SmallVector<unsigned> loops;
  for (const Pieces &pieces : access.dims)
    for (const Piece &piece : pieces)
      if (letters[piece.loop] != kUnit)
        loops.push_back(piece.loop);
  return loops;
}

/// The memref's dimension of stride 1, with several elements if possible; the
/// last dimension if there is none.
static int64_t contiguousDim(MemRefType type) {
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  int64_t found = type.getRank() - 1;
  for (int64_t dim = found; dim >= 0; --dim) {
    if (strides[dim] != 1)
      continue;
    if (type.getDimSize(dim) != 1)
      return dim;
    found = strides[found] == 1 ? found : dim;
  }
  return found;
}

std::optional<unsigned> match::innermostLoop(const Access &access,
                                             StringRef letters) {
  auto type = dyn_cast<MemRefType>(access.value.getType());
  if (type && type.getRank() > 0) {
    const Pieces &pieces = access.dims[contiguousDim(type)];
    if (!pieces.empty())
      return pieces.back().loop;
  }
  SmallVector<unsigned> loops = loopsOf(access, letters);
  return loops.empty() ? std::nullopt : std::optional(loops.back());
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// True if two dimensions of a memref, and those between them, can be collapsed
/// into one.
static bool isOneInMemory(MemRefType type, int64_t outer, int64_t inner) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (dim > outer && dim <= inner)
      groups.back().push_back(dim);
    else
      groups.push_back({dim});
  return memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups);
}

/// The dimension of a memref that a loop runs over.
static int64_t dimOf(const Access &access, unsigned loop) {
  return llvm::find_if(access.dims,
                       [&](const Pieces &pieces) {
                         return !pieces.empty() && pieces.front().loop == loop;
                       }) -
         access.dims.begin();
}

/// True if two loops are adjacent in `operand` and in its memory, or if both
/// are absent from it.
bool Batches::isOneIn(const Access &operand, unsigned outer,
                      unsigned inner) const {
  SmallVector<unsigned> loops = loopsOf(operand, letters);
  bool hasOuter = llvm::is_contained(loops, outer);
  if (hasOuter != llvm::is_contained(loops, inner))
    return false;
  if (!hasOuter)
    return true;
  // All pieces of one loop, then all of the other.
  auto *at = llvm::find(loops, outer);
  while (at != loops.end() && *at == outer)
    ++at;
  if (at == loops.end() || *at != inner ||
      std::find(at, loops.end(), outer) != loops.end() ||
      std::find(loops.begin(), at, inner) != at)
    return false;
  auto type = dyn_cast<MemRefType>(operand.value.getType());
  return !type ||
         isOneInMemory(type, dimOf(operand, outer), dimOf(operand, inner));
}

bool Batches::isOne(unsigned outer, unsigned inner) const {
  return llvm::all_of(operands, [&](const Access &operand) {
    return isOneIn(operand, outer, inner);
  });
}

/// The runs of one kind, in the order of C.
SmallVector<Run> Batches::runsOf(char letter) const {
  SmallVector<Run> runs;
  llvm::SmallSetVector<unsigned, 8> inC;
  inC.insert_range(loopsOf(operands[2], letters));
  for (unsigned loop : inC) {
    if (letters[loop] != letter)
      continue;
    if (runs.empty() || !isOne(runs.back().back(), loop))
      runs.emplace_back();
    runs.back().push_back(loop);
  }
  return runs;
}

/// The number of elements of a run, with the maximum for unknown extents.
double Batches::sizeOf(const Run &run) const {
  double size = 1;
  for (unsigned loop : run)
    size *= ShapedType::isDynamic(extents[loop]) ? INT32_MAX : extents[loop];
  return size;
}

/// The run that becomes the matmul's rows or columns: one that is contiguous in
/// memory if there is one, else the longest.
size_t Batches::mainRun(char letter, ArrayRef<Run> runs) const {
  // C is row-major and decides the columns; A may decide the rows.
  const Access &operand = operands[letter == 'n' ? 2 : 0];
  if (std::optional<unsigned> loop = innermostLoop(operand, letters))
    for (auto [number, run] : llvm::enumerate(runs))
      if (llvm::is_contained(run, *loop))
        return number;
  size_t best = 0;
  for (size_t number = 1; number < runs.size(); ++number)
    if (sizeOf(runs[number]) >= sizeOf(runs[best]))
      best = number;
  return best;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string Batches::name() {
  SmallVector<Run> batches = runsOf('b');
  for (char letter : {'m', 'n'}) {
    SmallVector<Run> runs = runsOf(letter);
    if (runs.size() < 2)
      continue;
    runs.erase(runs.begin() + mainRun(letter, runs));
    llvm::append_range(batches, runs);
  }
  if (batches.size() > kBatchLetters.size())
    return "it has " + std::to_string(batches.size()) +
           " batches, and at most " + std::to_string(kBatchLetters.size()) +
           " can be";
  double together = 1;
  for (const Run &run : batches)
    for (unsigned loop : run)
      together *= ShapedType::isDynamic(extents[loop]) ? 1 : extents[loop];
  if (together > INT32_MAX)
    return "its batches together do not fit in 32 bits";
  SmallVector<unsigned> inC = loopsOf(operands[2], letters);
  llvm::sort(batches, [&](const Run &left, const Run &right) {
    return llvm::find(inC, left.front()) < llvm::find(inC, right.front());
  });
  for (auto [number, run] : llvm::enumerate(batches))
    for (unsigned loop : run)
      letters[loop] = kBatchLetters[number];
  return "";
}

std::string match::nameBatches(ArrayRef<Access> operands,
                               ArrayRef<int64_t> extents,
                               std::string &letters) {
  return Batches(operands, extents, letters).name();
}
