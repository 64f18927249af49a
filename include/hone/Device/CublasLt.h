//===- CublasLt.h - The vendor's matmul, as a baseline ----------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLASLt, if this machine has it, opened at run time and only for baselines.
// For a fair comparison it gets a 32 MiB workspace, the f32 scale type that
// allows every algorithm, and the list of candidates of its own heuristic;
// descriptors are made once, outside of the timed part. cuBLAS, which chooses
// by its own rules at every call, is here, too.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DEVICE_CUBLASLT_H
#define HONE_DEVICE_CUBLASLT_H

#include "hone/Device/Device.h"
#include "hone/Schedule/Problem.h"
#include <memory>
#include <vector>

namespace hone {

struct CublasTable;

/// Elements from line to line of each matrix; 0: the length of a line.
struct CublasLeads {
  int64_t a = 0, b = 0, c = 0;
};

/// C = A * B of one static problem without an epilogue.
class CublasMatmul {
public:
  ~CublasMatmul();
  /// Candidates of the heuristic, best first.
  size_t candidates() const { return algorithms.size(); }
  /// Enqueues one product on the device's stream. If `residual` is not 0, the
  /// matrix there, with the layout of C, is added.
  llvm::Error run(uint64_t a, uint64_t b, uint64_t c, size_t candidate = 0,
                  uint64_t residual = 0);

private:
  friend class CublasLt;
  llvm::Error describe(const Problem &problem);
  llvm::Error addLayouts(const Problem &problem, CublasLeads leads);
  llvm::Error findAlgorithms(int max);

  /// cublasLtMatmulAlgo_t, which is copied but not inspected.
  struct Algorithm {
    uint64_t data[8];
  };
  CublasTable *table = nullptr;
  Device *device = nullptr;
  void *handle = nullptr, *desc = nullptr;
  bool addsIntegers = false;
  void *layoutA = nullptr, *layoutB = nullptr, *layoutC = nullptr;
  uint64_t workspace = 0;
  size_t workspaceBytes = 0;
  std::vector<Algorithm> algorithms;
};

class CublasLt {
public:
  /// Opens `file` or, if it is empty, libcublasLt under its usual names.
  static llvm::Expected<std::unique_ptr<CublasLt>> open(Device &device,
                                                        llvm::StringRef file);
  ~CublasLt();
  /// 130101 for 13.1.1
  size_t getVersion() const { return version; }

  /// Gets at most `max` candidates from the heuristic, which need no more than
  /// `workspaceBytes`, or than all of the workspace. The matrices of a batch
  /// follow each other.
  llvm::Expected<std::unique_ptr<CublasMatmul>>
  prepare(const Problem &problem, int max, CublasLeads leads = {},
          std::optional<size_t> workspaceBytes = std::nullopt);

private:
  explicit CublasLt(Device &device);

  Device &device;
  std::unique_ptr<CublasTable> table;
  void *handle = nullptr;
  size_t version = 0;
  DeviceBuffer workspace;
};

struct CublasFunctions;

/// cublasGemmEx and the algorithm that it chooses by itself, in f32, with the
/// same workspace.
class Cublas {
public:
  /// Opens libcublas; if `file` names a libcublasLt, the libcublas next to it.
  static llvm::Expected<std::unique_ptr<Cublas>> open(Device &device,
                                                      llvm::StringRef file);
  ~Cublas();
  /// Enqueues C = A * B, static and without padding, on the device's stream.
  llvm::Error run(const Problem &problem, uint64_t a, uint64_t b, uint64_t c);

private:
  Cublas();
  std::unique_ptr<CublasFunctions> table;
  void *handle = nullptr;
  DeviceBuffer workspace;
};

} // namespace hone

#endif // HONE_DEVICE_CUBLASLT_H
