//===- GemmData.cpp - Matrices for timing a product -----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sets of a matrix are contiguous and filled as one.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/GemmData.h"
#include "dialects/Hone/Hone.h"
#include "hone/Matmul/Images.h"
#include "hone/Simulate/Reference.h"
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

llvm::Expected<std::unique_ptr<GemmKit>> GemmKit::open(int ordinal,
                                                       int processors) {
  GemmKit shared;
  auto device = Device::open(ordinal, processors);
  if (!device)
    return device.takeError();
  shared.device = std::move(*device);
  auto check = DeviceCheck::create(*shared.device);
  if (!check)
    return check.takeError();
  shared.check = std::move(*check);
  return shared.another();
}

llvm::Expected<std::unique_ptr<GemmKit>> GemmKit::another() const {
  auto kit = std::make_unique<GemmKit>();
  kit->device = device;
  kit->check = check;
  kit->matrices.resize(3);
  auto product = ProductCheck::create(*device);
  if (!product)
    return product.takeError();
  kit->product = std::move(*product);
  return kit;
}

size_t GemmKit::bytes() const {
  size_t all = reference.size() + unfolded.size();
  for (const DeviceBuffer &matrix : matrices)
    all += matrix.size();
  return all;
}

//===----------------------------------------------------------------------===//
// The matrices
//===----------------------------------------------------------------------===//

llvm::Expected<GemmTask> GemmTask::of(mlir::MLIRContext &context,
                                      const Problem &problem) {
  GemmTask task;
  task.problem = problem;
  if (problem.epilogue.empty())
    return task;
  auto program = ProblemModule::of(context, problem);
  if (!program)
    return program.takeError();
  task.operands = program->operands;
  task.finish = [reference = simulate::Reference(program->matmul)](
                    double sum, llvm::ArrayRef<double> operands) {
    return reference.finish({sum, 0}, operands);
  };
  return task;
}

size_t GemmData::countOf(size_t which) const {
  // Operands with a single dimension are small.
  bool isLarge = which < 3 || task.operands[which - 3].dims.size() > 1;
  return isLarge ? sets : 1;
}

/// One row without gaps, at no address yet.
static gpucheck::Matrix rowOf(int64_t elements, ElementType type) {
  gpucheck::Matrix row = {};
  row.batch = row.rows = 1;
  row.cols = row.rowStride = row.batchStride = elements;
  row.colStride = 1;
  row.type = static_cast<int64_t>(type);
  return row;
}

/// An operand of the epilogue, without gaps.
gpucheck::Matrix GemmData::operandMatrix(size_t index) const {
  const EpilogueOperand &operand = task.operands[index];
  int64_t elements = 1;
  for (char dim : operand.dims)
    elements *= dim == 'b'   ? task.problem.batch.value_or(1)
                : dim == 'm' ? task.problem.m
                             : task.problem.n;
  return rowOf(elements, operand.type);
}

gpucheck::Matrix GemmData::matrix(size_t which, size_t set) const {
  const Problem &problem = task.problem;
  gpucheck::Matrix matrix = {};
  if (which >= 3) {
    matrix = operandMatrix(which - 3);
  } else if (which == 0 && image) {
    matrix = rowOf(elementsOf(*image), problem.a.type);
  } else {
    Order order = which == 0   ? problem.a.order
                  : which == 1 ? problem.b.order
                               : Order::row;
    ElementType type = which == 0   ? problem.a.type
                       : which == 1 ? problem.b.type
                                    : problem.c;
    int64_t align = which == 0   ? problem.a.align
                    : which == 1 ? problem.b.align
                                 : problem.alignC;
    bool isShared = which == 0   ? problem.a.shared
                    : which == 1 ? problem.b.shared
                                 : false;
    matrix.batch = problem.batch.value_or(1);
    matrix.rows = which == 1 ? problem.k : problem.m;
    matrix.cols = which == 0 ? problem.k : problem.n;
    bool inRows = order == Order::row;
    int64_t lead = lineStride(inRows ? matrix.cols : matrix.rows, type, align);
    matrix.rowStride = inRows ? lead : 1;
    matrix.colStride = inRows ? 1 : lead;
    matrix.batchStride =
        isShared ? 0 : lead * (inRows ? matrix.rows : matrix.cols);
    matrix.type = static_cast<int64_t>(type);
  }
  matrix.data = reinterpret_cast<void *>(address(which, set));
  return matrix;
}

gpucheck::Matrix GemmData::matrixA() const {
  const Problem &problem = task.problem;
  if (!image)
    return matrix(0, 0);
  gpucheck::Matrix windows = rowOf(problem.m * problem.k, problem.a.type);
  windows.rows = problem.m;
  windows.cols = windows.rowStride = problem.k;
  windows.data = kit.unfolded.getPointer();
  return windows;
}

gpucheck::Matrix GemmData::flatC() const {
  gpucheck::Matrix c = matrix(2, 0);
  c.rows *= c.batch;
  c.batch = 1;
  return c;
}

/// Number of elements from a matrix's first to its last.
static int64_t extentOf(const gpucheck::Matrix &matrix) {
  return (matrix.batch - 1) * matrix.batchStride +
         std::max(matrix.rows * matrix.rowStride,
                  matrix.cols * matrix.colStride);
}

/// Fills all sets at once, gaps included.
Error GemmData::fill(size_t which) {
  gpucheck::Matrix all = matrix(which, 0);
  size_t element = sizeOf(static_cast<ElementType>(all.type));
  all.batch = all.rows = 1;
  all.cols = all.rowStride =
      static_cast<int64_t>(bytes[which] * countOf(which) / element);
  all.colStride = 1;
  // Integers that are converted to floats are multiplied by integers.
  bool isFactor = which < 2 && !isInteger(task.problem.acc);
  double deviation =
      isFactor ? 1 : deviationOf(static_cast<ElementType>(all.type));
  return kit.check->fill(all,
                         {gpucheck::kNormal, /*seed=*/1 + which,
                          float(which == 1 ? scale * deviation : deviation)});
}

/// Makes the matrix of the windows of the first set.
Error GemmData::unfold() {
  if (!image)
    return Error::success();
  const Problem &problem = task.problem;
  if (Error error = kit.device->reserve(
          kit.unfolded, problem.m * problem.k * sizeOf(problem.a.type)))
    return error;
  return kit.check->unfold(matrix(0, 0), *problem.a.access, matrixA());
}

Error GemmData::allocate() {
  constexpr size_t kAlign = 256;
  size_t count = 3 + task.operands.size();
  bytes.resize(count);
  if (kit.matrices.size() < count)
    kit.matrices.resize(count);
  for (size_t which = 0; which < count; ++which) {
    gpucheck::Matrix one = matrix(which, 0);
    bytes[which] = llvm::alignTo(
        extentOf(one) * sizeOf(static_cast<ElementType>(one.type)), kAlign);
    if (Error error = kit.device->reserve(kit.matrices[which],
                                          bytes[which] * countOf(which)))
      return error;
    if (which != 2 || task.problem.init == Init::read)
      if (Error error = fill(which))
        return error;
  }
  if (Error error = unfold())
    return error;
  return prepareReference();
}

llvm::Expected<std::unique_ptr<GemmData>>
GemmData::create(GemmKit &kit, GemmTask task, size_t sets) {
  std::unique_ptr<GemmData> data(new GemmData(kit));
  data->task = std::move(task);
  data->image = imageOf(data->task.problem);
  if (!data->task.problem.hasMatrices() && !data->image)
    return llvm::createStringError(
        "expected matrices or windows of an image, but got " +
        data->task.problem.str());
  data->sets = sets;
  // Integers cannot be scaled down; their sums are exact, however large.
  if (data->task.finish && !isInteger(data->task.problem.b.type))
    data->scale = 1 / std::sqrt(double(data->task.problem.k));
  if (Error error = data->allocate())
    return std::move(error);
  return data;
}

size_t GemmData::countSets(const GemmKit &kit, const Problem &problem) {
  // A cache that does not evict the oldest lines still holds some of a set
  // after twice its size was read: 200x3072x8192 appears 15 % faster then.
  constexpr double kCaches = 5;
  constexpr size_t kMax = 8192;
  double m = problem.m, n = problem.n, k = problem.k;
  double batch = problem.batch.value_or(1);
  std::optional<Window> image = imageOf(problem);
  double elementsA =
      image ? elementsOf(*image) : (problem.a.shared ? 1 : batch) * m * k;
  double inputs =
      elementsA * sizeOf(problem.a.type) +
      (problem.b.shared ? 1 : batch) * n * k * sizeOf(problem.b.type);
  double output = batch * m * n * sizeOf(problem.c);
  double all = kCaches * kit.device->getL2Bytes();
  return std::clamp<size_t>(std::ceil(all / (inputs + output)), 2, kMax);
}

//===----------------------------------------------------------------------===//
// Check of results
//===----------------------------------------------------------------------===//

/// Projections support only a single product without an initial C.
bool GemmData::needsWhole() const {
  return task.problem.batch || task.problem.init == Init::read;
}

Error GemmData::prepareReference() {
  if (needsWhole()) {
    if (Error error = makeWhole())
      return error;
  } else if (Error error = kit.product->prepare(matrixA(), matrix(1, 0), scale,
                                                task.problem.products)) {
    return error;
  }
  return task.finish ? prepareEpilogue() : kit.device->synchronize();
}

/// The whole product in f64, without gaps.
Error GemmData::makeWhole() {
  gpucheck::Matrix c = matrix(2, 0);
  if (hasReference)
    return Error::success();
  if (Error error =
          kit.device->reserve(kit.reference, elementsOf(c) * sizeof(double)))
    return error;
  gpucheck::Matrix init =
      task.problem.init == Init::read ? c : gpucheck::Matrix();
  if (Error error = kit.check->multiply(matrixA(), matrix(1, 0), init,
                                        kit.reference.getAddress()))
    return error;
  hasReference = true;
  return Error::success();
}

llvm::Expected<double> GemmData::compareWhole() {
  if (Error error = makeWhole())
    return std::move(error);
  const Problem &problem = task.problem;
  Tolerance tolerance = Tolerance::ofSum(problem, problem.k, scale);
  if (problem.init == Init::read)
    tolerance.absolute += unitRoundoff(problem.c);
  if (Error error = kit.check->clearFindings())
    return std::move(error);
  if (Error error =
          kit.check->compare(matrix(2, 0), kit.reference.getAddress(),
                             {tolerance.relative, tolerance.absolute, 0}, 0))
    return std::move(error);
  auto findings = kit.check->readFindings(1);
  if (!findings)
    return findings.takeError();
  float worst;
  std::memcpy(&worst, &findings->front().worst, sizeof(worst));
  if (findings->front().wrong)
    return llvm::createStringError(
        formatv("expected a correct product, but got {0} wrong elements, the "
                "worst at {1:F1} times the tolerance",
                findings->front().wrong, worst));
  return worst;
}

llvm::Expected<double>
GemmData::verify(const Contender &launch, Part part, bool whole,
                 llvm::function_ref<Error(uint64_t c)> spoil) {
  Error prepared =
      task.problem.init == Init::read
          ? fill(2)
          : kit.device->fill(c(0), poisonOf(task.problem.c), bytes[2]);
  if (prepared)
    return std::move(prepared);
  bool several = sets > 1;
  for (size_t set : {1, 0, 1})
    if (several || set == 0)
      if (Error error = launch(set))
        return std::move(error);
  if (spoil)
    if (Error error = spoil(c(0)))
      return std::move(error);
  if (task.finish && part != Part::product)
    return judgeEpilogue(part);
  if (needsWhole())
    return compareWhole();
  auto worst = kit.product->judge(matrix(2, 0));
  return worst && whole ? compareWhole() : std::move(worst);
}
