//===- BenchGemmData.cpp - Matrices to time a product on ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sets of a matrix lie one behind the other and are filled as one.
//
//===----------------------------------------------------------------------===//

#include "BenchGemm.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstring>

using namespace hone;
using llvm::Error;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// The kit
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<GemmKit>> GemmKit::open() {
  auto kit = std::make_unique<GemmKit>();
  auto device = Device::open();
  if (!device)
    return device.takeError();
  kit->device = std::move(*device);
  auto check = DeviceCheck::create(*kit->device);
  if (!check)
    return check.takeError();
  kit->check = std::move(*check);
  auto product = ProductCheck::create(*kit->device);
  if (!product)
    return product.takeError();
  kit->product = std::move(*product);
  return kit;
}

Error GemmKit::reserve(DeviceBuffer &buffer, size_t bytes) {
  if (buffer.size() >= bytes)
    return Error::success();
  // The old one goes first: two may be more than there is.
  buffer = DeviceBuffer();
  auto larger = device->allocate(bytes);
  if (!larger)
    return larger.takeError();
  buffer = std::move(*larger);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The matrices
//===----------------------------------------------------------------------===//

size_t GemmData::countOf(size_t which) const {
  if (which < 2)
    return counts.inputs;
  bool once = which == 3 && spec.epilogue != Epilogue::residual;
  return once ? 1 : counts.outputs;
}

gpu::Matrix GemmData::matrix(size_t which, size_t set) const {
  auto [m, n, k] = extents;
  bool isBias = which == 3 && spec.epilogue != Epilogue::residual;
  Order order = which == 0 ? spec.a : which == 1 ? spec.b : Order::row;
  gpu::Matrix matrix = {};
  matrix.data = reinterpret_cast<void *>(address(which, set));
  matrix.batch = 1;
  matrix.rows = which == 1 ? k : isBias ? 1 : m;
  matrix.cols = which == 0 ? k : n;
  bool inRows = order == Order::row;
  matrix.rowStride = inRows ? matrix.cols : 1;
  matrix.colStride = inRows ? 1 : matrix.rows;
  matrix.type = static_cast<int64_t>(isBias      ? ElementType::f32
                                     : which < 2 ? spec.in
                                                 : spec.out);
  return matrix;
}

Error GemmData::allocate() {
  constexpr size_t kAlign = 256;
  for (size_t which : {0, 1, 2, 3}) {
    if (which == 3 && spec.epilogue == Epilogue::none)
      continue;
    gpu::Matrix one = matrix(which, 0);
    size_t element = sizeOf(static_cast<ElementType>(one.type));
    bytes[which] = llvm::alignTo(elementsOf(one) * element, kAlign);
    size_t sets = countOf(which);
    if (Error error = kit.reserve(kit.matrices[which], bytes[which] * sets))
      return error;
    if (which == 2)
      continue;
    // Every set at once, gaps included.
    gpu::Matrix all = matrix(which, 0);
    all.rows = 1;
    all.cols = all.rowStride =
        static_cast<int64_t>(bytes[which] * sets / element);
    all.colStride = 1;
    if (Error error = kit.check->fill(all, {gpu::kNormal, /*seed=*/1 + which,
                                            which == 1 ? float(scale) : 1}))
      return error;
  }
  if (Error error = kit.product->prepare(matrix(0, 0), matrix(1, 0), scale))
    return error;
  if (spec.epilogue != Epilogue::none)
    return prepareEpilogue();
  return kit.device->synchronize();
}

llvm::Expected<std::unique_ptr<GemmData>>
GemmData::create(GemmKit &kit, const MatmulSpec &spec,
                 std::array<int64_t, 3> extents, Counts counts) {
  std::unique_ptr<GemmData> data(new GemmData(kit));
  data->spec = spec;
  data->extents = extents;
  data->counts = counts;
  if (spec.epilogue != Epilogue::none)
    data->scale = 1 / std::sqrt(double(extents[2]));
  if (Error error = data->allocate())
    return std::move(error);
  return data;
}

llvm::StringMap<int64_t> GemmData::arguments(size_t set) const {
  auto [m, n, k] = extents;
  llvm::StringMap<int64_t> named;
  named["a"] = static_cast<int64_t>(a(set));
  named["b"] = static_cast<int64_t>(b(set));
  named["c"] = static_cast<int64_t>(c(set));
  named["m"] = m;
  named["n"] = n;
  named["k"] = k;
  named["lda"] = spec.a == Order::row ? k : m;
  named["ldb"] = spec.b == Order::row ? n : k;
  named["ldc"] = n;
  if (spec.epilogue != Epilogue::none) {
    named["e0"] = static_cast<int64_t>(e(set));
    named["e0m"] = n;
    named["e0n"] = 1;
  }
  return named;
}

//===----------------------------------------------------------------------===//
// Right or wrong
//===----------------------------------------------------------------------===//

Error GemmData::compareWhole() {
  gpu::Matrix c = matrix(2, 0);
  if (!hasReference) {
    if (Error error =
            kit.reserve(kit.reference, elementsOf(c) * sizeof(double)))
      return error;
    if (Error error = kit.check->multiply(matrix(0, 0), matrix(1, 0), {},
                                          kit.reference.getAddress()))
      return error;
    hasReference = true;
  }
  Tolerance tolerance = Tolerance::ofSum(spec.out, extents[2], scale);
  if (Error error = kit.check->clearFindings())
    return error;
  if (Error error =
          kit.check->compare(c, kit.reference.getAddress(),
                             {tolerance.relative, tolerance.absolute, 0}, 0))
    return error;
  auto findings = kit.check->readFindings(1);
  if (!findings)
    return findings.takeError();
  float worst;
  std::memcpy(&worst, &findings->front().worst, sizeof(worst));
  if (findings->front().wrong)
    return llvm::createStringError(
        formatv("expected a right product, but got {0} wrong elements, the "
                "worst at {1:F1} times the tolerance",
                findings->front().wrong, worst));
  return Error::success();
}

Error GemmData::verify(const Contender &launch, Outcome outcome, bool whole) {
  if (Error error = kit.device->fill(c(0), 0xFF, bytes[2]))
    return error;
  bool several = counts.inputs > 1 && counts.outputs > 1;
  for (size_t set : {1, 0, 1})
    if (several || set == 0)
      if (Error error = launch(set))
        return error;
  if (outcome != Outcome::product)
    return judgeEpilogue(outcome);
  if (Error error = kit.product->judge(matrix(2, 0)))
    return error;
  return whole ? compareWhole() : Error::success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

llvm::Expected<Contender> hone::contenderOf(MatmulKernel &kernel,
                                            const Schedule &schedule,
                                            const GemmData &data) {
  llvm::StringMap<int64_t> named = data.arguments(0);
  for (const auto &knob : runTimeKnobs(schedule))
    named[knob.getKey()] = knob.getValue();
  auto ordered = kernel.order(named);
  if (!ordered)
    return ordered.takeError();
  // Only the addresses differ from set to set. An argument that the plan has
  // no use for is written behind the last.
  const std::vector<std::string> &args = kernel.plan().args;
  auto placeOf = [&](llvm::StringRef name) -> size_t {
    return llvm::find(args, name) - args.begin();
  };
  std::array<size_t, 4> places = {placeOf("a"), placeOf("b"), placeOf("c"),
                                  placeOf("e0")};
  size_t count = ordered->size();
  ordered->push_back(0);
  return Contender([&kernel, &data, count, places,
                    values = std::move(*ordered)](size_t set) mutable {
    values[places[0]] = static_cast<int64_t>(data.a(set));
    values[places[1]] = static_cast<int64_t>(data.b(set));
    values[places[2]] = static_cast<int64_t>(data.c(set));
    values[places[3]] = static_cast<int64_t>(data.e(set));
    return kernel.launch(llvm::ArrayRef(values).take_front(count));
  });
}
