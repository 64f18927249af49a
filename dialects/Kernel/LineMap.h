//===- LineMap.h - Threads of lines of any alignment ------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines that start anywhere, in words of 4 bytes. As in AddressMap.h, the
// lowering and the simulator share the formulas.
//
// Storing `count` elements of 2 bytes of a line. An *odd* line starts in the
// middle of a word; its words then hold the elements 1 and 2, 3 and 4, ...:
//
//   even line   | 0 1 | 2 3 | 4 5 | 6 .        words: lane i stores pair i
//   odd line    . 0 | 1 2 | 3 4 | 5 6 |        edges: elements that share their
//                 ^ edge                       word with other elements
//
// The first lane of a line stores the first element if that is an edge, the
// last lane the last one. With elements of 1 byte, up to three share a word at
// either end: each of the first three lanes stores one of the first, and one of
// the last.
//
// Copying elements of 1, 2 or 4 bytes. A thread makes 16 bytes of a line out of
// the words that contain them: four, or five if they start in the middle of
// one. Words after the line's last element are replaced by the last word that
// has a part of the line.
//
// Transposing. A warp makes 64 elements of a line of the target out of 64 lines
// of the source, of which it reads 32 bytes each, so that both touch whole
// sectors of the L2. A thread has a word of some lines, 16 in all, and makes
// four pieces of them:
//
//   bytes of element | columns of a word | lines of thread 0, and of thread 8
//   -----------------|-------------------|----------------------------------
//   1                | 4                 | 0 to 15; 16 to 31
//   2                | 2                 | 0 to 7, 32 to 39; 8 to 15, 40 to 47
//   4                | 1                 | 0 to 3, 16 to 19, ...; 4 to 7, ...
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_KERNEL_LINEMAP_H
#define HONE_DIALECTS_KERNEL_LINEMAP_H

#include "dialects/Kernel/AddressMap.h"
#include "llvm/ADT/ArrayRef.h"

namespace hone::kernel {

constexpr int64_t kWordBytes = 4;

//===----------------------------------------------------------------------===//
// Storing
//===----------------------------------------------------------------------===//

/// Lanes that store a line together: a power of two, one for each word, or a
/// warp whose lanes have several words each.
constexpr int64_t lanesOf(int64_t lineBytes) {
  int64_t lanes = 2;
  while (lanes < kWarpSize && lanes * kWordBytes < lineBytes)
    lanes *= 2;
  return lanes;
}

/// Words of a line that a lane stores: every `lanesOf`-th.
constexpr int64_t wordsOfLane(int64_t lineBytes) {
  int64_t together = lanesOf(lineBytes) * kWordBytes;
  return (lineBytes + together - 1) / together;
}

/// Lines that `threads` threads store at a time.
constexpr int64_t linesAtATime(int64_t lineBytes, int64_t threads) {
  return threads / lanesOf(lineBytes);
}

/// The elements of a line in front of its first whole word, if it starts
/// `shift` bytes after the beginning of a word.
template <typename Int>
Int headOf(Int shift, int64_t elementBytes) {
  if (elementBytes == 2)
    return shift / 2;
  return (shift * -1 + kWordBytes) / elementBytes % (kWordBytes / elementBytes);
}

/// The first element of a word after `head` elements. The word is stored if its
/// last element is in the line, too.
template <typename Int>
Int firstOfWord(Int word, Int head, int64_t elementBytes) {
  return word * (kWordBytes / elementBytes) + head;
}

/// The element that the first lane of a line (`isLast` is 0) or the last one
/// (1) stores alone: element `element` of lines whose oddness is `odd`. An even
/// line begins with a whole word; a line ends with one unless the address after
/// it is in the middle of a word. `count` is at least 1.
template <typename Int>
struct Edge {
  Int element, odd;
};

template <typename Int>
Edge<Int> edgeOf(Int isLast, Int count) {
  return {isLast * (count + -1), (isLast * (count % 2) + 1) % 2};
}

//===----------------------------------------------------------------------===//
// Copying
//===----------------------------------------------------------------------===//

/// Pieces of a thread in a run, and words to read for one of small elements.
constexpr int64_t kPiecesOfThread = 4,
                  kPieceWords = kChunkBytes / kWordBytes + 1;

/// Elements of a piece.
constexpr int64_t pieceElements(int64_t elementBytes) {
  return kChunkBytes / elementBytes;
}

constexpr int64_t runPieces(int64_t threads) {
  return threads * kPiecesOfThread;
}

/// The `index`-th piece of a thread in a run.
template <typename Int>
Int pieceInRun(Int run, int64_t index, Int thread, int64_t threads) {
  return run * runPieces(threads) + thread + index * threads;
}

/// The last word, counted from the one with the piece's first byte, that has
/// one of the `left` bytes from there to the end of the line. The piece starts
/// `shift` bytes after the beginning of its first word.
template <typename Int>
Int lastWordOf(Int shift, Int left) {
  return (shift + left + -1) / kWordBytes;
}

//===----------------------------------------------------------------------===//
// Transposing
//===----------------------------------------------------------------------===//

/// Lines of the source in a run, and bytes of a line that a warp reads.
constexpr int64_t kTurnedLines = 64, kTurnedBytes = 32;

/// Columns of the source in a run of `threads` threads.
constexpr int64_t turnedColumns(int64_t threads, int64_t elementBytes) {
  return threads / kWarpSize * kTurnedBytes / elementBytes;
}

/// The first column of a thread's word, counted from the run's first.
template <typename Int>
Int turnedColumn(Int thread, int64_t elementBytes) {
  constexpr int64_t kWords = kTurnedBytes / kWordBytes;
  return (thread / kWarpSize * kWords + thread % kWords) *
         (kWordBytes / elementBytes);
}

/// The first line of a thread's block `block` of them, of as many lines as a
/// piece has elements. There are as many blocks as an element has bytes.
template <typename Int>
Int turnedLine(Int thread, int64_t block, int64_t elementBytes) {
  constexpr int64_t kWords = kTurnedBytes / kWordBytes;
  constexpr int64_t kGroups = kWarpSize / kWords;
  return (thread % kWarpSize / kWords + block * kGroups) *
         pieceElements(elementBytes);
}

/// Word `word` of the piece that a thread makes of element `element` of its
/// words; `lines` are its words of the piece's lines.
template <typename Word>
Word turnedWord(llvm::ArrayRef<Word> lines, int64_t word, int64_t element,
                int64_t elementBytes) {
  const int64_t count = kWordBytes / elementBytes, bits = elementBytes * 8;
  if (count == 1)
    return lines[word];
  auto taken = [&](int64_t i) {
    return lines[word * count + i] / (int64_t(1) << element * bits) %
           (int64_t(1) << bits) * (int64_t(1) << i * bits);
  };
  auto whole = taken(0);
  for (int64_t i = 1; i < count; ++i)
    whole = whole + taken(i);
  return Word(whole);
}

} // namespace hone::kernel

#endif // HONE_DIALECTS_KERNEL_LINEMAP_H
