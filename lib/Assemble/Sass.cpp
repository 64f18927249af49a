//===- Sass.cpp - Fences in loops of machine code -------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the output of `cuobjdump -sass`,
//
//   Function : k
//     /*0a10*/   @!P0 BRA 0x9d0 ;      /* 0x... */
//
// and finds the innermost loops. A loop is a set of instructions that reach
// each other; without its entry the loops inside it remain. A backward branch
// alone proves no loop: code for rare cases is at the end of the listing and
// branches back.
//
//===----------------------------------------------------------------------===//

#include "hone/Assemble/Assemble.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace hone;
using llvm::StringRef;

namespace {

struct Instruction {
  uint64_t address = 0;
  StringRef opcode;               ///< with its modifiers
  std::optional<uint64_t> target; ///< of a branch
  bool mayPass = true;            ///< continues with the next instruction
};

/// The instructions of one function, and their successors.
class Code {
public:
  explicit Code(std::vector<Instruction> read) : instructions(std::move(read)) {
    llvm::DenseMap<uint64_t, int> places;
    for (auto [i, instruction] : llvm::enumerate(instructions))
      places[instruction.address] = i;
    successors.resize(instructions.size());
    for (auto [i, instruction] : llvm::enumerate(instructions)) {
      if (instruction.mayPass && i + 1 < instructions.size())
        successors[i].push_back(i + 1);
      if (instruction.target && places.count(*instruction.target))
        successors[i].push_back(places[*instruction.target]);
    }
  }

  /// Counts the fences in innermost loops that multiply.
  int64_t countFences() {
    std::vector<int> all;
    for (size_t i = 0; i < instructions.size(); ++i)
      all.push_back(i);
    fences = 0;
    searchLoops(all);
    return fences;
  }

private:
  /// Finds the loops among `nodes` and searches each. Returns true if one of
  /// them multiplies.
  bool searchLoops(const std::vector<int> &nodes) {
    bool found = false;
    for (std::vector<int> &loop : components(nodes)) {
      if (!llvm::any_of(loop, [&](int i) { return multiplies(i); }))
        continue;
      found = true;
      // The entry comes first in the listing, the usual layout of loops.
      std::vector<int> inside(loop);
      inside.erase(llvm::min_element(inside));
      if (!searchLoops(inside))
        fences += llvm::count_if(loop, [&](int i) {
          return instructions[i].opcode.starts_with("MEMBAR");
        });
    }
    return found;
  }

  bool multiplies(int i) const {
    StringRef opcode = instructions[i].opcode;
    return opcode.starts_with("HMMA") || opcode.starts_with("HGMMA");
  }

  /// Sets of two or more of `nodes` that reach each other (and single ones that
  /// branch to themselves), by Tarjan's algorithm without recursion.
  std::vector<std::vector<int>> components(const std::vector<int> &nodes) {
    std::vector<int> number(instructions.size(), kOutside), low = number;
    for (int node : nodes)
      number[node] = kNew;
    std::vector<std::vector<int>> result;
    std::vector<int> open;
    int count = 0;
    for (int root : nodes) {
      if (number[root] != kNew)
        continue;
      std::vector<std::pair<int, size_t>> path;
      auto enter = [&](int node) {
        number[node] = low[node] = count++;
        open.push_back(node);
        path.push_back({node, 0});
      };
      enter(root);
      while (!path.empty()) {
        int node = path.back().first;
        if (path.back().second < successors[node].size()) {
          int next = successors[node][path.back().second++];
          if (number[next] == kNew)
            enter(next);
          else if (number[next] >= 0)
            low[node] = std::min(low[node], number[next]);
          continue;
        }
        path.pop_back();
        if (!path.empty())
          low[path.back().first] = std::min(low[path.back().first], low[node]);
        if (low[node] != number[node])
          continue;
        std::vector<int> &component = result.emplace_back();
        int last;
        do {
          last = open.back();
          open.pop_back();
          number[last] = kDone;
          component.push_back(last);
        } while (last != node);
        if (component.size() == 1 &&
            !llvm::is_contained(successors[node], node))
          result.pop_back();
      }
    }
    return result;
  }

  static constexpr int kOutside = -3, kDone = -2, kNew = -1;
  std::vector<Instruction> instructions;
  std::vector<llvm::SmallVector<int, 2>> successors;
  int64_t fences = 0;
};

} // namespace

/// Parses an instruction from its line, if it is one.
static std::optional<Instruction> readInstruction(StringRef line) {
  line = line.ltrim();
  if (!line.consume_front("/*"))
    return std::nullopt;
  auto [address, rest] = line.split("*/");
  Instruction instruction;
  if (rest.empty() || address.getAsInteger(16, instruction.address))
    return std::nullopt;
  StringRef text = rest.split(';').first.trim();
  if (text.empty() || text.starts_with("/*"))
    return std::nullopt;
  bool guarded = text.starts_with("@");
  if (guarded)
    text = text.split(' ').second.ltrim();
  instruction.opcode = text.take_until([](char c) { return c == ' '; });
  StringRef name = instruction.opcode.split('.').first;
  if (name == "BRA" || name == "BRX" || name == "JMP") {
    size_t at = text.rfind("0x");
    uint64_t target;
    if (at != StringRef::npos &&
        !text.substr(at)
             .take_until([](char c) { return c == ' '; })
             .getAsInteger(0, target))
      instruction.target = target;
    // A condition may also be an operand: BRA P0, 0x9d0 or BRA.U !UP0, 0x9d0.
    guarded |= text.contains(',');
  }
  bool ends = name == "BRA" || name == "EXIT" || name == "RET" || name == "JMP";
  instruction.mayPass = guarded || !ends;
  return instruction;
}

void hone::addFences(StringRef sass, AssemblyReport &report) {
  KernelReport *kernel = nullptr;
  std::vector<Instruction> instructions;
  auto finish = [&] {
    if (kernel)
      kernel->fencesInMainLoops = Code(std::move(instructions)).countFences();
    instructions.clear();
  };
  for (StringRef line : llvm::split(sass, '\n')) {
    if (StringRef name = line.trim(); name.consume_front("Function :")) {
      finish();
      kernel = const_cast<KernelReport *>(report.find(name.trim()));
    } else if (auto instruction = readInstruction(line)) {
      instructions.push_back(*instruction);
    }
  }
  finish();
}
