//===- Image.cpp - PTX text or cubin --------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An image is given to the driver as a library, which is loaded into every
// context that uses one of its kernels, so one load serves all devices. For PTX
// this is a compilation, and the compiler's messages become part of the error
// text.
//
//===----------------------------------------------------------------------===//

#include "Images.h"
#include "Text.h"

using namespace hone;
using namespace hone::detail;

//===----------------------------------------------------------------------===//
// Inspection of bytes
//===----------------------------------------------------------------------===//

/// The little-endian number of `size` bytes at `offset`; bytes past the end are
/// 0.
static uint64_t numberAt(std::string_view bytes, size_t offset, size_t size) {
  uint64_t number = 0;
  for (size_t i = 0; i < size && offset + i < bytes.size(); ++i)
    number |= uint64_t(uint8_t(bytes[offset + i])) << (8 * i);
  return number;
}

/// A 64-bit ELF file for CUDA with a complete table of sections.
static bool isCubin(std::string_view bytes) {
  constexpr size_t kHeader = 64, kSection = 64;
  constexpr uint64_t kClass64 = 2, kMachineCuda = 190;
  if (bytes.size() < kHeader ||
      bytes.substr(0, 4) != "\x7f"
                            "ELF" ||
      numberAt(bytes, 4, 1) != kClass64 ||
      numberAt(bytes, 18, 2) != kMachineCuda)
    return false;
  uint64_t table = numberAt(bytes, 40, 8), each = numberAt(bytes, 58, 2),
           count = numberAt(bytes, 60, 2);
  return each == kSection && count > 0 && table <= bytes.size() &&
         count * each <= bytes.size() - table;
}

/// A header of 16 bytes or more, followed by all the bytes that it declares.
static bool isFatBinary(std::string_view bytes) {
  constexpr size_t kHeader = 16;
  if (bytes.size() < kHeader || bytes.substr(0, 4) != "\x50\xed\x55\xba")
    return false;
  uint64_t header = numberAt(bytes, 6, 2), rest = numberAt(bytes, 8, 8);
  return header >= kHeader && header <= bytes.size() &&
         rest <= bytes.size() - header;
}

Image::Kind Image::classify(const void *data, size_t size) {
  std::string_view bytes(static_cast<const char *>(data), data ? size : 0);
  if (isCubin(bytes))
    return elf;
  if (isFatBinary(bytes))
    return fatbin;
  return bytes.find(".target") != bytes.npos ? ptx : unknown;
}

Image::Image(const void *data, size_t size)
    : bytes(static_cast<const char *>(data), size), kind(classify(data, size)) {
}

static bool isNameCharacter(char c) {
  return isLetter(c) || isDigit(c) || c == '$';
}

/// True if `text` has `.entry name` with the complete name.
static bool hasEntry(std::string_view text, std::string_view name) {
  constexpr std::string_view directive = ".entry";
  for (size_t at = text.find(name); at != text.npos;
       at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if (end < text.size() && isNameCharacter(text[end]))
      continue;
    std::string_view before = text.substr(0, at);
    size_t last = before.find_last_not_of(" \t\r\n");
    if (last == before.npos || last + 1 == before.size())
      continue;
    before = before.substr(0, last + 1);
    if (before.size() >= directive.size() &&
        before.substr(before.size() - directive.size()) == directive)
      return true;
  }
  return false;
}

bool Image::mayHave(std::string_view entry) const {
  switch (kind) {
  case ptx:
    return hasEntry(bytes, entry);
  case elf:
    return bytes.find(entry) != bytes.npos;
  default:
    return true;
  }
}

/// "sm_90a" of `.target sm_90a, debug`.
static std::string_view targetOf(std::string_view ptx) {
  constexpr std::string_view directive = ".target";
  size_t at = ptx.find(directive);
  if (at == ptx.npos)
    return {};
  ptx.remove_prefix(at + directive.size());
  ptx.remove_prefix(std::min(ptx.size(), ptx.find_first_not_of(" \t")));
  return firstWord(ptx);
}

/// Whether a device can run a target: sm_90 needs 9.0 or later, sm_100f any
/// 10.x, and sm_90a exactly 9.0.
static bool runsOn(std::string_view target, int32_t capability) {
  constexpr std::string_view prefix = "sm_";
  if (target.substr(0, prefix.size()) != prefix)
    return true; // the driver reports it
  int32_t number = 0;
  for (target.remove_prefix(prefix.size());
       !target.empty() && isDigit(target.front()) && number < 10000;
       target.remove_prefix(1))
    number = number * 10 + (target.front() - '0');
  if (target == "a")
    return capability == number;
  if (target == "f")
    return capability >= number && capability / 10 == number / 10;
  return capability >= number;
}

int32_t Image::checkTarget(const DeviceFacts &facts) const {
  std::string_view target = kind == ptx ? targetOf(bytes) : std::string_view();
  if (target.empty() || runsOn(target, facts.capability))
    return HONE_OK;
  return fail(HONE_WRONG_DEVICE, "expected a device of architecture " +
                                     std::string(target) + ", but got " +
                                     facts.capabilityText());
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

Image::~Image() {
  if (!library)
    return;
  cu::Result error = loader->cuLibraryUnload(library);
  // The driver may have shut down before the program's last destructor; then
  // the library is already unloaded.
  if (error != cu::ERROR_DEINITIALIZED)
    report(check(*loader, "cuLibraryUnload", error));
}

/// The first lines of a compiler's log, joined.
static std::string summary(std::string_view log) {
  std::string result;
  for (unsigned lines = 0; !log.empty() && lines < 3;) {
    size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = trimmed(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
    if (line.empty())
      continue;
    result += (result.empty() ? ": " : "; ") + std::string(line);
    ++lines;
  }
  return result;
}

int32_t Image::failLoad(const Driver &driver, const char *call,
                        cu::Result error) {
  cu::Device device;
  const DeviceFacts *facts;
  if (error == cu::ERROR_NO_BINARY_FOR_GPU &&
      !currentDevice(driver, device, facts))
    return fail(HONE_WRONG_DEVICE,
                "expected a device that the image was compiled for, but got " +
                    facts->capabilityText());
  int32_t status = failCall(driver, call, error);
  log[sizeof(log) - 1] = '\0';
  return fail(static_cast<HoneStatus>(status),
              driver.describe(call, error) + summary(log));
}

int32_t Image::load(const Driver &driver) {
  cu::JitOption options[] = {cu::JIT_ERROR_LOG_BUFFER,
                             cu::JIT_ERROR_LOG_BUFFER_SIZE};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  log[0] = '\0';
  loader = &driver;
  // Only PTX is compiled.
  cu::Result error =
      driver.cuLibraryLoadData(&library, bytes.data(), options, values,
                               kind == ptx ? 2 : 0, nullptr, nullptr, 0);
  if (!error)
    return HONE_OK;
  library = nullptr;
  return failLoad(driver, "cuLibraryLoadData", error);
}

int32_t Image::getKernel(const Driver &driver, const char *entry,
                         cu::Kernel &kernel) {
  cu::Device device;
  const DeviceFacts *facts;
  if (int32_t status = currentDevice(driver, device, facts))
    return status;
  if (int32_t status = checkTarget(*facts))
    return status;
  std::lock_guard<std::mutex> lock(mutex);
  if (auto known = kernels.find(entry); known != kernels.end()) {
    kernel = known->second;
    return HONE_OK;
  }
  if (!library)
    if (int32_t status = load(driver))
      return status;
  cu::Result error = driver.cuLibraryGetKernel(&kernel, library, entry);
  if (error == cu::ERROR_NOT_FOUND)
    return fail(HONE_NO_IMAGE, "expected an image with the entry point '" +
                                   std::string(entry) + "', but it has none");
  if (error)
    return failLoad(driver, "cuLibraryGetKernel", error);
  kernels.emplace(entry, kernel);
  return HONE_OK;
}

int32_t Image::getFunction(const Driver &driver, const char *entry,
                           LoadedKernel &result) {
  // A load during a capture does not become part of the graph.
  return inRelaxedMode(driver, [&]() -> int32_t {
    if (int32_t status = getKernel(driver, entry, result.kernel))
      return status;
    const DeviceFacts *facts;
    if (int32_t status = currentDevice(driver, result.device, facts))
      return status;
    std::lock_guard<std::mutex> lock(mutex);
    cu::Result error =
        driver.cuKernelGetFunction(&result.function, result.kernel);
    return error ? failLoad(driver, "cuKernelGetFunction", error) : HONE_OK;
  });
}
