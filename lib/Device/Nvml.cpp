//===- Nvml.cpp - GPU state from NVML -------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The five functions used of NVML's stable C interface.
//
//===----------------------------------------------------------------------===//

#include "hone/Device/Nvml.h"
#include <dlfcn.h>

using namespace hone;
using llvm::StringRef;

struct Nvml::Library {
  int (*init)() = nullptr;
  int (*driverVersion)(char *, unsigned) = nullptr;
  int (*findByPci)(const char *, void **) = nullptr;
  int (*clock)(void *, int, unsigned *) = nullptr;
  int (*reasons)(void *, unsigned long long *) = nullptr;

  template <typename Function>
  static bool find(void *file, const char *name, Function *&function) {
    function = reinterpret_cast<Function *>(dlsym(file, name));
    return function != nullptr;
  }
  bool open() {
    void *file = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    return file && find(file, "nvmlInit_v2", init) &&
           find(file, "nvmlSystemGetDriverVersion", driverVersion) &&
           find(file, "nvmlDeviceGetHandleByPciBusId_v2", findByPci) &&
           find(file, "nvmlDeviceGetClockInfo", clock) &&
           find(file, "nvmlDeviceGetCurrentClocksThrottleReasons", reasons) &&
           init() == 0;
  }
};

std::unique_ptr<Nvml> Nvml::open(StringRef pciBusId) {
  static Library library;
  static const bool isOpen = library.open();
  void *device = nullptr;
  if (!isOpen || library.findByPci(pciBusId.str().c_str(), &device) != 0)
    return nullptr;
  return std::unique_ptr<Nvml>(new Nvml(library, device));
}

std::string Nvml::driverVersion() const {
  char text[96] = "";
  return library.driverVersion(text, sizeof(text)) == 0 ? text : "";
}

double Nvml::clockMHz() const {
  constexpr int kMultiprocessors = 1;
  unsigned clock = 0;
  return library.clock(device, kMultiprocessors, &clock) == 0 ? clock : 0;
}

std::string Nvml::heldBackBy() const {
  constexpr std::pair<unsigned long long, StringRef> kReasons[] = {
      {0x08, "a hardware slowdown"},
      {0x20, "its temperature"},
      {0x40, "its temperature (hardware)"},
      {0x80, "the power supply"}};
  unsigned long long reasons = 0;
  std::string text;
  if (library.reasons(device, &reasons) != 0)
    return text;
  for (auto [bit, name] : kReasons)
    if (reasons & bit)
      text += (text.empty() ? "" : ", ") + name.str();
  return text;
}
