//===- Smoke.h - Fixtures of the checks on a GPU ----------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory, plans, and the output of a check.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_UNIT_RUNTIME_SMOKE_H
#define HONE_TEST_UNIT_RUNTIME_SMOKE_H

#include "hone-c/Runtime.h"
#include "hone/Runtime/Driver.h"
#include <string>
#include <vector>

namespace hone::test {

extern const Driver *driver;

/// Prints a check's line.
void result(const char *name, bool good, const std::string &why);

/// `count` words of device memory, freed by the destructor.
struct Words {
  explicit Words(size_t count) : count(count) {
    honeAlloc(&pointer, count * 4);
    write(std::vector<uint32_t>(count, 0xdeadbeef));
  }
  ~Words() { honeFree(pointer); }

  template <typename T>
  void write(const std::vector<T> &values) {
    honeCopyToDevice(pointer, values.data(), count * 4);
  }
  template <typename T = uint32_t>
  std::vector<T> read() {
    std::vector<T> values(count);
    honeCopyFromDevice(values.data(), pointer, count * 4);
    return values;
  }
  int64_t address() const { return reinterpret_cast<int64_t>(pointer); }

  size_t count;
  void *pointer = nullptr;
};

/// A plan of one alternative and its slot.
struct Plan {
  Plan(const std::string &args, const std::string &lines)
      : text("hone-plan 2\nargs " + args + "\nalternative 1\n" + lines) {}
  ~Plan() { honeRelease(&slot); }

  int32_t operator()(std::vector<int64_t> args) {
    return honeLaunch(&slot, text.c_str(), args.data(), args.size());
  }

  std::string text;
  HoneKernel *slot = nullptr;
};

/// AtOnce.cpp
void checkLaunchesAtOnce();
/// Windows.cpp
void checkWindows();

} // namespace hone::test

#endif // HONE_TEST_UNIT_RUNTIME_SMOKE_H
