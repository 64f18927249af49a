//===- GemmLaunch.cpp - Launches of kernels on matrices -------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a plan for a set of matrices. See GemmData.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Matmul/GemmData.h"
#include "llvm/ADT/STLExtras.h"

using namespace hone;

std::array<int64_t, 3> GemmData::operandStrides(size_t index) const {
  const Problem &problem = task.problem;
  std::array<int64_t, 3> strides = {};
  int64_t stride = 1;
  for (char dim : llvm::reverse(task.operands[index].dims)) {
    strides[dim == 'b' ? 0 : dim == 'm' ? 1 : 2] = stride;
    stride *= dim == 'b'   ? problem.batch.value_or(1)
              : dim == 'm' ? problem.m
                           : problem.n;
  }
  return strides;
}

/// The numbers of windows, in the names that plans have for them.
static void setImage(PlanArguments &arguments, const Window &image) {
  WindowArguments window;
  window.images = image.images;
  window.channels = image.channels;
  for (auto [from, to] :
       {std::pair(&image.h, &window.h), {&image.w, &window.w}})
    *to = {from->extent, from->count,    from->size,
           from->step,   from->dilation, from->low};
  arguments.setWindow(window);
  arguments.set("lda", image.w.pitch);
  arguments.set("ha", image.h.pitch);
  arguments.set("sa", image.imagePitch);
}

PlanArguments GemmData::arguments(size_t set, const Schedule &schedule) const {
  const Problem &problem = task.problem;
  PlanArguments arguments;
  arguments.setExtents(problem.m, problem.n, problem.k,
                       problem.batch.value_or(1));
  const char *names[] = {"a", "b", "c"};
  for (size_t which = 0; which < 3; ++which) {
    gpucheck::Matrix one = matrix(which, set % countOf(which));
    arguments.setMatrix(names[which], static_cast<int64_t>(addressOf(one)),
                        std::max(one.rowStride, one.colStride),
                        {one.batchStride, 0});
  }
  if (image)
    setImage(arguments, *image);
  for (size_t i = 0; i < task.operands.size(); ++i) {
    auto [alongBatch, alongM, alongN] = operandStrides(i);
    arguments.setOperand(i, static_cast<int64_t>(e(set, i)), {alongBatch, 0},
                         alongM, alongN);
  }
  for (const auto &knob : runTimeKnobs(schedule))
    arguments.set(knob.getKey().str(), knob.getValue());
  return arguments;
}

llvm::Expected<Contender> hone::contenderOf(MatmulKernel &kernel,
                                            const Schedule &schedule,
                                            const GemmData &data) {
  auto ordered = kernel.order(data.arguments(/*set=*/0, schedule));
  if (!ordered)
    return ordered.takeError();
  // Only the addresses differ between sets. The address of an argument that the
  // plan does not have goes to an extra slot after the last.
  const std::vector<std::string> &args = kernel.plan().args;
  auto placeOf = [&](const std::string &name) -> size_t {
    return llvm::find(args, name) - args.begin();
  };
  std::vector<size_t> places = {placeOf("a"), placeOf("b"), placeOf("c")};
  for (size_t i = 0; i < data.operands(); ++i)
    places.push_back(placeOf("e" + std::to_string(i)));
  size_t count = ordered->size();
  ordered->push_back(0);
  return Contender([&kernel, &data, count, places,
                    values = std::move(*ordered)](size_t set) mutable {
    values[places[0]] = static_cast<int64_t>(data.a(set));
    values[places[1]] = static_cast<int64_t>(data.b(set));
    values[places[2]] = static_cast<int64_t>(data.c(set));
    for (size_t i = 3; i < places.size(); ++i)
      values[places[i]] = static_cast<int64_t>(data.e(set, i - 3));
    return kernel.launch(llvm::ArrayRef(values).take_front(count));
  });
}
